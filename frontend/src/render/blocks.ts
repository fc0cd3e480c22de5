/** A paragraph that ends within so many characters shares its block with the next one. */
const MIN_CHARS = 200;
/** A block this long, of code say, ends at its next line. */
const MAX_CHARS = 2_000;

/**
 * Appends plain text to an element in blocks of some paragraphs each. Only the last block ever changes, so that the work
 * for a piece of text does not grow with what stands before it, and a selection in finished text stays.
 *
 * Where a block ends depends on the text alone, not on the pieces it came in. Every character is kept, newlines too:
 * under `white-space: pre-wrap` a block that ends in a newline looks as if no block ended there.
 */
export class Blocks {
  readonly #root: Element;
  #open: Text | undefined;
  #afterNewline = false;

  constructor(root: Element) {
    this.#root = root;
  }

  append(text: string): void {
    let start = 0;
    for (let newline = text.indexOf("\n"); newline !== -1; newline = text.indexOf("\n", newline + 1)) {
      const blank = newline === 0 ? this.#afterNewline : text[newline - 1] === "\n";
      const length = (this.#open?.length ?? 0) + newline + 1 - start;
      if (length < (blank ? MIN_CHARS : MAX_CHARS)) continue;
      this.#write(text.slice(start, newline + 1));
      this.#open = undefined;
      start = newline + 1;
    }
    if (start < text.length) this.#write(text.slice(start));
    if (text) this.#afterNewline = text.endsWith("\n");
  }

  #write(text: string): void {
    if (this.#open) {
      this.#open.appendData(text);
      return;
    }
    const block = document.createElement("div");
    block.className = "block";
    this.#open = document.createTextNode(text);
    block.append(this.#open);
    this.#root.append(block);
  }
}
