import { Blocks } from "./blocks";
import { whenPainted } from "./paint";

/**
 * The text of a reply while it streams, outside of the component tree. The first text is put into the document in the
 * task that brought it, so that the next frame shows it; everything later once a frame.
 */
export class LiveText {
  /** Hears after each frame that showed new text; `pieces` is how many pushes the page shows now. */
  readonly #painted: (pieces: number, at: number) => void;
  #blocks: Blocks | undefined;
  #shown = "";
  #pending = "";
  #pieces = 0;
  #frame = 0;

  constructor(painted: (pieces: number, at: number) => void) {
    this.#painted = painted;
  }

  /** What the page shows. */
  get shown(): string {
    return this.#shown;
  }

  /** Gives the element that the text belongs in; text that came before is put there at once. */
  mount(root: Element): void {
    if (this.#blocks) return;
    this.#blocks = new Blocks(root);
    this.#commit();
  }

  push(text: string): void {
    this.#pieces += 1;
    if (!text) return;
    this.#pending += text;
    if (this.#shown === "") this.#commit();
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#commit();
      const pieces = this.#pieces;
      if (this.#shown) whenPainted((at) => this.#painted(pieces, at));
    });
  }

  /** Shows everything that came. Returns all of the text. */
  finish(): string {
    this.#commit();
    return this.#shown;
  }

  /** Drops what is not shown yet. Returns what is. */
  freeze(): string {
    this.#pending = "";
    return this.#shown;
  }

  #commit(): void {
    if (!this.#blocks || !this.#pending) return;
    this.#blocks.append(this.#pending);
    this.#shown += this.#pending;
    this.#pending = "";
  }
}
