import { duration } from "../format";

const WIDTH = 100;
const HEIGHT = 24;

/** The time to the first word, reply by reply, oldest first. */
export function Trend({ values }: { values: readonly number[] }) {
  if (values.length < 2) return null;
  const least = duration(Math.min(...values));
  const most = duration(Math.max(...values));
  return (
    <figure class="trend">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Time to the first word, oldest reply first: ${values.map(duration).join(", ")}`}
      >
        <polyline points={points(values)} />
      </svg>
      <figcaption aria-hidden="true">
        <span>first word, oldest to newest</span>
        <span>
          {least} to {most}
        </span>
      </figcaption>
    </figure>
  );
}

/** The line's corners from the left to the right edge; zero is at the bottom, the highest value a little below the top. */
export function points(values: readonly number[]): string {
  const most = Math.max(...values, Number.MIN_VALUE);
  const step = WIDTH / (values.length - 1);
  return values
    .map((value, index) => `${round(index * step)},${round(HEIGHT - 1 - (value / most) * (HEIGHT - 2))}`)
    .join(" ");
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
