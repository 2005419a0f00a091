/** Small pictures of a figure: the outline of each solid, filled, from back to front. */
import { Quaternion, Vector3 } from "three";
import type { SceneMessage, Shape } from "./protocol";
import { UP } from "./view/world";

/** The figure is seen from a little aside. */
const AZIMUTH = -0.5,
  ELEVATION = 0.12;
const WOOD = "#d6a770",
  JOINT = "#8f5f37",
  EDGE = "#5f3d1f55";
const AROUND = 10;

type Point = [x: number, y: number];

/** Points on the surface of a solid, in the space of its segment. */
export function surface(shape: Shape): Vector3[] {
  if (shape.kind === "box") {
    const [w, i, j, k] = shape.rotation,
      turn = new Quaternion(i, j, k, w),
      center = new Vector3(...shape.center);
    return [...Array(8).keys()].map((c) =>
      new Vector3(c & 1 ? 1 : -1, c & 2 ? 1 : -1, c & 4 ? 1 : -1)
        .multiply(new Vector3(...shape.half))
        .applyQuaternion(turn)
        .add(center),
    );
  }
  const axis = new Vector3(...shape.axis);
  const across =
    shape.kind === "hull" ? new Vector3(...shape.across) : new Vector3().crossVectors(axis, Math.abs(axis.x) < 0.7 ? UP.x : UP.y).normalize();
  const third = axis.clone().cross(across);
  const around = (turn: number, radius: number): Vector3 =>
    across
      .clone()
      .multiplyScalar(radius * Math.cos(turn))
      .addScaledVector(third, radius * Math.sin(turn));
  if (shape.kind === "turned") {
    const origin = new Vector3(...shape.origin);
    return shape.along.flatMap((along, i) =>
      i % 2 && i + 1 < shape.along.length
        ? []
        : [...Array(AROUND).keys()].map((k) =>
            around((2 * Math.PI * k) / AROUND, shape.radii[i])
              .addScaledVector(axis, along)
              .add(origin),
          ),
    );
  }
  const center = new Vector3(...shape.center),
    last = shape.radii.length - 1;
  return shape.radii.flatMap((row, i) => {
    const latitude = Math.PI * (i / last - 0.5);
    return row.flatMap((radius, j) =>
      j % 2
        ? []
        : [
            around((2 * Math.PI * j) / row.length, radius * Math.cos(latitude))
              .addScaledVector(axis, radius * Math.sin(latitude))
              .add(center),
          ],
    );
  });
}

/** The convex outline of points in the plane, counter-clockwise. */
export function outline(points: Point[]): Point[] {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (list: Point[]): Point[] => {
    const out: Point[] = [];
    for (const p of list) {
      while (out.length > 1 && cross(out[out.length - 2], out[out.length - 1], p) <= 0) out.pop();
      out.push(p);
    }
    return out.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}
const cross = (a: Point, b: Point, c: Point): number => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);

export class Sketch {
  private readonly solids: { segment: number; joint: boolean; points: Vector3[] }[];
  private readonly view: Quaternion;

  constructor(scene: SceneMessage) {
    this.solids = scene.shapes.map((shape) => ({ segment: shape.segment, joint: shape.joint, points: surface(shape) }));
    const turn = new Quaternion().setFromAxisAngle(UP.y, AZIMUTH),
      tilt = new Quaternion().setFromAxisAngle(UP.x, ELEVATION);
    this.view = tilt.multiply(turn).multiply(new Quaternion().setFromUnitVectors(UP[scene.up], UP.y));
  }

  /** The outlines of the solids in a pose, from back to front. */
  outlines(rows: Float32Array): { joint: boolean; corners: Point[] }[] {
    const place = new Vector3(),
      turn = new Quaternion(),
      at = new Vector3();
    const seen = this.solids.map(({ segment, joint, points }) => {
      place.fromArray(rows, 7 * segment);
      turn.fromArray(rows, 7 * segment + 3);
      let depth = 0;
      const flat = points.map((point): Point => {
        at.copy(point).applyQuaternion(turn).add(place).applyQuaternion(this.view);
        depth += at.z / points.length;
        return [at.x, -at.y];
      });
      return { joint, depth, corners: outline(flat) };
    });
    return seen.sort((a, b) => a.depth - b.depth);
  }

  draw(canvas: HTMLCanvasElement, rows: Float32Array): void {
    const pen = canvas.getContext("2d");
    if (!pen) return;
    const found = this.outlines(rows),
      every = found.flatMap(({ corners }) => corners);
    if (!every.length) return;
    const [left, right] = extent(every.map((p) => p[0])),
      [top, bottom] = extent(every.map((p) => p[1]));
    const { width, height } = canvas,
      scale = 0.9 * Math.min(width / (right - left), height / (bottom - top));
    pen.clearRect(0, 0, width, height);
    pen.setTransform(scale, 0, 0, scale, width / 2 - (scale * (left + right)) / 2, height / 2 - (scale * (top + bottom)) / 2);
    pen.lineWidth = 1 / scale;
    pen.strokeStyle = EDGE;
    for (const { joint, corners } of found) {
      pen.beginPath();
      for (const [x, y] of corners) pen.lineTo(x, y);
      pen.closePath();
      pen.fillStyle = joint ? JOINT : WOOD;
      pen.fill();
      pen.stroke();
    }
    pen.setTransform(1, 0, 0, 1, 0, 0);
  }
}

const extent = (values: number[]): [number, number] => [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
