/** Exports: a menu, and files that the server makes. A picture is made here. */
import type { Studio } from "./studio";
import { h } from "./ui/dom";
import type { Viewport } from "./view/viewport";

const KINDS: [kind: string, title: string, below: string][] = [
  ["bvh", "BVH", "motion or pose, for animation programs"],
  ["glb", "GLB", "with the skin of the figure, if it has one"],
  ["usd", "USD", "a skeleton with its animation"],
  ["csv", "CSV", "one column for each number of the pose"],
  ["script", "Python script", "makes this pose again"],
  ["scene", "Scene file", "everything, to go on later"],
  ["png", "Picture", "what the stage shows"],
];

/** The name of a file in a header such as `attachment; filename="a.bvh"`. */
export const nameIn = (header: string | null): string => /filename="([^"]+)"/.exec(header ?? "")?.[1] ?? "export";

export function exportDialog(studio: Studio, view: Viewport, token: string, fail: (text: string) => void): HTMLDialogElement {
  const offer = (data: Blob, name: string): void => {
    const link = h("a", { href: URL.createObjectURL(data), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    studio.say(`${name} was made`);
  };
  const make = async (kind: string): Promise<void> => {
    dialog.close();
    if (kind === "png") {
      const data = await view.picture();
      offer(data, `${(studio.state?.name ?? "pose").replace(/[^A-Za-z0-9_-]+/g, "_")}.png`);
      return;
    }
    try {
      const answer = await fetch(`export?${new URLSearchParams({ tab: studio.tab, kind })}`, {
        method: "POST",
        headers: { Authorization: `Bearer ${token}` },
      });
      if (answer.ok) offer(await answer.blob(), nameIn(answer.headers.get("Content-Disposition")));
      else fail(((await answer.json()) as { error: string }).error);
    } catch {
      fail("There is no connection to the studio");
    }
  };
  const rows = KINDS.map(([kind, title, below]) =>
    h(
      "li",
      {},
      h(
        "button",
        { class: "kind", type: "button", "data-kind": kind, onclick: () => void make(kind) },
        h("strong", {}, title),
        h("small", {}, below),
      ),
    ),
  );
  const dialog = h(
    "dialog",
    { class: "exports", "aria-labelledby": "exports-title" },
    h("h2", { id: "exports-title" }, "Export"),
    h("ul", {}, ...rows),
    h("button", { class: "chip", type: "button", onclick: () => dialog.close() }, "Close"),
  );
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  return dialog;
}
