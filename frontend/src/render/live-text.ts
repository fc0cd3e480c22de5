import { Blocks } from "./blocks";
import { whenPainted } from "./paint";

/** Hears of the frames that show new text. */
export interface Viewer {
  /** In the frame of `at`, its text in the document: what else changes now is painted with it. */
  frame(at: number): void;
  /** After it; `pieces` is how many pushes the page shows now, `at` when, of `performance.now()`. */
  painted(pieces: number, at: number): void;
}

/**
 * The text of a reply while it streams, outside of the component tree. The first text is put into the document in the
 * task that brought it, so that the next frame shows it; everything later once a frame.
 */
export class LiveText {
  readonly #viewer: Viewer;
  #blocks: Blocks | undefined;
  #shown = "";
  #pending = "";
  #pieces = 0;
  #shownPieces = 0;
  #frame = 0;

  constructor(viewer: Viewer) {
    this.#viewer = viewer;
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
    this.#frame ||= requestAnimationFrame((at) => {
      this.#frame = 0;
      this.#commit();
      if (!this.#shown) return;
      const pieces = this.#pieces;
      whenPainted((after) => this.#viewer.painted(pieces, after));
      this.#viewer.frame(at);
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
    this.#pieces = this.#shownPieces;
    return this.#shown;
  }

  #commit(): void {
    if (!this.#blocks) return;
    this.#shownPieces = this.#pieces;
    if (!this.#pending) return;
    this.#blocks.append(this.#pending);
    this.#shown += this.#pending;
    this.#pending = "";
  }
}
