import { createParser, type EventSourceMessage } from "eventsource-parser";
import { decodeEvent, Malformed, type StreamEvent } from "../wire/guard";

/** When an event's last bytes were read from the stream, and when its parsing was over; of `performance.now()`. */
export interface Times {
  read: number;
  parsed: number;
}

export interface Received extends Times {
  event: StreamEvent;
}

interface Message {
  message: EventSourceMessage;
  read: number;
}

/** Characters of one event that may wait for its end; more is no stream of ours. */
const MAX_EVENT_CHARS = 2 ** 20;

/**
 * Bytes of a reply to its events: decode, split into SSE messages, parse and check. `heard` is called for every read,
 * heartbeats included. The stream fails with `Malformed` on an event that cannot be trusted.
 */
export function receive(body: ReadableStream<Uint8Array<ArrayBuffer>>, heard: () => void): ReadableStream<Received> {
  return body.pipeThrough(new TextDecoderStream()).pipeThrough(split(heard)).pipeThrough(decode());
}

function split(heard: () => void): TransformStream<string, Message> {
  let feed: (chunk: string) => void;
  let last = "";
  let read = 0;
  return new TransformStream({
    start(controller) {
      const parser = createParser({
        maxBufferSize: MAX_EVENT_CHARS,
        onEvent: (message) => controller.enqueue({ message, read }),
        // Unknown fields are allowed by the format; only the bound on memory is an end.
        onError: (error) => {
          if (error.type === "max-buffer-size-exceeded") controller.error(new Malformed(error.message));
        },
      });
      feed = parser.feed;
    },
    transform(chunk) {
      heard();
      // Decoding the bytes goes before, in the same turn: microseconds.
      read = performance.now();
      feed(chunk);
      last = chunk.at(-1) ?? last;
    },
    flush() {
      // The parser holds a carriage return back, since a line feed may follow: none does.
      if (last === "\r") feed("\n");
    },
  });
}

function decode(): TransformStream<Message, Received> {
  return new TransformStream({
    transform({ message, read }, controller) {
      const event = decodeEvent(message.event, message.data);
      if (event) controller.enqueue({ event, read, parsed: performance.now() });
    },
  });
}
