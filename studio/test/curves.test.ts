import { expect, test } from "vitest";
import { decades, pieces } from "../src/curves";
import { checksum, zipped } from "../src/zip";

test("decades hold all positive values", () => {
  expect(decades([{ values: [0.5, 3e-4, null, 0], class: "" }])).toEqual([-4, -0]);
  expect(decades([{ values: [null, 0], class: "" }])).toBeNull();
  expect(decades([{ values: [1e-300, 1], class: "" }])).toEqual([-16, 0]);
  expect(decades([{ values: [1], class: "" }])).toEqual([0, 1]);
});

test("a gap begins a new piece", () => {
  expect(pieces([1, 0.1, null, 0.01], [-2, 0], 4)).toHaveLength(2);
  expect(pieces([1], [-2, 0], 1)[0]).toBe("34.0,6.0 ");
});

test("an archive has the checksums of its files", async () => {
  expect(checksum(new TextEncoder().encode("123456789"))).toBe(0xcbf43926);
  const made = await zipped([new File(["hello"], "a.gltf"), new File([new Uint8Array([1, 2, 3])], "b.bin")]);
  const view = new DataView(await made.arrayBuffer());
  expect(view.getUint32(0, true)).toBe(0x04034b50);
  expect(view.getUint16(view.byteLength - 12, true)).toBe(2);
});
