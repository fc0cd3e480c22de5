import { toReport } from "../export";
import type { ReplyReport } from "../report";
import { toTrace } from "../trace";

/** Some browsers still read the file after the click. */
const KEPT_MS = 10_000;

/** Saves the times of all replies, as a report or as a trace. `reports` is asked when a button is pressed. */
export function Exports({ reports }: { reports: () => readonly ReplyReport[] }) {
  return (
    <p class="exports">
      <button type="button" class="pill" onClick={() => save("firstlight-report.json", toReport(reports()))}>
        Export JSON
      </button>
      <button
        type="button"
        class="pill"
        title="Opens in Perfetto and chrome://tracing"
        onClick={() => save("firstlight-trace.json", toTrace(reports()))}
      >
        Export trace
      </button>
    </p>
  );
}

function save(name: string, value: object): void {
  const url = URL.createObjectURL(new Blob([JSON.stringify(value)], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
