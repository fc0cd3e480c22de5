// @vitest-environment happy-dom
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Blocks } from "./blocks";

/** The text of each block after `pieces`. */
function blocksOf(pieces: readonly string[]): string[] {
  const root = document.createElement("div");
  const blocks = new Blocks(root);
  for (const piece of pieces) blocks.append(piece);
  return Array.from(root.children, (block) => block.textContent ?? "");
}

const line = fc.string({ maxLength: 120 });
const prose = fc
  .array(fc.tuple(line, fc.constantFrom("", " ", "\n", "\n\n", "\n\n\n")), { maxLength: 60 })
  .map((lines) => lines.flat().join(""));

describe("blocks", () => {
  it("hold the whole text, cut the same however it came", () => {
    fc.assert(
      fc.property(prose, fc.array(fc.nat({ max: 4_000 }), { maxLength: 30 }), (text, cuts) => {
        const edges = [0, ...cuts.map((at) => at % (text.length + 1)).sort((a, b) => a - b), text.length];
        const pieces = edges.slice(1).map((end, index) => text.slice(edges[index], end));
        expect(blocksOf(pieces)).toEqual(blocksOf([text]));
        expect(blocksOf(pieces).join("")).toBe(text);
      }),
    );
  });

  it("end at a blank line, and in long code at a line", () => {
    const paragraph = `${"word ".repeat(60)}\n\n`;
    expect(blocksOf([paragraph + paragraph])).toEqual([paragraph, paragraph]);
    const code = "x = 1\n".repeat(1_000);
    expect(blocksOf([code]).map((block) => block.length)).toEqual([2_004, 2_004, 1_992]);
  });

  it("do not multiply with blank lines", () => {
    expect(blocksOf(["\n".repeat(1_000)])).toHaveLength(5);
  });

  it("ui-C09: are never touched again once they have ended, so that a selection in them stays", () => {
    const root = document.createElement("div");
    const blocks = new Blocks(root);
    blocks.append(`${"word ".repeat(60)}\n\nnext`);
    const first = root.firstChild?.firstChild;
    const mutations: MutationRecord[] = [];
    const observer = new MutationObserver((records) => mutations.push(...records));
    observer.observe(root, { subtree: true, characterData: true, childList: true });
    for (let round = 0; round < 300; round += 1) blocks.append(" more\n");
    mutations.push(...observer.takeRecords());
    expect(root.firstChild?.firstChild).toBe(first);
    expect(mutations.filter(({ target }) => target === first || target === root.firstChild)).toEqual([]);
  });

  it("L10: are text, whatever the model writes", () => {
    const root = document.createElement("div");
    new Blocks(root).append("<img src=x onerror=alert(1)>");
    expect(root.querySelector("img")).toBeNull();
    expect(root.textContent).toBe("<img src=x onerror=alert(1)>");
  });
});
