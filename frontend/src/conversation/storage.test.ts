import { beforeEach, expect, it } from "vitest";
import type { Message } from "./reducer";
import { restore, save } from "./storage";

let kept: Map<string, string>;
const storage = {
  getItem: (key: string) => kept.get(key) ?? null,
  setItem: (key: string, value: string) => kept.set(key, value),
} as unknown as Storage;
const tab = () => storage;
const question: Message = { id: "q1", role: "user", text: "Hello" };
const reply: Message = { id: "r1", role: "assistant", state: "done", text: "Hi" };

beforeEach(() => {
  kept = new Map();
});

it("brings a conversation back", () => {
  save(tab, [question, reply]);
  expect(restore(tab)).toEqual([question, reply]);
});

it("shows a reply that was under way as interrupted, with the text it had", () => {
  save(tab, [question, { ...reply, state: "streaming", text: "H" }]);
  const note = {
    title: "Interrupted",
    detail: "The page was left while this reply was being written.",
    retryable: true,
  };
  expect(restore(tab)).toEqual([question, { ...reply, state: "interrupted", text: "H", note }]);
});

it.each([
  ["nothing", undefined],
  ["no JSON", "{"],
  ["no list", "{}"],
  ["messages of another shape", '[{"id":1,"role":"user","text":"a"}]'],
  ["a state of another version", '[{"id":"a","role":"assistant","text":"a","state":"thinking"}]'],
])("begins empty where the storage holds %s", (_, stored) => {
  if (stored !== undefined) kept.set("firstlight.conversation", stored);
  expect(restore(tab)).toEqual([]);
});

it("lives without storage where the browser forbids it", () => {
  const forbidden = () => {
    throw new DOMException("denied", "SecurityError");
  };
  save(forbidden, [question, reply]);
  expect(restore(forbidden)).toEqual([]);
});

it("gives up the older half of a conversation that does not fit, by whole turns", () => {
  const small = {
    setItem: (key: string, value: string) => {
      if (value.length > 150) throw new DOMException("full", "QuotaExceededError");
      kept.set(key, value);
    },
  } as Storage;
  const turns = [1, 2, 3, 4].flatMap((at): Message[] => [
    { ...question, id: `q${at}` },
    { ...reply, id: `r${at}` },
  ]);
  save(() => small, turns);
  expect(restore(tab).map(({ id }) => id)).toEqual(["q4", "r4"]);
});
