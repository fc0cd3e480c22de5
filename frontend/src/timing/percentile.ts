/** A value, and how many samples have it. */
export interface Sample {
  value: number;
  weight: number;
}

/** The smallest value that at least `share` of all samples do not exceed (nearest rank); null without samples. */
export function percentile(samples: readonly Sample[], share: number): number | null {
  const sorted = samples.filter((sample) => sample.weight > 0).sort((a, b) => a.value - b.value);
  const total = sorted.reduce((sum, sample) => sum + sample.weight, 0);
  let seen = 0;
  for (const sample of sorted) {
    seen += sample.weight;
    if (seen >= share * total) return sample.value;
  }
  return null;
}
