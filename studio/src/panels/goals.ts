/** The goals with their states: a sign, a name, and words. A missed drag shows its reason and what would help. */
import type { Fit, Goal } from "../protocol";
import { actOn } from "../why";
import { h, icon, soon } from "../ui/dom";
import type { Studio } from "../studio";
import { errorWords, goalName, partName, reasonsOnly, roleWords, verdict } from "../words";
import type { Verdict } from "../words";
import { settings } from "./goal_settings";
import type { Context, Panel } from "./registry";

const SIGNS: Record<Verdict, string> = { met: "✓", missed: "✕", off: "–" };
const SPOKEN: Record<Verdict, string> = { met: "met", missed: "missed", off: "off" };

interface Row {
  node: HTMLElement;
  show(goals: Goal[]): void;
}

export const goalsPanel: Panel = {
  id: "goals",
  title: "Goals",
  slot: "side",
  build(context) {
    const { studio } = context;
    const list = h("ul", { class: "goals" }),
      none = h("p", { class: "muted" }),
      why = h("div");
    const rows = new Map<string, Row>();
    const show = (): void => {
      const wanted = grouped(studio);
      for (const [key, row] of rows) {
        if (wanted.has(key)) continue;
        row.node.remove();
        rows.delete(key);
      }
      for (const [key, goals] of wanted) {
        const row = rows.get(key) ?? makeRow(context, key);
        rows.set(key, row);
        if (row.node.parentNode !== list) list.append(row.node);
        row.show(goals);
      }
      none.hidden = wanted.size > 0;
      none.textContent = studio.state?.timeline?.clip
        ? "Goals hold the pose, not the clip. Close the clip to use them."
        : "No goals: everything is free.";
    };
    const later = soon(show);
    studio.on("state", later);
    studio.on("fits", later);
    studio.on("held", later);
    studio.on("why", () => {
      why.replaceChildren(...reason(context));
      if (studio.why) why.scrollIntoView({ block: "nearest" });
    });
    return h("div", {}, list, none, why);
  },
};

/** The goals by row: those of a group together, and the dragged point as the last one. In a clip only that one. */
function grouped(studio: Studio): Map<string, Goal[]> {
  const out = new Map<string, Goal[]>();
  const { dragged, scene, state } = studio;
  for (const goal of state?.timeline?.clip ? [] : (state?.goals ?? [])) {
    const key = goal.group || goal.id;
    out.set(key, [...(out.get(key) ?? []), goal]);
  }
  if (dragged && !dragged.goal) {
    const { name, words } = scene!.segments[dragged.segment];
    out.set("drag", [{ id: `drag ${name}`, kind: "position", role: "goal", segment: name, words }]);
  }
  return out;
}

function worst(goals: Goal[], fits: Map<string, Fit>): { goal: Goal; fit: Fit | undefined; state: Verdict } {
  const counted = goals.filter((goal) => goal.role !== "sole" || goals.length === 1); // heels may lift
  const judged = counted.map((goal) => ({ goal, fit: fits.get(goal.id), state: verdict(goal, fits.get(goal.id)) }));
  return judged.find(({ state }) => state === "missed") ?? judged.find(({ state }) => state === "met") ?? judged[0];
}

function makeRow(context: Context, key: string): Row {
  const { studio } = context,
    dragged = key === "drag";
  const mark = h("span", { class: "mark", "aria-hidden": "true" }),
    name = h("span", { class: "name" }),
    words = h("span", { class: "what" });
  const state = h("span", { class: "hidden" });
  let goals: Goal[] = [];
  const more = h("div", { class: "more", hidden: true });
  const head = h("button", { class: "goal", "aria-expanded": "false", disabled: dragged, type: "button" }, mark, name, state, words);
  head.addEventListener("click", () => {
    more.hidden = !more.hidden;
    head.setAttribute("aria-expanded", String(!more.hidden));
    more.replaceChildren(...(more.hidden ? [] : settings(studio, goals)));
    const segment = studio.index(goals[0].segment);
    if (segment >= 0) studio.select(segment);
  });
  const remove = h("button", { class: "btn small", type: "button", onclick: () => studio.command("remove", { id: goals[0].id }) }, icon("close"));
  const node = h("li", {}, head, dragged ? null : remove, more);
  let before = "";
  return {
    node,
    show(now) {
      const found = worst(now, studio.fits),
        off = now.every((goal) => goal.on === false);
      const title = dragged ? partName(studio.scene!.segments[studio.dragged!.segment]) : goalName(now[0]);
      const idle = off ? "off" : dragged ? "dragged" : roleWords(now[0], studio.scene!.unit);
      const said = found.state === "missed" ? errorWords(found.goal.kind, found.fit!.error, studio.scene!.unit) : idle;
      const shown = JSON.stringify([title, found.state, said]),
        changed = JSON.stringify(now) !== JSON.stringify(goals);
      goals = now;
      if (changed && !more.hidden && !more.contains(document.activeElement)) more.replaceChildren(...settings(studio, goals));
      if (shown === before) return;
      before = shown;
      node.className = found.state;
      mark.textContent = SIGNS[found.state];
      name.textContent = title;
      state.textContent = SPOKEN[found.state];
      words.textContent = said;
      remove.setAttribute("aria-label", `Remove ${title}`);
      remove.title = `Remove ${title}`;
    },
  };
}

/** Why the drag misses its target, and buttons for what would help. */
function reason(context: Context): HTMLElement[] {
  const { why } = context.studio;
  if (!why) return [];
  const buttons = why.changes.map((change) =>
    h("button", { class: "chip", type: "button", onclick: () => void actOn(context, change) }, change.words),
  );
  return [
    h(
      "div",
      { class: "why" },
      h("strong", {}, "Why it is not reached"),
      ...reasonsOnly(why.sentences).map((text) => h("p", {}, text)),
      h("div", { class: "chips" }, ...buttons),
    ),
  ];
}
