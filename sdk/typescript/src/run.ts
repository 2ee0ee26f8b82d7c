import type { RunSummary } from "toolgate-proto/toolgate/v1/gateway_pb";

import type { Arguments, Call, Outcome, Result } from "./call.js";
import type { Client, ManyOptions, Options, WaitOptions } from "./client.js";
import { GatewayError } from "./errors.js";

const FAREWELL_MS = 5000; // nobody waits longer for what only tells how a run was

/**
 * One run of an agent: what the gateway remembers, counts and refuses belongs to it. Used by
 * `await using` it ends itself, and `summary` then tells what happened. A gateway that can't be
 * reached for that within five seconds is no error: it forgets the run by itself.
 */
export class Run implements AsyncDisposable {
  summary: RunSummary | undefined;

  constructor(
    private readonly client: Client,
    readonly id: string,
  ) {}

  /** Ends the run, where the language version has no `await using`. */
  async end(): Promise<void> {
    try {
      this.summary = await this.client.endRun(this.id, { withinMs: FAREWELL_MS });
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      this.summary = undefined;
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.end();
  }

  /** As `Client.call`. */
  call(tool: string, args?: Arguments, options?: Options): Promise<Result> {
    return this.client.call(tool, args, this.id, options);
  }

  /** As `Client.waitTransient`. */
  waitTransient(tool: string, args: Arguments, options: WaitOptions): Promise<Result> {
    return this.client.waitTransient(tool, args, this.id, options);
  }

  /** As `Client.callMany`. */
  callMany(calls: readonly Call[], options?: ManyOptions): AsyncGenerator<Outcome, void> {
    return this.client.callMany(calls, this.id, options);
  }
}
