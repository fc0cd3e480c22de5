import { expect, it } from "vitest";
import { turns } from "./history";
import type { Message, Reply } from "./reducer";

const turn = (question: string, state: Reply["state"], text: string): Message[] => [
  { id: `q${question}`, role: "user", text: question },
  { id: `r${question}`, role: "assistant", state, text },
];

it("sends every question with its reply, then the new one", () => {
  expect(turns([...turn("1", "done", "one"), ...turn("2", "stopped", "tw")], "3")).toEqual([
    { role: "user", content: "1" },
    { role: "assistant", content: "one" },
    { role: "user", content: "2" },
    { role: "assistant", content: "tw" },
    { role: "user", content: "3" },
  ]);
});

it("leaves out questions that got no words", () => {
  const past = [...turn("1", "refused", ""), ...turn("2", "stopped", ""), ...turn("3", "interrupted", "thr")];
  expect(turns(past, "4")).toEqual([
    { role: "user", content: "3" },
    { role: "assistant", content: "thr" },
    { role: "user", content: "4" },
  ]);
});
