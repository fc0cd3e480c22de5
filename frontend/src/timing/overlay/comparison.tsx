import { type Signal, useSignal } from "@preact/signals";
import { duration, figure } from "../format";
import type { ReplyReport } from "../report";
import { ROWS } from "../rows";
import { difference } from "./difference";

/** Two replies side by side: the last one and the one before it, until others are chosen. */
export function Comparison({ replies }: { replies: readonly ReplyReport[] }) {
  const first = useSignal<string | undefined>(undefined);
  const second = useSignal<string | undefined>(undefined);
  const one = replies.find(({ id }) => id === first.value) ?? replies.at(-2);
  const other = replies.find(({ id }) => id === second.value) ?? replies.at(-1);
  if (!one || !other) return null;
  return (
    <>
      <h3>Compare</h3>
      <div class="choices">
        <Choice label="First reply" chosen={first} shown={one.id} replies={replies} />
        <Choice label="Second reply" chosen={second} shown={other.id} replies={replies} />
      </div>
      <Differences one={one} other={other} />
    </>
  );
}

interface ChoiceProps {
  label: string;
  chosen: Signal<string | undefined>;
  shown: string;
  replies: readonly ReplyReport[];
}

function Choice({ label, chosen, shown, replies }: ChoiceProps) {
  return (
    <label>
      {label}
      <select
        value={shown}
        onChange={(event) => {
          chosen.value = event.currentTarget.value;
        }}
      >
        {replies.map(({ id, ttft_ms, state }, index) => (
          <option key={id} value={id}>
            {index + 1}: {ttft_ms === null ? state : duration(ttft_ms)}
          </option>
        ))}
      </select>
    </label>
  );
}

function Differences({ one, other }: { one: ReplyReport; other: ReplyReport }) {
  return (
    <table class="figures">
      <caption>Differences: the second less the first</caption>
      <thead>
        <tr>
          <th scope="col">what</th>
          <th scope="col">first</th>
          <th scope="col">second</th>
          <th scope="col">differ by</th>
        </tr>
      </thead>
      <tbody>
        <Line name="first word" one={one.ttft_ms} other={other.ttft_ms} format={duration} />
        {ROWS.map((row) => (
          <Line key={row} name={row} one={one.rows[row]} other={other.rows[row]} format={duration} />
        ))}
        <Line name="token gap" one={one.itl_ms.p50} other={other.itl_ms.p50} format={duration} />
        <Line name="tokens/s" one={one.tokens_per_s} other={other.tokens_per_s} format={figure} />
      </tbody>
    </table>
  );
}

interface LineProps {
  name: string;
  one: number | null;
  other: number | null;
  format: (value: number | null) => string;
}

function Line({ name, one, other, format }: LineProps) {
  return (
    <tr data-difference={name}>
      <th scope="row">{name}</th>
      <td>{format(one)}</td>
      <td>{format(other)}</td>
      <td>{difference(one, other, format)}</td>
    </tr>
  );
}
