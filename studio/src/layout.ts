/** The frame of the page: bar, tools, stage, panels and the status line. */
import { panels } from "./panels/registry";
import type { Context } from "./panels/registry";
import { actionButton } from "./ui/buttons";
import { h } from "./ui/dom";
import { statusLine } from "./ui/status";
import { VIEWS } from "./view/viewport";

const TOOLS = ["grab", "move", "turn", "", "mirror", "copy", "paste", "reset"];
const LOGO = "M11 1.4a3.6 3.6 0 1 0 0 7.2 3.6 3.6 0 0 0 0-7.200zM4 21c.4-7.300 2.800-11 7-11s6.600 3.700 7 11z";

export function layout(context: Context, floating: (Node | null)[]): HTMLElement[] {
  const { studio, actions, view } = context;
  const button = (id: string, text?: string, look?: string): HTMLElement => actionButton(studio, actions.get(id)!, { text, class: look });
  const name = h("span", { class: "file" });
  studio.on("state", (state) => (name.textContent = state.name));
  const bar = h(
    "header",
    { class: "bar" },
    h("h1", { class: "brand" }, logo(), h("span", {}, "manikin")),
    name,
    h("span", { class: "sep" }),
    button("undo"),
    button("redo"),
    h("span", { class: "grow" }),
    button("figures", "Figures", "collapses"),
    button("open", "Open", "collapses"),
    button("save", "Save", "collapses"),
    button("export", "Export", "main collapses"),
    button("theme"),
    button("help"),
  );
  const rail = h("nav", { class: "rail", "aria-label": "Tools" }, ...TOOLS.map((id) => (id ? button(id) : h("hr"))));
  const views = h(
    "div",
    { class: "views", role: "group", "aria-label": "Views" },
    ...Object.keys(VIEWS).map((view) => h("button", { type: "button", onclick: () => actions.get(`view ${view}`)!.run() }, view)),
    button("fit"),
  );
  const stage = h(
    "main",
    { class: "stage" },
    view.stage.canvas,
    h("div", { class: "over" }, view.tag, views, ...floating.filter((node) => node !== null)),
  );
  const slot = (where: "side" | "dock"): HTMLElement[] =>
    panels
      .filter((panel) => panel.slot === where)
      .map((panel) =>
        h(
          "section",
          { class: `panel panel-${panel.id}`, "aria-labelledby": `title-${panel.id}` },
          h("h2", { id: `title-${panel.id}` }, panel.title),
          panel.build(context),
        ),
      );
  const side = h("aside", { class: "side", "aria-label": "Inspector" }, ...slot("side"));
  const dock = slot("dock");
  return [bar, rail, stage, side, ...(dock.length ? [h("div", { class: "dock" }, ...dock)] : []), statusLine(studio)];
}

function logo(): SVGSVGElement {
  const space = "http://www.w3.org/2000/svg",
    svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 22 22");
  svg.setAttribute("aria-hidden", "true");
  const body = document.createElementNS(space, "path"),
    joint = document.createElementNS(space, "circle");
  body.setAttribute("d", LOGO);
  for (const [key, value] of Object.entries({ cx: 11, cy: 10.2, r: 2 })) joint.setAttribute(key, String(value));
  svg.append(body, joint);
  return svg;
}
