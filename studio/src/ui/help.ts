/** The help: every action with its keys, and what the mouse and fingers do. */
import { keyWords } from "../actions";
import type { Action } from "../actions";
import { h, icon } from "./dom";

const POINTER: [string, string][] = [
  ["Drag a part", "the body follows"],
  ["Drag with Alt", "pins the part where you let go"],
  ["Wheel while dragging", "pushes the part away, or pulls it nearer"],
  ["Shift click", "selects several parts"],
  ["Drag beside the figure", "turns the view"],
  ["Right button, or two fingers", "moves the view"],
  ["Long press", "pins a part"],
  ["Arrow keys", "move the selected part by 1 cm (Shift: 5 cm)"],
  ["Page up, page down", "move it away, or nearer"],
  ["Escape", "cancels a drag, or selects nothing"],
];

export function helpDialog(actions: Map<string, Action>): HTMLDialogElement {
  const groups = [...new Set([...actions.values()].map((action) => action.group))];
  const keys = (list: string[]): Node[] => list.slice(0, 1).map((key) => h("kbd", {}, keyWords(key)));
  const close = h("button", { class: "btn", type: "button", "aria-label": "Close", onclick: () => dialog.close() }, icon("close"));
  const dialog = h(
    "dialog",
    { class: "help", "aria-labelledby": "help-title" },
    h("header", {}, h("h2", { id: "help-title" }, "Help"), close),
    h(
      "div",
      { class: "columns", tabindex: 0, role: "region", "aria-label": "Keys and gestures" },
      h("section", {}, h("h3", {}, "Mouse and fingers"), h("dl", {}, ...POINTER.flatMap(([what, does]) => [h("dt", {}, what), h("dd", {}, does)]))),
      ...groups.map((group) =>
        h(
          "section",
          {},
          h("h3", {}, group),
          h(
            "dl",
            { class: "keys" },
            ...[...actions.values()]
              .filter((action) => action.group === group)
              .flatMap((action) => [h("dt", {}, ...keys(action.keys)), h("dd", {}, action.title)]),
          ),
        ),
      ),
    ),
  );
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  return dialog;
}
