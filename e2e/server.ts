import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import path from "node:path";

const ROOT = path.resolve(import.meta.dirname, "..");
const BIN = path.join(ROOT, ".venv", "bin");
export const FIRSTLIGHT = path.join(BIN, "firstlight");
const SERVE: Command = [FIRSTLIGHT, "serve"];
const DELAYED: Command = [path.join(BIN, "python"), path.join(import.meta.dirname, "delayed_server.py")];

/** Settings of a server on the scripted engine; a roomy bucket, since one browser asks for every test. */
export const SCRIPTED = {
  FIRSTLIGHT_ENGINE__KIND: "scripted",
  FIRSTLIGHT_ENGINE__SCENARIO: path.join(ROOT, "shared/examples/scenarios/e2e.json"),
  FIRSTLIGHT_ADMISSION__BURST: "1000",
  FIRSTLIGHT_ADMISSION__RATE: "1000",
  FIRSTLIGHT_ENGINE__DEFAULT_MAX_TOKENS: "3000",
};

type Command = [program: string, ...rest: string[]];

export interface Server {
  url: string;
  /** What it has printed so far. */
  output(): string;
  stop(): Promise<void>;
}

/**
 * Starts the real server, or the program that `command` says, with `settings` (as FIRSTLIGHT_ variables) on a free port;
 * resolves once `/readyz` says ready.
 */
export async function startServer(
  settings: Record<string, string>,
  readyWithinMs: number,
  [program, ...rest] = SERVE,
): Promise<Server> {
  const port = await freePort();
  const output: string[] = [];
  const child = spawn(program, rest, {
    cwd: ROOT,
    env: { ...process.env, FIRSTLIGHT_CONNECTION__PORT: String(port), ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => output.push(String(bytes)));
  const url = `http://127.0.0.1:${port}`;
  try {
    await ready(url, child, readyWithinMs);
  } catch (error) {
    child.kill("SIGKILL");
    throw new Error(`${(error as Error).message}\n${output.join("")}`);
  }
  return { url, output: () => output.join(""), stop: () => stop(child) };
}

/** A scripted server with a delay at a named point of one stage (`delayed_server.py`). */
export function startDelayed(stage: string, ms: number): Promise<Server> {
  return startServer(SCRIPTED, 15_000, [...DELAYED, stage, String(ms)]);
}

/** A scripted server of which `acceptedAt` knows when it accepted a reply's request: ms of the machine's monotonic clock. */
export function startTelling(): Promise<Server> {
  return startServer(SCRIPTED, 15_000, DELAYED);
}

export function acceptedAt(server: Server, generation: string): number {
  const seconds = new RegExp(`^accepted ${generation} (\\S+)$`, "m").exec(server.output())?.[1];
  if (seconds === undefined) throw new Error(`the server did not say when it accepted ${generation}`);
  return Number(seconds) * 1000;
}

async function ready(url: string, child: ChildProcess, withinMs: number): Promise<void> {
  const end = Date.now() + withinMs;
  while (Date.now() < end) {
    if (child.exitCode !== null) throw new Error(`the server ended with exit code ${child.exitCode}`);
    const response = await fetch(`${url}/readyz`).catch(() => undefined);
    if (response?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`the server was not ready within ${withinMs} ms`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (address === null || typeof address === "string") throw new Error("no free port");
  return address.port;
}
