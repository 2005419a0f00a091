import { describe, expect, it } from "vitest";
import { ghostFrames } from "../src/ghost_frames";
import type { StateMessage } from "../src/protocol";

const state = (values: { keys?: number[]; clip?: string; frames?: number; on?: boolean; step?: number }): StateMessage =>
  ({
    keys: (values.keys ?? []).map((frame) => ({ frame, easing: "smooth" })),
    timeline: values.frames === 0 ? null : { version: 1, frames: values.frames ?? 121, clip: values.clip ?? null, notes: [] },
    view: { key_ghosts: values.on ?? true, ghost_step: values.step ?? 10 },
  }) as unknown as StateMessage;
const found = (...given: Parameters<typeof ghostFrames>): string[] =>
  ghostFrames(...given).map(({ frame, side, rank }) => `${frame} ${side} ${rank}`);

describe("ghosts", () => {
  it("are the nearest keys before and after", () => {
    expect(found(state({ keys: [0, 10, 20, 30, 60, 90] }), 40)).toEqual(["30 before 1", "20 before 2", "10 before 3", "60 after 1", "90 after 2"]);
  });
  it("leave out the present frame", () => {
    expect(found(state({ keys: [0, 40] }), 40)).toEqual(["0 before 1"]);
    expect(found(state({ clip: "a.bvh" }), 20)).toEqual(["10 before 1", "0 before 2", "30 after 1", "40 after 2", "50 after 3"]);
  });
  it("of a clip are multiples of the step, within the clip", () => {
    expect(found(state({ clip: "a.bvh", step: 50 }), 60)).toEqual(["50 before 1", "0 before 2", "100 after 1"]);
    expect(found(state({ clip: "a.bvh", step: 1, frames: 3 }), 1)).toEqual(["0 before 1", "2 after 1"]);
  });
  it("are none if they are off, or if nothing moves", () => {
    expect(found(state({ keys: [0, 40], on: false }), 20)).toEqual([]);
    expect(found(state({ keys: [0], frames: 0 }), 20)).toEqual([]);
  });
});
