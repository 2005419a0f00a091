/** Handles for exact moves and turns of the selected part. Loaded when a tool needs it. */
import { Object3D, Vector3 } from "three";
import { TransformControls } from "three/examples/jsm/controls/TransformControls.js";
import type { Studio } from "../studio";
import type { Viewport } from "./viewport";
import { asVec, place, turn } from "./world";

export class Gizmo {
  readonly controls: TransformControls;
  /** Stands where the handles are. A child of the figure's space. */
  readonly handle = new Object3D();

  constructor(
    private readonly studio: Studio,
    private readonly view: Viewport,
  ) {
    const { stage, world } = view;
    this.controls = new TransformControls(stage.camera, stage.canvas);
    this.controls.setSize(0.85);
    this.controls.setColors(0xc0395b, 0x4f8a5b, 0x4a6fa5, 0xd19d5f);
    world.add(this.handle);
    stage.scene.add(this.controls.getHelper());
    this.controls.addEventListener("change", () => (stage.dirty = true));
    this.controls.addEventListener("mouseDown", () => this.begin());
    this.controls.addEventListener("mouseUp", () => this.end());
    this.controls.addEventListener("objectChange", () => this.drag());
    for (const event of ["select", "tool", "scene"] as const) studio.on(event, () => this.attach());
    studio.on("status", () => this.attach());
    this.attach();
  }

  /** Whether a press belongs to the handles. */
  claims(event: PointerEvent): boolean {
    if (!this.controls.object || !this.controls.enabled) return false;
    this.controls.getHelper().updateMatrixWorld(true); // a frame may not have been drawn since the tool or the part changed
    const at = this.view.picker.aim(event);
    const pointer = { x: at.x, y: at.y, button: event.button } as unknown as PointerEvent;
    this.controls.pointerHover(pointer);
    return this.controls.axis !== null;
  }

  /** Puts the handles where the selected part is, unless they are being dragged. */
  follow(): void {
    const { main, pose } = this.studio;
    if (this.controls.dragging || main < 0 || !pose) return;
    this.handle.position.copy(place(pose.rows, main));
    this.handle.quaternion.copy(turn(pose.rows, main));
    this.handle.updateMatrixWorld(true);
  }

  private attach(): void {
    const { tool, main, link } = this.studio;
    const wanted = tool !== "grab" && main >= 0 && link.open;
    this.controls.enabled = wanted;
    this.view.stage.dirty = true;
    if (!wanted) {
      this.controls.detach();
      return;
    }
    this.follow();
    this.controls.setMode(tool === "turn" ? "rotate" : "translate");
    this.controls.setSpace(tool === "turn" ? "local" : "world");
    this.controls.attach(this.handle);
  }

  private begin(): void {
    const { studio, view } = this;
    view.stage.orbit.enabled = false;
    view.marks.grip = new Vector3();
    view.marks.wanted = this.handle.position.clone();
    view.marks.beginTrail();
    studio.grab(studio.main, asVec(this.handle.position), studio.tool === "turn" ? "turn" : "move");
  }

  private drag(): void {
    const { studio, view, handle } = this;
    if (!studio.dragged) return;
    view.marks.wanted = handle.position.clone();
    const { w, x, y, z } = handle.quaternion;
    studio.drag(asVec(handle.position), performance.now(), studio.tool === "turn" ? [w, x, y, z] : undefined);
  }

  private end(): void {
    this.view.stage.orbit.enabled = true;
    this.view.marks.wanted = null;
    this.studio.release();
    this.view.stage.dirty = true;
  }
}
