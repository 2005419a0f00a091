/** All parts in a list, for the keyboard and for figures with many of them. */
import { h } from "../ui/dom";
import { partName } from "../words";
import type { Panel } from "./registry";

export const partsPanel: Panel = {
  id: "parts",
  title: "Parts",
  slot: "side",
  build({ studio }) {
    const list = h("div", { role: "listbox", class: "parts", tabindex: 0, "aria-label": "Parts of the figure", "aria-multiselectable": "true" });
    let options: { node: HTMLElement; segment: number }[] = [];
    const build = (): void => {
      const { segments, shapes } = studio.scene!;
      const drawn = new Set(shapes.map((shape) => shape.segment)),
        said = new Map<string, number>();
      options = segments.flatMap((segment, i) => {
        if (!drawn.has(i)) return [];
        const name = partName(segment),
          count = (said.get(name) ?? 0) + 1;
        said.set(name, count);
        const node = h("div", { role: "option", id: `part-${i}`, "aria-selected": "false" }, count > 1 ? `${name} (${count})` : name);
        node.addEventListener("click", (event) => studio.select(i, event.shiftKey || event.ctrlKey));
        node.addEventListener("pointerenter", () => studio.hover(i));
        return [{ node, segment: i }];
      });
      list.replaceChildren(...options.map(({ node }) => node));
    };
    const mark = (): void => {
      for (const { node, segment } of options) node.setAttribute("aria-selected", String(studio.selection.includes(segment)));
      const main = options.find(({ segment }) => segment === studio.main);
      if (main) list.setAttribute("aria-activedescendant", main.node.id);
      else list.removeAttribute("aria-activedescendant");
      if (main && document.activeElement === list) main.node.scrollIntoView({ block: "nearest" });
    };
    list.addEventListener("keydown", (event) => {
      const at = options.findIndex(({ segment }) => segment === studio.main);
      const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: options.length - 1 }[event.key];
      if (to === undefined || !options.length) return;
      event.preventDefault();
      event.stopPropagation();
      studio.select(options[Math.min(options.length - 1, Math.max(0, to))].segment);
    });
    list.addEventListener("pointerleave", () => studio.hover(-1));
    studio.on("scene", () => {
      build();
      mark();
    });
    studio.on("select", mark);
    return h("details", {}, h("summary", {}, "All parts, as a list"), list);
  },
};
