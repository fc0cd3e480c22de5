import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { promisify } from "node:util";
import { type Browser, expect, type TestInfo, test } from "@playwright/test";
import type { ReplyReport, Report } from "../frontend/src/timing/report.ts";
import { ChatPage } from "./chat-page.ts";
import { DelayProxy } from "./delay-proxy.ts";
import { exactly, percentile, quantile, record } from "./figures.ts";
import { FIRSTLIGHT, SCRIPTED, type Server, startDelayed, startServer } from "./server.ts";
import { FRAME_MS, LONG, ROWS, type Row, type Waterfall, waterfall } from "./waterfall.ts";

test.skip(Boolean(process.env["URL"]), "delays are put into a server of our own");

const DELAY_MS = 100;
/** Replies to each delay. */
const RUNS = Number(process.env["BLAME_RUNS"] || (LONG ? 15 : 1));
const PLAIN_RUNS = 5;

/** A place where one stage is delayed: in the server, by its own program; on the way; or in the page. */
interface Point {
  stage: Row;
  at: string;
  place: "server" | "network" | ((ms: number) => void);
}

const POINTS: Point[] = [
  { stage: "capture", at: "between the key and its handler", place: slowKeys },
  { stage: "connection", at: "on the network", place: "network" },
  { stage: "routing", at: "before the handler is reached", place: "server" },
  { stage: "admission", at: "before the token is verified", place: "server" },
  { stage: "prefill", at: "before the engine's first token", place: "server" },
  { stage: "decode", at: "before the first token with text", place: "server" },
  { stage: "assembly", at: "before the log's first text is read", place: "server" },
  { stage: "assembly", at: "in the page, before the first text is parsed", place: slowParse },
];

/** Of one delayed reply: the row that grew most, and the stage that doctor names. */
interface Blamed {
  at: string;
  rows: Row;
  doctor: string | null;
}

/** `errorMs`: how far from the delay the right row grew. */
interface Verdict extends Blamed {
  errorMs: number;
}

let plain: Server;
test.beforeAll(async () => {
  plain = await startServer(SCRIPTED, 15_000);
});
test.afterAll(() => plain.stop());

test("100 ms at a named point of each stage are blamed on that stage, by the waterfall and by doctor", async ({
  browser,
}, testInfo) => {
  test.setTimeout(60_000 + POINTS.length * (20_000 + RUNS * 5_000));
  const usual = median((await ask(browser, plain.url, PLAIN_RUNS)).map(waterfall));
  const verdicts: Verdict[] = [];
  for (const point of POINTS) {
    await test.step(`${point.stage}: ${point.at}`, async () => {
      verdicts.push(...(await delayed(browser, point, usual, testInfo)));
    });
  }
  const expected = POINTS.flatMap(({ stage, at }) => Array<Blamed>(RUNS).fill({ at, rows: stage, doctor: stage }));
  const blamed = verdicts.map(({ at, rows, doctor }): Blamed => ({ at, rows, doctor }));
  const right = blamed.filter(({ rows, doctor }, index) => {
    return rows === expected[index]?.rows && doctor === expected[index]?.doctor;
  });
  const errors = verdicts.map((verdict) => verdict.errorMs);
  await record(testInfo, browser.version(), {
    blame_correct: exactly(right.length),
    blame_runs: exactly(verdicts.length),
    blame_error_ms_p95: quantile(errors, 0.95),
  });
  expect(blamed).toEqual(expected);
  if (LONG) expect(Math.max(...errors)).toBeLessThanOrEqual(FRAME_MS);
});

/** Asks with the delay in place, `RUNS` times. */
async function delayed(browser: Browser, point: Point, usual: Waterfall, testInfo: TestInfo): Promise<Verdict[]> {
  const place = await put(point);
  try {
    const verdicts: Verdict[] = [];
    for (const reply of await ask(browser, place.url, RUNS, place.script)) {
      verdicts.push({ ...judge(waterfall(reply), usual, point), doctor: await doctor(reply, testInfo) });
    }
    return verdicts;
  } finally {
    await place.stop();
  }
}

function judge(rows: Waterfall, usual: Waterfall, { stage, at }: Point): Omit<Verdict, "doctor"> {
  const grown = ROWS.map((row) => ({ row, ms: rows[row] - usual[row] })).sort((a, b) => b.ms - a.ms);
  return { at, rows: grown[0]?.row ?? "unaccounted", errorMs: Math.abs(rows[stage] - usual[stage] - DELAY_MS) };
}

interface Delayed {
  url: string;
  script?: (ms: number) => void;
  stop(): Promise<void>;
}

async function put({ stage, place }: Point): Promise<Delayed> {
  if (place === "server") return startDelayed(stage, DELAY_MS);
  if (place === "network") return DelayProxy.start(plain.url, DELAY_MS / 2);
  return { url: plain.url, script: place, stop: () => Promise.resolve() };
}

/** The reports of `runs` questions, asked after one that warms everything up. */
async function ask(browser: Browser, url: string, runs: number, script?: (ms: number) => void): Promise<ReplyReport[]> {
  const page = await browser.newPage();
  if (script) await page.addInitScript(script, DELAY_MS);
  const chat = new ChatPage(page);
  await chat.open(url);
  const replies: ReplyReport[] = [];
  for (let run = 0; run <= runs; run++) replies.push(await chat.replyTo("count"));
  await page.close();
  return replies.slice(1);
}

function median(falls: Waterfall[]): Waterfall {
  const middle = (row: Row) =>
    percentile(
      falls.map((rows) => rows[row]),
      0.5,
    );
  return Object.fromEntries(ROWS.map((row) => [row, middle(row)])) as Waterfall;
}

/** The stage that `firstlight doctor` blames for this reply. */
async function doctor(reply: ReplyReport, testInfo: TestInfo): Promise<string | null> {
  const file = testInfo.outputPath("report.json");
  const report: Report = { version: 1, browser: "", made_at: new Date().toISOString(), replies: [reply] };
  writeFileSync(file, JSON.stringify(report));
  // It exits with 1 where a stage is over its budget, which is what these replies are for.
  const { stdout } = await promisify(execFile)(FIRSTLIGHT, ["doctor", file, "--json"]).catch((failed) => failed);
  return JSON.parse(stdout).blamed;
}

/** In the page: each key down keeps the main thread busy before any other listener hears of it. */
function slowKeys(ms: number): void {
  addEventListener(
    "keydown",
    () => {
      const end = performance.now() + ms;
      while (performance.now() < end);
    },
    { capture: true },
  );
}

/** In the page: the first event with text keeps the main thread busy while it is parsed. */
function slowParse(ms: number): void {
  const parse = JSON.parse;
  JSON.parse = (text: string) => {
    const value = parse(text);
    const end = performance.now() + (value?.text && value.timing ? ms : 0);
    while (performance.now() < end);
    return value;
  };
}
