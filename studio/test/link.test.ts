import { beforeEach, describe, expect, it, vi } from "vitest";
import { Link, waits } from "../src/link";
import type { Status } from "../src/link";
import { decodePose, NO_TOKEN, REPLACED } from "../src/protocol";

class FakeSocket {
  static last: FakeSocket;
  static count = 0;
  sent: Record<string, unknown>[] = [];
  binaryType = "";
  onopen = (): void => {};
  onmessage = (_: { data: string | ArrayBuffer }): void => {};
  onclose = (_: { code: number }): void => {};
  constructor(readonly url: string) {
    FakeSocket.last = this;
    FakeSocket.count++;
  }
  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }
}

/** A binary message with the pose of two segments. */
function frame(serial: number, errors = [0.5], kind = 1): ArrayBuffer {
  const data = new ArrayBuffer(24 + 4 * errors.length + 12 + 28 * 2),
    view = new DataView(data);
  view.setUint32(0, kind, true);
  view.setUint32(4, serial, true);
  view.setFloat64(8, 12.5, true);
  view.setFloat32(16, 0.25, true);
  view.setUint32(20, errors.length, true);
  errors.forEach((error, i) => view.setFloat32(24 + 4 * i, error, true));
  return data;
}

const statuses: Status[] = [];
let link: Link, socket: FakeSocket;
const drags = (): number[] => socket.sent.filter((message) => message.type === "drag").map((message) => (message.p as number[])[0]);

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("WebSocket", FakeSocket);
  statuses.length = 0;
  link = new Link("ws://here/ws", "secret", "tab-12345", {
    text: () => {},
    pose: () => {},
    clip: () => {},
    status: (status) => statuses.push(status),
  });
  link.connect();
  socket = FakeSocket.last;
  socket.onopen();
  socket.onmessage({ data: JSON.stringify({ type: "scene" }) });
});

describe("a pose", () => {
  it("is read from its bytes", () => {
    const pose = decodePose(frame(7, [0.5, 2]))!;
    expect([pose.serial, pose.stamp, pose.milliseconds, ...pose.errors, pose.center.length, pose.rows.length]).toEqual([
      7, 12.5, 0.25, 0.5, 2, 3, 14,
    ]);
  });
  it("of another kind, or cut off, is ignored", () => {
    expect(decodePose(frame(1, [], 9))).toBeNull();
    expect(decodePose(new ArrayBuffer(8))).toBeNull();
  });
});

describe("the link", () => {
  it("says hello with the token, which is not in the address", () => {
    expect(socket.sent[0]).toEqual({ type: "hello", v: 1, tab: "tab-12345", token: "secret" });
    expect(socket.url).not.toContain("secret");
    expect(statuses).toEqual(["open"]);
  });
  it("has one drag under way, and only the newest of those that wait", () => {
    for (const x of [1, 2, 3]) link.drag([x, 0, 0], x);
    expect(drags()).toEqual([1]);
    socket.onmessage({ data: frame(0) }); // a pose at rest answers no drag
    expect(drags()).toEqual([1]);
    socket.onmessage({ data: frame(1) });
    expect(drags()).toEqual([1, 3]);
  });
  it("sends the drag that waits before a release", () => {
    link.drag([1, 0, 0], 1);
    link.drag([2, 0, 0], 2);
    link.flush();
    link.send("release");
    expect(drags()).toEqual([1, 2]);
    expect(socket.sent.at(-1)!.type).toBe("release");
    socket.onmessage({ data: frame(1) });
    expect(drags()).toEqual([1, 2]);
  });
  it("connects again after a loss, ever more slowly", () => {
    const before = FakeSocket.count;
    socket.onclose({ code: 1006 });
    expect(statuses).toEqual(["open", "lost"]);
    expect(link.send("cmd")).toBe(false);
    vi.advanceTimersByTime(waits(0));
    expect(FakeSocket.count).toBe(before + 1);
    FakeSocket.last.onclose({ code: 1006 });
    vi.advanceTimersByTime(waits(0));
    expect(FakeSocket.count).toBe(before + 1);
    vi.advanceTimersByTime(waits(1));
    expect(FakeSocket.count).toBe(before + 2);
    expect(waits(20)).toBe(3000);
  });
  it("does not try again without a right token, or if the tab is open elsewhere", () => {
    const before = FakeSocket.count;
    socket.onclose({ code: NO_TOKEN });
    vi.advanceTimersByTime(60_000);
    expect(statuses.at(-1)).toBe("no-token");
    link.connect();
    FakeSocket.last.onclose({ code: REPLACED });
    vi.advanceTimersByTime(60_000);
    expect(statuses.at(-1)).toBe("replaced");
    expect(FakeSocket.count).toBe(before + 1);
  });
  it("drops a drag that waited when the connection was lost", () => {
    link.drag([1, 0, 0], 1);
    link.drag([2, 0, 0], 2);
    socket.onclose({ code: 1006 });
    vi.advanceTimersByTime(waits(0));
    socket = FakeSocket.last;
    socket.onmessage({ data: JSON.stringify({ type: "scene" }) });
    link.drag([5, 0, 0], 5);
    expect(drags()).toEqual([5]);
  });
});
