import { isReady } from "../wire/guard";
import type { Ready } from "../wire/types.gen";

/** What `/readyz` says, for a person: `reason` is a line to show while the server is not ready. */
export interface Readiness {
  ready: boolean;
  model: string | undefined;
  reason: string | undefined;
}

const POLL_MS = 1_000;

/** Asks until the server is ready, and never again after. `tell` hears every answer. */
export async function untilReady(tell: (readiness: Readiness) => void): Promise<void> {
  for (;;) {
    const readiness = await ask();
    tell(readiness);
    if (readiness.ready) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function reasonOf({ status, reason }: Ready): string {
  return status === "starting" ? "Loading the model…" : (reason ?? `The server is ${status}`);
}

async function ask(): Promise<Readiness> {
  try {
    const response = await fetch("/readyz");
    const body: unknown = await response.json();
    if (!isReady(body)) return { ready: false, model: undefined, reason: `The server answers ${response.status}` };
    const ready = response.ok && body.status === "ok";
    return { ready, model: body.model ?? undefined, reason: ready ? undefined : reasonOf(body) };
  } catch {
    return { ready: false, model: undefined, reason: "The server does not answer" };
  }
}
