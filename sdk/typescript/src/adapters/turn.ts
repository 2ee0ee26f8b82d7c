import { setImmediate as nextLoop } from "node:timers/promises";

import type { Call, Outcome, Result } from "../call.js";
import type { Run } from "../run.js";

const LARGEST_BATCH = 64; // what CallTools takes

interface Waiting {
  readonly call: Call;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The calls that a framework makes at once: those of one turn of its model. They go out together, so
 * that the gateway counts what it rejects of them once.
 */
export class Turn {
  readonly #calls: Waiting[] = [];

  constructor(
    private readonly run: Run,
    private readonly onSent: () => void,
  ) {}

  /** Calls; an abort rejects with the signal's reason, whatever the others do. */
  call(call: Call, signal?: AbortSignal): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#calls.push({ call, signal, resolve, reject }) === 1) void this.#gather();
    });
  }

  /** Sends what has come once a turn of the event loop brought nothing more. */
  async #gather(): Promise<void> {
    for (let seen = 0; this.#calls.length > seen;) {
      seen = this.#calls.length;
      await nextLoop();
    }
    this.onSent();
    while (this.#calls.length > 0) void new Batch(this.#calls.splice(0, LARGEST_BATCH)).send(this.run);
  }
}

/** Calls on their way. The rpc is cancelled, at the tools too, when nobody waits for it any more. */
class Batch {
  readonly #cancel = new AbortController();
  readonly #open: Map<number, () => void>;

  constructor(private readonly calls: readonly Waiting[]) {
    this.#open = new Map(calls.map((waiting, index) => [index, this.#follow(waiting, index)]));
  }

  async send(run: Run): Promise<void> {
    const calls = this.calls.map(({ call }) => call);
    try {
      for await (const outcome of run.callMany(calls, { signal: this.#cancel.signal })) this.#take(outcome);
    } catch (error) {
      for (const { reject } of this.calls) reject(error); // those that are settled are deaf to it
    }
  }

  #take(outcome: Outcome): void {
    this.#settled(outcome.index);
    if (outcome.ok) this.calls[outcome.index]?.resolve(outcome.result);
    else this.calls[outcome.index]?.reject(outcome.error);
  }

  /** Listens to one caller's signal, and gives what ends that. */
  #follow({ signal, reject }: Waiting, index: number): () => void {
    const leave = () => {
      reject(signal?.reason);
      this.#settled(index);
      if (this.#open.size === 0) this.#cancel.abort();
    };
    signal?.addEventListener("abort", leave);
    if (signal?.aborted) queueMicrotask(leave);
    return () => signal?.removeEventListener("abort", leave);
  }

  #settled(index: number): void {
    this.#open.get(index)?.();
    this.#open.delete(index);
  }
}
