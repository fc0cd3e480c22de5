const KEY = "firstlight.draft";

/** The text in the composer, kept over a reload of the tab. It is written when the page is left, never while typing. */
export class Draft {
  readonly #open: () => Storage;
  #box: HTMLTextAreaElement | undefined;

  /** `open` gives the tab's storage, or throws where the browser forbids it. */
  constructor(open: () => Storage) {
    this.#open = open;
  }

  /** Watches `box`; returns the draft to begin with. */
  attach(box: HTMLTextAreaElement): string {
    this.#box = box;
    try {
      return this.#open().getItem(KEY) ?? "";
    } catch {
      return "";
    }
  }

  focus(): void {
    this.#box?.focus();
  }

  keep(): void {
    if (!this.#box) return;
    try {
      if (this.#box.value) this.#open().setItem(KEY, this.#box.value);
      else this.#open().removeItem(KEY);
    } catch {
      // Full or forbidden: the draft is lost with the tab, as in any form.
    }
  }
}
