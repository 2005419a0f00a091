import { beforeEach, describe, expect, it, vi } from "vitest";
import { Emitter } from "../src/emitter";
import { whenAtRest } from "../src/rest";
import type { Events, Studio } from "../src/studio";

describe("the wait for rest", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  const wait = () => {
    const studio = new Emitter<Events>() as Studio,
      then = vi.fn();
    return { studio, then, stop: whenAtRest(studio, 500, then) };
  };
  it("ends after the pause if no pose comes", () => {
    const { then } = wait();
    vi.advanceTimersByTime(490);
    expect(then).not.toHaveBeenCalled();
    vi.advanceTimersByTime(100);
    vi.advanceTimersByTime(2000);
    expect(then).toHaveBeenCalledTimes(1);
  });
  it("goes on while poses come, but not for ever", () => {
    const { studio, then } = wait();
    for (let k = 0; k < 10; k++) {
      vi.advanceTimersByTime(200);
      studio.emit("pose", null as never);
    }
    expect(then).not.toHaveBeenCalled();
    for (let k = 0; k < 10; k++) {
      vi.advanceTimersByTime(200);
      studio.emit("pose", null as never);
    }
    expect(then).toHaveBeenCalledTimes(1);
  });
  it("can be stopped", () => {
    const { then, stop } = wait();
    stop();
    vi.advanceTimersByTime(5000);
    expect(then).not.toHaveBeenCalled();
  });
});
