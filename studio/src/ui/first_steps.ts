/** Four things to try. Each is ticked when it is done. */
import type { Studio } from "../studio";
import { h, icon } from "./dom";

const KEY = "manikin-first-steps";
const STEPS = [
  ["drag", "Drag a hand, a foot or the hips"],
  ["turn", "Drag beside the figure to turn the view"],
  ["pin", "Press P to pin what must stay"],
  ["undo", "Press Ctrl Z to take a step back"],
] as const;

export function firstSteps(studio: Studio): HTMLElement | null {
  if (localStorage.getItem(KEY) === "done") return null;
  const items = new Map(
    STEPS.map(([id, text], i) => [id as string, h("li", {}, h("i", { "aria-hidden": "true" }, String(i + 1)), h("span", {}, text))]),
  );
  const close = h("button", { class: "btn small", type: "button", "aria-label": "Close the first steps", onclick: () => end() }, icon("close"));
  const card = h("section", { class: "first-steps", "aria-label": "First steps" }, h("h2", {}, "First steps"), h("ol", {}, ...items.values()), close);
  const end = (): void => {
    localStorage.setItem(KEY, "done");
    card.remove();
  };
  studio.on("did", (what) => {
    const item = items.get(what);
    if (!item || item.classList.contains("done")) return;
    item.classList.add("done");
    item.firstElementChild!.textContent = "✓";
    if ([...items.values()].every((one) => one.classList.contains("done"))) setTimeout(end, 1500);
  });
  return card;
}
