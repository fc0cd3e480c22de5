import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { firstText, startedReply, wholeReply } from "../../test/reply";
import { ReplyClock } from "./clock";
import { Ledger } from "./ledger";

let ledger: Ledger;
/** Milliseconds at which there were news. */
let news: number[];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
  const began = performance.now();
  ledger = new Ledger();
  news = [];
  let first = true;
  ledger.news.subscribe(() => {
    if (!first) news.push(performance.now() - began);
    first = false;
  });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("the ledger", () => {
  it("keeps the last fifty replies, each under its message", () => {
    for (let at = 1; at <= 60; at += 1) ledger.add(new ReplyClock(`r${at}`, at));
    const ids = Array.from({ length: 50 }, (_, at) => `r${at + 11}`);
    expect(ledger.ids()).toEqual(ids);
    expect(ledger.reports().map(({ id }) => id)).toEqual(ids);
    expect([ledger.report("r10"), ledger.report("r11")?.page]).toEqual([undefined, { keydown: 11 }]);
  });

  it("works out the report of a reply that is over once, and again when it has late news", () => {
    const clock = wholeReply();
    ledger.add(clock);
    const report = ledger.report("r1");
    expect(ledger.report("r1")).toBe(report);
    ledger.resource({ name: "/api/chat", startTime: 1_001, requestStart: 1_002 } as PerformanceResourceTiming);
    expect([report?.clock.error_ms, ledger.report("r1")?.clock.error_ms]).toEqual([4.1, 3.6]);
  });

  it("works out the report of a reply under way each time", () => {
    const clock = startedReply();
    ledger.add(clock);
    const before = ledger.report("r1")?.ttft_ms;
    firstText(clock);
    expect([before, ledger.report("r1")?.ttft_ms]).toEqual([null, 77]);
  });

  it("has news by a timer while nothing is painted, and none once the reply is over", () => {
    const clock = startedReply();
    ledger.add(clock);
    vi.advanceTimersByTime(1_000);
    clock.ended(1_040, "stopped", undefined);
    ledger.ended(clock);
    vi.advanceTimersByTime(5_000);
    expect(news).toEqual([0, 400, 800, 1_000]);
  });

  it("has news at most twice a second while text is painted; the first by the timer of the wait before it", () => {
    const clock = startedReply();
    ledger.add(clock);
    firstText(clock);
    for (let frame = 1; frame <= 100; frame += 1) {
      vi.advanceTimersByTime(10);
      ledger.frame(performance.now());
    }
    expect(news).toEqual([0, 400, 900]);
  });

  it("has none in the frame of the first text, which it would delay", () => {
    ledger.add(startedReply());
    vi.advanceTimersByTime(300);
    ledger.frame(performance.now());
    expect(news).toEqual([0]);
  });

  it("knows what the newest reply is doing", () => {
    expect(ledger.phase()).toBeUndefined();
    ledger.add(wholeReply());
    expect(ledger.phase()?.name).toBe("over");
    ledger.add(startedReply());
    expect(ledger.phase()?.name).toBe("prefill");
  });

  it("counts a page as hidden that was so before the question", () => {
    ledger.visibility(true, 900);
    const clock = startedReply();
    ledger.add(clock);
    firstText(clock);
    expect(ledger.report("r1")?.ttft_ms).toBeNull();
  });
});
