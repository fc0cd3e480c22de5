import type { ReplyReport } from "./report";

type Chunk = ReplyReport["timeline"][number];

/** A chunk that stands for `chunks` chunks, `last` of the reply being the last of them; its times are that one's. */
interface Entry extends Chunk {
  chunks: number;
  last: number;
}

const MAX_ENTRIES = 2_048;

/** The chunks of a reply, in order. Once they are many an entry stands for 2, 4, 8... of them, so memory is bounded. */
export class Timeline {
  #entries: Entry[] = [];
  #count = 0;
  #painted = 0;
  #each = 1;

  /** Chunks so far. */
  get count(): number {
    return this.#count;
  }

  /** How many chunks an entry stands for. */
  get each(): number {
    return this.#each;
  }

  push(read: number, parsed: number, at: number | null, tokens: number): void {
    this.#count += 1;
    const open = this.#entries.at(-1);
    if (open && open.chunks < this.#each) {
      this.#extend(open, read, parsed, at, tokens);
      return;
    }
    if (this.#entries.length === MAX_ENTRIES) this.#halve();
    this.#entries.push({ read, parsed, painted: null, at, tokens, chunks: 1, last: this.#count });
  }

  /** The first `count` chunks are on the screen since `at`. Returns the entries that were not before. */
  painted(count: number, at: number): readonly Readonly<Chunk>[] {
    const from = this.#painted;
    for (;;) {
      const entry = this.#entries[this.#painted];
      if (!entry || entry.last > count) return this.#entries.slice(from, this.#painted);
      entry.painted = at;
      this.#painted += 1;
    }
  }

  chunks(): Chunk[] {
    return this.#entries.map(({ read, parsed, painted, at, tokens }) => ({ read, parsed, painted, at, tokens }));
  }

  #extend(open: Entry, read: number, parsed: number, at: number | null, tokens: number): void {
    Object.assign(open, { read, parsed, painted: null, at, last: this.#count });
    open.tokens += tokens;
    open.chunks += 1;
    this.#painted = Math.min(this.#painted, this.#entries.length - 1);
  }

  #halve(): void {
    this.#each *= 2;
    this.#painted = Math.floor(this.#painted / 2);
    this.#entries = this.#entries.flatMap((second, index) => {
      const first = index % 2 === 1 && this.#entries[index - 1];
      return first ? [{ ...second, tokens: first.tokens + second.tokens, chunks: this.#each }] : [];
    });
  }
}
