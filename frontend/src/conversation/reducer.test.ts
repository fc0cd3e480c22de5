import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Action, liveReply, type Message, reduce } from "./reducer";

const ids = fc.constantFrom("a", "b", "c");
const actions: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ type: fc.constant("asked" as const), question: ids, text: fc.string(), reply: ids }),
  fc.record({ type: fc.constant("askedAgain" as const), instead: ids, reply: ids }),
  fc.record({ type: fc.constant("streaming" as const), reply: ids }),
  fc.record({
    type: fc.constant("ended" as const),
    reply: ids,
    ending: fc.record({
      state: fc.constantFrom("done" as const, "stopped" as const, "interrupted" as const, "refused" as const),
      text: fc.string(),
    }),
  }),
  fc.record({ type: fc.constant("cleared" as const) }),
);

const played = (...steps: Action[]) => steps.reduce(reduce, [] as readonly Message[]);
const asked: Action = { type: "asked", question: "q1", text: "Hello", reply: "r1" };
const done: Action = { type: "ended", reply: "r1", ending: { state: "done", text: "Hi" } };

describe("the conversation", () => {
  it("takes a question, waits, streams and ends", () => {
    const question = { id: "q1", role: "user", text: "Hello" };
    const reply = { id: "r1", role: "assistant", text: "" };
    expect(played(asked)).toEqual([question, { ...reply, state: "waiting" }]);
    expect(played(asked, { type: "streaming", reply: "r1" })).toEqual([question, { ...reply, state: "streaming" }]);
    expect(played(asked, done)).toEqual([question, { ...reply, state: "done", text: "Hi" }]);
  });

  it("takes no second question while a reply is under way", () => {
    expect(played(asked, { type: "asked", question: "q2", text: "And?", reply: "r2" })).toEqual(played(asked));
  });

  it("changes nothing after the end of a reply", () => {
    const late: Action = { type: "ended", reply: "r1", ending: { state: "interrupted", text: "" } };
    expect(played(asked, done, { type: "streaming", reply: "r1" }, late)).toEqual(played(asked, done));
  });

  it("puts a new reply in the place of the last one only", () => {
    const again: Action = { type: "askedAgain", instead: "r1", reply: "r2" };
    expect(played(asked, done, again).map(({ id }) => id)).toEqual(["q1", "r2"]);
    const more: Action = { type: "asked", question: "q3", text: "More", reply: "r3" };
    expect(played(asked, done, more, again)).toEqual(played(asked, done, more));
  });

  it("alternates between questions and replies, of which only the last may be under way, whatever happens", () => {
    fc.assert(
      fc.property(fc.array(actions, { maxLength: 30 }), (steps) => {
        const messages = played(...steps);
        expect(messages.map(({ role }) => role)).toEqual(messages.map((_, at) => (at % 2 ? "assistant" : "user")));
        expect(messages.length % 2).toBe(0);
        const live = messages.filter((message) => liveReply([message]));
        expect(live.length === 0 || (live.length === 1 && live[0] === messages.at(-1))).toBe(true);
      }),
    );
  });

  it("keeps every message that did not change the same object, so that the page need not look at it", () => {
    fc.assert(
      fc.property(fc.array(actions, { maxLength: 20 }), actions, (steps, next) => {
        const before = played(...steps);
        const kept = reduce(before, next).filter((message) => before.includes(message));
        if (next.type !== "cleared") expect(kept.length).toBeGreaterThanOrEqual(before.length - 1);
      }),
    );
  });
});
