/** The frames of the motion that the page has. They come in blocks; the oldest are dropped when there are too many. */
import type { ClipBlock } from "./protocol";

/** Frames of one request. The server sends at most this many. */
export const BLOCK = 128;
/** Largest number of bytes that are kept. */
const MOST_BYTES = 64 * 2 ** 20;

export class ClipStore {
  version = -1;
  frames = 0;
  private blocks = new Map<number, Float32Array>();
  private width = 0;
  private asked = new Set<number>();

  constructor(private readonly request: (first: number, count: number) => boolean) {}

  /** Begins with another motion, or with none. */
  reset(version: number, frames: number): void {
    this.version = version;
    this.frames = frames;
    this.blocks.clear();
    this.asked.clear();
  }

  add(block: ClipBlock): void {
    if (block.version !== this.version) return;
    const at = Math.floor(block.first / BLOCK);
    this.width = block.width;
    this.asked.delete(at);
    this.blocks.set(at, block.rows);
    while (this.blocks.size > 1 && this.blocks.size * BLOCK * this.width * 4 > MOST_BYTES) {
      const [oldest] = this.blocks.keys();
      this.blocks.delete(oldest);
    }
  }

  /** The rows of a frame; null if they are not here yet. The frame and the block after it are requested. */
  rows(frame: number): Float32Array | null {
    if (frame < 0 || frame >= this.frames) return null;
    const at = Math.floor(frame / BLOCK);
    this.ask(at);
    if (frame % BLOCK > BLOCK / 2) this.ask(at + 1);
    const block = this.blocks.get(at);
    if (!block) return null;
    this.blocks.delete(at); // it becomes the newest
    this.blocks.set(at, block);
    const start = (frame - at * BLOCK) * this.width;
    return block.subarray(start, start + this.width);
  }

  private ask(at: number): void {
    if (at * BLOCK >= this.frames || this.blocks.has(at) || this.asked.has(at)) return;
    if (this.request(at * BLOCK, BLOCK)) this.asked.add(at);
  }
}
