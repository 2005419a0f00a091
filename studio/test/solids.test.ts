import { describe, expect, it } from "vitest";
import { Vector3 } from "three";
import { hull } from "../src/view/solids";

describe("a hull", () => {
  const radii = Array.from({ length: 9 }, () => Array(12).fill(0.2) as number[]);
  const geometry = hull({ kind: "hull", segment: 0, joint: false, center: [1, 2, 3], axis: [0, 1, 0], across: [1, 0, 0], radii }, 1.7);
  const { position, normal } = geometry.attributes;
  const out = (k: number): Vector3 => new Vector3().fromBufferAttribute(position, k).sub(new Vector3(1, 2, 3));

  it("of equal radii is a ball round its centre", () => {
    expect(position.count).toBe(9 * 13);
    for (let k = 0; k < position.count; k++) expect(out(k).length()).toBeCloseTo(0.2, 6);
  });
  it("has normals that point outward, the same on both sides of the seam", () => {
    for (let k = 0; k < position.count; k++) expect(out(k).normalize().dot(new Vector3().fromBufferAttribute(normal, k))).toBeGreaterThan(0.97);
    for (let i = 0; i < 9; i++) expect(normal.getX(13 * i)).toBe(normal.getX(13 * i + 12));
  });
  it("has faces whose front is outside", () => {
    const index = geometry.getIndex()!,
      [a, b, c] = [0, 1, 2].map((k) => out(index.getX(6 * 12 * 4 + k)));
    expect(b.clone().sub(a).cross(c.clone().sub(a)).dot(a)).toBeGreaterThan(0);
  });
});
