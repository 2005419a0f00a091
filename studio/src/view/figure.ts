/** The wooden figure: one mesh for each segment, placed by the rows of a pose. */
import { BufferGeometry, Group, Matrix4, Mesh, Quaternion, Vector3 } from "three";
import type { Material } from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import type { SceneMessage } from "../protocol";
import { leaveOut } from "./ghost";
import { solid } from "./solids";
import type { Skin } from "./skin";
import type { Wood } from "./wood";

export class Mannequin extends Group {
  /** The mesh of each segment; null for one without a solid. */
  readonly parts: (Mesh<BufferGeometry, Material[]> | null)[] = [];
  /** The radius of each segment's solid; 0 without one. */
  readonly radii: number[] = [];
  /** The skin that covers the solids; null if there is none. It is a neighbour of this group. */
  skin: Skin | null = null;

  constructor(scene: SceneMessage, wood: Wood, plain: boolean) {
    super();
    const pieces = scene.segments.map(() => [[], []] as [BufferGeometry[], BufferGeometry[]]);
    for (const shape of scene.shapes) {
      pieces[shape.segment][shape.joint ? 1 : 0].push(solid(shape, scene.size, plain));
    }
    leaveOut(wood.solid);
    leaveOut(wood.joint);
    pieces.forEach((kinds, segment) => this.addPart(segment, kinds, [wood.solid, wood.joint]));
  }

  private addPart(segment: number, kinds: BufferGeometry[][], materials: Material[]): void {
    const used = materials.filter((_, i) => kinds[i].length > 0);
    if (used.length === 0) {
      this.parts.push(null);
      this.radii.push(0);
      return;
    }
    const merged = kinds.filter((kind) => kind.length > 0).map((kind) => mergeGeometries(kind));
    const geometry = mergeGeometries(merged, true);
    geometry.computeBoundingSphere();
    const mesh = new Mesh(geometry, used);
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.userData.segment = segment;
    this.parts.push(mesh);
    this.radii.push(geometry.boundingSphere!.radius);
    this.add(mesh);
  }

  pose(rows: Float32Array): void {
    this.skin?.pose(rows);
    this.parts.forEach((mesh, i) => {
      mesh?.position.fromArray(rows, 7 * i);
      mesh?.quaternion.fromArray(rows, 7 * i + 3);
    });
  }

  /** All solids in a pose, as one geometry. */
  baked(rows: Float32Array): BufferGeometry {
    const at = new Matrix4(),
      place = new Vector3(),
      turn = new Quaternion(),
      one = new Vector3(1, 1, 1);
    const pieces = this.parts.flatMap((part, i) => {
      if (!part) return [];
      const piece = new BufferGeometry().setIndex(part.geometry.index);
      for (const name of ["position", "normal"] as const) piece.setAttribute(name, part.geometry.attributes[name].clone());
      return [piece.applyMatrix4(at.compose(place.fromArray(rows, 7 * i), turn.fromArray(rows, 7 * i + 3), one))];
    });
    return mergeGeometries(pieces);
  }

  dispose(): void {
    for (const part of this.parts) part?.geometry.dispose();
  }
}
