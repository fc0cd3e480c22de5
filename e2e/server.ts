import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import path from "node:path";

const ROOT = path.resolve(import.meta.dirname, "..");
const FIRSTLIGHT = path.join(ROOT, ".venv", "bin", "firstlight");

export interface Server {
  url: string;
  stop(): Promise<void>;
}

/** Starts the real server with `settings` (as FIRSTLIGHT_ variables) on a free port; resolves once `/readyz` says ready. */
export async function startServer(settings: Record<string, string>, readyWithinMs: number): Promise<Server> {
  const port = await freePort();
  const output: string[] = [];
  const child = spawn(FIRSTLIGHT, ["serve"], {
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
  return { url, stop: () => stop(child) };
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
