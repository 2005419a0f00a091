/** Buttons for actions. They follow the state of the page. */
import { keyWords } from "../actions";
import type { Action } from "../actions";
import type { Studio } from "../studio";
import { h, icon } from "./dom";

interface Look {
  /** Words in the button; without them it has only its icon. */
  text?: string;
  class?: string;
}

export function actionButton(studio: Studio, action: Action, look: Look = {}): HTMLButtonElement {
  const key = action.keys[0],
    tip = key ? `${action.title} (${keyWords(key)})` : action.title;
  const named = look.text ? ` named` : "";
  const node = h(
    "button",
    {
      class: `btn${named} ${look.class ?? ""}`.trim(),
      type: "button",
      title: tip,
      "aria-label": action.title,
      "aria-keyshortcuts": shortcut(key),
      onclick: () => action.run(),
    },
    action.icon && icon(action.icon),
    look.text && h("span", {}, look.text),
  );
  const show = (): void => {
    node.disabled = !studio.link.open || !studio.scene || !(action.enabled?.() ?? true);
    if (action.pressed) node.setAttribute("aria-pressed", String(studio.scene ? action.pressed() : false));
  };
  for (const event of ["state", "select", "tool", "status", "scene", "view"] as const) studio.on(event, show);
  show();
  return node;
}

/** A key in the form of the attribute: "Control+Shift+Z". */
export const shortcut = (key: string | undefined): string | false =>
  !!key &&
  key
    .split("+")
    .map((part) => (part === "ctrl" ? "Control" : part.charAt(0).toUpperCase() + part.slice(1)))
    .join("+");
