/** The line at the bottom: what is under the pointer, how many goals are met, and the connection. */
import type { Status } from "../link";
import type { Studio } from "../studio";
import { partName, verdict } from "../words";
import { h } from "./dom";

const LINK: Record<Status, string> = {
  connecting: "Connecting",
  open: "Connected",
  lost: "Trying again",
  "no-token": "No access",
  replaced: "Open elsewhere",
  refused: "Refused",
};
/** Milliseconds between two announcements to a screen reader. */
const QUIET = 1000;

export function statusLine(studio: Studio): HTMLElement {
  const over = h("span", { class: "over-part" }),
    met = h("span", { class: "met" }),
    time = h("span", { class: "time" });
  const link = h("span", { class: "link" }),
    live = h("span", { class: "hidden", role: "status" });
  let said = "",
    next = 0,
    timer: ReturnType<typeof setTimeout> | undefined;
  const announce = (text: string): void => {
    if (text === said) return;
    said = text;
    clearTimeout(timer);
    timer = setTimeout(
      () => {
        next = performance.now() + QUIET;
        live.textContent = said;
      },
      Math.max(0, next - performance.now()),
    );
  };
  const showOver = (): void => {
    const { hovered, dragged, scene } = studio;
    const at = dragged ? dragged.segment : hovered;
    over.textContent = at >= 0 && scene ? partName(scene.segments[at]) : "Drag a part to pose it. Drag beside the figure to turn the view.";
    over.classList.toggle("strong", at >= 0);
  };
  const showGoals = (): void => {
    const { state, scene } = studio;
    if (!state || !scene) return;
    const inClip = !!state.timeline?.clip;
    const verdicts = (inClip ? [] : state.goals).filter((goal) => goal.role !== "sole").map((goal) => verdict(goal, studio.fits.get(goal.id)));
    if (studio.dragged && !studio.dragged.goal) verdicts.push(verdict({}, studio.fits.get(studio.draggedId)));
    const missed = verdicts.filter((one) => one === "missed").length,
      count = verdicts.filter((one) => one !== "off").length;
    met.textContent =
      count === 0
        ? inClip
          ? "a clip"
          : "no goals"
        : missed
          ? `✕ ${missed} of ${count} goals missed`
          : `✓ ${count === 1 ? "1 goal" : `all ${count} goals`} met`;
    met.classList.toggle("muted", count === 0);
    met.classList.toggle("missed", missed > 0);
    announce(studio.why ? studio.why.sentences.join(" ") : met.textContent);
  };
  studio.on("pose", (frame) => {
    time.textContent = frame.milliseconds > 0 ? `${frame.milliseconds.toFixed(1)} ms a solve` : "";
  });
  studio.on("hover", showOver);
  studio.on("held", showOver);
  studio.on("fits", showGoals);
  studio.on("state", showGoals);
  studio.on("why", showGoals);
  studio.on("status", (status) => {
    link.textContent = LINK[status];
    link.dataset.status = status;
  });
  link.textContent = LINK.connecting;
  showOver();
  return h("footer", { class: "status" }, over, h("span", { class: "grow" }), met, time, link, live);
}
