/** What a button beside a reason does. */
import { Vector3 } from "three";
import type { Context } from "./panels/registry";
import type { Change } from "./protocol";
import { asVec } from "./view/world";

/** Milliseconds that the figure has to come to the new target before it is released. */
const SETTLE = 500;

/** Makes a change: sends its commands, or drags to the target that can be reached. */
export function actOn({ studio, view }: Context, change: Change): void {
  if (change.target && studio.dragged) {
    view.marks.wanted = new Vector3(...change.target);
    studio.drag(asVec(view.marks.wanted), performance.now());
    setTimeout(() => studio.release(), SETTLE);
    return;
  }
  for (const { name, args } of change.commands ?? []) studio.command(name, args);
}
