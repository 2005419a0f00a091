/** The pose library: poses with names on disk. They are saved, applied (mirrored too), renamed and deleted here. */
import { Sketch } from "../sketch";
import { floats } from "../protocol";
import type { LibraryMessage } from "../protocol";
import type { Studio } from "../studio";
import { h, icon } from "../ui/dom";
import type { IconName } from "../ui/dom";
import type { Panel } from "./registry";

/** Pixels of a small picture; it is shown in half of them. */
const WIDTH = 88,
  HEIGHT = 112;

export const posesPanel: Panel = {
  id: "poses",
  title: "Poses",
  slot: "side",
  build({ studio }) {
    const name = h("input", { type: "text", maxlength: 60, "aria-label": "Name of the pose", autocomplete: "off", spellcheck: "false" });
    const save = h("form", { class: "pose-save" }, name, h("button", { class: "chip", type: "submit" }, "Save pose"));
    const list = h("ul", { class: "poses" }),
      none = h("p", { class: "muted" }, "No pose is saved for this figure.");
    const said = h("span", {}),
      back = h("button", { class: "chip", type: "button" }, "Undo");
    const undo = h("div", { class: "pose-undo", hidden: true }, said, back);
    const note = h("p", { class: "hidden", role: "status" });
    const details = h("details", {}, h("summary", {}, "Pose library"), save, undo, list, none, note);
    let names: string[] = [],
      sketch: Sketch | null = null;

    const ask = (action: string, values: object = {}): void => {
      if (!studio.link.send("library", { action, ...values })) studio.say("There is no connection to the studio", true);
    };
    /** Offers to take a deletion or a replacement back. */
    const offer = (pose: string, words: string): void => {
      said.textContent = note.textContent = words;
      undo.hidden = false;
      back.onclick = () => {
        ask("restore", { name: pose });
        undo.hidden = true;
        note.textContent = `“${pose}” is back`;
        name.focus();
      };
    };
    save.addEventListener("submit", (event) => {
      event.preventDefault();
      const chosen = name.value.trim() || freeName(names);
      undo.hidden = true;
      ask("save", { name: chosen, ...(studio.shownFrame !== null && { frame: studio.shownFrame }) });
      if (names.includes(chosen)) offer(chosen, `“${chosen}” was replaced`);
      else note.textContent = `“${chosen}” was saved`;
      name.value = "";
    });

    const remove = (pose: string): void => {
      ask("delete", { name: pose });
      offer(pose, `“${pose}” was deleted`);
      back.focus();
    };
    const show = ({ names: found, rows }: LibraryMessage): void => {
      const drawn = (sketch ??= new Sketch(studio.scene!));
      names = found;
      none.hidden = names.length > 0;
      name.placeholder = freeName(names);
      const focused = (document.activeElement as HTMLElement | null)?.dataset.pose;
      list.replaceChildren(...names.map((pose, i) => row(studio, pose, names, drawn, floats(rows[i]), ask, remove)));
      if (focused) list.querySelector<HTMLElement>(`[data-pose="${CSS.escape(focused)}"]`)?.focus();
    };
    studio.on("library", show);
    const refresh = (): void => {
      if (details.open && studio.scene) ask("list");
    };
    details.addEventListener("toggle", refresh);
    studio.on("scene", () => {
      sketch = null;
      undo.hidden = true;
      refresh();
    });
    return details;
  },
};

/** One pose: a button with its picture and name that applies it, and small buttons for the rest. */
function row(
  studio: Studio,
  pose: string,
  names: string[],
  sketch: Sketch,
  rows: Float32Array,
  ask: (action: string, values: object) => void,
  remove: (pose: string) => void,
): HTMLElement {
  const picture = h("canvas", { width: WIDTH, height: HEIGHT, "aria-hidden": "true" });
  sketch.draw(picture, rows);
  const use = (mirrored: boolean): void => {
    if (studio.state?.timeline?.clip) studio.say("A clip is open. Close it to apply a pose", true);
    else {
      studio.release();
      ask("use", { name: pose, mirrored });
    }
  };
  const small = (title: string, sign: IconName, run: () => void): HTMLElement =>
    h("button", { class: "btn small", type: "button", title, "aria-label": `${title}: ${pose}`, onclick: run }, icon(sign));
  const apply = h(
    "button",
    { class: "pose", type: "button", title: "Apply", "aria-label": `Apply: ${pose}`, "data-pose": pose, onclick: () => use(false) },
    picture,
    h("span", {}, pose),
  );
  const rename = (): void => {
    const field = h("input", {
      type: "text",
      maxlength: 60,
      value: pose,
      "aria-label": `New name of ${pose}`,
      autocomplete: "off",
      spellcheck: "false",
    });
    let ended = false;
    const end = (keep: boolean, focus = true): void => {
      if (ended) return;
      ended = true;
      const to = field.value.trim(),
        taken = to !== pose && names.includes(to);
      form.replaceWith(apply);
      if (focus) apply.focus();
      if (taken) studio.say(`There is already a pose “${to}”`, true);
      else if (keep && to && to !== pose) {
        apply.dataset.pose = to;
        ask("rename", { name: pose, to });
      }
    };
    const form = h("form", { class: "pose-name" }, picture.cloneNode() as HTMLCanvasElement, field);
    sketch.draw(form.firstElementChild as HTMLCanvasElement, rows);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      end(true);
    });
    field.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Escape") end(false);
    });
    field.addEventListener("blur", () => end(true, false));
    apply.replaceWith(form);
    field.focus();
    field.select();
  };
  return h(
    "li",
    {},
    apply,
    small("Apply mirrored", "mirror", () => use(true)),
    small("Rename", "pencil", rename),
    small("Delete", "close", () => remove(pose)),
  );
}

/** A name that no pose has yet. */
export function freeName(names: string[]): string {
  let count = names.length + 1;
  while (names.includes(`Pose ${count}`)) count++;
  return `Pose ${count}`;
}
