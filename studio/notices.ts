import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

/** The folder of the package that a module or a font belongs to; "" for our own files. */
export function packageOf(path: string): string {
  const found = /^.*node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(path.replace(/^\0/, ""));
  return found ? found[0] : "";
}

/** Writes the licence text of every package in the bundle, and the list of those packages, beside the page. */
export function notices(): Plugin {
  return {
    name: "notices",
    generateBundle(_, bundle) {
      const folders = new Set<string>();
      for (const file of Object.values(bundle)) {
        const from = file.type === "chunk" ? file.moduleIds : file.originalFileNames.map((name) => join(process.cwd(), name));
        for (const path of from) if (packageOf(path)) folders.add(packageOf(path));
      }
      const found = [...folders].map((folder) => {
        const about = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
        const name = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
        if (!name) throw new Error(`${about.name} has no licence text`);
        return { name: about.name, version: about.version, license: about.license, text: readFileSync(join(folder, name), "utf8") };
      });
      found.sort((a, b) => (a.name < b.name ? -1 : 1));
      const rule = "-".repeat(78);
      const texts = found.map((f) => `${rule}\n${f.name} ${f.version} (${f.license})\n${rule}\n\n${f.text.trim()}\n`);
      const head = "The page of manikin studio contains the following software and fonts.\n";
      this.emitFile({ type: "asset", fileName: "LICENSES.txt", source: [head, ...texts].join("\n") });
      const list = found.map(({ name, version, license }) => ({ name, version, license }));
      this.emitFile({ type: "asset", fileName: "packages.json", source: JSON.stringify(list, null, 1) + "\n" });
    },
  };
}
