// @vitest-environment happy-dom
import { beforeEach, describe, expect, it, vi } from "vitest";
import { StickToEnd } from "./stick";

/** A scroller 100 px high whose content has the height `content`; happy-dom has no layout of its own. */
let content: number;
let scroller: HTMLElement;
let stick: StickToEnd;
let resized: () => void;

beforeEach(() => {
  content = 1_000;
  let top = 0;
  scroller = document.createElement("div");
  Object.defineProperties(scroller, {
    scrollHeight: { get: () => content },
    clientHeight: { get: () => 100 },
    scrollTop: {
      get: () => top,
      set: (value: number) => {
        top = Math.max(0, Math.min(value, content - 100));
      },
    },
  });
  vi.stubGlobal(
    "ResizeObserver",
    class {
      observe = () => {};
      constructor(callback: () => void) {
        resized = callback;
      }
    },
  );
  stick = new StickToEnd(scroller, document.createElement("div"));
  resized();
});

function grow(): void {
  content += 50;
  resized();
}

/** The reader, or the browser after the reader's intent, moves to `top`; its event comes after. */
function scrollTo(top: number): void {
  scroller.scrollTop = top;
  scroller.dispatchEvent(new Event("scroll"));
}

const wheel = (deltaY: number) => scroller.dispatchEvent(new WheelEvent("wheel", { deltaY }));

describe("ui-C15: the end of the conversation", () => {
  it("stays in view while the conversation grows", () => {
    grow();
    grow();
    expect(scroller.scrollTop).toBe(1_000);
  });

  it.each([
    ["the wheel", () => wheel(-1)],
    ["PageUp", () => scroller.dispatchEvent(new KeyboardEvent("keydown", { key: "PageUp" }))],
    ["Shift+Space", () => scroller.dispatchEvent(new KeyboardEvent("keydown", { key: " ", shiftKey: true }))],
  ])("is let go by %s before anything has moved", (_, intent) => {
    intent();
    grow();
    expect({ top: scroller.scrollTop, pinned: stick.pinned.value }).toEqual({ top: 900, pinned: false });
  });

  it("is let go by a finger that pulls down", () => {
    const touch = (type: string, clientY: number) => {
      const event = Object.assign(new Event(type), { touches: [{ clientY }] });
      scroller.dispatchEvent(event);
    };
    touch("touchstart", 50);
    touch("touchmove", 51);
    expect(stick.pinned.value).toBe(false);
  });

  it("is not taken back by the first pixels of a smooth scroll upwards", () => {
    wheel(-1);
    scrollTo(895);
    grow();
    expect(scroller.scrollTop).toBe(895);
  });

  it("is not taken back by the late event of the page's own scroll", () => {
    grow();
    wheel(-1);
    scroller.dispatchEvent(new Event("scroll"));
    grow();
    expect(stick.pinned.value).toBe(false);
  });

  it("is taken back by moving down to within 24 px of it, and not earlier", () => {
    wheel(-1);
    scrollTo(500);
    scrollTo(875);
    expect(stick.pinned.value).toBe(false);
    scrollTo(876);
    expect(stick.pinned.value).toBe(true);
  });

  it("is taken back by the End key, however far it moves meanwhile", () => {
    wheel(-1);
    scrollTo(500);
    scroller.dispatchEvent(new KeyboardEvent("keydown", { key: "End" }));
    grow();
    expect(scroller.scrollTop).toBe(950);
  });

  it("is taken back by the button", () => {
    wheel(-1);
    scrollTo(500);
    stick.jump();
    expect({ top: scroller.scrollTop, pinned: stick.pinned.value }).toEqual({ top: 900, pinned: true });
  });

  it("is not let go by the wheel where nothing is above", () => {
    content = 80;
    resized();
    wheel(-1);
    expect(stick.pinned.value).toBe(true);
  });

  it("is not let go by zooming", () => {
    scroller.dispatchEvent(Object.assign(new Event("wheel"), { deltaY: -1, ctrlKey: true }));
    expect(stick.pinned.value).toBe(true);
  });
});
