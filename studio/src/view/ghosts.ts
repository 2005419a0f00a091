/** Ghosts of other keys, or of other frames of a clip. Those before and after the playhead have two colours. */
import { ghostFrames } from "../ghost_frames";
import type { Player } from "../player";
import type { Studio } from "../studio";
import { soon } from "../ui/dom";
import type { Ghost } from "./ghost";
import { BLUE, SAGE } from "./sprites";
import type { Viewport } from "./viewport";

const LIGHT = { before: BLUE, after: SAGE },
  DARK = { before: "#8fb4e8", after: "#9cc48e" };
/** Opacity of the nearest ghost, and of those farther away. */
const OPACITY = [0.42, 0.28, 0.18];

export class Ghosts {
  /** By frame. */
  readonly shown = new Map<number, Ghost>();
  private version = -1;

  constructor(
    private readonly studio: Studio,
    private readonly player: Player,
    private readonly view: Viewport,
  ) {
    const later = soon(() => this.show());
    for (const event of ["view", "state", "clip", "dressed"] as const) studio.on(event, later);
    for (const event of ["scene", "dressed"] as const) studio.on(event, () => this.clear());
    player.on("frame", later);
  }

  private clear(): void {
    for (const ghost of this.shown.values()) ghost.dispose();
    this.shown.clear();
  }

  private show(): void {
    const { studio, player, view } = this;
    if (!studio.state || !view.figure) return;
    if (player.store.version !== this.version) this.clear();
    this.version = player.store.version;
    const colours = document.documentElement.dataset.theme === "dark" ? DARK : LIGHT;
    const wanted = new Map(ghostFrames(studio.state, player.frame).map((one) => [one.frame, one]));
    for (const [frame, ghost] of this.shown) {
      if (wanted.has(frame)) continue;
      ghost.dispose();
      this.shown.delete(frame);
    }
    for (const { frame, side, rank } of wanted.values()) {
      const rows = player.store.rows(frame),
        colour = colours[side],
        opacity = OPACITY[rank - 1];
      if (this.shown.has(frame)) this.shown.get(frame)!.tint(colour, opacity);
      else if (rows) {
        const ghost = view.ghostAt(rows, colour, opacity);
        this.shown.set(frame, ghost);
        view.world.add(ghost);
      }
    }
    view.stage.dirty = true;
  }
}
