import { type Arguments, type Call, messageOf, type Result } from "../call.js";
import { ToolCallError } from "../errors.js";
import { pause, Patience } from "../patience.js";
import type { Run } from "../run.js";
import { type Image, shown } from "./content.js";
import { idOf } from "./ids.js";
import { Turn } from "./turn.js";

/** How an adapter calls. */
export interface AdapterOptions {
  /**
   * For how long a call's transient failures are waited out before the model is told of them, in
   * milliseconds, all in all: 30 000 where not given, 0 for not at all.
   */
  withinMs?: number;
}

const PATIENCE_MS = 30_000;

/** The run that calls belong to; or what tells the one of the moment, for an agent that serves many. */
export type CurrentRun = Run | (() => Run);

/** What a model reads of a call. */
export interface Reply {
  readonly text: string;
  readonly images: readonly Image[];
  /** The failure that the text tells of; undefined where the tool answered. */
  readonly failure?: ToolCallError;
}

/** Makes calls: those that a framework begins together go out together. */
export class Dispatcher {
  readonly #turns = new Map<Run, Turn>();

  constructor(
    private readonly current: CurrentRun,
    private readonly options: AdapterOptions = {},
  ) {}

  get run(): Run {
    return typeof this.current === "function" ? this.current() : this.current;
  }

  /**
   * Answers with what the model is to read. Rejects where the gateway failed, or the signal aborted.
   * `name` is the framework's for this call.
   */
  async reply(tool: string, args: Arguments, signal?: AbortSignal, name?: string): Promise<Reply> {
    try {
      const text = messageOf({ tool, arguments: args }).argumentsJson;
      const call = { tool, arguments: text, callId: idOf(tool, text, name) };
      return shown(await this.#patiently(call, signal));
    } catch (failure) {
      if (!(failure instanceof ToolCallError)) throw failure;
      // Nothing at all would read as a success.
      return { text: failure.observation || failure.toString(), images: [], failure };
    }
  }

  async #patiently(call: Call, signal?: AbortSignal): Promise<Result> {
    const patience = new Patience(this.options.withinMs ?? PATIENCE_MS);
    const { run } = this;
    for (;;) {
      signal?.throwIfAborted();
      try {
        return await this.#turnOf(run).call(call, signal);
      } catch (error) {
        await pause(patience.waitMs(error), signal);
      }
    }
  }

  /** The turn that gathers calls: a new one where the last has been sent. */
  #turnOf(run: Run): Turn {
    const turn = this.#turns.get(run) ?? new Turn(run, () => this.#turns.delete(run));
    this.#turns.set(run, turn);
    return turn;
  }
}
