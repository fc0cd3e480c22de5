import { duration } from "../format";
import type { ReplyReport } from "../report";

type Bins = ReplyReport["itl_histogram"];

/** Height of the tallest bar, and its width with the gap beside it, in units of the drawing. */
const HEIGHT = 32;
const STEP = 10;

/** How many tokens came after which gap. */
export function Histogram({ bins }: { bins: Bins }) {
  const shown = trimmed(bins);
  if (shown.length === 0) return null;
  const most = Math.max(...shown.map(({ tokens }) => tokens));
  const ends = shown.map(({ upto_ms }) => (upto_ms === null ? "longer" : `≤ ${duration(upto_ms)}`));
  return (
    <figure class="histogram">
      <svg
        viewBox={`0 0 ${shown.length * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Tokens by the gap before them: ${inWords(shown)}`}
      >
        {shown.map(({ upto_ms, tokens }, index) => {
          const height = (tokens / most) * HEIGHT;
          return <rect key={upto_ms} x={index * STEP + 1} y={HEIGHT - height} width={STEP - 2} height={height} />;
        })}
      </svg>
      <figcaption aria-hidden="true">
        <span>{ends[0]}</span>
        <span>tokens by the gap before them</span>
        <span>{shown.length > 1 && ends.at(-1)}</span>
      </figcaption>
    </figure>
  );
}

/** Without the empty bins at both ends. */
export function trimmed(bins: Bins): Bins {
  const first = bins.findIndex(({ tokens }) => tokens > 0);
  const last = bins.findLastIndex(({ tokens }) => tokens > 0);
  return first < 0 ? [] : bins.slice(first, last + 1);
}

export function inWords(bins: Bins): string {
  const filled = bins.filter(({ tokens }) => tokens > 0);
  return filled
    .map(({ upto_ms, tokens }) => `${tokens} ${upto_ms === null ? "longer" : `up to ${duration(upto_ms)}`}`)
    .join(", ");
}
