/** The playhead: which frame of the motion is shown, and whether it plays. The page plays by its own clock. */
import { ClipStore } from "./clip";
import { Emitter } from "./emitter";
import type { Studio } from "./studio";

interface Events {
  /** The frame at the playhead changed. */
  frame: number;
  playing: boolean;
}

export class Player extends Emitter<Events> {
  frame = 0;
  playing = false;
  readonly store: ClipStore;
  private began = 0;
  private from = 0;
  /** A frame that is shown as soon as its rows arrive. */
  private wanted = -1;

  constructor(private readonly studio: Studio) {
    super();
    this.store = new ClipStore((first, count) => studio.link.send("clip", { first, count }));
    studio.on("clip", (block) => {
      this.store.add(block);
      if (this.wanted >= 0) this.show(this.wanted);
    });
    studio.on("state", (state) => {
      const timeline = state.timeline,
        version = timeline?.version ?? 0;
      if (version !== this.store.version) this.store.reset(version, timeline?.frames ?? 0);
      if (!timeline?.frames) this.stop();
      if (this.frame > state.last_frame) this.seek(state.last_frame);
      else if (timeline?.clip && !studio.dragged) this.show(this.frame);
    });
    studio.on("scene", () => this.store.reset(-1, 0));
    studio.on("held", (held) => held && this.stop());
  }

  /** Whether there is something to play. */
  get moves(): boolean {
    return this.store.frames > 1;
  }

  toggle(): void {
    if (this.playing) this.stop();
    else this.play();
  }

  play(): void {
    if (!this.moves) return;
    this.from = this.frame >= this.store.frames - 1 ? 0 : this.frame;
    this.began = performance.now();
    this.set(true);
  }

  stop(): void {
    if (this.playing) this.set(false);
  }

  /** Moves the playhead. The figure takes the pose of the frame, if there is a motion. */
  seek(frame: number): void {
    const last = this.studio.state?.last_frame ?? 0;
    const to = Math.min(last, Math.max(0, Math.round(frame)));
    this.stop();
    this.move(to);
  }

  /** Called for each frame of the display. */
  tick(now: number): void {
    if (!this.playing) return;
    const fps = this.studio.state?.fps ?? 30,
      count = this.store.frames;
    const to = (this.from + Math.floor(((now - this.began) / 1000) * fps)) % count;
    if (to !== this.frame) this.move(to);
  }

  private move(frame: number): void {
    const changed = frame !== this.frame;
    this.frame = frame;
    this.show(frame);
    if (changed) this.emit("frame", frame);
  }

  private show(frame: number): void {
    const rows = this.store.rows(frame);
    this.wanted = rows ? -1 : frame;
    if (rows) this.studio.showFrame(frame, rows);
  }

  private set(playing: boolean): void {
    this.playing = playing;
    this.emit("playing", playing);
  }
}
