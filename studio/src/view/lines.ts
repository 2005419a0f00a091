/** Lines of a width in pixels, drawn over the figure. */
import { Vector3 } from "three";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";

export class Stroke extends Line2 {
  constructor(color: string, width: number, dashed = false) {
    super(new LineGeometry(), new LineMaterial({ color, linewidth: width, dashed, depthTest: false, transparent: true, toneMapped: false }));
    this.renderOrder = 18;
    this.frustumCulled = false;
    this.visible = false;
  }

  /** Draws the line from one point to another. `size` is that of the figure and gives the length of the dashes. */
  between(a: Vector3, b: Vector3, size: number): void {
    this.material.dashSize = 0.011 * size;
    this.material.gapSize = 0.008 * size;
    this.geometry.setPositions([a.x, a.y, a.z, b.x, b.y, b.z]);
    this.computeLineDistances();
    this.visible = true;
  }

  /** Draws a line through points, three numbers each. */
  through(numbers: number[]): void {
    this.visible = numbers.length >= 6;
    if (!this.visible) return;
    this.geometry.dispose();
    this.geometry = new LineGeometry();
    this.geometry.setPositions(numbers);
  }
}
