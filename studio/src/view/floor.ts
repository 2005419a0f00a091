/** The floor: a grid that fades out, the shadow of the key light, and dark spots where parts touch the floor. */
import {
  Color,
  DynamicDrawUsage,
  Group,
  InstancedBufferAttribute,
  InstancedMesh,
  Matrix4,
  Mesh,
  PlaneGeometry,
  ShaderMaterial,
  ShadowMaterial,
  Vector2,
  Vector3,
} from "three";

const GRID_VERTEX = `varying vec2 at;
void main() { vec4 p = modelMatrix * vec4(position, 1.0); at = p.xz; gl_Position = projectionMatrix * viewMatrix * p; }`;
const GRID_FRAGMENT = `varying vec2 at; uniform vec3 color; uniform float cell, reach; uniform vec2 focus;
float lines(vec2 p, float width) {
  vec2 d = fwidth(p), a = abs(fract(p - 0.5) - 0.5) / max(d, 1e-6);
  return (1.0 - smoothstep(0.2, 0.6, max(d.x, d.y))) * (1.0 - min(min(a.x, a.y) / width, 1.0));
}
void main() {
  float alpha = max(0.34 * lines(at / cell, 0.9), 0.72 * lines(at / (4.0 * cell), 1.0));
  gl_FragColor = vec4(color, alpha * (1.0 - smoothstep(0.25, 1.0, length(at - focus) / reach)));
  #include <colorspace_fragment>
}`;
const SPOT_VERTEX = `attribute float strength; varying vec2 from; varying float dark;
void main() { from = uv * 2.0 - 1.0; dark = strength; gl_Position = projectionMatrix * viewMatrix * modelMatrix * instanceMatrix * vec4(position, 1.0); }`;
const SPOT_FRAGMENT = `uniform vec3 color; varying vec2 from; varying float dark;
void main() { float r = length(from); gl_FragColor = vec4(color, dark * pow(max(0.0, 1.0 - r), 1.6));
#include <colorspace_fragment>
}`;
const MOST_SPOTS = 24;

export class Floor extends Group {
  private readonly grid = new Mesh(
    new PlaneGeometry(1, 1),
    new ShaderMaterial({
      transparent: true,
      depthWrite: false,
      uniforms: { color: { value: new Color() }, cell: { value: 0.25 }, reach: { value: 3 }, focus: { value: new Vector2() } },
      vertexShader: GRID_VERTEX,
      fragmentShader: GRID_FRAGMENT,
    }),
  );
  private readonly shadow = new Mesh(new PlaneGeometry(1, 1), new ShadowMaterial({ transparent: true }));
  private readonly spots: InstancedMesh<PlaneGeometry, ShaderMaterial>;
  private readonly strengths = new InstancedBufferAttribute(new Float32Array(MOST_SPOTS), 1).setUsage(DynamicDrawUsage);

  constructor() {
    super();
    const flat = new PlaneGeometry(2, 2).rotateX(-Math.PI / 2);
    flat.setAttribute("strength", this.strengths);
    this.spots = new InstancedMesh(
      flat,
      new ShaderMaterial({
        transparent: true,
        depthWrite: false,
        uniforms: { color: { value: new Color() } },
        vertexShader: SPOT_VERTEX,
        fragmentShader: SPOT_FRAGMENT,
      }),
      MOST_SPOTS,
    );
    this.spots.frustumCulled = false;
    for (const sheet of [this.grid, this.shadow]) sheet.rotation.x = -Math.PI / 2;
    this.shadow.receiveShadow = true;
    this.grid.renderOrder = -3;
    this.spots.renderOrder = -2;
    this.add(this.shadow, this.grid, this.spots);
  }

  colours(grid: string, shadow: string, strength: number): void {
    this.grid.material.uniforms.color.value.set(grid);
    this.spots.material.uniforms.color.value.set(shadow);
    this.shadow.material.color.set(shadow);
    this.shadow.material.opacity = strength;
  }

  fit(size: number, height: number, focus: Vector3): void {
    this.position.y = height;
    for (const sheet of [this.grid, this.shadow]) sheet.scale.setScalar(20 * size);
    this.grid.position.y = 3e-4 * size;
    this.spots.position.y = 6e-4 * size;
    const { uniforms } = this.grid.material;
    uniforms.reach.value = 2.1 * size;
    uniforms.cell.value = 0.25 * 10 ** Math.round(Math.log10(size / 1.7));
    uniforms.focus.value.set(focus.x, focus.z);
  }

  /** Dark spots below the given balls (stage coordinates), darker the nearer they are. */
  touch(balls: { center: Vector3; radius: number }[]): void {
    let count = 0;
    const at = new Matrix4();
    for (const { center, radius } of balls) {
      const gap = (center.y - this.position.y) / radius;
      if (radius <= 0 || gap > 1.6 || gap < -1 || count === MOST_SPOTS) continue;
      const wide = 1.25 * radius;
      at.makeScale(wide, 1, wide).setPosition(center.x, 0, center.z);
      this.spots.setMatrixAt(count, at);
      this.strengths.setX(count++, 0.5 * Math.min(1, Math.max(0, 1.6 - gap)));
    }
    this.spots.count = count;
    this.spots.instanceMatrix.needsUpdate = this.strengths.needsUpdate = true;
  }
}
