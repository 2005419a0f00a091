/** The selected part: what it does, what can be done with it, and where it is in numbers. */
import { Vector3 } from "three";
import { selectionWords } from "../actions";
import { actionButton } from "../ui/buttons";
import { h, soon } from "../ui/dom";
import { place } from "../view/world";
import type { Context, Panel } from "./registry";

const ACTIONS = ["pin", "aim", "bend", "plane", "freeze"];
const SHORT: Record<string, string> = { pin: "Pin", aim: "Aim", bend: "Bend", plane: "Height", freeze: "Freeze" };

export const selectedPanel: Panel = {
  id: "selected",
  title: "Selected",
  slot: "side",
  build(context) {
    const { studio, actions } = context;
    const name = h("p", { class: "part-name" }),
      hint = h("p", { class: "muted" });
    const buttons = ACTIONS.map((id) => actionButton(studio, actions.get(id)!, { text: SHORT[id] }));
    const tools = h("div", { class: "part-tools" }, ...buttons);
    const numbers = place3(context);
    const show = (): void => {
      name.textContent = selectionWords(studio);
      hint.textContent = describe(context);
      tools.hidden = studio.main < 0;
      numbers.hidden = studio.selection.length !== 1;
    };
    for (const event of ["select", "state", "scene"] as const) studio.on(event, show);
    show();
    return h("div", {}, name, hint, tools, numbers);
  },
};

function describe({ studio }: Context): string {
  const { main, selection, state, scene } = studio;
  if (main < 0) return "Click a part of the figure, or drag it.";
  if (selection.length > 1) return "Shift-click adds a part or takes it away.";
  const held = studio.holding(main),
    joint = scene!.segments[main].joint;
  const words = held.length === 0 ? "Free: it follows the body." : held[0].group ? "Planted: the toes stay in place." : "Pinned: it stays in place.";
  return joint && state?.freeze.includes(joint) ? `${words} Its joint is frozen.` : words;
}

/** Three fields with the position. A change moves the part there. */
function place3({ studio, nudger }: Context): HTMLElement {
  const fields = ["x", "y", "z"].map((axis) =>
    h("input", { type: "number", step: "0.01", "aria-label": `${axis} position`, onchange: () => move() }),
  );
  const read = (): Vector3 => new Vector3().fromArray(fields.map((field) => Number(field.value)));
  const move = (): void => {
    const to = read();
    if (fields.every((field) => field.value !== "" && Number.isFinite(Number(field.value)))) nudger.to(to);
  };
  const show = (): void => {
    if (studio.main < 0 || !studio.pose) return;
    const at = place(studio.pose.rows, studio.main).toArray();
    fields.forEach((field, i) => {
      if (document.activeElement !== field) field.value = at[i].toFixed(3);
    });
  };
  const later = soon(show);
  studio.on("pose", later);
  studio.on("select", later);
  return h(
    "fieldset",
    { class: "numbers" },
    h("legend", { class: "hidden" }, "Position"),
    ...fields.map((field, i) => h("label", {}, h("span", {}, "xyz"[i]), field)),
  );
}
