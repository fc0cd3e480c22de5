import { expect, it } from "vitest";
import { isStreamOf, streamEntry, wireOf } from "./resource";

/** Resource Timing of a stream that was asked for at 1,000; `over` changes it. */
function entry(over: Partial<PerformanceResourceTiming> = {}): PerformanceResourceTiming {
  const usual = {
    name: "http://127.0.0.1:8000/api/chat",
    startTime: 1_000.2,
    connectStart: 1_000.2,
    connectEnd: 1_000.2,
    requestStart: 1_001,
    nextHopProtocol: "http/1.1",
    encodedBodySize: 400,
    decodedBodySize: 1_000,
  };
  return { ...usual, ...over } as PerformanceResourceTiming;
}

it("knows a stream by its address and when it began", () => {
  expect(
    [
      entry(),
      entry({ startTime: 999.9 }),
      entry({ startTime: 2_500 }),
      entry({ startTime: 900 }),
      entry({ name: "http://127.0.0.1:8000/auth/guest" }),
    ].map((one) => isStreamOf(one, 1_000)),
  ).toEqual([true, true, false, false, false]);
  expect(isStreamOf(entry(), undefined)).toBe(false);
});

it("says whether the connection was there already", () => {
  expect(streamEntry(entry())).toEqual({
    requestStart: 1_001,
    protocol: "http/1.1",
    reused: true,
    bytes: 400,
    decodedBytes: 1_000,
  });
  expect(streamEntry(entry({ connectEnd: 1_000.9 })).reused).toBe(false);
});

it("takes a zero for a figure that the browser keeps to itself", () => {
  const hidden = { requestStart: 0, nextHopProtocol: "", encodedBodySize: 0, decodedBodySize: 0 };
  expect(wireOf(streamEntry(entry(hidden)), 612)).toEqual({
    request_header_bytes: 612,
    bytes: null,
    decoded_bytes: null,
    ratio: null,
    protocol: null,
    reused: null,
  });
});
