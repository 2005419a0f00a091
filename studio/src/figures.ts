/** Figures that need no file: a person, an animal, and the examples of the theory pages. */
import type { Studio } from "./studio";
import { h } from "./ui/dom";

const FIGURES: [name: string, title: string, below: string][] = [
  ["human", "Person", "with hands, toes and a gaze"],
  ["quadruped", "Animal", "on four legs"],
];
/** tests/studio/test_page_files.py compares them with `manikin.chapter.examples`. */
export const EXAMPLES: Record<string, string> = {
  "figure-3": "one effector, nonlinear programming",
  "figure-5": "two effectors, first target",
  "figure-6": "two effectors, second target",
  "figure-8": "three effectors",
  "figure-9": "four effectors, one of them inside",
  "figure-10": "plain pseudo-inverse near stretch",
  "figure-11": "damped least squares, λ = 0.1",
  "figure-12": "damped least squares, λ = 0.25",
  "figure-13": "damped least squares, λ = 1.5",
  "figure-14": "damped least squares, λ = 10",
  "figure-15": "damped least squares with bounds, λ = 0.25",
};

export function figureDialog(studio: Studio): HTMLDialogElement {
  const row = (name: string, title: string, below: string): HTMLElement =>
    h(
      "li",
      {},
      h(
        "button",
        {
          class: "kind",
          type: "button",
          "data-figure": name,
          onclick: () => {
            dialog.close();
            studio.link.send("open", { figure: name });
          },
        },
        h("strong", {}, title),
        h("small", {}, below),
      ),
    );
  const dialog = h(
    "dialog",
    { class: "exports", "aria-labelledby": "figures-title" },
    h("h2", { id: "figures-title" }, "Figures"),
    h(
      "ul",
      {},
      ...FIGURES.map((one) => row(...one)),
      ...Object.entries(EXAMPLES).map(([name, title]) => row(name, name.replace("figure-", "Figure "), title)),
    ),
    h("button", { class: "chip", type: "button", onclick: () => dialog.close() }, "Close"),
  );
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  return dialog;
}
