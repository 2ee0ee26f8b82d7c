import { type Arguments, messageOf, type Result } from "../call.js";
import { ToolCallError } from "../errors.js";
import { pause, Patience } from "../patience.js";
import type { Run } from "../run.js";
import { Turn } from "./turn.js";

/** How an adapter calls. */
export interface AdapterOptions {
  /**
   * For how long a call's transient failures are waited out before the model is told of them, in
   * milliseconds, all in all: 60 000 where not given, 0 for not at all.
   */
  withinMs?: number;
}

const PATIENCE_MS = 60_000;

/** What a model reads of a call. */
export interface Reply {
  readonly text: string;
  /** The failure that the text tells of; undefined where the tool answered. */
  readonly failure?: ToolCallError;
}

/** Makes the calls of one run: calls that a framework begins together go out together. */
export class Dispatcher {
  #turn: Turn | undefined;

  constructor(
    private readonly run: Run,
    private readonly options: AdapterOptions = {},
  ) {}

  /** Answers with what the model is to read. Rejects where the gateway failed, or the signal aborted. */
  async reply(tool: string, args: Arguments, signal?: AbortSignal): Promise<Reply> {
    try {
      const text = messageOf({ tool, arguments: args }).argumentsJson;
      return { text: (await this.#patiently(tool, text, signal)).text };
    } catch (failure) {
      if (failure instanceof ToolCallError) return { text: failure.observation, failure };
      throw failure;
    }
  }

  async #patiently(tool: string, args: string, signal?: AbortSignal): Promise<Result> {
    const patience = new Patience(this.options.withinMs ?? PATIENCE_MS);
    for (;;) {
      signal?.throwIfAborted();
      try {
        return await this.#open().call({ tool, arguments: args }, signal);
      } catch (error) {
        await pause(patience.waitMs(error), signal);
      }
    }
  }

  /** The turn that gathers calls: a new one where the last has been sent. */
  #open(): Turn {
    this.#turn ??= new Turn(this.run, () => (this.#turn = undefined));
    return this.#turn;
  }
}
