/** Every action of the page, once: the bars, the keys and the help read this table. */
import { Vector3 } from "three";
import { bendTarget, limbMiddle } from "./limbs";
import type { Player } from "./player";
import type { Studio, Tool } from "./studio";
import type { IconName } from "./ui/dom";
import { VIEWS } from "./view/viewport";
import type { Viewport } from "./view/viewport";
import { asVec, place } from "./view/world";
import { capital, partName } from "./words";

export interface Action {
  id: string;
  /** One or two words. */
  title: string;
  group: "Tools" | "Selected part" | "Pose" | "Time" | "View" | "File";
  icon?: IconName;
  /** Keys such as "v" or "ctrl+shift+z". The first is shown. */
  keys: string[];
  run(): void;
  enabled?(): boolean;
  pressed?(): boolean;
}

/** What the actions need from the page. */
export interface Page {
  studio: Studio;
  view: Viewport;
  player: Player;
  open(): void;
  openClip(): void;
  figures(): void;
  exports(): void;
  help(): void;
  theme(): void;
}

export function makeActions(page: Page): Map<string, Action> {
  const { studio, view, player } = page;
  const keyHere = (): boolean => !!studio.state?.keys.some((key) => key.frame === player.frame);
  const some = (): boolean => studio.selection.length > 0;
  const names = (): string[] => studio.selection.map((i) => studio.scene!.segments[i].name);
  let copied: { pose: string; figure: string } | null = null;

  const pinned = (): boolean => some() && studio.selection.every((i) => studio.holding(i).length > 0);
  const pin = (): void => {
    const off = pinned();
    const done = new Set<string>();
    for (const i of studio.selection) {
      const held = studio.holding(i),
        key = held[0]?.group || String(i);
      if (done.has(key) || (!off && held.length > 0)) continue;
      done.add(key);
      studio.command(off ? "unpin" : "pin", { segment: studio.scene!.segments[i].name });
    }
    if (!off) studio.emit("did", "pin");
  };

  const joints = (): string[] => studio.selection.map((i) => studio.scene!.segments[i].joint).filter((name) => name !== null);
  const frozen = (): boolean => joints().length > 0 && joints().every((name) => studio.state!.freeze.includes(name));

  const has = (role: string) => (): boolean => names().some((name) => !!studio.goal(`${role} ${name}`));
  const aim = (): void => {
    for (const name of names()) {
      if (studio.goal(`aim ${name}`)) studio.command("remove", { id: `aim ${name}` });
      else studio.command("aim", { segment: name, target: asVec(aimTarget(studio, view, name)) });
    }
  };

  const middle = (): string | null => (some() ? limbMiddle(studio.scene!.segments, studio.main) : null);
  const bend = (): void => {
    const name = middle()!;
    if (studio.goal(`pole ${name}`)) studio.command("remove", { id: `pole ${name}` });
    else studio.command("pole", { segment: name, target: asVec(bendTarget(studio, studio.index(name), view.eye)) });
  };

  const plane = (): void => {
    for (const name of names()) {
      if (studio.goal(`plane ${name}`)) studio.command("remove", { id: `plane ${name}` });
      else studio.command("plane", { segment: name, point: asVec(place(studio.pose!.rows, studio.index(name))), normal: asVec(view.world.up) });
    }
  };

  const copy = (): void => {
    copied = { pose: studio.state!.pose, figure: studio.scene!.name };
    studio.say("Pose copied");
  };
  const paste = (mirrored: boolean) => (): void => {
    if (!copied) studio.say("Copy a pose first", true);
    else if (copied.figure !== studio.scene!.name) studio.say(`The copied pose is one of ${copied.figure}`, true);
    else studio.command("paste", { copied: copied.pose, mirrored });
  };

  const tool = (id: Tool, title: string, icon: IconName, key: string): Action => ({
    id,
    title,
    icon,
    keys: [key],
    group: "Tools",
    run: () => studio.use(id),
    pressed: () => studio.tool === id,
  });
  const ghosts = (): boolean => studio.state?.view.ghosts !== false;

  const table: Action[] = [
    tool("grab", "Grab", "hand", "v"),
    tool("move", "Move by axes", "move", "g"),
    tool("turn", "Turn by rings", "turn", "r"),
    { id: "pin", title: "Pin or unpin", icon: "pin", keys: ["p"], group: "Selected part", run: pin, enabled: some, pressed: pinned },
    { id: "aim", title: "Aim: gaze or hand", icon: "eye", keys: ["a"], group: "Selected part", run: aim, enabled: some, pressed: has("aim") },
    {
      id: "bend",
      title: "Bend of elbow or knee",
      icon: "bend",
      keys: ["e"],
      group: "Selected part",
      run: bend,
      enabled: () => middle() !== null,
      pressed: () => middle() !== null && !!studio.goal(`pole ${middle()}`),
    },
    {
      id: "plane",
      title: "Keep at its height",
      icon: "floor",
      keys: ["h"],
      group: "Selected part",
      run: plane,
      enabled: some,
      pressed: has("plane"),
    },
    {
      id: "freeze",
      title: "Freeze joint",
      icon: "freeze",
      keys: ["l"],
      group: "Selected part",
      run: () => studio.command("freeze", { joints: joints(), on: !frozen() }),
      enabled: () => joints().length > 0,
      pressed: frozen,
    },
    {
      id: "undo",
      title: "Undo",
      icon: "undo",
      keys: ["ctrl+z"],
      group: "Pose",
      run: () => studio.command("undo"),
      enabled: () => !!studio.state?.undo,
    },
    {
      id: "redo",
      title: "Redo",
      icon: "redo",
      keys: ["ctrl+shift+z", "ctrl+y"],
      group: "Pose",
      run: () => studio.command("redo"),
      enabled: () => !!studio.state?.redo,
    },
    { id: "reset", title: "Rest pose", icon: "reset", keys: ["shift+r"], group: "Pose", run: () => studio.command("reset") },
    { id: "mirror", title: "Mirror", icon: "mirror", keys: ["m"], group: "Pose", run: () => studio.command("mirror") },
    { id: "copy", title: "Copy pose", icon: "copy", keys: ["ctrl+c"], group: "Pose", run: copy },
    { id: "paste", title: "Paste pose", icon: "paste", keys: ["ctrl+v"], group: "Pose", run: paste(false) },
    { id: "paste-mirrored", title: "Paste mirrored", keys: ["ctrl+shift+v"], group: "Pose", run: paste(true) },
    { id: "first", title: "First frame", icon: "first", keys: ["Home"], group: "Time", run: () => player.seek(0) },
    {
      id: "play",
      title: "Play or pause",
      icon: "play",
      keys: [" "],
      group: "Time",
      run: () => player.toggle(),
      enabled: () => !!studio.state?.timeline?.frames,
    },
    { id: "last", title: "Last frame", icon: "last", keys: ["End"], group: "Time", run: () => player.seek(studio.state!.last_frame) },
    { id: "before", title: "Frame before", keys: [","], group: "Time", run: () => player.seek(player.frame - 1) },
    { id: "after", title: "Frame after", keys: ["."], group: "Time", run: () => player.seek(player.frame + 1) },
    {
      id: "key",
      title: "Set key",
      icon: "key",
      keys: ["k"],
      group: "Time",
      run: () => studio.command("key", { frame: player.frame, shown: studio.shownFrame !== null }),
      enabled: () => !studio.state?.timeline?.clip,
    },
    {
      id: "unkey",
      title: "Delete key",
      icon: "unkey",
      keys: ["shift+k"],
      group: "Time",
      run: () => studio.command("unkey", { frame: player.frame }),
      enabled: keyHere,
    },
    { id: "fit", title: "Show all", icon: "fit", keys: ["f"], group: "View", run: () => view.fit() },
    ...(Object.keys(VIEWS) as (keyof typeof VIEWS)[]).map((name, i): Action => ({
      id: `view ${name}`,
      title: name,
      keys: [String(i + 1)],
      group: "View",
      run: () => view.fit(name),
    })),
    { id: "ghosts", title: "Ghost of the pose before", keys: ["o"], group: "View", run: () => studio.look({ ghosts: !ghosts() }), pressed: ghosts },
    {
      id: "key-ghosts",
      title: "Ghosts of other keys or frames",
      icon: "ghost",
      keys: ["shift+o"],
      group: "View",
      run: () => studio.look({ key_ghosts: !studio.state?.view.key_ghosts }),
      enabled: () => !!studio.state?.timeline?.frames,
      pressed: () => studio.state?.view.key_ghosts === true,
    },
    {
      id: "trails",
      title: "Trail of the selected part",
      keys: ["t"],
      group: "View",
      run: () => studio.look({ trails: !studio.state?.view.trails }),
      pressed: () => studio.state?.view.trails === true,
    },
    {
      id: "bones",
      title: "Bones instead of skin",
      keys: ["b"],
      group: "View",
      run: () => studio.look({ bones: !studio.state?.view.bones }),
      enabled: () => !!studio.scene?.skin,
      pressed: () => studio.state?.view.bones === true,
    },
    { id: "theme", title: "Dark or light", icon: "theme", keys: ["d"], group: "View", run: page.theme },
    { id: "help", title: "Help", icon: "help", keys: ["?", "shift+?"], group: "View", run: page.help },
    { id: "open", title: "Open a file", icon: "open", keys: ["ctrl+o"], group: "File", run: page.open },
    { id: "figures", title: "Figures", icon: "person", keys: ["ctrl+shift+f"], group: "File", run: page.figures },
    { id: "open-clip", title: "Open a motion for this figure", keys: ["ctrl+shift+o"], group: "File", run: page.openClip },
    { id: "export", title: "Export", icon: "save", keys: ["ctrl+e"], group: "File", run: page.exports },
    {
      id: "save",
      title: "Save",
      icon: "save",
      keys: ["ctrl+s"],
      group: "File",
      run: () => studio.command("save"),
      enabled: () => !!studio.state?.saves,
    },
  ];
  return new Map(table.map((action) => [action.id, action]));
}

/** Where a new aim looks: toward the camera, and a little aside, so that its mark does not hide the part. */
function aimTarget(studio: Studio, view: Viewport, name: string): Vector3 {
  const { size } = studio.scene!,
    from = place(studio.pose!.rows, studio.index(name)),
    toward = view.eye.sub(from);
  const aside = new Vector3(0.16, 0.08, 0).multiplyScalar(size).applyQuaternion(view.stage.camera.quaternion);
  aside.applyQuaternion(view.world.quaternion.clone().invert());
  return from.add(toward.setLength(Math.min(0.45 * size, 0.6 * toward.length()))).add(aside);
}

/** "ctrl+shift+z" as people read it: "Ctrl Shift Z". */
export const keyWords = (key: string): string =>
  key === " "
    ? "Space"
    : key
        .split("+")
        .map((part) => (part === "?" ? "?" : capital(part)))
        .join(" ");

/** The name of a key press, in the form of the table. */
export function pressed(event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "shiftKey" | "altKey">): string {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  return [event.ctrlKey || event.metaKey ? "ctrl" : "", event.altKey ? "alt" : "", event.shiftKey ? "shift" : "", key].filter(Boolean).join("+");
}

/** What is selected, in words. */
export const selectionWords = (studio: Studio): string =>
  studio.selection.length > 1
    ? `${studio.selection.length} parts`
    : studio.main >= 0
      ? partName(studio.scene!.segments[studio.main])
      : "Nothing selected";
