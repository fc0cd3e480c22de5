import { computed, effect, type ReadonlySignal, signal } from "@preact/signals";
import { preference } from "../preferences";

/** Light or dark: as the system says, until the reader says otherwise. */
export class Theme {
  readonly #chosen = preference("theme", ["light", "dark"]);
  readonly #system = signal(false);
  readonly dark: ReadonlySignal<boolean> = computed(() =>
    this.#chosen.value === undefined ? this.#system.value : this.#chosen.value === "dark",
  );

  constructor() {
    const query = matchMedia("(prefers-color-scheme: dark)");
    this.#system.value = query.matches;
    query.addEventListener("change", () => {
      this.#system.value = query.matches;
    });
    effect(() => {
      if (this.#chosen.value) document.documentElement.dataset["theme"] = this.#chosen.value;
      else delete document.documentElement.dataset["theme"];
    });
  }

  /** The other one; choosing what the system has anyway follows the system again. */
  toggle(): void {
    const dark = !this.dark.value;
    this.#chosen.value = dark === this.#system.value ? undefined : dark ? "dark" : "light";
  }
}
