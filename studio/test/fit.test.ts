import { describe, expect, it } from "vitest";
import { PerspectiveCamera, Vector3 } from "three";
import { distanceToSee } from "../src/view/viewport";

describe("the distance from which all is seen", () => {
  const points = [...Array(8).keys()].map((k) => new Vector3(k & 1 ? 1 : -1, k & 2 ? 0.5 : -0.5, k & 4 ? 0.7 : -0.7));
  it.each([
    [0, 0],
    [0.63, 0.16],
    [Math.PI / 2, 0.06],
    [0.3, 1.5],
  ])("from azimuth %f and elevation %f", (azimuth, elevation) => {
    for (const aspect of [0.5, 1.7]) {
      const camera = new PerspectiveCamera(30, aspect, 0.01, 100),
        half = Math.tan(Math.PI / 12);
      const far = distanceToSee(points, azimuth, elevation, half, aspect),
        level = Math.cos(elevation);
      camera.position.set(Math.sin(azimuth) * level, Math.sin(elevation), Math.cos(azimuth) * level).multiplyScalar(far);
      camera.lookAt(0, 0, 0);
      camera.updateMatrixWorld();
      const seen = points.map((point) => point.clone().project(camera));
      const most = Math.max(...seen.flatMap((at) => [Math.abs(at.x), Math.abs(at.y)]));
      expect(most).toBeCloseTo(1, 6); // the farthest point is at the edge
    }
  });
});
