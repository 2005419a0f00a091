/** Curves over iterations, as SVG. Values are drawn on a logarithmic scale. */
const SPACE = "http://www.w3.org/2000/svg";
const WIDTH = 256,
  HEIGHT = 84,
  LEFT = 34,
  BOTTOM = 14,
  TOP = 6;

export interface Curve {
  values: (number | null)[];
  class: string;
}

/** The decades that hold all values: [lowest, highest] exponents. Null if no value is positive. */
export function decades(curves: Curve[]): [number, number] | null {
  const positive = curves.flatMap(({ values }) => values.filter((x): x is number => x !== null && x > 0));
  if (!positive.length) return null;
  const low = Math.floor(Math.log10(positive.reduce((a, b) => Math.min(a, b)))),
    high = Math.ceil(Math.log10(positive.reduce((a, b) => Math.max(a, b))));
  return [Math.max(low, high - 16), Math.max(high, low + 1)];
}

/** The points of a curve in the picture. Gaps (null and 0) begin a new piece. */
export function pieces(values: (number | null)[], [low, high]: [number, number], longest: number): string[] {
  const out: string[] = [];
  let piece = "";
  values.forEach((value, i) => {
    if (value === null || value <= 0) {
      if (piece) out.push(piece);
      piece = "";
      return;
    }
    const x = LEFT + ((WIDTH - LEFT - 4) * i) / Math.max(1, longest - 1);
    const part = Math.min(1, Math.max(0, (Math.log10(value) - low) / (high - low)));
    piece += `${x.toFixed(1)},${(HEIGHT - BOTTOM - part * (HEIGHT - BOTTOM - TOP)).toFixed(1)} `;
  });
  return piece ? [...out, piece] : out;
}

function make(tag: string, values: Record<string, string | number>, text = ""): SVGElement {
  const made = document.createElementNS(SPACE, tag);
  for (const [name, value] of Object.entries(values)) made.setAttribute(name, String(value));
  made.textContent = text;
  return made;
}

/** A chart with a title for readers of the screen. */
export function chart(title: string, curves: Curve[]): SVGElement {
  const svg = make("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": title, class: "chart" });
  const range = decades(curves),
    longest = Math.max(...curves.map(({ values }) => values.length));
  if (!range) return svg;
  for (const exponent of new Set([range[0], Math.round((range[0] + range[1]) / 2), range[1]])) {
    const y = HEIGHT - BOTTOM - ((exponent - range[0]) / (range[1] - range[0])) * (HEIGHT - BOTTOM - TOP);
    svg.append(
      make("line", { x1: LEFT, x2: WIDTH - 4, y1: y, y2: y, class: "grid" }),
      make("text", { x: LEFT - 4, y: y + 3.5, "text-anchor": "end" }, `1e${exponent}`),
    );
  }
  svg.append(make("text", { x: WIDTH - 4, y: HEIGHT - 2, "text-anchor": "end" }, `${longest} iterations`));
  for (const curve of curves) for (const points of pieces(curve.values, range, longest)) svg.append(make("polyline", { points, class: curve.class }));
  return svg;
}
