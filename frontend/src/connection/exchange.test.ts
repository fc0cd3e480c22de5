import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { transcript } from "../../test/transcripts";
import { Exchange, type Identity, type Outcome } from "./exchange";

const request = { messages: [{ role: "user" as const, content: "Hello" }] };
type Handler = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server;
let asked: string[];
let handle: Handler;

beforeEach(async () => {
  asked = [];
  server = createServer((incoming, response) => {
    asked.push(`${incoming.method} ${incoming.url} ${incoming.headers.authorization}`);
    if (incoming.method === "DELETE") response.end("{}");
    else handle(incoming, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const fetchOverNetwork = globalThis.fetch;
  vi.stubGlobal("fetch", (path: string, init: RequestInit) =>
    fetchOverNetwork(`http://127.0.0.1:${port}${path}`, init),
  );
});

afterEach(() => {
  vi.unstubAllGlobals();
  server.closeAllConnections();
  server.close();
});

/** A promise and what resolves it. */
function later<Value>() {
  let resolve: (value: Value) => void = () => {};
  const promise = new Promise<Value>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

class Listening {
  text = "";
  heard: string[] = [];
  readonly first = later<void>();
  readonly over = later<Outcome>();
  sent = () => this.heard.push("sent");
  answered = () => this.heard.push("answered");
  started = () => this.heard.push("started");
  delta = (delta: { text: string }) => {
    this.text += delta.text;
    this.first.resolve();
  };
  ended = (outcome: Outcome) => {
    this.heard.push("ended");
    this.over.resolve(outcome);
  };
}

const signedIn: Identity = { token: "one", renew: async () => "two" };

function ask(identity = signedIn) {
  const listening = new Listening();
  return { listening, exchange: new Exchange(request, identity, listening) };
}

function stream(response: ServerResponse, body: Uint8Array | string): void {
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  response.write(body);
}

const play =
  (name: string): Handler =>
  (_, response) => {
    stream(response, transcript(name).bytes);
    response.end();
  };

describe("an exchange", () => {
  it("hears a whole reply, and its end once", async () => {
    handle = play("hello");
    const { listening } = ask();
    expect((await listening.over.promise).kind).toBe("done");
    expect(listening.text).toBe("Hello! How can I help you today?");
    expect(listening.heard).toEqual(["sent", "answered", "started", "ended"]);
    expect(asked).toEqual(["POST /api/chat Bearer one"]);
  });

  it("calls fetch in the task it is made in", () => {
    handle = play("hello");
    expect(ask().listening.heard).toEqual(["sent"]);
  });

  it("waits for the first token of a page that has none yet", async () => {
    handle = play("hello");
    const { listening } = ask({ token: "", renew: async () => "fresh" });
    await listening.over.promise;
    expect(asked).toEqual(["POST /api/chat Bearer fresh"]);
  });

  it("sends nothing, and says nothing, once it was stopped while its token was on the way", async () => {
    const token = later<string>();
    const { listening, exchange } = ask({ token: "", renew: () => token.promise });
    exchange.stop();
    token.resolve("fresh");
    await new Promise(setImmediate);
    expect(listening.heard).toEqual(["ended"]);
    expect(asked).toEqual([]);
  });

  it("renews a token that is refused, once, and sends again", async () => {
    handle = (incoming, response) => {
      if (incoming.headers.authorization === "Bearer two") play("hello")(incoming, response);
      else response.writeHead(401).end();
    };
    const { listening } = ask();
    expect((await listening.over.promise).kind).toBe("done");
    expect(asked).toEqual(["POST /api/chat Bearer one", "POST /api/chat Bearer two"]);
    expect(listening.heard).toEqual(["sent", "sent", "answered", "started", "ended"]);
  });

  it("gives up on the second refusal of a token", async () => {
    handle = (_, response) => response.writeHead(401).end();
    const { listening } = ask();
    expect((await listening.over.promise).kind).toBe("refused");
    expect(asked).toHaveLength(2);
  });

  it("hands on why the server refuses, and for how long", async () => {
    const problem = { type: "rate_limited", title: "Too many requests", status: 429, detail: "The bucket is empty." };
    handle = (_, response) => {
      response.writeHead(429, { "Content-Type": "application/problem+json", "Retry-After": "7" });
      response.end(JSON.stringify(problem));
    };
    expect(await ask().listening.over.promise).toEqual({
      kind: "refused",
      refusal: { title: "Too many requests", detail: "The bucket is empty.", retryable: true, retryAfter: 7 },
    });
  });

  it("says what it can of a refusal by something else than our server", async () => {
    handle = (_, response) => response.writeHead(502, { "Content-Type": "text/html" }).end("<h1>Bad gateway</h1>");
    const detail = "The server answered 502 without saying why.";
    expect(await ask().listening.over.promise).toEqual({
      kind: "refused",
      refusal: { title: "Refused", detail, retryable: true, retryAfter: undefined },
    });
  });

  it.each([
    ["broken-off", "cut"],
    ["broken-off-inside-an-event", "cut"],
    ["replay-from-5", "gap"],
  ])("never takes the stream %s for a whole reply", async (name, why) => {
    handle = play(name);
    expect(await ask().listening.over.promise).toEqual({ kind: "broken", why });
  });

  it("compares the text with the digest of the server", async () => {
    const text = new TextDecoder().decode(transcript("hello").bytes);
    handle = (_, response) => {
      stream(response, text.replace("help you", "harm you"));
      response.end();
    };
    expect(await ask().listening.over.promise).toEqual({ kind: "broken", why: "mismatch" });
  });

  it("takes no text before the start for a reply", async () => {
    handle = (_, response) => stream(response, 'event: delta\ndata: {"seq":1,"text":"a","tokens":1}\n\n');
    expect(await ask().listening.over.promise).toEqual({ kind: "broken", why: "malformed" });
  });

  it("takes no other document for a reply", async () => {
    handle = (_, response) => response.writeHead(200, { "Content-Type": "text/html" }).end("<p>Sign in");
    expect(await ask().listening.over.promise).toEqual({ kind: "broken", why: "malformed" });
  });

  it("tells a lost connection from a server that is not there", async () => {
    handle = (_, response) => {
      stream(response, transcript("broken-off").bytes);
      response.flushHeaders();
      setTimeout(() => response.destroy(), 20);
    };
    expect(await ask().listening.over.promise).toEqual({ kind: "broken", why: "lost" });
    handle = (_, response) => response.destroy();
    expect(await ask().listening.over.promise).toEqual({ kind: "broken", why: "unreachable" });
  });

  it("ui-C21: stop tells the server, closes the connection, and nothing is heard after", async () => {
    const closed = later<void>();
    handle = (_, response) => {
      stream(response, transcript("broken-off").bytes);
      response.on("close", closed.resolve);
    };
    const { listening, exchange } = ask();
    await listening.first.promise;
    exchange.stop();
    const { text } = listening;
    expect(await listening.over.promise).toEqual({ kind: "stopped" });
    await closed.promise;
    await vi.waitFor(() => expect(asked[1]).toMatch(/^DELETE \/api\/generations\/gen-\w+ Bearer one$/));
    exchange.stop();
    expect({ text: listening.text, ends: listening.heard.filter((name) => name === "ended").length }).toEqual({
      text,
      ends: 1,
    });
  });

  it("ui-C21: stop before the start closes the connection, which is all that there is to stop", async () => {
    const closed = later<void>();
    const arrived = later<void>();
    handle = (_, response) => {
      response.on("close", closed.resolve);
      arrived.resolve();
    };
    const { listening, exchange } = ask();
    await arrived.promise;
    exchange.stop();
    await closed.promise;
    expect(listening.heard).toEqual(["sent", "ended"]);
    expect(asked).toEqual(["POST /api/chat Bearer one"]);
  });

  it("ui-C24: says so when the server has been silent for 30 seconds", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    handle = (_, response) => stream(response, transcript("broken-off").bytes);
    const { listening } = ask();
    await listening.first.promise;
    vi.advanceTimersByTime(29_000);
    expect(listening.heard).not.toContain("ended");
    vi.advanceTimersByTime(2_000);
    expect(await listening.over.promise).toEqual({ kind: "broken", why: "silent" });
    vi.useRealTimers();
  });
});
