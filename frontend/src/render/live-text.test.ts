// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LiveText, type Viewer } from "./live-text";

let frames: FrameRequestCallback[];
let root: HTMLElement;

beforeEach(() => {
  frames = [];
  root = document.createElement("div");
  vi.stubGlobal("requestAnimationFrame", (callback: FrameRequestCallback) => frames.push(callback));
});
afterEach(() => vi.unstubAllGlobals());

function frame(): void {
  for (const callback of frames.splice(0)) callback(performance.now());
}

const nobody: Viewer = { frame: () => {}, painted: () => {} };

function mounted(viewer: Partial<Viewer> = {}): LiveText {
  const live = new LiveText({ ...nobody, ...viewer });
  live.mount(root);
  return live;
}

describe("live text", () => {
  it("shows the first text in the task that brings it", () => {
    mounted().push("Hello");
    expect(root.textContent).toBe("Hello");
  });

  it("ui-C07: shows all later text of a frame in one change", () => {
    const live = mounted();
    live.push("One");
    frame();
    for (const piece of [" two", " three", " four"]) live.push(piece);
    expect({ text: root.textContent, frames: frames.length }).toEqual({ text: "One", frames: 1 });
    frame();
    expect(root.textContent).toBe("One two three four");
  });

  it("tells once a frame how many pieces are painted, text or not", async () => {
    const shown: number[] = [];
    const live = mounted({ painted: (pieces) => shown.push(pieces) });
    for (const piece of ["", "One", " two"]) live.push(piece);
    frame();
    live.push(" three");
    frame();
    await vi.waitFor(() => expect(shown).toEqual([3, 4]));
  });

  it("tells in the frame itself, its text in the document, so that other changes can go with it", () => {
    const seen: (string | null)[] = [];
    const live = mounted({ frame: () => seen.push(root.textContent) });
    live.push("One");
    frame();
    live.push(" two");
    frame();
    expect(seen).toEqual(["One", "One two"]);
  });

  it("ui-C35: takes an empty piece for no text", () => {
    mounted().push("");
    expect(frames).toHaveLength(0);
  });

  it("ui-C21: drops at a stop what was not on the screen, and shows nothing more", async () => {
    const shown: number[] = [];
    const live = mounted({ painted: (pieces) => shown.push(pieces) });
    live.push("One");
    live.push(" two");
    expect(live.freeze()).toBe("One");
    frame();
    expect(root.textContent).toBe("One");
    await vi.waitFor(() => expect(shown).toEqual([1]));
  });

  it("shows everything at the end without waiting for a frame, which a hidden page does not get", () => {
    const live = mounted();
    live.push("One");
    live.push(" two");
    expect(live.finish()).toBe("One two");
    expect(root.textContent).toBe("One two");
  });

  it("shows what came before its place was there", () => {
    const live = new LiveText(nobody);
    live.push("Hello");
    live.mount(root);
    expect(root.textContent).toBe("Hello");
  });
});
