/** A faint copy of the figure. Only its nearest surface is seen, so that parts inside do not show through. */
import { Group, Mesh, MeshBasicMaterial, MeshLambertMaterial } from "three";
import type { BufferGeometry, ColorRepresentation } from "three";

const DEPTH = new MeshBasicMaterial({ colorWrite: false, transparent: true });

export class Ghost extends Group {
  private readonly material: MeshLambertMaterial;

  constructor(private readonly geometry: BufferGeometry, color: ColorRepresentation, opacity: number) {
    super();
    this.material = new MeshLambertMaterial({ color, transparent: true, opacity, depthWrite: false, polygonOffset: true, polygonOffsetFactor: -1, polygonOffsetUnits: -1 });
    const depth = new Mesh(geometry, DEPTH), seen = new Mesh(geometry, this.material);
    depth.renderOrder = 1;
    seen.renderOrder = 2;
    this.add(depth, seen);
  }

  tint(color: ColorRepresentation, opacity: number): void {
    this.material.color.set(color);
    this.material.opacity = opacity;
  }

  dispose(): void {
    this.removeFromParent();
    this.geometry.dispose();
    this.material.dispose();
  }
}
