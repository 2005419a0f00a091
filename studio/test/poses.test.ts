import { describe, expect, it } from "vitest";
import { floats } from "../src/protocol";
import type { SceneMessage, Shape } from "../src/protocol";
import { freeName } from "../src/panels/poses";
import { outline, Sketch, surface } from "../src/sketch";

const box: Shape = { kind: "box", segment: 0, joint: false, half: [0.1, 0.2, 0.3], center: [1, 0, 0], rotation: [1, 0, 0, 0] };
const rod: Shape = { kind: "turned", segment: 1, joint: true, origin: [0, 0, 0], axis: [0, 1, 0], along: [0, 0.5, 1], radii: [0, 0.1, 0] };

describe("the names of poses", () => {
  it("are free", () => {
    expect(freeName([])).toBe("Pose 1");
    expect(freeName(["a", "Pose 3"])).toBe("Pose 4");
  });
});

describe("the outline of points", () => {
  it("is their convex hull, counter-clockwise", () => {
    const found = outline([
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 1],
      [0.5, 0.5],
      [0.5, 0],
    ]);
    expect(found).toEqual([
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 1],
    ]);
  });
  it("of one place is that place", () => {
    expect(
      outline([
        [2, 3],
        [2, 3],
      ]).length,
    ).toBeLessThan(3);
  });
});

describe("a small picture", () => {
  it("takes points on the surface of each solid", () => {
    expect(surface(box)).toHaveLength(8);
    for (const point of surface(box)) expect(Math.abs(point.x - 1)).toBeCloseTo(0.1);
    for (const point of surface(rod)) expect(Math.hypot(point.x, point.z)).toBeLessThanOrEqual(0.1 + 1e-9);
    expect(Math.max(...surface(rod).map((point) => point.y))).toBe(1);
  });
  it("draws what is farther away first", () => {
    const scene = { up: "y", shapes: [box, rod] } as unknown as SceneMessage;
    const rows = new Float32Array([0, 0, 5, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1]);
    expect(new Sketch(scene).outlines(rows).map(({ joint }) => joint)).toEqual([true, false]);
    rows[2] = -5;
    expect(new Sketch(scene).outlines(rows).map(({ joint }) => joint)).toEqual([false, true]);
  });
  it("has the height of the figure, whatever its up axis is", () => {
    for (const up of ["x", "y", "z"] as const) {
      const along = { ...rod, segment: 0, axis: ({ x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] } as const)[up] } as unknown as Shape;
      const [found] = new Sketch({ up, shapes: [along] } as unknown as SceneMessage).outlines(new Float32Array([0, 0, 0, 0, 0, 0, 1]));
      const tall = found.corners.map(([, y]) => y);
      expect(Math.max(...tall) - Math.min(...tall)).toBeGreaterThan(0.9);
    }
  });
});

it("reads numbers in base64", () => {
  const numbers = new Float32Array([1.5, -2]);
  expect(floats(btoa(String.fromCharCode(...new Uint8Array(numbers.buffer))))).toEqual(numbers);
});
