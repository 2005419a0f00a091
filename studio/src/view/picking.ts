/** Which part of the figure is under the pointer. */
import { Plane, Raycaster, Vector2, Vector3 } from "three";
import type { Object3D, PerspectiveCamera } from "three";
import type { Segment } from "../protocol";
import type { Mannequin } from "./figure";
import type { Marks } from "./marks";

/** A part smaller than this on the screen gives way to its parent, in pixels. */
export const SMALLEST = 9;
/** A mark is hit within this distance, in pixels. */
const NEAR_MARK = 20;

export interface Hit {
  segment: number;
  /** The point in stage coordinates. */
  point: Vector3;
}

/** The part to take instead of one that is too small to aim at: a hand instead of a finger, unless one is near. */
export function large(segment: number, segments: Segment[], radii: number[], pixelsPerUnit: number): number {
  const index = new Map(segments.map((one, i) => [one.name, i]));
  let found = segment;
  while (radii[found] * pixelsPerUnit < SMALLEST) {
    const parent = segments[found].parent;
    if (parent === null) return segment; // all of them are small, as in a long chain
    if (!radii[index.get(parent)!]) return found;
    found = index.get(parent)!;
  }
  return found;
}

export class Picker {
  readonly ray = new Raycaster();

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly camera: PerspectiveCamera,
  ) {}

  /** Points the ray at a place on the screen. */
  aim(at: { clientX: number; clientY: number }): Vector2 {
    const box = this.canvas.getBoundingClientRect();
    const where = new Vector2(((at.clientX - box.left) / box.width) * 2 - 1, 1 - ((at.clientY - box.top) / box.height) * 2);
    this.ray.setFromCamera(where, this.camera);
    return where;
  }

  figure(at: { clientX: number; clientY: number }, figure: Mannequin, segments: Segment[]): Hit | null {
    this.aim(at);
    const { skin } = figure;
    if (skin?.visible && skin.pickable) {
      const hit = skin.hit(this.ray);
      return hit && { segment: large(hit.segment, segments, figure.radii, this.pixelsPerUnit(hit.found.point)), point: hit.found.point };
    }
    const found = this.ray.intersectObjects(figure.children, false)[0];
    if (!found) return null;
    const segment = found.object.userData.segment as number;
    return { segment: large(segment, segments, figure.radii, this.pixelsPerUnit(found.point)), point: found.point };
  }

  /** The goal whose target mark is at a place on the screen. */
  target(at: { clientX: number; clientY: number }, marks: Marks): { goal: string; point: Vector3 } | null {
    for (const [goal, { mark }] of marks.targets) {
      const point = this.near(at, mark);
      if (point) return { goal, point };
    }
    return null;
  }

  /** The segment without a solid whose mark is at a place on the screen, such as the point on which a robot stands. */
  pin(at: { clientX: number; clientY: number }, marks: Marks, figure: Mannequin): Hit | null {
    for (const [segment, mark] of marks.held) {
      const point = figure.parts[segment] ? null : this.near(at, mark);
      if (point) return { segment, point };
    }
    return null;
  }

  /** Where a mark is, in stage coordinates; null if it is far from a place on the screen. */
  private near(at: { clientX: number; clientY: number }, mark: Object3D): Vector3 | null {
    const where = this.aim(at),
      half = new Vector2(this.canvas.clientWidth / 2, this.canvas.clientHeight / 2);
    const point = mark.getWorldPosition(new Vector3()),
      seen = point.clone().project(this.camera);
    const away = new Vector2(seen.x - where.x, seen.y - where.y).multiply(half).length();
    return seen.z < 1 && away < NEAR_MARK ? point : null;
  }

  /** The plane through a point that faces the camera. */
  facing(point: Vector3): Plane {
    return new Plane().setFromNormalAndCoplanarPoint(this.camera.getWorldDirection(new Vector3()), point);
  }

  pixelsPerUnit(point: Vector3): number {
    const depth = this.camera.position.distanceTo(point);
    return this.canvas.clientHeight / (2 * Math.tan((this.camera.fov * Math.PI) / 360) * depth);
  }
}
