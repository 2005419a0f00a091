/** The skin of a character. Its bones are the segments of the figure, so a pose is set as for the wooden figure. */
import { BufferAttribute, BufferGeometry, Group, Object3D, SkinnedMesh, Vector3 } from "three";
import type { Intersection, Material, Raycaster } from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import { leaveOut } from "./ghost";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";

/** Above this number of points the solids of the figure are used to find what is under the pointer. */
const MOST_POINTS = 20_000;

export class Skin extends Group {
  private readonly bones: Object3D[];
  private readonly meshes: SkinnedMesh[] = [];
  /** Whether the skin itself is used to find what is under the pointer. */
  readonly pickable: boolean;

  private constructor(scene: Group, segments: string[]) {
    super();
    this.add(...scene.children.slice());
    this.bones = segments.map((_, i) => this.children[i]);
    this.bones.forEach((bone, i) => (bone.userData.segment = i));
    this.traverse((found) => {
      if (!(found instanceof SkinnedMesh)) return;
      found.frustumCulled = false;
      found.castShadow = found.receiveShadow = true;
      for (const one of [found.material].flat() as Material[]) leaveOut(one);
      this.meshes.push(found);
    });
    this.pickable = this.meshes.reduce((sum, mesh) => sum + mesh.geometry.attributes.position.count, 0) <= MOST_POINTS;
  }

  /** Reads the file that the server made: its first nodes are the segments, in their order. */
  static async read(data: ArrayBuffer, segments: string[]): Promise<Skin> {
    const { scene } = await new GLTFLoader().parseAsync(data, "");
    return new Skin(scene, segments);
  }

  pose(rows: Float32Array): void {
    this.bones.forEach((bone, i) => {
      bone.position.fromArray(rows, 7 * i);
      bone.quaternion.fromArray(rows, 7 * i + 3);
    });
  }

  /** The skin in a pose, as one geometry in the space of the figure. */
  baked(rows: Float32Array, shown: Float32Array): BufferGeometry {
    this.pose(rows);
    this.updateMatrixWorld(true);
    const inverse = this.matrixWorld.clone().invert(),
      at = new Vector3();
    const pieces = this.meshes.map((mesh) => {
      const { position } = mesh.geometry.attributes,
        places = new Float32Array(3 * position.count);
      const matrix = inverse.clone().multiply(mesh.matrixWorld);
      for (let i = 0; i < position.count; i++)
        mesh
          .getVertexPosition(i, at)
          .applyMatrix4(matrix)
          .toArray(places, 3 * i);
      const piece = new BufferGeometry().setIndex(mesh.geometry.index);
      piece.setAttribute("position", new BufferAttribute(places, 3));
      piece.computeVertexNormals();
      return piece.index ? piece.toNonIndexed() : piece;
    });
    this.pose(shown);
    this.updateMatrixWorld(true);
    return mergeGeometries(pieces);
  }

  /** The segment under the ray and the point on the skin. */
  hit(ray: Raycaster): { segment: number; found: Intersection } | null {
    for (const mesh of this.meshes) mesh.computeBoundingSphere();
    const found = ray.intersectObjects<SkinnedMesh>(this.meshes, false)[0];
    if (!found?.face) return null;
    return { segment: strongest(found.object, [found.face.a, found.face.b, found.face.c]), found };
  }

  dispose(): void {
    for (const mesh of this.meshes) {
      mesh.geometry.dispose();
      for (const one of [mesh.material].flat() as Material[]) one.dispose();
    }
  }
}

/** The segment that moves a face most. */
function strongest(mesh: SkinnedMesh, corners: number[]): number {
  const { skinIndex, skinWeight } = mesh.geometry.attributes,
    sums = new Map<number, number>();
  for (const corner of corners) {
    for (let k = 0; k < 4; k++) {
      const bone = skinIndex.getComponent(corner, k);
      sums.set(bone, (sums.get(bone) ?? 0) + skinWeight.getComponent(corner, k));
    }
  }
  const [best] = [...sums].sort((a, b) => b[1] - a[1])[0];
  return mesh.skeleton.bones[best].userData.segment as number;
}
