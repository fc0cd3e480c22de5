/** Two machines' clocks drift apart by up to a millisecond in this time: later samples would say less, not more. */
const DRIFT_MS = 10_000;

/**
 * Joins the page's clock and the server's for one reply. An event that left `left` milliseconds after the request was
 * accepted, and was read here at `read`, says that the request was accepted before `read - left`; the least of these
 * is kept. No more can be known from here: what delayed even the fastest event reads as the network.
 */
export class Offset {
  #latest: number | undefined;
  #firstText: number | undefined;

  /** One event; call it with the first text too, however late that comes. */
  offer(read: number, left: number, text: boolean): void {
    if (this.#firstText !== undefined && read - this.#firstText > DRIFT_MS) return;
    if (text) this.#firstText ??= read;
    this.#latest = Math.min(this.#latest ?? Number.POSITIVE_INFINITY, read - left);
  }

  /** The latest time of the page at which the server can have accepted the request. */
  get latest(): number | undefined {
    return this.#latest;
  }
}

/** When the server accepted the request, on the page's clock; the true time is within `error_ms`. */
export interface Accepted {
  accepted_at_ms: number | null;
  error_ms: number | null;
}

/**
 * `earliest` is when the request left at the earliest, `grain` the step of the page's clock. Nulls where the two bounds
 * cross, which only a clock that jumped can do.
 */
export function accepted(earliest: number | undefined, latest: number | undefined, grain: number): Accepted {
  if (earliest === undefined || latest === undefined || latest < earliest - 2 * grain) {
    return { accepted_at_ms: null, error_ms: null };
  }
  return { accepted_at_ms: (earliest + latest) / 2, error_ms: Math.abs(latest - earliest) / 2 + grain };
}

/** Browsers round their clock: to whole milliseconds (Firefox, Safari), or to tenths (Chrome). */
export function grainOf(...times: (number | undefined)[]): number {
  return times.every((time) => time === undefined || Number.isInteger(time)) ? 1 : 0.1;
}
