/** Starts the page. */
import "./style/index.css";
import { makeActions } from "./actions";
import type { Page } from "./actions";
import { tabId, tokenOf } from "./identity";
import { listen } from "./keyboard";
import { layout } from "./layout";
import { Nudger } from "./nudge";
import { exportDialog } from "./exports";
import { figureDialog } from "./figures";
import { fetchSkin } from "./skins";
import { Player } from "./player";
import { Studio } from "./studio";
import { opener } from "./upload";
import { firstSteps } from "./ui/first_steps";
import { h } from "./ui/dom";
import { helpDialog } from "./ui/help";
import { notices } from "./ui/notices";
import { ThemeSwitch } from "./ui/theme";
import { Ghosts } from "./view/ghosts";
import { Grabber } from "./view/grab";
import { drawsInSoftware, Stage } from "./view/stage";
import { Trail } from "./view/trail";
import { Viewport } from "./view/viewport";

const options = new URLSearchParams(location.search);
const token = tokenOf(location.hash);
const socket = new URL("ws", location.href);
socket.protocol = location.protocol === "https:" ? "wss:" : "ws:";
socket.search = socket.hash = "";
const studio = new Studio(socket.href, token, tabId(sessionStorage));

const canvas = h("canvas", {
  tabindex: 0,
  role: "application",
  "aria-label": "The figure. Arrow keys move the selected part; the list of parts selects one.",
});
const look = options.get("look"); // "plain" or "rich": a program that takes pictures chooses their quality
const stage = new Stage(canvas, look ? look === "plain" : drawsInSoftware(), look !== null);
const view = new Viewport(studio, stage);
const theme = new ThemeSwitch(studio, stage);
const { toast, banner, fail } = notices(studio);
const files = opener(studio, token, fail);
const player = new Player(studio);
const page: Page = {
  studio,
  view,
  player,
  open: () => files.input.click(),
  openClip: () => files.clips.click(),
  figures: () => figures.showModal(),
  exports: () => exporting.showModal(),
  help: () => help.showModal(),
  theme: () => theme.next(),
};
const actions = makeActions(page);
new Trail(studio, player, view);
const ghosts = new Ghosts(studio, player, view);
const help = helpDialog(actions);
const figures = figureDialog(studio);
const exporting = exportDialog(studio, view, token, fail);
const nudger = new Nudger(studio, view);
const grabber = new Grabber(studio, view, () => actions.get("pin")!.run());

document
  .getElementById("app")!
  .append(
    ...layout({ studio, view, actions, nudger, player }, [toast, banner, files.overlay, files.input, files.clips, firstSteps(studio)]),
    help,
    exporting,
    figures,
  );
listen(studio, view, actions, nudger, () => {
  if (grabber.busy) grabber.end(true);
  else if (studio.dragged) studio.cancel();
  else studio.select(-1);
});

studio.on("scene", (scene) => {
  if (scene.skin)
    void fetchSkin(studio.tab, token).then((data) => (data ? view.dress(data) : studio.say("The skin of this file cannot be drawn", true)));
});
/** A clip may be far from where the figure stood, so the camera moves to its first frame. A loaded page keeps its camera. */
let clip: string | null | undefined,
  clipIsNew = false;
studio.on("state", (now) => {
  const name = now.timeline?.clip ?? null,
    known = clip === undefined && now.view.camera.some((x) => x !== 0);
  clipIsNew ||= name !== null && name !== clip && !known;
  clip = name;
});
studio.on("scene", () => (clip = clip === undefined ? undefined : null));
studio.on("pose", () => {
  if (!clipIsNew || studio.shownFrame === null) return;
  clipIsNew = false;
  view.fit();
});
stage.orbit.addEventListener("start", () => studio.emit("did", "turn"));
studio.on("tool", (tool) => {
  if (tool === "grab" || view.gizmo) return;
  void import("./view/gizmo").then(({ Gizmo }) => (view.gizmo ??= new Gizmo(studio, view)));
});
studio.on("state", (now) => {
  if (now.redo > 0) studio.emit("did", "undo");
  document.title = `${now.name} · manikin studio`;
});

const size = new ResizeObserver(() => stage.resize(canvas.clientWidth, canvas.clientHeight));
size.observe(canvas);
stage.setQuality(stage.plain || look ? 0 : 1);
if (!stage.plain && !look) setTimeout(() => stage.setQuality(2), 1500);

let frames = 0;
const tick = (now: number): void => {
  requestAnimationFrame(tick);
  player.tick(now);
  if (view.frame(now) && studio.pose) frames++;
};
requestAnimationFrame(tick);

if (token) studio.link.connect();
else studio.emit("status", "no-token");

if (options.has("test")) Object.assign(window, { __studio: { studio, view, player, ghosts, frames: () => frames } });
