import { describe, expect, it, vi } from "vitest";
import { type Key, listenForShortcuts, sends } from "./keys";

const enter: Key = {
  key: "Enter",
  shiftKey: false,
  altKey: false,
  ctrlKey: false,
  metaKey: false,
  isComposing: false,
  keyCode: 13,
  timeStamp: 1_000,
};

describe("Enter", () => {
  it.each<[string, Partial<Key>, { composedAt?: number; touch?: boolean }, boolean]>([
    ["sends", {}, {}, true],
    ["with Shift is a new line", { shiftKey: true }, {}, false],
    ["with Alt is a new line", { altKey: true }, {}, false],
    ["ui-C19: does not send while composing", { isComposing: true }, {}, false],
    ["ui-C19: does not send when an input method took it", { keyCode: 229 }, {}, false],
    ["ui-C19: does not send when it went down before the composition ended", {}, { composedAt: 1_000 }, false],
    ["ui-C19: sends right after the composition", { timeStamp: 1_000.1 }, { composedAt: 1_000 }, true],
    ["ui-C20: is a new line on a touch keyboard", {}, { touch: true }, false],
    ["ui-C20: with Ctrl sends from a touch device's own keyboard", { ctrlKey: true }, { touch: true }, true],
    ["is the only key that sends", { key: "a" }, {}, false],
  ])("%s", (_, key, { composedAt = 0, touch = false }, expected) => {
    expect(sends({ ...enter, ...key }, composedAt, touch)).toBe(expected);
  });
});

describe("shortcuts", () => {
  it.each<[string, Partial<KeyboardEvent>, string[]]>([
    ["Escape stops", { key: "Escape" }, ["stop"]],
    ["Escape of an input method does not", { key: "Escape", isComposing: true }, []],
    ["Ctrl+Shift+O begins a new chat", { key: "O", ctrlKey: true, shiftKey: true }, ["newChat"]],
    ["Cmd+Shift+O too", { key: "o", metaKey: true, shiftKey: true }, ["newChat"]],
    ["Ctrl+. shows the timing", { key: ".", ctrlKey: true }, ["toggleTiming"]],
    ["a full stop is a full stop", { key: "." }, []],
  ])("%s", (_, init, expected) => {
    const called: string[] = [];
    const target = new EventTarget();
    const action = (name: string) => vi.fn(() => called.push(name));
    listenForShortcuts(target, {
      stop: action("stop"),
      newChat: action("newChat"),
      toggleTiming: action("toggleTiming"),
    });
    const event = Object.assign(new Event("keydown", { cancelable: true }), init);
    target.dispatchEvent(event);
    expect({ called, prevented: event.defaultPrevented }).toEqual({ called: expected, prevented: expected.length > 0 });
  });
});
