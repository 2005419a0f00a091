/** Elbows and knees. */
import { Vector3 } from "three";
import type { Segment } from "./protocol";
import type { Studio } from "./studio";
import { place } from "./view/world";

const MIDDLE = { arm: "forearm", leg: "shank" };

/** The segment below the elbow or knee of the limb that a segment belongs to; null if it belongs to none. */
export function limbMiddle(segments: Segment[], index: number): string | null {
  const byName = new Map(segments.map((segment) => [segment.name, segment]));
  for (let at: Segment | undefined = segments[index]; at; at = at.parent === null ? undefined : byName.get(at.parent)) {
    const [side, ...rest] = at.words.split(" "),
      part = rest.join(" ");
    const limb = /^(upper arm|forearm|hand)$/.test(part) ? "arm" : /^(thigh|shank|foot|toes)$/.test(part) ? "leg" : null;
    if (!limb) continue;
    return segments.find((segment) => segment.words === `${side} ${MIDDLE[limb]}`)?.name ?? null;
  }
  return null;
}

/** Where a new pole is: in the direction of the present bend. A straight limb has none; its pole is toward the eye. */
export function bendTarget(studio: Studio, middle: number, eye: Vector3): Vector3 {
  const { segments, size } = studio.scene!,
    { rows } = studio.pose!;
  const bend = place(rows, middle),
    root = place(rows, studio.index(segments[middle].parent ?? undefined));
  const child = segments.findIndex((segment) => segment.parent === segments[middle].name);
  const tip = child < 0 ? bend : place(rows, child),
    line = tip.clone().sub(root);
  const out = bend.clone().sub(root).projectOnPlane(line.clone().normalize());
  if (out.length() < 0.01 * size) out.copy(eye).sub(bend).projectOnPlane(line.normalize());
  return bend.add(out.setLength(0.18 * size));
}
