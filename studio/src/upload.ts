/** Opening a file: by a dialog, or dropped on the page. The server reads it; the page never sees its bytes again. */
import type { Studio } from "./studio";
import { h } from "./ui/dom";

export interface Opener {
  input: HTMLInputElement;
  overlay: HTMLElement;
}

/** Sends a file. Returns an error in one sentence, or "". */
export async function upload(file: File, tab: string, token: string): Promise<string> {
  const query = new URLSearchParams({ tab, name: file.name });
  try {
    const answer = await fetch(`upload?${query}`, { method: "POST", body: file, headers: { Authorization: `Bearer ${token}` } });
    const said = (await answer.json()) as { error?: string };
    return answer.ok ? "" : (said.error ?? "the studio could not read the file");
  } catch {
    return "the connection to the studio was lost during the upload";
  }
}

export function opener(studio: Studio, token: string, fail: (text: string) => void): Opener {
  const overlay = h("div", { class: "drop" }, h("span", {}, "Drop a figure: BVH, glTF, URDF, MJCF, USD or JSON"));
  const input = h("input", { type: "file", hidden: true, tabindex: -1, "aria-label": "Figure file" });
  const take = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    studio.say(`Reading ${file.name} …`);
    const problem = await upload(file, studio.tab, token);
    if (problem) {
      studio.say(`${file.name} was not opened`, true);
      fail(`${file.name}: ${problem}`);
    } else studio.say(`${file.name} is on the stage`);
  };
  input.addEventListener("change", () => {
    void take(input.files?.[0]);
    input.value = "";
  });
  for (const kind of ["dragover", "dragleave", "drop"] as const) {
    addEventListener(kind, (event) => {
      event.preventDefault();
      overlay.classList.toggle("on", kind === "dragover");
      if (kind === "drop") void take(event.dataTransfer?.files[0]);
    });
  }
  return { input, overlay };
}
