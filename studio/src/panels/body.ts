/** Settings for the whole body: balance, the distance of its parts, and which pose a drag prefers. */
import { h, toggle } from "../ui/dom";
import { fromLength, toLength } from "../words";
import type { Panel } from "./registry";

export const bodyPanel: Panel = {
  id: "body",
  title: "Body",
  slot: "side",
  build({ studio }) {
    const balance = toggle("Keep balance", "weight stays above the feet", (on) => studio.command("balance", { on }));
    const clearance = toggle("Keep parts apart", "hands do not pass through the body", (on) => studio.command("clearance", { on }));
    const natural = toggle("Natural pose", "a drag prefers poses that people take", (on) => studio.look({ natural: on }));
    const unit = h("output", {}),
      field = h("input", { type: "number", min: 0, step: 0.5, "aria-label": "Distance between parts" });
    const distance = h("label", { class: "field distance" }, h("span", {}, "Distance"), field, unit);
    field.addEventListener("change", () => {
      const chosen = fromLength(field.valueAsNumber, studio.scene!.unit);
      if (chosen >= 0) studio.command("clearance", { on: true, distance: chosen });
      else {
        field.value = "";
        show();
      }
    });
    const show = (): void => {
      const { state, scene } = studio;
      if (!state || !scene) return;
      const apart = state.goals.find((goal) => goal.role === "clearance");
      balance.input.checked = state.goals.some((goal) => goal.role === "balance");
      balance.input.disabled = !scene.mass;
      clearance.input.checked = !!apart;
      distance.hidden = !apart;
      unit.textContent = scene.unit === null ? "units" : "cm";
      if (apart && (document.activeElement !== field || field.value === "")) field.value = String(toLength(apart.distance ?? 0, scene.unit));
      natural.input.disabled = scene.not_natural !== "";
      natural.input.checked = state.view.natural && !natural.input.disabled;
      natural.below.textContent = scene.not_natural ? `not for this figure: ${scene.not_natural}` : "a drag prefers poses that people take";
    };
    studio.on("state", show);
    studio.on("view", show);
    studio.on("say", ({ bad }) => bad && show()); // a switch that was refused goes back
    return h("div", {}, balance.row, clearance.row, distance, natural.row);
  },
};
