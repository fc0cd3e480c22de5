import { signal } from "@preact/signals";
import { preference } from "../../preferences";

/** Whether the overlay is shown, and whose times. */
export class TimingView {
  readonly #shown = preference("timing", ["shown"]);
  readonly #pinned = signal<string | undefined>(undefined);
  /** Takes the focus where what opened the overlay is gone. */
  readonly #home: () => void;
  #opener: Element | null = null;

  constructor(home: () => void) {
    this.#home = home;
  }

  get shown(): boolean {
    return this.#shown.value === "shown";
  }

  /** The id of the reply that it shows; undefined where it follows the newest. */
  get pinned(): string | undefined {
    return this.#pinned.value;
  }

  toggle(opener: Element | null): void {
    if (this.#shown.peek() === "shown") this.close();
    else this.#show(opener);
  }

  /** Shows reply `id`, and keeps to it. */
  open(id: string, opener: Element): void {
    this.#pinned.value = id;
    this.#show(opener);
  }

  follow(): void {
    this.#pinned.value = undefined;
  }

  /** Gives the focus back to what opened it, unless it is elsewhere by now. */
  close(): void {
    const within = document.activeElement?.closest(".overlay");
    this.#shown.value = undefined;
    this.#pinned.value = undefined;
    if (!within) return;
    if (this.#opener instanceof HTMLElement && this.#opener.isConnected) this.#opener.focus();
    else this.#home();
  }

  #show(opener: Element | null): void {
    this.#opener = opener;
    this.#shown.value = "shown";
  }
}
