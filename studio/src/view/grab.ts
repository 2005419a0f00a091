/** Taking hold of the figure by mouse or finger. Beside the figure, the view turns. */
import { Plane, Vector3 } from "three";
import type { Studio } from "../studio";
import type { Hit } from "./picking";
import type { Viewport } from "./viewport";
import { asVec, place, turn } from "./world";

const CLICK = 3,
  TAP = 8,
  LONG_PRESS = 550;

interface Press {
  id: number;
  x: number;
  y: number;
  slop: number;
  segment: number;
  goal: string;
  /** The grabbed point, in stage coordinates. */
  point: Vector3;
  plane: Plane;
  moving: boolean;
  more: boolean;
  timer: ReturnType<typeof setTimeout> | undefined;
}

export class Grabber {
  private press: Press | null = null;
  private beside: { x: number; y: number } | null = null;
  private frames = 0;

  constructor(
    private readonly studio: Studio,
    private readonly view: Viewport,
    private readonly pinned: (segment: number) => void,
  ) {
    const { canvas } = view.stage;
    canvas.addEventListener("pointerdown", (event) => this.down(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.up(event));
    canvas.addEventListener("pointercancel", () => this.end(false));
    canvas.addEventListener("pointerleave", () => studio.hover(-1));
    canvas.addEventListener("wheel", (event) => this.wheel(event), { capture: true, passive: false });
    studio.on("held", (held) => {
      if (!held && this.press?.moving) this.end(false);
    });
  }

  /** Whether the mouse holds something. */
  get busy(): boolean {
    return !!this.press?.moving;
  }

  private down(event: PointerEvent): void {
    if (this.press && !this.press.moving) this.end(false); // a second finger turns the view
    if (event.button !== 0 || this.press || !this.studio.link.open || this.view.gizmo?.claims(event)) return;
    const { scene, pose } = this.studio;
    if (!scene || !pose || !this.view.figure) return;
    const target = this.view.picker.target(event, this.view.marks);
    const hit = target ? null : this.under(event);
    this.beside = target || hit ? null : { x: event.clientX, y: event.clientY };
    const point = target?.point ?? hit?.point;
    if (!point) return;
    this.view.stage.orbit.enabled = false;
    const touch = event.pointerType === "touch";
    this.press = {
      id: event.pointerId,
      x: event.clientX,
      y: event.clientY,
      slop: touch ? TAP : CLICK,
      segment: hit?.segment ?? -1,
      goal: target?.goal ?? "",
      point,
      plane: this.view.picker.facing(point),
      moving: false,
      more: event.shiftKey || event.ctrlKey,
      timer: undefined,
    };
    if (touch && hit) this.press.timer = setTimeout(() => this.long(hit.segment), LONG_PRESS);
  }

  private move(event: PointerEvent): void {
    const { press, studio, view } = this;
    if (!press) {
      if (!event.buttons && event.pointerType === "mouse" && this.frames++ % 2 === 0) this.hover(event);
      return;
    }
    if (event.pointerId !== press.id) return;
    if (!press.moving) {
      if (Math.hypot(event.clientX - press.x, event.clientY - press.y) < press.slop) return;
      this.begin(press);
    }
    view.picker.aim(event);
    const at = view.picker.ray.ray.intersectPlane(press.plane, new Vector3());
    if (!at) return;
    at.y = Math.max(at.y, view.stage.floor.position.y);
    press.point.copy(at);
    view.marks.wanted = view.world.toFigure(at);
    studio.drag(asVec(view.marks.wanted), event.timeStamp);
    view.stage.dirty = true;
  }

  private begin(press: Press): void {
    const { studio, view } = this;
    clearTimeout(press.timer);
    press.moving = true;
    try {
      view.stage.canvas.setPointerCapture(press.id);
    } catch {
      // The pointer of a test is not a real one.
    }
    view.stage.canvas.classList.add("grabbing");
    const at = view.world.toFigure(press.point);
    view.marks.wanted = at;
    view.marks.beginTrail();
    if (press.goal) {
      studio.grabTarget(press.goal);
      return;
    }
    const { rows } = studio.pose!;
    view.marks.grip = at.clone().sub(place(rows, press.segment)).applyQuaternion(turn(rows, press.segment).invert());
    if (!studio.selection.includes(press.segment)) studio.select(press.segment);
    studio.grab(press.segment, asVec(at));
  }

  private up(event: PointerEvent): void {
    const { press, studio } = this;
    if (!press) {
      const { beside } = this;
      this.beside = null;
      if (beside && Math.hypot(event.clientX - beside.x, event.clientY - beside.y) < CLICK && event.button === 0) studio.select(-1);
      return;
    }
    if (event.pointerId !== press.id) return;
    if (press.moving) studio.release(event.altKey);
    else if (press.segment >= 0) studio.select(press.segment, press.more);
    this.end(false);
  }

  /** The wheel pushes the dragged point away from the camera, or pulls it nearer. */
  private wheel(event: WheelEvent): void {
    const { press, view } = this;
    if (!press?.moving) return;
    event.preventDefault();
    event.stopPropagation();
    const away = view.stage.camera.getWorldDirection(new Vector3());
    press.point.addScaledVector(away, -0.0004 * event.deltaY * this.studio.scene!.size);
    press.plane.setFromNormalAndCoplanarPoint(away, press.point);
    view.marks.wanted = view.world.toFigure(press.point);
    this.studio.drag(asVec(view.marks.wanted), event.timeStamp);
  }

  private long(segment: number): void {
    this.end(false);
    this.studio.select(segment);
    this.pinned(segment);
    navigator.vibrate?.(20);
  }

  /** Forgets the press. With `cancel`, the figure goes back to where it was. */
  end(cancel: boolean): void {
    const { press, view } = this;
    if (!press) return;
    clearTimeout(press.timer);
    this.press = null;
    view.stage.orbit.enabled = true;
    view.stage.canvas.classList.remove("grabbing");
    view.marks.wanted = null;
    view.stage.dirty = true;
    if (cancel && press.moving) this.studio.cancel();
  }

  /** The part under the pointer. */
  private under(event: PointerEvent): Hit | null {
    const { picker, marks, figure } = this.view;
    return picker.pin(event, marks, figure!) ?? picker.figure(event, figure!, this.studio.scene!.segments);
  }

  private hover(event: PointerEvent): void {
    const { scene } = this.studio;
    if (!scene || !this.view.figure) return;
    const over = this.view.picker.target(event, this.view.marks) !== null;
    const segment = over ? -1 : (this.under(event)?.segment ?? -1);
    this.view.stage.canvas.classList.toggle("over-figure", over || segment >= 0);
    this.studio.hover(segment);
  }
}
