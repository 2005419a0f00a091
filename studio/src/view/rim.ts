/** The rim of a segment: its back faces pushed outward by some pixels. It costs one draw call. */
import { BackSide, BufferGeometry, Color, Mesh, ShaderMaterial, Vector2 } from "three";
import type { Object3D } from "three";

const VERTEX = `uniform float pixels; uniform vec2 screen;
void main() {
  vec4 at = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  vec2 out2 = (projectionMatrix * vec4(normalMatrix * normal, 0.0)).xy;
  float size = length(out2);
  if (size > 1e-6) at.xy += out2 / size * pixels * 2.0 / screen * at.w;
  gl_Position = at;
}`;
const FRAGMENT = `uniform vec3 color; uniform float alpha;
void main() { gl_FragColor = vec4(color, alpha);
#include <colorspace_fragment>
}`;

export class Rim extends Mesh<BufferGeometry, ShaderMaterial> {
  constructor(color: number, pixels: number, alpha = 1) {
    super(
      new BufferGeometry(),
      new ShaderMaterial({
        side: BackSide,
        transparent: alpha < 1,
        uniforms: { color: { value: new Color(color) }, pixels: { value: pixels }, screen: { value: new Vector2(1, 1) }, alpha: { value: alpha } },
        vertexShader: VERTEX,
        fragmentShader: FRAGMENT,
      }),
    );
    this.visible = false;
    this.frustumCulled = false;
  }

  /** Lies round a part. Without one it is not visible. */
  follow(part: (Object3D & { geometry: BufferGeometry }) | null | undefined, screen: Vector2): void {
    this.visible = !!part;
    if (!part) return;
    this.geometry = part.geometry;
    this.position.copy(part.position);
    this.quaternion.copy(part.quaternion);
    this.material.uniforms.screen.value.copy(screen);
  }
}
