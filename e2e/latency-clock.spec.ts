import { type CDPSession, expect, type Page, test } from "@playwright/test";
import { ChatPage } from "./chat-page.ts";
import { DelayProxy } from "./delay-proxy.ts";
import { exactly, type Figures, quantile, record } from "./figures.ts";
import { acceptedAt, type Server, startTelling } from "./server.ts";
import { known, LONG } from "./waterfall.ts";

test.skip(Boolean(process.env["URL"]), "only a server on this machine shares a clock with the browser");

const REPLIES = LONG ? 100 : 10;

let server: Server;
test.beforeAll(async () => {
  server = await startTelling();
});
test.afterAll(() => server.stop());

test("the true clock offset lies within the printed error", async ({ page, browser }, testInfo) => {
  test.setTimeout(60_000 + REPLIES * 5_000);
  await record(testInfo, browser.version(), await offsets(page, server.url, ""));
});

test("so it does over a network with a round trip of 40 ms", async ({ page, browser }, testInfo) => {
  test.setTimeout(60_000 + REPLIES * 5_000);
  const proxy = await DelayProxy.start(server.url, 20);
  await record(testInfo, browser.version(), await offsets(page, proxy.url, "rtt40_"));
  await page.close();
  await proxy.stop();
});

/** Asks, and holds each reply's estimate of when the server accepted it against the time that the server tells. */
async function offsets(page: Page, url: string, prefix: string): Promise<Figures> {
  const chat = new ChatPage(page);
  await chat.open(url);
  const origin = await timeOrigin(page);
  const errors: number[] = [];
  let within = 0;
  for (let reply = 0; reply < REPLIES; reply++) {
    await chat.replyTo("count");
    // Resource Timing comes late, and narrows the estimate down.
    await expect.poll(async () => (await chat.lastReply()).wire.protocol, { intervals: [50] }).not.toBeNull();
    const { generation, clock } = await chat.lastReply();
    const error = known(clock.error_ms);
    const accepted = acceptedAt(server, generation ?? "") - origin;
    if (Math.abs(known(clock.accepted_at_ms) - accepted) <= error) within += 1;
    errors.push(error);
  }
  expect(within / REPLIES).toBeGreaterThanOrEqual(0.99);
  return {
    [`${prefix}clock_within_share`]: exactly(within / REPLIES),
    [`${prefix}clock_error_ms_p50`]: quantile(errors, 0.5),
  };
}

/**
 * The zero of the page's `performance.now()` on the machine's monotonic clock, milliseconds.
 *
 * Chromium's `Timestamp` and `NavigationStart` are of that clock, as Python's and Node's monotonic times are, and
 * `performance.now()` counts from `NavigationStart`. Both is checked here, in as narrow a bracket as twenty tries give.
 */
async function timeOrigin(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  let origin = 0;
  const room = { system: Number.POSITIVE_INFINITY, page: Number.POSITIVE_INFINITY };
  for (let time = 0; time < 20; time++) {
    const began = { system: systemNow(), page: await pageNow(page) };
    const { Timestamp, NavigationStart } = await metrics(session);
    const ended = { page: await pageNow(page), system: systemNow() };
    origin = NavigationStart;
    expect(Timestamp).toBeGreaterThanOrEqual(began.system);
    expect(Timestamp).toBeLessThanOrEqual(ended.system);
    // `performance.now()` is rounded to 0.1 ms.
    expect(Timestamp - origin).toBeGreaterThanOrEqual(began.page - 0.2);
    expect(Timestamp - origin).toBeLessThanOrEqual(ended.page + 0.2);
    room.system = Math.min(room.system, ended.system - began.system);
    room.page = Math.min(room.page, ended.page - began.page);
  }
  // What the browser takes to answer; a zero that is off by more would show in the brackets.
  expect(room.page).toBeLessThan(LONG ? 20 : 50);
  return origin;
}

function systemNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

function pageNow(page: Page): Promise<number> {
  return page.evaluate(() => performance.now());
}

/** Milliseconds. */
async function metrics(session: CDPSession): Promise<{ Timestamp: number; NavigationStart: number }> {
  const { metrics } = await session.send("Performance.getMetrics");
  const value = (name: string) => (metrics.find((metric) => metric.name === name)?.value ?? Number.NaN) * 1000;
  return { Timestamp: value("Timestamp"), NavigationStart: value("NavigationStart") };
}
