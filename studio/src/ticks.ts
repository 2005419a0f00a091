/** Arithmetic of the timeline: frames and places on the track. */

/** The place of a frame on the track, in percent. */
export const toPercent = (frame: number, last: number): string => `${+((100 * frame) / Math.max(1, last)).toFixed(3)}%`;

/** The frame at a part (0 to 1) of the track. */
export const toFrame = (part: number, last: number): number => Math.round(Math.min(1, Math.max(0, part)) * last);

/** Frames with a number on the ruler: round ones, at most 14. */
export function steps(last: number): number[] {
  const sizes = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000];
  const step = sizes.find((size) => last / size <= 14) ?? 20000;
  return Array.from({ length: Math.floor(last / step) + 1 }, (_, i) => i * step);
}

/** Contacts as rows: one for each foot and hand that touches the floor. */
export function contactRows(contacts: [string, number, number][]): { title: string; spans: [number, number][] }[] {
  const rows = new Map<string, [number, number][]>();
  for (const [point, first, last] of contacts) {
    const [side, part] = point.split(" ");
    const title = part === "hand" ? `${side} hand` : `${side} foot`;
    rows.set(title, [...(rows.get(title) ?? []), [first, last]]);
  }
  return [...rows].map(([title, spans]) => ({ title, spans }));
}
