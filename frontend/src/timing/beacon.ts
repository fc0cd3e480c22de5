import type { PageTiming, Rows } from "../wire/types.gen";
import type { ReplyReport } from "./report";

const PROTOCOLS = ["http/1.0", "http/1.1", "h2", "h3"] as const;
/** What the server takes; whoever waited longer has a figure of no use. */
const MAX_MS = 600_000;

/** What the page tells the server of a reply; undefined where its time to the first word is not known. */
export function pageTiming({ rows, ttft_ms, itl_ms, paint_ms, wire }: ReplyReport): PageTiming | undefined {
  if (ttft_ms === null || ttft_ms > MAX_MS) return undefined;
  return {
    rows: Object.fromEntries(Object.entries(rows).map(([name, ms]) => [name, rounded(ms)])) as Rows,
    ttft: Number(ttft_ms.toFixed(3)),
    itl_p50: rounded(itl_ms.p50),
    itl_p95: rounded(itl_ms.p95),
    paint_p95: rounded(paint_ms.p95),
    reused: wire.reused,
    protocol: PROTOCOLS.find((protocol) => protocol === wire.protocol) ?? null,
  };
}

/** Posts it, once; a page that is left meanwhile posts it all the same, and nobody minds if it is lost. */
export async function postTiming(report: ReplyReport, token: string): Promise<void> {
  const timing = pageTiming(report);
  if (!timing || !report.generation) return;
  const path = `/api/generations/${encodeURIComponent(report.generation)}/timing`;
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  await fetch(path, { method: "POST", headers, body: JSON.stringify(timing), keepalive: true }).catch(() => undefined);
}

function rounded(ms: number | null): number | null {
  return ms === null || ms > MAX_MS ? null : Number(ms.toFixed(3));
}
