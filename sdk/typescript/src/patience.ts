import { setTimeout as sleep } from "node:timers/promises";

import { ToolCallError } from "./errors.js";

const SHORTEST_WAIT_MS = 50; // keeps a `retry_after` of zero from becoming a busy loop
const LONGEST_TIMER_MS = 2 ** 31 - 1; // what is longer a timer takes for 1

/** Decides how long waitTransient waits: only where the class says so, and it fits. */
export class Patience {
  readonly #ends: number;

  constructor(withinMs: number) {
    this.#ends = performance.now() + withinMs;
  }

  /** How long one attempt may take. */
  timeoutMs(deadlineMs = Infinity): number {
    return Math.min(Math.max(this.#ends - performance.now(), 1), deadlineMs);
  }

  /** How long to sleep before the identical call; throws the error where that is not to be. */
  waitMs(error: unknown): number {
    if (!(error instanceof ToolCallError) || error.errorClass !== "transient" || error.exhausted) throw error;
    const wait = Math.max(error.retryAfterMs ?? 0, SHORTEST_WAIT_MS);
    if (!(performance.now() + wait < this.#ends)) throw error; // NaN too
    return wait;
  }
}

/** Sleeps, or throws the signal's reason. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    for (let left = ms; left > 0; left -= LONGEST_TIMER_MS)
      await sleep(Math.min(left, LONGEST_TIMER_MS), undefined, signal && { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
