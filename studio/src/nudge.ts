/** Moves a part without the mouse. Several moves in a row are one drag, which ends after a pause. */
import { Vector3 } from "three";
import { whenAtRest } from "./rest";
import type { Studio } from "./studio";
import { asVec, place } from "./view/world";
import type { Viewport } from "./view/viewport";

const PAUSE = 700;

export class Nudger {
  private stopWaiting = (): void => {};
  private active = false;

  constructor(
    private readonly studio: Studio,
    private readonly view: Viewport,
  ) {
    studio.on("held", (held) => {
      if (!held) this.stopped();
    });
    studio.on("select", () => this.end());
  }

  /** Moves the main selected part by a step, in figure coordinates. */
  by(step: Vector3): void {
    const from = this.begin();
    if (from) this.to(from.add(step));
  }

  /** Moves the main selected part to a place, in figure coordinates. */
  to(point: Vector3): void {
    if (!this.begin()) return;
    this.view.marks.wanted = point;
    this.studio.drag(asVec(point), performance.now());
    this.stopWaiting();
    this.stopWaiting = whenAtRest(this.studio, PAUSE, () => this.end());
  }

  /** Lets go. */
  end(): void {
    if (this.active) this.studio.release();
  }

  private begin(): Vector3 | null {
    const { studio, view } = this,
      segment = studio.main;
    if (segment < 0 || !studio.pose || !studio.link.open) return null;
    if (this.active) return view.marks.wanted!.clone();
    if (studio.dragged) return null;
    const from = place(studio.pose.rows, segment);
    this.active = true;
    view.marks.grip = new Vector3();
    view.marks.wanted = from;
    view.marks.beginTrail();
    studio.grab(segment, asVec(from));
    return from.clone();
  }

  private stopped(): void {
    if (!this.active) return;
    this.active = false;
    this.stopWaiting();
    this.view.marks.wanted = null;
  }
}
