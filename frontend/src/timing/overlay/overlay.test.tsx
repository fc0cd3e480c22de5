// @vitest-environment happy-dom
import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { wholeReply } from "../../../test/reply";
import { Ledger } from "../ledger";
import { Overlay } from "./overlay";
import { Summary } from "./summary";
import { TimingView } from "./view";

let root: HTMLElement;
let ledger: Ledger;
let view: TimingView;
let home: number;

beforeEach(() => {
  localStorage.clear();
  root = document.createElement("div");
  document.body.append(root);
  ledger = new Ledger();
  ledger.add(wholeReply());
  home = 0;
  view = new TimingView(() => {
    home += 1;
  });
});
afterEach(() => {
  render(null, root);
  root.remove();
});

const show = () => act(() => render(<Shown />, root));

function Shown() {
  return (
    <>
      <Summary id="r1" ledger={ledger} view={view} />
      {view.shown && <Overlay ledger={ledger} view={view} />}
    </>
  );
}

const opener = () => root.querySelector<HTMLElement>(".summary");
const text = (selector: string) => root.querySelector(selector)?.textContent;

describe("the overlay", () => {
  it("shows the figures of a reply", async () => {
    view.toggle(null);
    await show();
    const figures = ["ttft_ms", "ttft_byte_ms", "tokens_in", "tokens_cached", "tokens_out", "request_header_bytes"];
    expect(figures.map((name) => text(`[data-metric="${name}"]`))).toEqual([
      "77",
      "69 ms",
      "1,204",
      "4",
      "12",
      "612 B",
    ]);
    expect(text('[data-stage="unaccounted"] .took')).toBe("2.0 ms");
  });

  it("is opened by a reply's line, takes the focus, and gives it back", async () => {
    await show();
    await act(() => opener()?.click());
    expect([view.pinned, document.activeElement?.tagName]).toEqual(["r1", "H2"]);
    await act(() => view.close());
    expect([view.shown, view.pinned, document.activeElement, home]).toEqual([false, undefined, opener(), 0]);
  });

  it("gives the focus to the draft where what opened it is gone", async () => {
    await show();
    await act(() => opener()?.click());
    opener()?.remove();
    view.close();
    expect(home).toBe(1);
  });

  it("leaves the focus alone where it is elsewhere", async () => {
    await show();
    await act(() => view.toggle(opener()));
    await act(() => view.toggle(opener()));
    expect([view.shown, document.activeElement, home]).toEqual([false, document.body, 0]);
  });
});
