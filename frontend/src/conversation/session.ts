import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { Exchange, type Identity, type Listener, type Outcome } from "../connection/exchange";
import { LiveText } from "../render/live-text";
import { ReplyClock } from "../timing/clock";
import type { Ledger } from "../timing/ledger";
import { settle } from "../timing/settle";
import { ending } from "./endings";
import { turns } from "./history";
import { type Action, liveReply, type Message, reduce } from "./reducer";

/** A reply under way. */
interface Live {
  id: string;
  exchange: Exchange;
  text: LiveText;
  clock: ReplyClock;
}

/** The conversation and the one reply that may be under way. What the page shows follows its signals. */
export class Session {
  readonly #messages: Signal<readonly Message[]>;
  readonly #announcement = signal("");
  readonly #model = signal<string | undefined>(undefined);
  readonly #identity: Identity;
  readonly #ledger: Ledger;
  readonly busy: ReadonlySignal<boolean>;
  #live: Live | undefined;

  constructor(identity: Identity, ledger: Ledger, messages: readonly Message[]) {
    this.#identity = identity;
    this.#ledger = ledger;
    this.#messages = signal(messages);
    this.busy = computed(() => liveReply(this.#messages.value) !== undefined);
  }

  get messages(): ReadonlySignal<readonly Message[]> {
    return this.#messages;
  }

  /** What a screen reader is to say now. */
  get announcement(): ReadonlySignal<string> {
    return this.#announcement;
  }

  /** The model that answered last. */
  get model(): ReadonlySignal<string | undefined> {
    return this.#model;
  }

  /** Asks `text`; `keydown` is when the key went down, of `performance.now()`. The request leaves before the page changes. */
  ask(text: string, keydown: number): void {
    if (this.#live) return;
    const reply = this.#send(turns(this.#messages.value, text), keydown);
    this.#dispatch({ type: "asked", question: newId(), text, reply });
    this.#announcement.value = "Writing a reply.";
  }

  /** Asks the last question again in place of the reply `instead`. */
  askAgain(instead: string, keydown: number): void {
    const question = this.#messages.value.at(-2);
    if (this.#live || question?.role !== "user" || this.#messages.value.at(-1)?.id !== instead) return;
    const reply = this.#send(turns(this.#messages.value.slice(0, -2), question.text), keydown);
    this.#dispatch({ type: "askedAgain", instead, reply });
    this.#announcement.value = "Writing a reply.";
  }

  stop(): void {
    this.#live?.exchange.stop();
  }

  clear(): void {
    this.stop();
    this.#dispatch({ type: "cleared" });
    this.#announcement.value = "New chat.";
  }

  /** The text of reply `id` while it streams. */
  liveText(id: string): LiveText | undefined {
    return this.#live?.id === id ? this.#live.text : undefined;
  }

  /** The conversation as it stands, with the text that the reply under way has so far. */
  snapshot(): readonly Message[] {
    const live = this.#live;
    if (!live) return this.#messages.value;
    return this.#messages.value.map((message) =>
      message.id === live.id ? { ...message, text: live.text.finish() } : message,
    );
  }

  #send(messages: ReturnType<typeof turns>, keydown: number): string {
    const id = newId();
    const clock = new ReplyClock(id, keydown);
    const text = new LiveText({
      frame: (at) => this.#ledger.frame(at),
      painted: (chunks, at) => {
        clock.painted(chunks, at);
        this.#settle(clock);
      },
    });
    const exchange = new Exchange({ messages }, this.#identity, this.#listener(id, clock, text));
    this.#live = { id, exchange, text, clock };
    this.#ledger.add(clock);
    return id;
  }

  #listener(id: string, clock: ReplyClock, text: LiveText): Listener {
    return {
      sent: (at) => clock.sent(at),
      answered: (at) => clock.mark("answered", at),
      started: (start, times) => {
        clock.started(start, times);
        this.#model.value = start.model;
      },
      delta: (delta, times) => {
        clock.delta(delta, times);
        text.push(delta.text);
        if (!text.shown || clock.page.committed !== undefined) return;
        clock.mark("committed", performance.now());
        clock.state = "streaming";
        this.#dispatch({ type: "streaming", reply: id });
      },
      ended: (outcome) => this.#ended(id, outcome),
    };
  }

  #ended(id: string, outcome: Outcome): void {
    const live = this.#live;
    if (live?.id !== id) return;
    this.#live = undefined;
    const text = outcome.kind === "stopped" ? live.text.freeze() : live.text.finish();
    const end = ending(outcome, text, Date.now());
    live.clock.ended(performance.now(), end.state, outcome.kind === "done" ? outcome.done : undefined);
    this.#dispatch({ type: "ended", reply: id, ending: end });
    // A note is an alert, which says itself.
    this.#announcement.value = end.note ? "" : `Reply ${end.state}.`;
    this.#settle(live.clock);
  }

  /** Once the reply of `clock` has ended, and its last text is painted, its times are there to be read. */
  #settle(clock: ReplyClock): void {
    if (clock.page.ended === undefined) return;
    this.#ledger.ended(clock);
    settle(clock, this.#ledger, () => this.#identity.token);
  }

  #dispatch(action: Action): void {
    this.#messages.value = reduce(this.#messages.value, action);
  }
}

let ids = 0;

/** Unique in this tab, reloads included. */
function newId(): string {
  ids += 1;
  return `${Math.round(performance.timeOrigin)}-${ids}`;
}
