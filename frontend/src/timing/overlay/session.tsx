import { duration } from "../format";
import type { ReplyReport } from "../report";
import { Comparison } from "./comparison";
import { counted, spreads } from "./session-figures";
import { Trend } from "./trend";

/** Replies that the session's figures are taken over, at most. */
const LAST = 20;

/** What the replies of this page load have in common, and how two of them differ. */
export function SessionFigures({ replies }: { replies: readonly ReplyReport[] }) {
  const { whole, leftOut } = counted(replies, LAST);
  return (
    <>
      <h3>{whole.length === 1 ? "One reply" : `Last ${whole.length} replies`}</h3>
      {leftOut > 0 && (
        <p class="aside" data-metric="left_out">
          {leftOut} left out: hidden, or without a whole waterfall.
        </p>
      )}
      <Trend values={whole.flatMap(({ ttft_ms }) => ttft_ms ?? [])} />
      <table class="figures">
        <caption>Percentiles</caption>
        <thead>
          <tr>
            <th scope="col">what</th>
            <th scope="col">p50</th>
            <th scope="col">p95</th>
          </tr>
        </thead>
        <tbody>
          {spreads(whole).map(({ name, p50, p95 }) => (
            <tr key={name} data-spread={name}>
              <th scope="row">{name}</th>
              <td>{duration(p50)}</td>
              <td>{duration(p95)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {replies.length > 1 && <Comparison replies={replies} />}
    </>
  );
}
