/** A duration for the eye: `0.42 ms`, `8.3 ms`, `128 ms`, `2.41 s`; a dash where there is none. */
export function duration(ms: number | null): string {
  if (ms === null) return "–";
  if (ms >= 999.5) return `${(ms / 1_000).toFixed(2)} s`;
  return `${figure(ms)} ms`;
}

/** A figure without its unit: decimals only where they mean something. */
export function figure(value: number | null): string {
  if (value === null) return "–";
  if (value >= 9.95) return String(Math.round(value));
  return value.toFixed(value >= 0.995 ? 1 : 2);
}

export function count(value: number | null): string {
  return value === null ? "–" : value.toLocaleString("en");
}
