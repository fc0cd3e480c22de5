import { percentile } from "./percentile";

/** How often each value came. Values are kept to three digits, so memory does not grow with their number. */
export class Tally {
  readonly #weights = new Map<number, number>();

  /** `value` is at least 0; `weight` says how many samples have it. */
  add(value: number, weight: number): void {
    const kept = threeDigits(value);
    this.#weights.set(kept, (this.#weights.get(kept) ?? 0) + weight);
  }

  percentile(share: number): number | null {
    return percentile(this.#samples(), share);
  }

  /** Samples up to each of `edges` (rising) and above the one before it; the last bin has no end. */
  histogram(edges: readonly number[]): { upto: number | null; weight: number }[] {
    const bins = [...edges, null].map((upto) => ({ upto, weight: 0 }));
    for (const { value, weight } of this.#samples()) {
      const bin = bins.find(({ upto }) => upto === null || value <= upto);
      if (bin) bin.weight += weight;
    }
    return bins;
  }

  #samples() {
    return Array.from(this.#weights, ([value, weight]) => ({ value, weight }));
  }
}

const LEAST = 0.001;

function threeDigits(value: number): number {
  if (value < LEAST) return 0;
  const exponent = Math.floor(Math.log10(value)) - 2;
  // Multiplied and divided by whole numbers only, so that equal values are equal keys.
  if (exponent >= 0) return Math.round(value / 10 ** exponent) * 10 ** exponent;
  return Math.round(value * 10 ** -exponent) / 10 ** -exponent;
}
