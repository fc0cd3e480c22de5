import { duration } from "../format";
import type { ReplyReport } from "../report";
import { ROWS } from "../rows";
import { budgetOf, isOverBudget, meaningOf } from "./budget";
import { laid } from "./laid";

/** From the key to the painted first word: a row for each stage, laid end to end on one scale. */
export function Waterfall({ reply }: { reply: ReplyReport }) {
  const over = ROWS.filter((row) => isOverBudget(row, reply));
  return (
    <>
      <table class="waterfall">
        <caption>From key to first word, stage by stage</caption>
        <thead class="unseen">
          <tr>
            <th scope="col">Stage</th>
            <th scope="col">Took</th>
          </tr>
        </thead>
        <tbody>
          {laid(reply.rows).map(({ row, start, length }) => (
            <tr key={row} data-stage={row} data-over={over.includes(row) || undefined}>
              <th scope="row">{row}</th>
              <td class="track" aria-hidden="true">
                {/* A row that is not known has no bar, however thin. */}
                {reply.rows[row] !== null && (
                  <span class="bar" style={{ insetInlineStart: `${start * 100}%`, inlineSize: `${length * 100}%` }} />
                )}
              </td>
              <td class="took">
                {over.includes(row) && <OverBudget ms={budgetOf(row, reply)} />}
                {duration(reply.rows[row])}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {over.length > 0 && (
        <p class="aside" aria-hidden="true">
          <span class="over">▲</span> over its budget:{" "}
          {over.map((row) => `${row} ${duration(budgetOf(row, reply))}`).join(", ")}
        </p>
      )}
    </>
  );
}

function OverBudget({ ms }: { ms: number }) {
  return (
    <span class="over">
      <span aria-hidden="true">▲ </span>
      <span class="unseen">over its budget of {duration(ms)}: </span>
    </span>
  );
}

/** What each row means, and its budget. */
export function Meanings({ reply }: { reply: ReplyReport }) {
  return (
    <details>
      <summary>What the rows mean</summary>
      <dl class="meanings">
        {ROWS.map((row) => (
          <div key={row} data-tone={row}>
            <dt>
              {row}, budget {duration(budgetOf(row, reply))}
            </dt>
            <dd>{meaningOf(row)}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
