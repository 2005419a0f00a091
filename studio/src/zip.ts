/** A zip archive without compression, for a figure that consists of several files. */

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let value = n;
  for (let k = 0; k < 8; k++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

/** The checksum of a zip entry (CRC-32). */
export function checksum(data: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of data) value = TABLE[(value ^ byte) & 0xff] ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}

/** The path of a file: with its folders, if a folder was chosen or dropped. */
const pathOf = (file: File): string => file.webkitRelativePath || file.name;

export async function zipped(files: File[]): Promise<Blob> {
  const parts: BlobPart[] = [],
    directory: Uint8Array<ArrayBuffer>[] = [];
  let at = 0;
  for (const file of files) {
    const data = new Uint8Array(await file.arrayBuffer()),
      name = new TextEncoder().encode(pathOf(file)),
      sum = checksum(data);
    const local = header(0x04034b50, 30, name, (view) => fill(view, 4, sum, data.length, name.length));
    const entry = header(0x02014b50, 46, name, (view) => {
      view.setUint16(4, 20, true);
      fill(view, 6, sum, data.length, name.length);
      view.setUint32(42, at, true);
    });
    parts.push(local, data);
    directory.push(entry);
    at += local.length + data.length;
  }
  const size = directory.reduce((sum, entry) => sum + entry.length, 0);
  const end = header(0x06054b50, 22, new Uint8Array(0), (view) => {
    view.setUint16(8, files.length, true);
    view.setUint16(10, files.length, true);
    view.setUint32(12, size, true);
    view.setUint32(16, at, true);
  });
  return new Blob([...parts, ...directory, end], { type: "application/zip" });
}

function header(sign: number, size: number, name: Uint8Array, write: (view: DataView) => void): Uint8Array<ArrayBuffer> {
  const made = new Uint8Array(size + name.length),
    view = new DataView(made.buffer);
  view.setUint32(0, sign, true);
  write(view);
  made.set(name, size);
  return made;
}

/** The fields that both headers of an entry have, from `start` on: version, flags (names are UTF-8), sizes. */
function fill(view: DataView, start: number, sum: number, size: number, name: number): void {
  view.setUint16(start, 20, true);
  view.setUint16(start + 2, 0x800, true);
  view.setUint32(start + 10, sum, true);
  view.setUint32(start + 14, size, true);
  view.setUint32(start + 18, size, true);
  view.setUint16(start + 22, name, true);
}
