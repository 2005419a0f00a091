/** Dark or light: by the system until the user chooses. */
import type { Studio } from "../studio";
import type { Stage, Theme } from "../view/stage";

export class ThemeSwitch {
  private chosen: "auto" | Theme = "auto";
  private readonly dark = matchMedia("(prefers-color-scheme: dark)");

  constructor(
    private readonly studio: Studio,
    private readonly stage: Stage,
  ) {
    this.dark.addEventListener("change", () => this.apply());
    studio.on("state", (state) => {
      if (state.view.theme === this.chosen) return;
      this.chosen = state.view.theme;
      this.apply();
    });
    this.apply();
  }

  private get shown(): Theme {
    return this.chosen === "auto" ? (this.dark.matches ? "dark" : "light") : this.chosen;
  }

  next(): void {
    this.chosen = this.shown === "dark" ? "light" : "dark";
    this.apply();
    this.studio.look({ theme: this.chosen });
  }

  private apply(): void {
    document.documentElement.dataset.theme = this.shown;
    this.stage.theme(this.shown);
  }
}
