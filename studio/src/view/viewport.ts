/** The stage with the figure on it, its marks, and the camera. */
import { Box3, Euler, Quaternion, Vector2, Vector3 } from "three";
import type { ColorRepresentation } from "three";
import type { Studio } from "../studio";
import { length, partName } from "../words";
import { h } from "../ui/dom";
import { Mannequin } from "./figure";
import { Ghost } from "./ghost";
import type { Gizmo } from "./gizmo";
import { Marks } from "./marks";
import { Picker } from "./picking";
import { Rim } from "./rim";
import { Stage } from "./stage";
import { wood } from "./wood";
import { asVec, World } from "./world";

const RIM = 0x16908c,
  GHOST = 0xb98d5c,
  RUNS = [0x4a6fa5, 0xb3264a, 0x7a9e6d];
/** Azimuth and elevation in radians, for each named view. */
export const VIEWS = { Front: [0, 0.06], Side: [Math.PI / 2, 0.06], "¾": [0.63, 0.16], Top: [0, 1.5] } as const;
/** The figure fills this part of the height or width. */
const FILLS = 0.83;

/** How far a camera must be from the origin to see all points. `half` is the slope of its upper edge. */
export function distanceToSee(points: Vector3[], azimuth: number, elevation: number, half: number, aspect: number): number {
  const turn = new Quaternion().setFromEuler(new Euler(-elevation, azimuth, 0, "YXZ")).invert(),
    at = new Vector3();
  return points.reduce((most, point) => {
    at.copy(point).applyQuaternion(turn);
    return Math.max(most, at.z + Math.max(Math.abs(at.y), Math.abs(at.x) / aspect) / half);
  }, 0);
}

export class Viewport {
  readonly world = new World();
  readonly marks: Marks;
  readonly picker: Picker;
  readonly tag = h("div", { class: "tag", hidden: true });
  figure: Mannequin | null = null;
  gizmo: Gizmo | null = null;
  private readonly selected: Rim[] = [];
  private readonly hover = new Rim(RIM, 1.6, 0.75);
  private ghost: Ghost | null = null;
  private box = new Box3();
  private fresh = false;
  /** Whether the camera of the scene is set. */
  private placed = false;

  constructor(
    readonly studio: Studio,
    readonly stage: Stage,
  ) {
    this.marks = new Marks(studio, this.world);
    this.picker = new Picker(stage.canvas, stage.camera);
    this.world.add(this.marks, this.hover);
    stage.scene.add(this.world);
    studio.on("scene", () => this.build());
    studio.on("state", () => {
      this.marks.renew();
      stage.dirty = true;
    });
    studio.on("pose", () => {
      this.fresh = stage.dirty = true;
      if (!this.placed) this.takePlace();
    });
    studio.on("view", () => this.undress());
    studio.on("held", (held) => this.haunt(held));
    for (const event of ["select", "hover", "fits"] as const) studio.on(event, () => (stage.dirty = true));
    let saving: ReturnType<typeof setTimeout> | undefined;
    stage.orbit.addEventListener("end", () => {
      clearTimeout(saving);
      saving = setTimeout(() => this.saveView(), 600);
    });
  }

  /** Draws a frame if something changed. */
  frame(now: number): boolean {
    return this.stage.frame(now, () => this.prepare());
  }

  /** Shows the whole figure from a named view, or from where the camera is. */
  fit(view?: keyof typeof VIEWS): void {
    this.applyPose();
    const size = this.measure(),
      { camera, orbit } = this.stage,
      center = this.box.getCenter(new Vector3());
    const from = camera.position.clone().sub(orbit.target).normalize();
    const [azimuth, elevation] = view ? VIEWS[view] : [Math.atan2(from.x, from.z), Math.asin(from.y)];
    const half = Math.tan((camera.fov * Math.PI) / 360),
      least = (0.4 * size) / FILLS / (2 * half);
    this.stage.look(
      center,
      azimuth,
      elevation,
      Math.max(least, distanceToSee(this.corners(center), azimuth, elevation, FILLS * half, camera.aspect)),
    );
    this.saveView();
  }

  /** The corners of the boxes of all parts, from the centre of the figure. */
  private corners(center: Vector3): Vector3[] {
    const box = new Box3();
    return this.figure!.children.flatMap((part) => {
      const { min, max } = box.setFromObject(part, false);
      return [...Array(8).keys()].map((k) => new Vector3(k & 1 ? min.x : max.x, k & 2 ? min.y : max.y, k & 4 ? min.z : max.z).sub(center));
    });
  }

  /** Where a point of the figure is on the screen, in pixels of the page. */
  project(point: Vector3): [number, number] {
    const seen = this.world.toStage(point).project(this.stage.camera),
      box = this.stage.canvas.getBoundingClientRect();
    return [box.left + ((seen.x + 1) / 2) * box.width, box.top + ((1 - seen.y) / 2) * box.height];
  }

  /** Figure coordinates of the camera. */
  get eye(): Vector3 {
    return this.world.toFigure(this.stage.camera.position);
  }

  /** What the stage shows, as a PNG. */
  picture(): Promise<Blob> {
    this.stage.dirty = true;
    this.frame(performance.now());
    return new Promise((done, fail) => this.stage.canvas.toBlob((data) => (data ? done(data) : fail(new Error("no picture"))), "image/png"));
  }

  private build(): void {
    const scene = this.studio.scene!;
    if (this.figure) {
      this.world.remove(this.figure);
      if (this.figure.skin) this.world.remove(this.figure.skin);
      this.figure.skin?.dispose();
      this.figure.dispose();
    } else this.placed = false;
    this.haunt(false);
    this.world.turnUp(scene.up);
    this.figure = new Mannequin(scene, wood(this.stage.plain), this.stage.plain);
    this.world.add(this.figure);
    this.placed = this.placed && this.box.getSize(new Vector3()).length() > 0 && this.known === scene.name;
    this.known = scene.name;
  }
  private known = "";

  private runs: Ghost[] = [];

  /** Ghosts of the results of methods; none for null. */
  showRuns(rows: (Float32Array | null)[]): void {
    for (const run of this.runs) run.dispose();
    this.runs = rows.flatMap((one, i) => (one && this.figure ? [this.ghostAt(one, RUNS[i % RUNS.length], 0.45)] : []));
    if (this.runs.length) this.world.add(...this.runs);
    this.stage.dirty = true;
  }

  /** A faint copy of what is shown, skin or segments, in another pose. */
  ghostAt(rows: Float32Array, color: ColorRepresentation, opacity: number): Ghost {
    const { skin } = this.figure!;
    return new Ghost(skin?.visible ? skin.baked(rows, this.studio.pose!.rows) : this.figure!.baked(rows), color, opacity);
  }

  /** Covers the figure with its skin, which the server makes. */
  async dress(data: ArrayBuffer): Promise<void> {
    const figure = this.figure!,
      { Skin } = await import("./skin");
    const skin = await Skin.read(
      data,
      this.studio.scene!.segments.map((segment) => segment.name),
    );
    if (figure !== this.figure) return; // another figure came meanwhile
    figure.skin = skin;
    this.world.add(skin);
    this.undress();
    this.fresh = this.stage.dirty = true;
  }

  /** Shows the skin, or the bare segments. */
  private undress(): void {
    const skin = this.figure?.skin,
      bare = !skin || this.studio.state?.view.bones === true;
    if (this.figure) this.figure.visible = bare;
    if (skin && skin.visible === bare) {
      skin.visible = !bare;
      this.studio.emit("dressed", undefined);
    }
    this.stage.dirty = true;
  }

  /** Takes the camera of the scene, or shows the whole figure. */
  private takePlace(): void {
    this.placed = true;
    this.applyPose();
    const { view } = this.studio.state!,
      size = this.measure();
    this.stage.fit(size, this.box.getCenter(new Vector3()), this.ground());
    const [camera, at] = [view.camera, view.looks_at].map((numbers) => this.world.toStage(new Vector3(...numbers)));
    if (view.camera.some((x) => x !== 0)) this.stage.lookFrom(camera, at);
    else this.fit("¾");
  }

  /** Measures the figure in its present pose. Returns the size of what is drawn. */
  private measure(): number {
    this.world.updateMatrixWorld(true);
    this.box.setFromObject(this.figure!, false);
    return Math.max(this.box.getSize(new Vector3()).length() * 0.7, 1e-4 * this.studio.scene!.size);
  }

  /** The height of the floor: 0, unless the figure is clearly below or above it. */
  private ground(): number {
    const { min } = this.box,
      tall = this.box.getSize(new Vector3()).length();
    return Math.abs(min.y) < 0.1 * tall ? 0 : min.y;
  }

  private saveView(): void {
    const { camera, orbit } = this.stage;
    this.studio.look({ camera: asVec(this.world.toFigure(camera.position)), looks_at: asVec(this.world.toFigure(orbit.target)) });
  }

  private applyPose(): void {
    if (this.studio.pose && this.figure) this.figure.pose(this.studio.pose.rows);
  }

  private prepare(): void {
    const { studio, stage, figure } = this;
    if (this.fresh) {
      this.fresh = false;
      this.applyPose();
      this.gizmo?.follow();
    }
    if (!figure || !studio.pose) return;
    this.world.updateMatrixWorld(true);
    const canvas = stage.canvas,
      perPixel = (2 * Math.tan((stage.camera.fov * Math.PI) / 360)) / canvas.clientHeight;
    this.marks.update(perPixel);
    const screen = stage.renderer.getDrawingBufferSize(new Vector2()).divideScalar(stage.renderer.getPixelRatio());
    while (this.selected.length < studio.selection.length) {
      const rim = new Rim(RIM, 2.6);
      this.selected.push(rim);
      this.world.add(rim);
    }
    this.selected.forEach((rim, i) => rim.follow(figure.parts[studio.selection[i]], screen));
    this.hover.follow(studio.selection.includes(studio.hovered) ? null : figure.parts[studio.hovered], screen);
    this.darkenFloor();
    this.showTag();
  }

  private darkenFloor(): void {
    const center = new Vector3();
    const balls = this.figure!.parts.flatMap((part, i) => {
      if (!part) return [];
      center.copy(part.geometry.boundingSphere!.center).applyMatrix4(part.matrixWorld);
      return center.y - this.stage.floor.position.y < 1.7 * this.figure!.radii[i] ? [{ center: center.clone(), radius: this.figure!.radii[i] }] : [];
    });
    this.stage.floor.touch(balls);
  }

  /** The label beside the dragged target: its name, and how far it is away. */
  private showTag(): void {
    const { studio, marks } = this;
    this.tag.hidden = !studio.dragged || !marks.wanted;
    if (this.tag.hidden) return;
    const { segment, goal } = studio.dragged!;
    const missed = marks.missed,
      name = partName(studio.scene!.segments[segment]);
    this.tag.classList.toggle("missed", missed);
    const gap = goal ? "" : ` ${length(marks.heldPoint().distanceTo(marks.wanted!), studio.scene!.unit)} short`;
    this.tag.textContent = missed ? `${name} ✕${gap}` : `${name} ✓`;
    const box = this.stage.canvas.getBoundingClientRect(),
      [x, y] = this.project(marks.wanted!);
    this.tag.style.left = `${Math.min(box.width - 96, Math.max(96, x - box.left))}px`;
    this.tag.style.top = `${Math.max(44, y - box.top)}px`;
  }

  /** Leaves a faint copy of the pose at the grab, or removes it. */
  private haunt(held: boolean): void {
    this.ghost?.dispose();
    this.ghost = null;
    if (!held || !this.figure || !this.studio.pose || this.studio.state?.view.ghosts === false) return;
    this.ghost = this.ghostAt(this.studio.pose.rows, GHOST, 0.25);
    this.world.add(this.ghost);
  }
}
