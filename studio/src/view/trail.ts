/** The way of the selected part through the frames around the playhead. */
import type { Player } from "../player";
import type { Studio } from "../studio";
import { Stroke } from "./lines";
import { BLUE } from "./sprites";
import type { Viewport } from "./viewport";

/** Frames before and after the playhead. */
const REACH = 60;

export class Trail {
  private readonly stroke = new Stroke(BLUE, 2);

  constructor(
    private readonly studio: Studio,
    private readonly player: Player,
    private readonly view: Viewport,
  ) {
    this.stroke.material.opacity = 0.7;
    this.stroke.visible = false;
    view.world.add(this.stroke);
    for (const event of ["select", "view", "state", "clip", "scene"] as const) studio.on(event, () => this.show());
    player.on("frame", () => this.show());
  }

  private show(): void {
    const { studio, player } = this,
      at = studio.main;
    this.stroke.visible = false;
    this.view.stage.dirty = true;
    if (!studio.state?.view.trails || at < 0 || !player.moves) return;
    const points: number[] = [];
    for (let frame = Math.max(0, player.frame - REACH); frame <= Math.min(player.store.frames - 1, player.frame + REACH); frame++) {
      const rows = player.store.rows(frame);
      if (rows) points.push(rows[7 * at], rows[7 * at + 1], rows[7 * at + 2]);
    }
    this.stroke.visible = points.length > 3;
    if (this.stroke.visible) this.stroke.through(points);
  }
}
