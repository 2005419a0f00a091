/** Short notices, and the banner for a lost connection or a file that cannot be read. */
import type { Status } from "../link";
import type { Studio } from "../studio";
import { h, icon } from "./dom";

const SHORT = 2200,
  LONG = 8000;
const BANNERS: Partial<Record<Status, string>> = {
  lost: "The connection to the studio is lost. The page tries again; your pose is kept.",
  "no-token": "This address has no valid token. Open the address that the command “manikin studio” prints.",
  replaced: "This pose is open in another window.",
  refused: "The studio refuses this tab.",
};

export function notices(studio: Studio): { toast: HTMLElement; banner: HTMLElement; fail(text: string): void } {
  const toast = h("div", { class: "toast", role: "status" });
  const words = h("span"),
    act = h("button", { class: "chip", type: "button" });
  const close = h("button", { class: "btn small", type: "button", "aria-label": "Close" }, icon("close"));
  const banner = h("div", { class: "banner", role: "alert", hidden: true }, words, act, close);
  let timer: ReturnType<typeof setTimeout> | undefined,
    refused = "";
  const show = (text: string, button = "", then: () => void = () => {}): void => {
    words.textContent = text;
    act.textContent = button;
    act.hidden = !button;
    act.onclick = then;
    banner.hidden = false;
  };
  close.addEventListener("click", () => (banner.hidden = true));
  studio.on("say", ({ text, bad }) => {
    refused = text;
    clearTimeout(timer);
    toast.textContent = text;
    toast.classList.toggle("bad", bad);
    toast.classList.add("on");
    timer = setTimeout(() => toast.classList.remove("on"), bad ? LONG : SHORT);
  });
  studio.on("status", (status) => {
    close.hidden = status !== "open";
    const text = BANNERS[status];
    if (!text) banner.hidden = true;
    else if (status === "replaced") show(text, "Use it here", () => studio.link.connect());
    else if (status === "refused") show(`${text} ${refused}`, "Try again", () => studio.link.connect());
    else show(text);
  });
  return { toast, banner, fail: (text) => show(text) };
}
