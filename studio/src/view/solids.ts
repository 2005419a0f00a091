/** The solids of a figure: turned profiles, hulls and boxes, with the grain of the wood along their axes. */
import { BoxGeometry, BufferGeometry, Float32BufferAttribute, LatheGeometry, Matrix4, Quaternion, Vector2, Vector3 } from "three";
import type { Shape } from "../protocol";

type Kind<K extends Shape["kind"]> = Extract<Shape, { kind: K }>;
/** Sheets of grain in the height of a person. */
const SHEETS = 1.5;
const ONE = new Vector3(1, 1, 1),
  UP = new Vector3(0, 1, 0);

/** A profile turned about an axis. The grain runs along the axis and closes round it. */
function turned(shape: Kind<"turned">, size: number, plain: boolean): BufferGeometry {
  const largest = Math.max(...shape.radii);
  const around = Math.round(Math.min(36, Math.max(12, 12 + (560 * largest) / size)));
  let profile = shape.radii.map((radius, i) => new Vector2(Math.max(radius, 0), shape.along[i]));
  if (plain) profile = profile.filter((_, i) => i % 2 === 0 || i === profile.length - 1);
  const geometry = new LatheGeometry(profile, plain ? Math.max(8, around >> 1) : around);
  const { uv, position } = geometry.attributes;
  const sheet = size / SHEETS,
    turns = Math.max(1, Math.round((2 * Math.PI * largest) / (0.16 * sheet)));
  const shift = (7.3 * shape.origin[0] + 3.1 * shape.origin[1] + 0.37 * shape.segment) % 1;
  for (let i = 0; i < uv.count; i++) uv.setXY(i, uv.getX(i) * turns + shift, position.getY(i) / (0.45 * sheet) + shift);
  const rotation = new Quaternion().setFromUnitVectors(UP, new Vector3(...shape.axis));
  return geometry.applyMatrix4(new Matrix4().compose(new Vector3(...shape.origin), rotation, ONE));
}

function box(shape: Kind<"box">): BufferGeometry {
  const [x, y, z] = shape.half,
    [w, i, j, k] = shape.rotation;
  const placed = new Matrix4().compose(new Vector3(...shape.center), new Quaternion(i, j, k, w), ONE);
  return new BoxGeometry(2 * x, 2 * y, 2 * z).applyMatrix4(placed);
}

/** A closed surface, given by its distance from a point in the directions of latitudes and longitudes. */
export function hull(shape: Kind<"hull">, size: number): BufferGeometry {
  const rows = shape.radii.length,
    columns = shape.radii[0].length;
  const axis = new Vector3(...shape.axis),
    across = new Vector3(...shape.across),
    third = axis.clone().cross(across);
  const center = new Vector3(...shape.center),
    places: number[] = [],
    uv: number[] = [],
    index: number[] = [];
  const sheet = size / SHEETS,
    largest = Math.max(...shape.radii.flat());
  const turns = Math.max(1, Math.round((2 * Math.PI * largest) / (0.16 * sheet))),
    shift = (0.37 * shape.segment) % 1;
  for (let i = 0; i < rows; i++) {
    const latitude = Math.PI * (i / (rows - 1) - 0.5);
    for (let j = 0; j <= columns; j++) {
      const turn = (2 * Math.PI * j) / columns,
        radius = shape.radii[i][j % columns];
      const way = across.clone().multiplyScalar(Math.cos(turn)).addScaledVector(third, Math.sin(turn)).multiplyScalar(Math.cos(latitude));
      way.addScaledVector(axis, Math.sin(latitude)).multiplyScalar(radius);
      places.push(...way.clone().add(center).toArray());
      uv.push((turns * j) / columns + shift, way.dot(axis) / (0.45 * sheet) + shift);
      if (i + 1 === rows || j === columns) continue;
      const a = i * (columns + 1) + j,
        b = a + columns + 1;
      index.push(a, a + 1, b + 1, a, b + 1, b);
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute(places, 3));
  geometry.setAttribute("uv", new Float32BufferAttribute(uv, 2));
  geometry.setIndex(index);
  geometry.computeVertexNormals();
  smoothSeam(geometry, rows, columns);
  return geometry;
}

/** Gives points that are there twice, at the seam and at the poles, the same normal. */
function smoothSeam(geometry: BufferGeometry, rows: number, columns: number): void {
  const { normal } = geometry.attributes,
    at = new Vector3();
  for (let i = 0; i < rows; i++) {
    const pole = i === 0 || i === rows - 1,
      start = i * (columns + 1),
      sum = new Vector3();
    const same = pole ? Array.from({ length: columns + 1 }, (_, j) => start + j) : [start, start + columns];
    for (const k of same) sum.add(at.fromBufferAttribute(normal, k));
    sum.normalize();
    for (const k of same) normal.setXYZ(k, sum.x, sum.y, sum.z);
  }
}

export function solid(shape: Shape, size: number, plain: boolean): BufferGeometry {
  if (shape.kind === "turned") return turned(shape, size, plain);
  return shape.kind === "hull" ? hull(shape, size) : box(shape);
}
