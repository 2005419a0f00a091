/** Makes elements. Nodes are made once and changed in place, so no framework is needed. */
type Child = Node | string | null | undefined | false;
type Values = Record<string, unknown>;

export function h<K extends keyof HTMLElementTagNameMap>(tag: K, values: Values = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(values)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value as EventListener);
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.filter((child): child is Node | string => child !== null && child !== undefined && child !== false));
  return made;
}

const PATHS = {
  undo: "M7 6 3 10l4 4M3 10h8a5 5 0 0 1 0 10H9",
  redo: "m15 6 4 4-4 4M19 10h-8a5 5 0 0 0 0 10h2",
  hand: "M6 12V6a1.5 1.5 0 0 1 3 0v4-6a1.5 1.5 0 0 1 3 0v6-5a1.5 1.5 0 0 1 3 0v9a6 6 0 0 1-6 6c-3 0-4.500-2-6-5l-1-2a1.5 1.5 0 0 1 2.500-1.500z",
  move: "M11 3v16M3 11h16M11 3 9 5.500M11 3l2 2.500M19 11l-2.500-2M19 11l-2.500 2M11 19l-2-2.500M11 19l2-2.500M3 11l2.500-2M3 11l2.500 2",
  turn: "M18 8a8 8 0 1 0 1 5M19 4v4.500h-4.500",
  pin: "M11 14v6M7 4h8l-1 6 3 4H5l3-4z",
  eye: "M2 11s3-6 9-6 9 6 9 6-3 6-9 6-9-6-9-6zM11 13.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5z",
  bend: "M5 19 15 11 7 3M15 11h5M17.500 8.500 20 11l-2.500 2.500",
  freeze: "M11 3v16M4 7l14 8M4 15l14-8M9 4.500l2 1.500 2-1.500M9 17.500l2-1.500 2 1.500",
  mirror: "M11 3v16M8 6 3 16h5zM14 6l5 10h-5z",
  copy: "M8 8h10v11H8zM5 14H4V3h10v2",
  paste: "M6 5H4v14h14V5h-2M8 3h6v4H8zM8 11h6M8 14.500h4",
  reset: "M11 6a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM3 9h16M11 9v5M8 20l3-6 3 6",
  open: "M3 6h6l2 2h8v10H3z",
  save: "M11 3v10M7 9.500l4 4 4-4M4 18h14",
  theme: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM11 4v14M13.500 5.500v11M16 7.500v7",
  help: "M8 8a3 3 0 1 1 4.500 2.600c-1 .6-1.500 1.200-1.500 2.400M11 16.500v.1",
  fit: "M3 8V3h5M14 3h5v5M19 14v5h-5M8 19H3v-5",
  close: "M6 6l10 10M16 6 6 16",
  pencil: "M4 18l1-4L15 4l3 3L8 17zM13 6l3 3",
  ghost: "M5 19V10a6 6 0 0 1 12 0v9l-2-2-2 2-2-2-2 2-2-2zM9 9.500v.1M13 9.500v.1",
  more: "M5 11v.1M11 11v.1M17 11v.1",
  floor: "M3 17h16M7 17l4-11 4 11",
  person: "M11 7a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5zM5 10h12M11 8v6M7.500 20l3.500-6 3.500 6",
  play: "M6 4l12 7-12 7z",
  pause: "M7 4v14M15 4v14",
  first: "M5 4v14M17 4 8 11l9 7z",
  last: "M17 4v14M5 4l9 7-9 7z",
  key: "M11 3l8 8-8 8-8-8z",
  unkey: "M11 3l8 8-8 8-8-8zM8.500 8.500l5 5M13.500 8.500l-5 5",
};
export type IconName = keyof typeof PATHS;

export function icon(name: IconName): SVGSVGElement {
  const space = "http://www.w3.org/2000/svg",
    svg = document.createElementNS(space, "svg"),
    path = document.createElementNS(space, "path");
  svg.setAttribute("viewBox", "0 0 22 22");
  svg.setAttribute("aria-hidden", "true");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}

/** Calls a function at the next frame of the display, once for any number of calls before it. */
export function soon(run: () => void): () => void {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      run();
    });
  };
}

/** A switch with a title and a line below it. */
export function toggle(
  title: string,
  words: string,
  change: (on: boolean) => void,
): { row: HTMLLabelElement; input: HTMLInputElement; below: HTMLElement } {
  const input = h("input", { type: "checkbox", role: "switch" }),
    below = h("small", {}, words);
  input.addEventListener("change", () => change(input.checked));
  return { row: h("label", { class: "switch" }, h("span", {}, title, below), input), input, below };
}
