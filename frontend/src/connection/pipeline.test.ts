import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { cut, transcripts } from "../../test/transcripts";
import { Malformed } from "../wire/guard";
import { receive } from "./pipeline";

function streamOf(parts: readonly Uint8Array<ArrayBuffer>[]): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

async function eventsOf(parts: readonly Uint8Array<ArrayBuffer>[], heard = () => {}) {
  const events: { event: string; data: unknown }[] = [];
  const reader = receive(streamOf(parts), heard).getReader();
  for (let next = await reader.read(); next.value; next = await reader.read()) {
    events.push({ event: next.value.event.name, data: next.value.event.data });
  }
  return events;
}

const startWith = (field: string) =>
  `event: start\ndata: {"generation":"g","seq":0,"model":"m","prompt_tokens":1,"timing":{},${field}}\n\n`;

const bytes = (text: string) => new TextEncoder().encode(text);

describe("the pipeline", () => {
  it.each(transcripts)("reads $name as the example says", async (example) => {
    expect(await eventsOf([example.bytes])).toEqual(example.events);
  });

  it.each(transcripts)("ui-C29: reads $name byte by byte", async (example) => {
    const single = Array.from(example.bytes, (byte) => Uint8Array.of(byte));
    expect(await eventsOf(single)).toEqual(example.events);
  });

  it.each(["\n", "\r\n", "\r"])(
    "ui-C28: reads half characters and half lines, wherever it is cut (%j)",
    async (end) => {
      const text = "你好 🌍 👩‍👩‍👧 é";
      const data = { seq: 3, text, tokens: 3 };
      const whole = bytes(`event:delta${end}data: ${JSON.stringify(data)}${end}${end}`);
      for (let at = 1; at < whole.length; at += 1) {
        expect(await eventsOf(cut(whole, [at]))).toEqual([{ event: "delta", data }]);
      }
    },
  );

  it("reads every example the same under any cuts", async () => {
    const anyCuts = fc.constantFrom(...transcripts).chain((example) =>
      fc.record({
        example: fc.constant(example),
        cuts: fc.array(fc.nat({ max: example.bytes.length }), { maxLength: 12 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(anyCuts, async ({ example, cuts }) => {
        expect(await eventsOf(cut(example.bytes, cuts))).toEqual(example.events);
      }),
    );
  });

  it("takes what the server may leave out for absent where it is null", async () => {
    const start = { generation: "g", seq: 0, model: "m", prompt_tokens: 1, timing: { body: null } };
    const told = { request_header_bytes: 612, queued: true, report: false };
    const untold = { request_header_bytes: null, queued: null, report: null };
    const delta = { seq: 1, text: "a", tokens: 1 };
    const events = [
      { event: "start", data: start },
      { event: "start", data: { ...start, ...told } },
      { event: "start", data: { ...start, ...untold } },
      { event: "delta", data: { ...delta, at: 5.25 } },
      { event: "delta", data: { ...delta, at: null, timing: null } },
    ];
    const wire = events.map(({ event, data }) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    expect(await eventsOf([bytes(wire.join(""))])).toEqual(events);
  });

  it("knows when an event's last bytes were read, and when it was parsed", async () => {
    const whole = bytes('event: delta\ndata: {"seq":1,"text":"a","tokens":1}\n\n');
    const [head, tail] = cut(whole, [20]);
    let send: (part: Uint8Array<ArrayBuffer> | undefined) => void = () => {};
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start(controller) {
        send = (part) => part && controller.enqueue(part);
      },
    });
    const heard: number[] = [];
    const reader = receive(body, () => heard.push(performance.now())).getReader();
    send(head);
    await vi.waitFor(() => expect(heard).toHaveLength(1));
    const between = performance.now();
    send(tail);
    const { read = 0, parsed = 0 } = (await reader.read()).value ?? {};
    const order = [between, heard[1] ?? 0, read, parsed, performance.now()];
    expect(order).toEqual([...order].sort((a, b) => a - b));
  });

  it("hears heartbeats, which are no events", async () => {
    let heard = 0;
    const events = await eventsOf([bytes(":hb\n\n"), bytes(":hb\n\n")], () => {
      heard += 1;
    });
    expect({ events, heard }).toEqual({ events: [], heard: 2 });
  });

  it("L13: fails on a line without an end once a mebibyte of it is there", async () => {
    const flood = Array.from({ length: 40 }, () => bytes("x".repeat(65_536)));
    await expect(eventsOf([bytes("data: "), ...flood])).rejects.toThrow(Malformed);
  });

  it("L13: fails on an event without an end, of many short lines", async () => {
    const flood = Array.from({ length: 40 }, () => bytes("data: xxxxxxxx\n".repeat(4_096)));
    await expect(eventsOf(flood)).rejects.toThrow(Malformed);
  });

  it.each([
    ["no JSON", "event: delta\ndata: {\n\n"],
    ["a text that is no text", 'event: delta\ndata: {"seq":1,"text":1,"tokens":1}\n\n'],
    ["a negative position", 'event: delta\ndata: {"seq":-1,"text":"a","tokens":1}\n\n'],
    ["a list", "event: done\ndata: []\n\n"],
    ["null", "event: error\ndata: null\n\n"],
    ["a time that is no number", 'event: delta\ndata: {"seq":1,"text":"a","tokens":1,"at":"5"}\n\n'],
    ["a size that is no number", startWith('"request_header_bytes":"612"')],
    ["a size of half a byte", startWith('"request_header_bytes":0.5')],
    ["a queue that is neither true nor false", startWith('"queued":1')],
    ["a wish for a report that is neither true nor false", startWith('"report":"yes"')],
    ["marks that are no numbers", startWith('"timing":{"body":"1"}')],
  ])("fails on an event of ours with %s in it", async (_, text) => {
    await expect(eventsOf([bytes(text)])).rejects.toThrow(Malformed);
  });
});
