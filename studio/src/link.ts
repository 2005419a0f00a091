/** The socket. One drag is under way; the newest waits, older ones are dropped. It connects again by itself. */
import { decodeClip, decodePose, NO_TOKEN, REFUSED, REPLACED, VERSION } from "./protocol";
import type { ClipBlock, PoseFrame, TextMessage } from "./protocol";

export type Status = "connecting" | "open" | "lost" | "no-token" | "replaced" | "refused";

export interface Handlers {
  text(message: TextMessage): void;
  pose(frame: PoseFrame): void;
  clip(block: ClipBlock): void;
  status(status: Status): void;
}

interface Drag {
  p: number[];
  r?: number[];
  ts: number;
}

/** Milliseconds before the next attempt to connect. */
export const waits = (attempt: number): number => Math.min(250 * 2 ** attempt, 3000);

export class Link {
  status: Status = "connecting";
  private socket: WebSocket | null = null;
  private serial = 0;
  private underWay = false;
  private waiting: Drag | null = null;
  private attempt = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly url: string,
    private readonly token: string,
    private readonly tab: string,
    private readonly on: Handlers,
  ) {}

  /** Connects, or tries again at once. */
  connect(): void {
    clearTimeout(this.timer);
    const socket = new WebSocket(this.url);
    this.socket = socket;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => socket.send(JSON.stringify({ type: "hello", v: VERSION, tab: this.tab, token: this.token }));
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => this.receive(event.data);
    socket.onclose = (event: CloseEvent) => {
      if (socket === this.socket) this.closed(event.code);
    };
  }

  get open(): boolean {
    return this.status === "open";
  }

  send(type: string, values: object = {}): boolean {
    if (!this.open || !this.socket) return false;
    this.socket.send(JSON.stringify({ type, ...values }));
    return true;
  }

  /** Sends a drag, or lets it wait for the answer to the one before. */
  drag(p: number[], ts: number, r?: number[]): void {
    if (this.underWay) {
      this.waiting = { p, ts, r };
      return;
    }
    this.underWay = this.send("drag", { s: ++this.serial, p, ts, ...(r && { r }) });
  }

  /** Sends the drag that still waits, so that a release comes after it. */
  flush(): void {
    const next = this.waiting;
    this.waiting = null;
    if (next) this.send("drag", { s: ++this.serial, p: next.p, ts: next.ts, ...(next.r && { r: next.r }) });
    this.underWay = false;
  }

  private receive(data: string | ArrayBuffer): void {
    if (typeof data === "string") {
      const message = JSON.parse(data) as TextMessage;
      if (message.type === "scene") {
        this.attempt = 0;
        this.set("open");
      }
      this.on.text(message);
      return;
    }
    const frame = decodePose(data);
    if (!frame) {
      const block = decodeClip(data);
      if (block) this.on.clip(block);
      return;
    }
    if (frame.serial > 0 && frame.serial === this.serial) {
      this.underWay = false;
      const next = this.waiting;
      this.waiting = null;
      if (next) this.drag(next.p, next.ts, next.r);
    }
    this.on.pose(frame);
  }

  private closed(code: number): void {
    this.underWay = false;
    this.waiting = null;
    const final = { [NO_TOKEN]: "no-token", [REPLACED]: "replaced", [REFUSED]: "refused" } as const;
    if (code in final) {
      this.set(final[code as keyof typeof final]);
      return;
    }
    this.set("lost");
    this.timer = setTimeout(() => this.connect(), waits(this.attempt++));
  }

  private set(status: Status): void {
    this.status = status;
    this.on.status(status);
  }
}
