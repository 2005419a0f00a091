/** Opening a file: by a dialog, or dropped on the page. The server reads it; the page never sees its bytes again. */
import type { Studio } from "./studio";
import { h } from "./ui/dom";
import { zipped } from "./zip";

export interface Opener {
  input: HTMLInputElement;
  clips: HTMLInputElement;
  overlay: HTMLElement;
}

/** What a file is opened for: its figure, or its motion for the figure on the stage. */
export type Role = "figure" | "clip";

/** Sends a file. Returns an error in one sentence, or "". */
export async function upload(file: File, tab: string, token: string, role: Role = "figure"): Promise<string> {
  const query = new URLSearchParams({ tab, name: file.name, as: role });
  try {
    const answer = await fetch(`upload?${query}`, { method: "POST", body: file, headers: { Authorization: `Bearer ${token}` } });
    const said = (await answer.json()) as { error?: string };
    return answer.ok ? "" : (said.error ?? "the studio could not read the file");
  } catch {
    return "the connection to the studio was lost during the upload";
  }
}

export function opener(studio: Studio, token: string, fail: (text: string) => void): Opener {
  const zones = [h("span", {}, "Open this figure"), h("span", {}, "Play its motion on this figure")];
  const overlay = h("div", { class: "drop" }, ...zones);
  const input = h("input", { type: "file", hidden: true, multiple: true, tabindex: -1, "aria-label": "Figure file" });
  const clips = h("input", { type: "file", hidden: true, tabindex: -1, "aria-label": "Motion file" });
  const take = async (files: FileList | null | undefined, role: Role): Promise<void> => {
    if (!files?.length) return;
    const file = files.length === 1 ? files[0] : new File([await zipped([...files])], "files.zip");
    studio.say(`Reading ${file.name} …`);
    const problem = await upload(file, studio.tab, token, role);
    if (problem) {
      studio.say(`${file.name} was not opened`, true);
      fail(`${file.name}: ${problem}`);
    } else studio.say(role === "clip" ? `The motion of ${file.name} is on the timeline` : `${file.name} is on the stage`);
  };
  for (const [node, role] of [
    [input, "figure"],
    [clips, "clip"],
  ] as const) {
    node.addEventListener("change", () => {
      void take(node.files, role).then(() => (node.value = ""));
    });
  }
  for (const kind of ["dragover", "dragleave", "drop"] as const) {
    addEventListener(kind, (event) => {
      event.preventDefault();
      const role: Role = event.clientX < innerWidth / 2 ? "figure" : "clip";
      overlay.classList.toggle("on", kind === "dragover");
      zones.forEach((zone, i) => zone.classList.toggle("here", (i === 1) === (role === "clip")));
      if (kind === "drop") void take(event.dataTransfer?.files, role);
    });
  }
  return { input, clips, overlay };
}
