import type { ReplyReport } from "./report";

export type Chunk = ReplyReport["timeline"][number];

const MAX_ENTRIES = 2_048;

/** The chunks of a reply, in order. Once they are many an entry stands for 2, 4, 8... of them, so memory is bounded. */
export class Timeline {
  #entries: Chunk[] = [];
  /** How many chunks an entry stands for, and how many the last entry does so far. */
  #each = 1;
  #inLast = 1;

  get each(): number {
    return this.#each;
  }

  /** An entry has the times of the last of its chunks, and the tokens of all. */
  get entries(): readonly Readonly<Chunk>[] {
    return this.#entries;
  }

  push(chunk: Readonly<Chunk>): void {
    const open = this.#entries.at(-1);
    if (open && this.#inLast < this.#each) {
      this.#entries[this.#entries.length - 1] = joined(open, chunk);
      this.#inLast += 1;
      return;
    }
    if (this.#entries.length === MAX_ENTRIES) this.#halve();
    this.#entries.push(chunk);
    this.#inLast = 1;
  }

  #halve(): void {
    this.#each *= 2;
    this.#entries = this.#entries.flatMap((second, index) => {
      const first = index % 2 === 1 && this.#entries[index - 1];
      return first ? [joined(first, second)] : [];
    });
  }
}

function joined(first: Chunk, second: Readonly<Chunk>): Chunk {
  return { ...second, tokens: first.tokens + second.tokens };
}
