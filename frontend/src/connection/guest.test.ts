import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Guest } from "./guest";

let answers: (() => Response)[];
let asked: number;

const token = (name: string) => () => Response.json({ access_token: name, token_type: "Bearer", expires_in: 900 });
const settle = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => {
  vi.useFakeTimers();
  asked = 0;
  answers = [token("one"), token("two"), token("three")];
  vi.stubGlobal("document", Object.assign(new EventTarget(), { hidden: false }));
  vi.stubGlobal("fetch", async () => {
    const answer = answers[Math.min(asked, answers.length - 1)];
    asked += 1;
    return answer?.() ?? Response.error();
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("a guest", () => {
  it("has a token soon after the page is there", async () => {
    const guest = new Guest();
    expect(guest.token).toBe("");
    await settle();
    expect(guest.token).toBe("one");
  });

  it("renews it before it runs out", async () => {
    const guest = new Guest();
    await settle();
    await vi.advanceTimersByTimeAsync(900_000 * 0.6);
    expect(guest.token).toBe("one");
    await vi.advanceTimersByTimeAsync(900_000 * 0.1);
    expect(guest.token).toBe("two");
  });

  it("lets it be in a hidden page, and renews it when the page is looked at again", async () => {
    const guest = new Guest();
    await settle();
    Object.assign(document, { hidden: true });
    await vi.advanceTimersByTimeAsync(900_000);
    expect(guest.token).toBe("one");
    Object.assign(document, { hidden: false });
    document.dispatchEvent(new Event("visibilitychange"));
    await settle();
    expect(guest.token).toBe("two");
  });

  it("asks once for all who want a new token at the same time", async () => {
    const guest = new Guest();
    await settle();
    expect(await Promise.all([guest.renew(), guest.renew()])).toEqual(["two", "two"]);
    expect(asked).toBe(2);
  });

  it("tries again where the server has none yet", async () => {
    answers = [
      () => new Response("starting", { status: 503 }),
      () => Response.json({ access_token: 1 }),
      token("late"),
    ];
    const guest = new Guest();
    await vi.advanceTimersByTimeAsync(5_000);
    expect({ token: guest.token, asked }).toEqual({ token: "late", asked: 3 });
  });

  it("lets who needs one now know that there is none", async () => {
    const guest = new Guest();
    await settle();
    answers = [() => new Response("{}", { status: 429 })];
    await expect(guest.renew()).rejects.toThrow("no guest token: 429");
  });
});
