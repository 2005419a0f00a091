/** Two methods on the same targets: curves over the iterations, and a ghost of each result. */
import { chart } from "../curves";
import { floats } from "../protocol";
import type { Run } from "../protocol";
import { h } from "../ui/dom";
import { asVec } from "../view/world";
import type { Panel } from "./registry";

const METHODS = ["auto", "pinv", "stacked", "dls", "bounded-dls", "lbfgsb", "transpose", "sdls", "ccd", "fabrik"];
const CHARTS = [
  ["errors", "Largest error"],
  ["steps", "Step, rad"],
  ["conditions", "Condition number"],
] as const;

interface Choice {
  row: HTMLElement;
  read(): { method: string; damping?: number; alpha?: number; steps: number };
}

function choice(name: string, method: string, steps: () => number): Choice {
  const select = h("select", { "aria-label": `Method ${name}` }, ...METHODS.map((one) => h("option", { value: one, selected: one === method }, one)));
  const number = h("input", { type: "number", min: 0, step: "any", placeholder: "auto", "aria-label": `Damping or alpha of method ${name}` });
  const label = h("span", {});
  const show = (): void => {
    const kind = select.value === "lbfgsb" ? "α" : select.value.endsWith("dls") && select.value !== "sdls" ? "λ" : "";
    label.textContent = kind;
    number.hidden = kind === "";
  };
  select.addEventListener("change", show);
  show();
  return {
    row: h("div", { class: `method method-${name}` }, h("i", { "aria-hidden": "true" }), select, label, number),
    read() {
      const value = Number.parseFloat(number.value),
        given = value > 0 && !number.hidden;
      return { method: select.value, steps: steps(), ...(given && (select.value === "lbfgsb" ? { alpha: value } : { damping: value })) };
    },
  };
}

export const methodsPanel: Panel = {
  id: "methods",
  title: "Methods",
  slot: "side",
  build({ studio, view }) {
    const points = h("input", { type: "number", min: 0, max: 60, value: 9, "aria-label": "Path points" });
    const steps = (): number => Math.max(0, Math.min(60, Math.round(points.valueAsNumber || 0)));
    const choices = [choice("a", "pinv", steps), choice("b", "bounded-dls", steps)];
    const results = h("div", { class: "runs", "aria-live": "polite" });
    const where = h(
      "select",
      { "aria-label": "Targets" },
      h("option", { value: "scene" }, "goals of the scene"),
      h("option", { value: "drag", disabled: true }, "newest drag"),
    );
    let draggedGoal = "",
      newest: { start: string; drag?: object } | null = null;
    studio.on("held", (held) => {
      const { poseBefore, shownFrame } = studio,
        { last } = view.marks;
      if (held) draggedGoal = studio.dragged?.goal ?? "";
      if (held || poseBefore === null || shownFrame !== null || (!draggedGoal && !last)) return;
      const drag = last &&
        !draggedGoal && { segment: studio.scene!.segments[last.segment].name, offset: asVec(last.grip), target: asVec(last.wanted) };
      newest = { start: poseBefore, ...(drag && { drag }) };
      where.options[1].disabled = false;
      where.value = "drag";
    });
    const ask = (): void => {
      const given = where.value === "drag" && newest ? newest : { start: studio.state!.pose };
      studio.link.send("compare", { methods: choices.map((one) => one.read()), ...given });
    };
    studio.on("scene", () => {
      newest = null;
      where.options[1].disabled = true;
      where.value = "scene";
      results.replaceChildren();
      view.showRuns([]);
    });
    studio.on("compare", ({ runs }) => {
      results.replaceChildren(...runs.map(words), ...charts(runs));
      view.showRuns(runs.map((run) => (run.applies ? lastRows(run) : null)));
    });
    const clear = h(
      "button",
      {
        class: "chip",
        type: "button",
        onclick: () => {
          results.replaceChildren();
          view.showRuns([]);
        },
      },
      "Clear",
    );
    return h(
      "details",
      {},
      h("summary", {}, "Two methods side by side"),
      h(
        "div",
        { class: "methods" },
        ...choices.map(({ row }) => row),
        h("label", { class: "method wider" }, "Targets", where),
        h("label", { class: "method" }, "Path points", points),
        h("div", { class: "chips" }, h("button", { class: "chip", type: "button", onclick: ask }, "Compare"), clear),
        results,
      ),
    );
  },
};

const words = (run: Run, i: number): HTMLElement =>
  h(
    "p",
    { class: `run run-${"abc"[i]}` },
    h("strong", {}, run.method),
    run.applies
      ? ` ${run.reached ? "✓ reached" : "✕ not reached"} in ${run.iterations} iterations, ${run.milliseconds.toFixed(0)} ms${run.outside_limits > 1e-9 ? ", outside the limits" : ""}`
      : ` ${run.note}`,
  );

function charts(runs: Run[]): Node[] {
  return CHARTS.flatMap(([key, title]) => {
    const curves = runs.flatMap((run, i) => (run.applies ? [{ values: run[key], class: `curve curve-${"abc"[i]}` }] : []));
    return curves.length ? [h("h3", {}, title), chart(title, curves)] : [];
  });
}

/** The rows of the last pose of a run. */
export function lastRows(run: Extract<Run, { applies: true }>): Float32Array {
  const all = floats(run.rows);
  return all.slice(all.length - all.length / run.frames);
}
