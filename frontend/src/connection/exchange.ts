import { Malformed } from "../wire/guard";
import type { ChatRequest, Delta, Done, Start, Error as WireError } from "../wire/types.gen";
import { sha256 } from "./digest";
import { type Received, receive, type Times } from "./pipeline";
import { type Refusal, readRefusal } from "./refusal";
import { Watchdog } from "./watchdog";

/** How a reply came to its end without the server saying so. */
export type Break = "unreachable" | "lost" | "silent" | "cut" | "gap" | "malformed" | "mismatch";

export type Outcome =
  | { kind: "done"; done: Done }
  | { kind: "failed"; error: WireError }
  | { kind: "refused"; refusal: Refusal }
  | { kind: "broken"; why: Break }
  | { kind: "stopped" };

/**
 * Hears one reply, in this order; times are of `performance.now()`. `sent` is called again where a refused token was
 * renewed, `ended` exactly once, and last.
 */
export interface Listener {
  sent(at: number): void;
  answered(at: number): void;
  started(start: Start, times: Times): void;
  delta(delta: Delta, times: Times): void;
  ended(outcome: Outcome): void;
}

/** Who asks: a bearer token at hand ("" before there is one), and how to get a new one. */
export interface Identity {
  readonly token: string;
  renew(): Promise<string>;
}

class Broken extends Error {
  readonly why: Break;

  constructor(why: Break) {
    super(why);
    this.why = why;
  }
}

/** How long the rest of a finished response may take before its connection is given up. */
const DRAIN_MS = 1_000;

/**
 * One question and its streamed reply. The request leaves in the constructor, in the caller's task, if a token is at hand.
 */
export class Exchange {
  readonly #body: string;
  readonly #identity: Identity;
  readonly #listener: Listener;
  readonly #abort = new AbortController();
  readonly #watchdog = new Watchdog(() => this.#giveUp("silent"));
  #token = "";
  #generation: string | undefined;
  #seq = 0;
  #text = "";
  #over = false;

  constructor(request: ChatRequest, identity: Identity, listener: Listener) {
    this.#body = JSON.stringify(request);
    this.#identity = identity;
    this.#listener = listener;
    void this.#follow(
      identity.token ? this.#post(identity.token) : identity.renew().then((token) => this.#post(token)),
    );
  }

  /** Ends the reply here: the engine is told, nothing that still arrives is heard. */
  stop(): void {
    if (this.#over) return;
    // The closed socket alone stops the engine too, but only this says so through a proxy that goes on reading.
    if (this.#generation) void stopGeneration(this.#generation, this.#token);
    this.#abort.abort();
    this.#end({ kind: "stopped" });
  }

  #post(token: string): Promise<Response> {
    // While a token was on its way the reply may have been stopped: its listener has heard the end.
    this.#abort.signal.throwIfAborted();
    this.#token = token;
    this.#listener.sent(performance.now());
    return fetch("/api/chat", {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json", Accept: "text/event-stream" },
      body: this.#body,
      signal: this.#abort.signal,
    });
  }

  async #follow(sent: Promise<Response>): Promise<void> {
    let answered = false;
    try {
      let response = await sent;
      if (response.status === 401) response = await this.#post(await this.#identity.renew());
      answered = true;
      this.#listener.answered(performance.now());
      this.#end(await this.#outcome(response));
    } catch (error) {
      if (error instanceof Broken) this.#giveUp(error.why);
      else if (error instanceof Malformed) this.#giveUp("malformed");
      else this.#giveUp(answered ? "lost" : "unreachable");
    }
  }

  async #outcome(response: Response): Promise<Outcome> {
    if (!response.ok) return { kind: "refused", refusal: await readRefusal(response) };
    const streamed = response.headers.get("Content-Type")?.startsWith("text/event-stream");
    if (!streamed || !response.body) throw new Malformed("not an event stream");
    const outcome = await this.#read(receive(response.body, () => this.#watchdog.heard()).getReader());
    if (outcome.kind === "done" && outcome.done.sha256 !== (await sha256(this.#text))) throw new Broken("mismatch");
    return outcome;
  }

  async #read(reader: ReadableStreamDefaultReader<Received>): Promise<Outcome> {
    for (;;) {
      const { value } = await reader.read();
      if (!value) throw new Broken("cut");
      const outcome = this.#over ? undefined : this.#take(value);
      if (!outcome) continue;
      void this.#drain(reader);
      return outcome;
    }
  }

  /** One event; the outcome if the stream ends with it. */
  #take(received: Received): Outcome | undefined {
    const { event } = received;
    if (event.name === "error") return { kind: "failed", error: event.data };
    if ((event.name === "start") !== (this.#generation === undefined))
      throw new Malformed(`${event.name} out of order`);
    if (event.name === "start") {
      this.#generation = event.data.generation;
      this.#listener.started(event.data, received);
      return undefined;
    }
    if (event.name === "done") return { kind: "done", done: event.data };
    if (event.data.seq !== this.#seq + event.data.tokens) throw new Broken("gap");
    this.#seq = event.data.seq;
    this.#text += event.data.text;
    this.#listener.delta(event.data, received);
    return undefined;
  }

  /** Reads to the end of a response that has nothing more to say, so that its connection can carry the next question. */
  async #drain(reader: ReadableStreamDefaultReader<Received>): Promise<void> {
    const limit = setTimeout(() => this.#abort.abort(), DRAIN_MS);
    try {
      while ((await reader.read()).value);
    } catch {
      // Whatever it was, the reply is complete.
    }
    clearTimeout(limit);
  }

  #giveUp(why: Break): void {
    this.#abort.abort();
    this.#end({ kind: "broken", why });
  }

  #end(outcome: Outcome): void {
    if (this.#over) return;
    this.#over = true;
    this.#watchdog.stop();
    this.#listener.ended(outcome);
  }
}

async function stopGeneration(generation: string, token: string): Promise<void> {
  const headers = { Authorization: `Bearer ${token}` };
  const path = `/api/generations/${encodeURIComponent(generation)}`;
  await fetch(path, { method: "DELETE", headers, keepalive: true }).catch(() => undefined);
}
