import { beforeEach, expect, test } from "vitest";
import { BLOCK, ClipStore } from "../src/clip";
import { nameIn } from "../src/exports";
import { decodeClip } from "../src/protocol";
import { contactRows, steps, toFrame, toPercent } from "../src/ticks";

let asked: number[], store: ClipStore;

beforeEach(() => {
  asked = [];
  store = new ClipStore((first) => asked.push(first) > 0);
  store.reset(7, 300);
});

const block = (first: number, frames: number, version = 7) => ({
  version,
  first,
  frames,
  width: 2,
  rows: Float32Array.from({ length: 2 * frames }, (_, i) => first + Math.floor(i / 2)),
});

test("a frame that is not here is requested once, with its block", () => {
  expect(store.rows(10)).toBeNull();
  expect(store.rows(11)).toBeNull();
  expect(asked).toEqual([0]);
  store.add(block(0, BLOCK));
  expect([...store.rows(10)!]).toEqual([10, 10]);
});

test("the next block is requested ahead of the playhead", () => {
  store.add(block(0, BLOCK));
  store.rows(100);
  expect(asked).toEqual([BLOCK]);
});

test("frames of another motion are dropped, and there is nothing beyond the end", () => {
  store.add(block(0, BLOCK, 6));
  expect(store.rows(0)).toBeNull();
  expect(store.rows(300)).toBeNull();
  expect(store.rows(-1)).toBeNull();
  store.add(block(256, 44));
  expect([...store.rows(299)!]).toEqual([299, 299]);
});

test("a request that could not be sent is made again", () => {
  const offline = new ClipStore(() => false);
  offline.reset(1, 10);
  expect(offline.rows(0)).toBeNull();
  expect(offline.rows(0)).toBeNull();
});

test("clip messages are read", () => {
  const data = new ArrayBuffer(20 + 4 * 14);
  new Uint32Array(data, 0, 5).set([2, 9, 128, 2, 1]);
  new Float32Array(data, 20).set(Array.from({ length: 14 }, (_, i) => i));
  const read = decodeClip(data)!;
  expect([read.version, read.first, read.frames, read.width]).toEqual([9, 128, 2, 7]);
  expect(read.rows[13]).toBe(13);
  new Uint32Array(data, 0, 1).set([1]);
  expect(decodeClip(data)).toBeNull();
});

test("places on the track", () => {
  expect(toPercent(30, 120)).toBe("25%");
  expect(toPercent(0, 0)).toBe("0%");
  expect(toFrame(0.5, 120)).toBe(60);
  expect(toFrame(-1, 120)).toBe(0);
  expect(toFrame(2, 120)).toBe(120);
});

test.each([1, 14, 120, 342, 5000, 100_000])("a ruler of %i frames has few round numbers", (last) => {
  const found = steps(last);
  expect(found.length).toBeLessThanOrEqual(15);
  expect(found[0]).toBe(0);
  expect(found.at(-1)).toBeLessThanOrEqual(last);
});

test("toe and heel share the row of their foot", () => {
  const rows = contactRows([
    ["left toe", 0, 5],
    ["left heel", 3, 9],
    ["right hand", 1, 2],
  ]);
  expect(rows).toEqual([
    {
      title: "left foot",
      spans: [
        [0, 5],
        [3, 9],
      ],
    },
    { title: "right hand", spans: [[1, 2]] },
  ]);
});

test("the name of an export comes from the server", () => {
  expect(nameIn('attachment; filename="walk.bvh"')).toBe("walk.bvh");
  expect(nameIn(null)).toBe("export");
});
