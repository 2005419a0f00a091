/** Switches for the whole body. */
import { h, toggle } from "../ui/dom";
import type { Panel } from "./registry";

export const bodyPanel: Panel = {
  id: "body",
  title: "Body",
  slot: "side",
  build({ studio }) {
    const balance = toggle("Keep balance", "weight stays above the feet", (on) => studio.command("balance", { on }));
    const clearance = toggle("Keep parts apart", "hands do not pass through the body", (on) => studio.command("clearance", { on }));
    studio.on("state", (state) => {
      balance.input.checked = state.goals.some((goal) => goal.role === "balance");
      clearance.input.checked = state.goals.some((goal) => goal.role === "clearance");
      balance.input.disabled = !studio.scene!.mass;
    });
    studio.on("say", ({ bad }) => {
      if (bad && studio.state) studio.emit("state", studio.state); // a switch that was refused goes back
    });
    return h("div", {}, balance.row, clearance.row);
  },
};
