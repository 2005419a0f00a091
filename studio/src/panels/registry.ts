/** The panels of the page. A new panel is a module with a `Panel` and one line in `panels`. */
import type { Action } from "../actions";
import type { Nudger } from "../nudge";
import type { Player } from "../player";
import type { Studio } from "../studio";
import type { Viewport } from "../view/viewport";
import { bodyPanel } from "./body";
import { goalsPanel } from "./goals";
import { methodsPanel } from "./methods";
import { partsPanel } from "./parts";
import { posesPanel } from "./poses";
import { selectedPanel } from "./selected";
import { timelinePanel } from "./timeline";

export interface Context {
  studio: Studio;
  view: Viewport;
  actions: Map<string, Action>;
  nudger: Nudger;
  player: Player;
}

export interface Panel {
  id: string;
  title: string;
  /** Beside the stage, or below it. */
  slot: "side" | "dock";
  build(context: Context): HTMLElement;
}

export const panels: Panel[] = [selectedPanel, goalsPanel, bodyPanel, posesPanel, partsPanel, methodsPanel, timelinePanel];
