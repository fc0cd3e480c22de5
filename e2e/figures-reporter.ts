import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { FullResult, Reporter, TestCase, TestResult } from "@playwright/test/reporter";
import { columns, compare, farWorse, type ReportFile, table } from "./baseline.ts";
import { ATTACHMENT, type Recorded } from "./figures.ts";

const REPORT = path.resolve(import.meta.dirname, "report");
const BASELINE = path.resolve(import.meta.dirname, "baseline");
/** A deployment elsewhere has nothing to do with the baseline. */
const REMOTE = process.env["URL"];

/**
 * Writes what the tests of a project have recorded to `report/PROJECT.json`, in the form of `firstlight bench --json`, and
 * beside the committed baseline as a Markdown table. With `BASELINE=1` it becomes the baseline.
 */
export default class FiguresReporter implements Reporter {
  readonly #projects = new Map<string, Recorded>();
  readonly #load = os.loadavg()[0] ?? 0;

  onTestEnd(test: TestCase, result: TestResult): void {
    const project = test.parent.project()?.name ?? "";
    for (const { name, body } of result.attachments) {
      if (name !== ATTACHMENT || !body) continue;
      const recorded = JSON.parse(body.toString()) as Recorded;
      const before = this.#projects.get(project);
      this.#projects.set(project, {
        browser: recorded.browser,
        figures: { ...before?.figures, ...recorded.figures },
        more: { ...before?.more, ...recorded.more },
      });
    }
  }

  async onEnd(result: FullResult): Promise<{ status: FullResult["status"] }> {
    const worse = [...this.#projects].flatMap(([project, recorded]) => write(project, recorded, this.#load));
    if (worse.length) console.log(`\nFar worse than the baseline of this machine: ${worse.join(", ")}`);
    return { status: worse.length && result.status === "passed" ? "failed" : result.status };
  }
}

/** Writes one report; returns the names of what has become far worse. */
function write(bench: string, { browser, figures, more }: Recorded, load: number): string[] {
  const machine = {
    cpu: os.cpus()[0]?.model ?? "unknown",
    cores: os.cpus().length,
    memory_gib: Math.round(os.totalmem() / 2 ** 30),
  };
  const versions = { browser, node: process.versions.node };
  const report: ReportFile = { bench, machine, load, versions, ...columns(figures) };
  if (process.env["BASELINE"] && !REMOTE) save(BASELINE, bench, report);
  const baseline = REMOTE ? undefined : read(path.join(BASELINE, `${bench}.json`));
  const rows = compare(report, baseline);
  const markdown = table(bench, rows);
  save(REPORT, bench, { ...report, ...more });
  writeFileSync(path.join(REPORT, `${bench}.md`), `${markdown}\n`);
  console.log(`\n${markdown}`);
  return farWorse(rows, report, baseline);
}

function save(folder: string, bench: string, report: object): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, `${bench}.json`), `${JSON.stringify(report, null, 2)}\n`);
}

function read(file: string): ReportFile | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as ReportFile) : undefined;
}
