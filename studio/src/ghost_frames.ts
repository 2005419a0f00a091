/** Which frames are shown as ghosts beside the present frame. */
import type { StateMessage } from "./protocol";

/** Largest number of ghosts before the present frame, and after it. */
export const NEAR = 3;

export interface GhostFrame {
  frame: number;
  side: "before" | "after";
  /** 1 for the nearest one. */
  rank: number;
}

/** The nearest keys, or the nearest multiples of the step in a clip. The present frame is not among them. */
export function ghostFrames(state: Pick<StateMessage, "keys" | "timeline" | "view">, now: number): GhostFrame[] {
  const frames = state.timeline?.frames ?? 0;
  if (!state.view.key_ghosts || frames < 2) return [];
  const every = state.timeline?.clip ? around(now, Math.max(1, state.view.ghost_step)) : state.keys.map((key) => key.frame);
  const inside = every.filter((frame) => frame >= 0 && frame < frames && frame !== now).sort((a, b) => a - b);
  const before = inside.filter((frame) => frame < now).reverse(),
    after = inside.filter((frame) => frame > now);
  const ranked = (list: number[], side: GhostFrame["side"]): GhostFrame[] => list.slice(0, NEAR).map((frame, i) => ({ frame, side, rank: i + 1 }));
  return [...ranked(before, "before"), ...ranked(after, "after")];
}

function around(now: number, step: number): number[] {
  const first = Math.floor(now / step) * step;
  return Array.from({ length: 2 * NEAR + 2 }, (_, i) => first + (i - NEAR) * step);
}
