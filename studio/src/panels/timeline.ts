/** The timeline: play, scrub, keys, the edits of a clip, and where feet and hands touch the floor. */
import { actionButton } from "../ui/buttons";
import { h, icon } from "../ui/dom";
import { contactRows, steps, toFrame, toPercent } from "../ticks";
import type { Panel } from "./registry";

/** Choices for the frames between two ghosts of a clip. */
const STEPS = [1, 2, 5, 10, 20, 40, 80];
const MOST_FRAMES = 100_000;
const EASINGS = ["smooth", "linear", "hold"];

export const timelinePanel: Panel = {
  id: "timeline",
  title: "Timeline",
  slot: "dock",
  build({ studio, actions, player }) {
    const count = h("span", { class: "count" }),
      name = h("span", { class: "clip-name" }),
      easing = h("select", { "aria-label": "How the motion leaves this key" }, ...EASINGS.map((word) => h("option", { value: word }, word)));
    const ease = h("label", { class: "ease", hidden: true }, "Leaves", easing);
    const step = h("select", { "aria-label": "Frames between two ghosts" }, ...STEPS.map((count) => h("option", { value: count }, String(count))));
    const every = h("label", { class: "ease wide", hidden: true }, "every", step, "frames");
    step.addEventListener("change", () => studio.look({ ghost_step: Number(step.value) }));
    const showGhosts = (): void => {
      if (!studio.state) return;
      const { view, timeline } = studio.state,
        on = view.key_ghosts && !!timeline?.frames;
      every.hidden = !on || !timeline?.clip;
      if (!STEPS.includes(view.ghost_step)) step.append(h("option", { value: view.ghost_step }, String(view.ghost_step)));
      step.value = String(view.ghost_step);
      marks.classList.toggle("ghosts", on);
    };
    studio.on("view", showGhosts);
    const end = h("input", { type: "number", min: 1, max: MOST_FRAMES, step: 1, "aria-label": "End, in frames" }),
      rate = h("input", { type: "number", min: 1, max: 1000, step: "any", "aria-label": "Frames a second" });
    const timing = h("span", { class: "timing" }, count, end, h("span", { class: "wide" }, "at"), h("label", { class: "wide" }, rate, "fps"));
    const blend = h("input", {
      type: "number",
      min: 0,
      max: 10,
      step: 0.1,
      value: studio.blend,
      "aria-label": "Seconds in which an edit is blended in and out",
    });
    const blending = h("label", { class: "ease wide", hidden: true }, "blend", blend, "s");
    blend.addEventListener("change", () => {
      if (blend.valueAsNumber >= 0) studio.blend = Math.min(10, blend.valueAsNumber);
      blend.value = String(studio.blend);
    });
    const showTiming = (): void => {
      const { fps, last_frame, timeline } = studio.state!;
      for (const [field, value] of [
        [end, last_frame],
        [rate, +fps.toFixed(2)],
      ] as const) {
        field.value = String(value);
        field.disabled = !!timeline?.clip;
      }
      blending.hidden = !timeline?.clip;
    };
    for (const field of [end, rate]) {
      field.addEventListener("change", () => {
        const { fps, last_frame } = studio.state!,
          chosen = { fps: field === rate ? rate.valueAsNumber : fps, last_frame: field === end ? end.valueAsNumber : last_frame };
        if (chosen.fps > 0 && Number.isInteger(chosen.last_frame) && chosen.last_frame > 0) studio.command("timing", chosen);
        else showTiming();
      });
    }
    studio.on("say", ({ bad }) => bad && studio.state && showTiming()); // a number that was refused goes back
    const close = h(
      "button",
      {
        class: "btn small",
        type: "button",
        title: "Close the clip",
        "aria-label": "Close the clip",
        hidden: true,
        onclick: () => studio.command("close-clip"),
      },
      icon("close"),
    );
    const button = (id: string, text?: string, look?: string): HTMLElement => actionButton(studio, actions.get(id)!, { text, class: look });
    const play = button("play");

    const ruler = h("div", { class: "ruler", "aria-hidden": "true" }),
      marks = h("div", { class: "key-marks" }),
      contacts = h("div", { class: "contacts", "aria-hidden": "true" });
    const edits = h("div", { class: "edits" }),
      head = h("div", { class: "playhead" }, h("span", {}));
    const track = h(
      "div",
      { class: "track", role: "slider", tabindex: 0, "aria-label": "Frame", "aria-valuemin": 0 },
      ruler,
      contacts,
      edits,
      marks,
      head,
    );
    let contactsOf = -1;

    const bar = h(
      "div",
      { class: "time-bar" },
      button("first", undefined, "wide"),
      play,
      button("last", undefined, "wide"),
      h("span", { class: "sep" }),
      button("key", "Set key"),
      button("unkey", undefined, "wide"),
      ease,
      button("key-ghosts"),
      every,
      name,
      close,
      blending,
      h("span", { class: "grow" }),
      timing,
    );
    const last = (): number => studio.state?.last_frame ?? 1;
    const at = (event: PointerEvent): number => {
      const box = track.getBoundingClientRect();
      return toFrame((event.clientX - box.left) / box.width, last());
    };
    const showHead = (): void => {
      head.style.left = toPercent(player.frame, last());
      head.firstElementChild!.textContent = String(player.frame);
      track.setAttribute("aria-valuenow", String(player.frame));
      track.setAttribute("aria-valuetext", `frame ${player.frame} of ${last()}`);
      count.textContent = `${player.frame} /`;
      const key = studio.state?.keys.find((one) => one.frame === player.frame);
      ease.hidden = !key;
      if (key) easing.value = key.easing;
      for (const mark of marks.children) {
        const frame = Number((mark as HTMLElement).dataset.frame);
        mark.classList.toggle("here", frame === player.frame);
        mark.classList.toggle("before", frame < player.frame);
        mark.classList.toggle("after", frame > player.frame);
      }
    };

    const showKeys = (): void => {
      const keys = studio.state?.keys ?? [];
      marks.replaceChildren(...keys.map(({ frame }) => keyMark(frame)));
    };
    const keyMark = (frame: number): HTMLElement => {
      const mark = h("button", {
        class: "key",
        type: "button",
        tabindex: -1,
        title: `Key at frame ${frame}`,
        "aria-label": `Key at frame ${frame}`,
        "data-frame": frame,
      });
      mark.style.left = toPercent(frame, last());
      mark.addEventListener("pointerdown", (event) => {
        event.stopPropagation();
        let to = frame;
        const move = (moved: PointerEvent): void => {
          to = at(moved);
          mark.style.left = toPercent(to, last());
        };
        const end = (): void => {
          removeEventListener("pointermove", move);
          removeEventListener("pointerup", end);
          if (to !== frame) studio.command("move-key", { frame, to });
          player.seek(to);
        };
        addEventListener("pointermove", move);
        addEventListener("pointerup", end);
      });
      return mark;
    };
    const showMotion = (): void => {
      const timeline = studio.state?.timeline,
        version = timeline?.version ?? 0;
      name.textContent = timeline?.clip ? `${timeline.clip}${timeline.retargeted ? ", retargeted" : ""}` : "";
      close.hidden = !timeline?.clip;
      edits.replaceChildren(
        ...(timeline?.edits ?? []).map((edit, index) => {
          const bar = h("button", {
            class: "edit",
            type: "button",
            title: `${edit.words.join(", ")}: frames ${edit.first} to ${edit.last}. Click to remove this edit.`,
            "aria-label": `Remove the edit of ${edit.words.join(", ")} at frame ${edit.first}`,
            onclick: () => studio.command("unedit", { index }),
          });
          bar.style.left = toPercent(Math.max(0, edit.first - edit.blend), last());
          bar.style.right = `calc(100% - ${toPercent(Math.min(last(), edit.last + edit.blend), last())})`;
          bar.addEventListener("pointerdown", (event) => event.stopPropagation());
          return bar;
        }),
      );
      for (const note of timeline?.notes ?? []) studio.say(note, true);
      if (version === contactsOf) return;
      contactsOf = version;
      contacts.replaceChildren(
        ...contactRows(timeline?.contacts ?? []).map(({ title, spans }) => {
          const row = h("div", { title });
          for (const [first, end] of spans) {
            const span = h("i", {});
            span.style.left = toPercent(first, last());
            span.style.right = `calc(100% - ${toPercent(end, last())})`;
            row.append(span);
          }
          return row;
        }),
      );
    };
    studio.on("scene", () => (contactsOf = -1));
    let ruled = -1;
    const showRuler = (): void => {
      if (ruled === last()) return;
      ruled = last();
      ruler.replaceChildren(
        ...steps(ruled).map((frame) => {
          const tick = h("span", {}, String(frame));
          tick.style.left = toPercent(frame, ruled);
          return tick;
        }),
      );
    };

    track.addEventListener("pointerdown", (event) => {
      track.setPointerCapture?.(event.pointerId);
      player.seek(at(event));
    });
    track.addEventListener("pointermove", (event) => event.buttons && player.seek(at(event)));
    track.addEventListener("keydown", (event) => {
      const to = {
        ArrowLeft: player.frame - 1,
        ArrowRight: player.frame + 1,
        Home: 0,
        End: last(),
        PageUp: player.frame - 10,
        PageDown: player.frame + 10,
      }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      player.seek(to);
    });
    easing.addEventListener("change", () => studio.command("ease-key", { frame: player.frame, easing: easing.value }));
    player.on("frame", showHead);
    player.on("playing", (on) => {
      play.classList.toggle("on", on);
      play.replaceChildren(icon(on ? "pause" : "play"));
    });
    studio.on("state", () => {
      track.setAttribute("aria-valuemax", String(last()));
      showRuler();
      showKeys();
      showMotion();
      showGhosts();
      showTiming();
      showHead();
    });
    return h("div", { class: "timeline" }, bar, track);
  },
};
