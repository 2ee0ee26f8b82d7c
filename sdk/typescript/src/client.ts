import { randomUUID } from "node:crypto";

import { type CallOptions, type Client as Stub, createClient } from "@connectrpc/connect";
import type { Http2SessionManager } from "@connectrpc/connect-node";
import { type RunSummary, ToolGatewayService } from "toolgate-proto/toolgate/v1/gateway_pb";

import { Batch } from "./batch.js";
import {
  type Arguments,
  type Call,
  type CallExtras,
  messageOf,
  type Outcome,
  type Progress,
  Result,
  resultOf,
} from "./call.js";
import { connection, Leash, type TLS } from "./connection.js";
import { GatewayError, gatewayError } from "./errors.js";
import { pause, Patience } from "./patience.js";
import { Run } from "./run.js";
import { ToolList } from "./tools.js";

/** How the gateway is reached. */
export interface ClientOptions {
  /** How the connection is encrypted; false by default. */
  tls?: TLS;
  /** The bearer token that is shown with every rpc, or what gives it where it changes. */
  token?: string | (() => string | Promise<string>);
  /** How long a call may take, in milliseconds; the gateway's default where not given. */
  deadlineMs?: number;
}

/** Aborting the signal cancels the call, at the tool too, and rejects with the signal's reason. */
export interface Abortable {
  signal?: AbortSignal;
}

/** How one call is made. */
export interface Options extends CallExtras, Abortable {}

/** How a call is made that waits out transient failures. */
export interface WaitOptions extends Options {
  /** For how long, all in all, in milliseconds. */
  withinMs: number;
}

/** How parallel calls are made. */
export interface ManyOptions extends Abortable {
  onProgress?: (progress: Progress) => void;
}

/** How a run is ended. */
export interface EndOptions extends Abortable {
  /** For how long that may take, in milliseconds, if the client's deadline is not shorter. */
  withinMs?: number;
}

const LONGEST_TIMEOUT_MS = 99_999_999; // eight digits: what gRPC can say

/**
 * Calls tools through the gateway at `target`, `127.0.0.1:7440` for example. It connects with the
 * first call; close it when done, best by `using`: calls in flight then end as CANCELLED.
 */
export class Client implements Disposable {
  readonly #gateway: Stub<typeof ToolGatewayService>;
  readonly #connection: Http2SessionManager;
  #closed = false;

  constructor(
    target: string,
    private readonly options: ClientOptions = {},
  ) {
    const [transport, sessions] = connection(target, options.tls ?? false);
    this.#gateway = createClient(ToolGatewayService, transport);
    this.#connection = sessions;
  }

  /** Closes the connection. Calls in flight end as CANCELLED, at the tool too. */
  close(): void {
    this.#closed = true;
    this.#connection.abort();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** Begins a run, which ends itself: `await using run = client.run()`. */
  run(id: string = randomUUID()): Run {
    return new Run(this, id);
  }

  /** Runs one call to its outcome; a failed one rejects with ToolCallError. */
  call(tool: string, args: Arguments, run: string, options: Options = {}): Promise<Result> {
    return this.#send({ ...options, tool, arguments: args }, run, options.signal, this.options.deadlineMs);
  }

  /**
   * Calls, and waits out transient failures. It sleeps what the gateway says and sends the
   * identical call. Where a wait does not fit, and after an exhausted failure, which the gateway
   * has waited out already, it rejects at once.
   */
  async waitTransient(tool: string, args: Arguments, run: string, options: WaitOptions): Promise<Result> {
    const call = messageOf({ ...options, tool, arguments: args }).argumentsJson; // later changes are not sent
    const patience = new Patience(options.withinMs);
    for (;;) {
      try {
        const timeoutMs = patience.timeoutMs(this.options.deadlineMs);
        return await this.#send({ ...options, tool, arguments: call }, run, options.signal, timeoutMs);
      } catch (error) {
        await pause(patience.waitMs(error), options.signal);
      }
    }
  }

  async #send(call: Call, run: string, signal?: AbortSignal, timeoutMs?: number): Promise<Result> {
    const request = { runId: run, call: messageOf(call) };
    const response = await this.#rpc(
      (options) => this.#gateway.callTool(request, options),
      signal,
      timeoutMs,
    );
    return resultOf(response);
  }

  /**
   * Runs a model's parallel calls of one turn, 1 to 64, and yields outcomes as they arrive. One
   * broken call never fails the others: each has exactly one outcome. Leaving the loop cancels
   * what is still running. Transient failures are not waited out.
   */
  async *callMany(
    calls: readonly Call[],
    run: string,
    options: ManyOptions = {},
  ): AsyncGenerator<Outcome, void> {
    const batch = new Batch(run, calls, options.onProgress);
    if (batch.finished) return;
    let broken: GatewayError | undefined;
    try {
      using leash = new Leash(options.signal);
      const rpc = await this.#options(leash.signal, this.options.deadlineMs);
      for await (const event of this.#gateway.callTools(batch.request, rpc)) {
        const outcome = batch.take(event);
        if (outcome) yield outcome;
      }
    } catch (error) {
      broken = this.#failure(error, options.signal);
    }
    yield* batch.rest(broken);
  }

  /** Lists the tools that this caller may use. */
  async listTools({ signal }: Abortable = {}): Promise<ToolList> {
    return new ToolList(await this.#rpc((options) => this.#gateway.listTools({}, options), signal));
  }

  /** Forgets a run and sums it up; undefined where the gateway tells nothing of an unknown one. */
  async endRun(
    run: string,
    { signal, withinMs = Infinity }: EndOptions = {},
  ): Promise<RunSummary | undefined> {
    const { deadlineMs = Infinity } = this.options;
    const timeoutMs = Math.min(withinMs, deadlineMs);
    const ended = await this.#rpc(
      (options) => this.#gateway.endRun({ runId: run }, options),
      signal,
      timeoutMs < Infinity ? timeoutMs : undefined,
    );
    return ended.run;
  }

  async #rpc<T>(
    send: (options: CallOptions) => Promise<T>,
    signal?: AbortSignal,
    timeoutMs = this.options.deadlineMs,
  ): Promise<T> {
    try {
      using leash = new Leash(signal);
      return await send(await this.#options(leash.signal, timeoutMs));
    } catch (error) {
      throw this.#failure(error, signal);
    }
  }

  async #options(signal: AbortSignal, deadlineMs?: number): Promise<CallOptions> {
    if (this.#closed) throw new GatewayError("CANCELLED", "the client is closed");
    const { token } = this.options;
    const bearer = typeof token === "function" ? await token() : token;
    const headers = bearer ? { Authorization: `Bearer ${bearer}` } : {};
    if (deadlineMs === undefined) return { signal, headers };
    return { signal, headers, timeoutMs: Math.min(Math.max(Math.ceil(deadlineMs), 1), LONGEST_TIMEOUT_MS) };
  }

  /** What went wrong with an rpc, or throws what is no failure of one. */
  #failure(error: unknown, signal?: AbortSignal): GatewayError {
    signal?.throwIfAborted();
    const failure = gatewayError(error, this.#closed);
    if (failure instanceof GatewayError) return failure;
    throw failure;
  }
}
