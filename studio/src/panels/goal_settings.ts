/** The settings of a goal: whether it counts, its weight, and its priority. */
import type { Goal } from "../protocol";
import type { Studio } from "../studio";
import { h, toggle } from "../ui/dom";

const PRIORITIES = ["First: always kept", "Second: like a drag", "Third: if it can", "Last"];

export function settings(studio: Studio, goals: Goal[]): HTMLElement[] {
  const set = (values: object): void => {
    for (const { id } of goals) studio.command("goal", { id, ...values });
  };
  const first = goals[0];
  const on = toggle("Counts", "off keeps the goal for later", (checked) => set({ on: checked }));
  on.input.checked = first.on !== false;
  const weight = h("input", { type: "range", min: -2, max: 2, step: 0.25, "aria-label": "Weight" });
  const shown = h("output", {}, weightWords(first.weight ?? 1));
  weight.value = String(Math.log10(first.weight ?? 1));
  weight.addEventListener("input", () => (shown.value = weightWords(10 ** Number(weight.value))));
  weight.addEventListener("change", () => set({ weight: Number((10 ** Number(weight.value)).toPrecision(3)) }));
  const priority = h("select", { "aria-label": "Priority" }, ...PRIORITIES.map((words, i) => h("option", { value: i }, words)));
  priority.value = String(Math.min(first.priority ?? 0, PRIORITIES.length - 1));
  priority.addEventListener("change", () => set({ priority: Number(priority.value) }));
  return [
    on.row,
    h("label", { class: "field" }, h("span", {}, "Weight"), weight, shown),
    h("label", { class: "field" }, h("span", {}, "Priority"), priority),
  ];
}

export const weightWords = (weight: number): string => `× ${Number(weight.toPrecision(2))}`;
