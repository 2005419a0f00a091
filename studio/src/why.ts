/** What a button beside a reason does. */
import { Vector3 } from "three";
import type { Context } from "./panels/registry";
import type { Change } from "./protocol";
import { whenAtRest } from "./rest";
import { asVec } from "./view/world";

/** The figure has at least this many milliseconds to reach its target before it is released. */
const SETTLE = 400;

/** Makes a change, and then drags the same point again: to its old target, or to one that can be reached. */
export async function actOn(context: Context, change: Change): Promise<void> {
  const { studio, view } = context;
  const { last } = view.marks;
  studio.release();
  const commands = change.commands ?? [];
  for (const { name, args } of commands) {
    const done = new Promise<void>((then) => {
      const stop = studio.on("pose", () => {
        stop();
        then();
      });
    });
    studio.command(name, args);
    await done;
  }
  const posed = commands.some(({ name }) => name === "pose");
  if (last && !posed) dragAgain(context, last.segment, last.grip, change.target ? new Vector3(...change.target) : last.wanted);
}

function dragAgain({ studio, view }: Context, segment: number, grip: Vector3, wanted: Vector3): void {
  if (studio.dragged || !studio.link.open) return;
  const { marks } = view;
  const from = marks.pointOn(segment, grip);
  studio.grab(segment, asVec(from));
  marks.grip = grip;
  marks.wanted = wanted;
  marks.beginTrail();
  studio.drag(asVec(wanted), performance.now());
  whenAtRest(studio, SETTLE, () => {
    studio.release();
    marks.wanted = null;
  });
}
