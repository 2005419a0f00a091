/** A faint copy of the figure. It is seen beside the figure only, never over it, and without its inner parts. */
import { Group, Mesh, MeshLambertMaterial, NotEqualStencilFunc, ReplaceStencilOp } from "three";
import type { BufferGeometry, ColorRepresentation, Material } from "three";

/** Marks the pixels of the figure, so that ghosts leave them out. */
export function leaveOut(material: Material): void {
  material.stencilWrite = true;
  material.stencilRef = 1;
  material.stencilZPass = ReplaceStencilOp;
}
const BESIDE = { stencilWrite: true, stencilWriteMask: 0, stencilRef: 1, stencilFunc: NotEqualStencilFunc };
/** Its class is that of the visible material, so that both have the same depth to the last bit. */
const DEPTH = new MeshLambertMaterial({ colorWrite: false, transparent: true, ...BESIDE });

export class Ghost extends Group {
  private readonly material: MeshLambertMaterial;

  constructor(
    private readonly geometry: BufferGeometry,
    color: ColorRepresentation,
    opacity: number,
  ) {
    super();
    this.material = new MeshLambertMaterial({ color, transparent: true, opacity, depthWrite: false, ...BESIDE });
    const depth = new Mesh(geometry, DEPTH),
      seen = new Mesh(geometry, this.material);
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
