/** The wooden figure: one mesh for each segment, placed by the rows of a pose. */
import { BoxGeometry, BufferGeometry, Group, LatheGeometry, Matrix4, Mesh, MeshLambertMaterial, Quaternion, Vector2, Vector3 } from "three";
import type { Material } from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import type { SceneMessage, Shape } from "../protocol";
import type { Wood } from "./wood";

type TurnedShape = Extract<Shape, { kind: "turned" }>;
const ONE = new Vector3(1, 1, 1), UP = new Vector3(0, 1, 0);

/** A profile turned about an axis. The grain runs along the axis and closes round it. */
function turned(shape: TurnedShape, size: number, plain: boolean): BufferGeometry {
  const largest = Math.max(...shape.radii);
  const around = Math.round(Math.min(36, Math.max(12, 12 + (560 * largest) / size)));
  let profile = shape.radii.map((radius, i) => new Vector2(Math.max(radius, 0), shape.along[i]));
  if (plain) profile = profile.filter((_, i) => i % 2 === 0 || i === profile.length - 1);
  const geometry = new LatheGeometry(profile, plain ? Math.max(8, around >> 1) : around);
  const { uv, position } = geometry.attributes;
  const sheet = size / 1.5, turns = Math.max(1, Math.round((2 * Math.PI * largest) / (0.16 * sheet)));
  const shift = (7.3 * shape.origin[0] + 3.1 * shape.origin[1] + 0.37 * shape.segment) % 1;
  for (let i = 0; i < uv.count; i++) uv.setXY(i, uv.getX(i) * turns + shift, position.getY(i) / (0.45 * sheet) + shift);
  const rotation = new Quaternion().setFromUnitVectors(UP, new Vector3(...shape.axis));
  return geometry.applyMatrix4(new Matrix4().compose(new Vector3(...shape.origin), rotation, ONE));
}

function box(shape: Extract<Shape, { kind: "box" }>): BufferGeometry {
  const [x, y, z] = shape.half, [w, i, j, k] = shape.rotation;
  const placed = new Matrix4().compose(new Vector3(...shape.center), new Quaternion(i, j, k, w), ONE);
  return new BoxGeometry(2 * x, 2 * y, 2 * z).applyMatrix4(placed);
}

export class Mannequin extends Group {
  /** The mesh of each segment; null for one without a solid. */
  readonly parts: (Mesh<BufferGeometry, Material[]> | null)[] = [];
  /** The radius of each segment's solid; 0 without one. */
  readonly radii: number[] = [];

  constructor(scene: SceneMessage, wood: Wood, plain: boolean) {
    super();
    const pieces = scene.segments.map(() => [[], []] as [BufferGeometry[], BufferGeometry[]]);
    for (const shape of scene.shapes) {
      pieces[shape.segment][shape.joint ? 1 : 0].push(shape.kind === "turned" ? turned(shape, scene.size, plain) : box(shape));
    }
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
    this.parts.forEach((mesh, i) => {
      mesh?.position.fromArray(rows, 7 * i);
      mesh?.quaternion.fromArray(rows, 7 * i + 3);
    });
  }

  /** A faint copy of the present pose. It shares its geometry with the figure. */
  ghost(color: number, opacity: number): Group {
    const group = new Group(), material = new MeshLambertMaterial({ color, transparent: true, opacity, depthWrite: false });
    for (const part of this.parts) {
      if (!part) continue;
      const copy = new Mesh(part.geometry, part.material.map(() => material));
      copy.position.copy(part.position);
      copy.quaternion.copy(part.quaternion);
      group.add(copy);
    }
    return group;
  }

  dispose(): void {
    for (const part of this.parts) part?.geometry.dispose();
  }
}
