import { afterEach, expect, it, vi } from "vitest";
import { startedReply, wholeReply } from "../../test/reply";
import { pageTiming } from "./beacon";
import { Ledger } from "./ledger";
import { replyReport } from "./reply";
import { settle } from "./settle";

const TIMING = {
  rows: {
    capture: 1,
    connection: 9.5,
    routing: 0.5,
    admission: 1,
    prefill: 52,
    decode: 1,
    assembly: 10,
    unaccounted: 2,
  },
  ttft: 77,
  itl_p50: 10,
  itl_p95: 10,
  paint_p95: 70,
  reused: null,
  protocol: null,
};

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function post() {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const fetched = vi.fn(async (..._: Parameters<typeof fetch>) => new Response());
  vi.stubGlobal("fetch", fetched);
  return fetched;
}

it("tells the server what the page saw, in microseconds at the finest", () => {
  const report = replyReport(wholeReply());
  const { rows } = report;
  expect(pageTiming({ ...report, rows: { ...rows, capture: 1.000_49 } })).toEqual(TIMING);
});

it("leaves out what the server would not take", () => {
  const report = replyReport(wholeReply());
  const wire = { ...report.wire, protocol: "hq", reused: false };
  const rows = { ...report.rows, prefill: 600_001, decode: null };
  expect(pageTiming({ ...report, rows, wire })).toEqual({
    ...TIMING,
    rows: { ...TIMING.rows, prefill: null, decode: null },
    reused: false,
  });
});

it("tells nothing of a reply whose time to the first word is not known, or of no use", () => {
  const report = replyReport(wholeReply());
  expect([null, 600_001].map((ttft_ms) => pageTiming({ ...report, ttft_ms }))).toEqual([undefined, undefined]);
});

it("is posted once, when the server asked for it and the reply is over and painted", () => {
  const fetched = post();
  const ledger = new Ledger();
  const clock = wholeReply();
  if (clock.start) clock.start.report = true;
  ledger.add(clock);
  settle(clock, ledger, () => "token");
  settle(clock, ledger, () => "token");
  vi.runAllTimers();
  expect(fetched.mock.calls).toEqual([
    [
      "/api/generations/gen-1/timing",
      {
        method: "POST",
        headers: { Authorization: "Bearer token", "Content-Type": "application/json" },
        body: JSON.stringify(TIMING),
        keepalive: true,
      },
    ],
  ]);
});

it("is not posted where the server did not ask, nor while the reply streams, nor without a first word", () => {
  const fetched = post();
  const ledger = new Ledger();
  const wordless = startedReply({ report: true });
  wordless.ended(1_040, "stopped", undefined);
  for (const clock of [wholeReply(), startedReply({ report: true }), wordless]) {
    ledger.add(clock);
    settle(clock, ledger, () => "token");
  }
  vi.advanceTimersByTime(1_000);
  expect(fetched).not.toHaveBeenCalled();
});

it("nobody minds a beacon that is lost", async () => {
  post().mockRejectedValue(new TypeError("no network"));
  const ledger = new Ledger();
  const clock = wholeReply();
  if (clock.start) clock.start.report = true;
  ledger.add(clock);
  settle(clock, ledger, () => "token");
  await vi.runAllTimersAsync();
});
