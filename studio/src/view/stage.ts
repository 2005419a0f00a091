/** Light, floor, camera and renderer: everything that does not depend on the figure. It draws only when needed. */
import {
  DirectionalLight,
  HemisphereLight,
  MOUSE,
  NeutralToneMapping,
  PerspectiveCamera,
  PMREMGenerator,
  Scene,
  TOUCH,
  Vector2,
  Vector3,
  VSMShadowMap,
  WebGLRenderer,
} from "three";
import type { Mesh, Texture } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Floor } from "./floor";

const THEMES = {
  light: { grid: "#b7a98f", shadow: "#5a4630", strength: 0.26, room: 0.34, key: 2.15 },
  dark: { grid: "#5b554b", shadow: "#000000", strength: 0.5, room: 0.26, key: 2.0 },
};
export type Theme = keyof typeof THEMES;
/** 2: reflections, soft shadow, device pixels. 1: shadow. 0: neither, and fewer pixels while something moves. */
export type Quality = 0 | 1 | 2;
const SLOW_FRAME = 45,
  SLOW_FRAMES = 8,
  FEW_PIXELS = 0.6;
/** Milliseconds without a change after which a sharp picture is drawn. */
const REST = 250;

/** Whether the machine draws without a GPU, found with a temporary canvas. */
export function drawsInSoftware(): boolean {
  const probe = document.createElement("canvas").getContext("webgl2");
  const info = probe?.getExtension("WEBGL_debug_renderer_info");
  const name = String(info && probe!.getParameter(info.UNMASKED_RENDERER_WEBGL));
  probe?.getExtension("WEBGL_lose_context")?.loseContext();
  return !probe || /swiftshader|llvmpipe|software|basic render/i.test(name);
}

export class Stage {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(30, 1, 0.02, 200);
  readonly renderer: WebGLRenderer;
  readonly orbit: OrbitControls;
  readonly floor = new Floor();
  quality: Quality = 1;
  /** Whether the next frame must be drawn. */
  dirty = true;
  private readonly key = new DirectionalLight(0xfff1dc, 2.15);
  private readonly rim = new DirectionalLight(0xdfe8ff, 0.9);
  private readonly sky = new HemisphereLight(0xfff8ee, 0xb89a70, 0.42);
  private room: Texture | null = null;
  private slow = 0;
  private last = 0;
  private sharp = false;
  private changed = 0;
  private size = new Vector2(1, 1);

  /** With `fixed`, slow frames do not lower the quality. */
  constructor(
    readonly canvas: HTMLCanvasElement,
    readonly plain: boolean,
    private readonly fixed = false,
  ) {
    this.renderer = new WebGLRenderer({ canvas, antialias: !plain, alpha: true, stencil: true, powerPreference: "high-performance" });
    this.renderer.shadowMap.type = VSMShadowMap;
    this.renderer.toneMapping = NeutralToneMapping;
    const { shadow } = this.key;
    this.key.castShadow = true;
    shadow.mapSize.set(1024, 1024);
    shadow.radius = 5;
    shadow.blurSamples = 12;
    shadow.bias = -0.0006;
    shadow.normalBias = 0.01;
    this.scene.add(this.key, this.key.target, this.rim, this.sky, this.floor);
    this.orbit = new OrbitControls(this.camera, canvas);
    this.orbit.enableDamping = !matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.orbit.dampingFactor = 0.14;
    this.orbit.maxPolarAngle = 0.5 * Math.PI - 0.015;
    this.orbit.mouseButtons = { LEFT: MOUSE.ROTATE, MIDDLE: MOUSE.PAN, RIGHT: MOUSE.PAN };
    this.orbit.touches = { ONE: TOUCH.ROTATE, TWO: TOUCH.DOLLY_PAN };
    this.orbit.addEventListener("change", () => (this.dirty = true));
    canvas.addEventListener("webglcontextrestored", () => {
      this.room = null; // its pixels were lost
      this.setQuality(this.quality);
    });
  }

  theme(name: Theme): void {
    const look = THEMES[name];
    this.floor.colours(look.grid, look.shadow, look.strength);
    this.scene.environmentIntensity = look.room;
    this.key.intensity = look.key;
    this.dirty = true;
  }

  /** Fits lights, floor and limits of the camera to a figure of a size. */
  fit(size: number, center: Vector3, ground: number): void {
    this.key.position.set(center.x - 1.25 * size, ground + 2.9 * size, center.z + 1.35 * size);
    this.key.target.position.copy(center);
    const box = this.key.shadow.camera;
    box.left = box.bottom = -1.3 * size;
    box.right = box.top = 1.3 * size;
    box.near = 0.3 * size;
    box.far = 6 * size;
    box.updateProjectionMatrix();
    this.rim.position.set(center.x + 1.6 * size, ground + 1.4 * size, center.z - 2 * size);
    this.floor.fit(size, ground, center);
    this.camera.near = 0.02 * size;
    this.camera.far = 60 * size;
    this.orbit.minDistance = 0.25 * size;
    this.orbit.maxDistance = 9 * size;
    this.dirty = true;
  }

  /** Looks at a point from a direction: azimuth and elevation in radians. */
  look(at: Vector3, azimuth: number, elevation: number, distance: number): void {
    const level = Math.cos(elevation);
    const from = new Vector3(Math.sin(azimuth) * level, Math.sin(elevation), Math.cos(azimuth) * level);
    this.lookFrom(at.clone().addScaledVector(from, distance), at);
  }

  lookFrom(camera: Vector3, at: Vector3): void {
    this.orbit.target.copy(at);
    this.camera.position.copy(camera);
    this.camera.updateProjectionMatrix();
    this.orbit.update();
    this.dirty = true;
  }

  resize(width: number, height: number): void {
    this.size.set(Math.max(1, width), Math.max(1, height));
    this.camera.aspect = this.size.x / this.size.y;
    this.camera.updateProjectionMatrix();
    this.pixels(this.quality === 0 ? FEW_PIXELS : 1);
  }

  setQuality(quality: Quality): void {
    this.quality = quality;
    this.scene.environment = quality === 2 ? this.room : null;
    if (quality === 2 && !this.room) void this.reflect();
    this.sky.intensity = quality === 2 ? 0.42 : 1.2;
    this.sky.groundColor.set(quality === 2 ? 0xb89a70 : 0xd6cdbf);
    this.renderer.shadowMap.enabled = this.key.castShadow = quality >= 1;
    this.scene.traverse((found) => {
      const material = (found as Mesh).material;
      for (const one of Array.isArray(material) ? material : material ? [material] : []) one.needsUpdate = true;
    });
    this.resize(this.size.x, this.size.y);
  }

  /** Reflections of a plain room. Without a GPU this takes seconds, so it comes after the first picture. */
  private async reflect(): Promise<void> {
    const { RoomEnvironment } = await import("three/examples/jsm/environments/RoomEnvironment.js");
    const maker = new PMREMGenerator(this.renderer);
    this.room = maker.fromScene(new RoomEnvironment(), 0.04).texture;
    maker.dispose();
    if (this.quality === 2) this.scene.environment = this.room;
    this.dirty = true;
  }

  private pixels(share: number): void {
    const most = this.quality === 2 ? Math.min(devicePixelRatio, 2) : 1;
    this.renderer.setPixelRatio(most * share);
    this.renderer.setSize(this.size.x, this.size.y, false);
    this.sharp = share === 1;
    this.dirty = true;
  }

  /** Draws the frame if it must be drawn. Returns whether it was. */
  frame(now: number, prepare: () => void): boolean {
    this.orbit.update();
    if (!this.dirty) {
      if (this.quality === 0 && !this.sharp && now - this.changed > REST) this.pixels(1);
      else {
        this.last = 0;
        return false;
      }
    } else {
      this.changed = now;
      if (this.quality === 0 && this.sharp && this.last) this.pixels(FEW_PIXELS);
    }
    prepare();
    this.dirty = false;
    this.renderer.render(this.scene, this.camera);
    this.judge(now);
    return true;
  }

  /** Lowers the quality after several slow frames: first the pixels, then the shadows. */
  private judge(now: number): void {
    if (this.last) this.slow = now - this.last > SLOW_FRAME ? this.slow + 1 : Math.max(0, this.slow - 2);
    this.last = now;
    if (this.fixed || this.slow <= SLOW_FRAMES || this.quality === 0) return;
    this.slow = 0;
    this.setQuality((this.quality - 1) as Quality);
  }
}
