/** Keys: the actions of the table, and arrows that move the selected part in the plane of the view. */
import { Vector3 } from "three";
import { pressed } from "./actions";
import type { Action } from "./actions";
import type { Nudger } from "./nudge";
import type { Studio } from "./studio";
import type { Viewport } from "./view/viewport";

/** Steps of the arrow keys, in metres for a person. */
const STEP = 0.01,
  LONG_STEP = 0.05,
  PERSON = 1.53;
const ARROWS: Record<string, [number, number, number]> = {
  ArrowLeft: [-1, 0, 0],
  ArrowRight: [1, 0, 0],
  ArrowUp: [0, 1, 0],
  ArrowDown: [0, -1, 0],
  PageUp: [0, 0, -1],
  PageDown: [0, 0, 1],
};

export function listen(studio: Studio, view: Viewport, actions: Map<string, Action>, nudger: Nudger, escape: () => void): void {
  const byKey = new Map([...actions.values()].flatMap((action) => action.keys.map((key) => [key, action] as const)));
  addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    if (document.querySelector("dialog[open]")) return;
    const typing = target.matches("input:not([type=checkbox]), select, textarea");
    const key = pressed(event);
    if (key === "Escape") {
      target.blur();
      escape();
      return;
    }
    if (typing) return;
    const step = ARROWS[event.key];
    if (step && studio.main >= 0 && !event.ctrlKey && !event.metaKey && !target.matches("[role=option], [role=slider], [role=listbox]")) {
      event.preventDefault();
      nudger.by(inView(view, step, ((event.shiftKey ? LONG_STEP : STEP) * studio.scene!.size) / PERSON));
      return;
    }
    const action = byKey.get(key);
    if (!action) return;
    event.preventDefault();
    nudger.end();
    if (studio.link.open && studio.scene && (action.enabled?.() ?? true)) action.run();
  });
}

/** A step along the axes of the screen, in figure coordinates. */
function inView(view: Viewport, [right, up, back]: [number, number, number], size: number): Vector3 {
  const step = new Vector3(right, up, back).applyQuaternion(view.stage.camera.quaternion).setLength(size);
  return step.applyQuaternion(view.world.quaternion.clone().invert());
}
