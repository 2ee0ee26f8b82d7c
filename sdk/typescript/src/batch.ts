import { create } from "@bufbuild/protobuf";
import {
  type CallToolsRequest,
  CallToolsRequestSchema,
  type CallToolsResponse,
} from "toolgate-proto/toolgate/v1/call_pb";

import { type Call, messageOf, type Outcome, type Progress, resultOf } from "./call.js";
import { GatewayError, ToolCallError } from "./errors.js";

/** Parallel calls: what was sent and is not yet answered. */
export class Batch {
  readonly request: CallToolsRequest;
  readonly #open: Set<number>;

  constructor(
    run: string,
    calls: readonly Call[],
    private readonly onProgress?: (progress: Progress) => void,
  ) {
    this.request = create(CallToolsRequestSchema, { runId: run, calls: calls.map(messageOf) });
    this.#open = new Set(calls.keys());
  }

  get finished(): boolean {
    return this.#open.size === 0;
  }

  /** Reads one event. Events and places that are not known are ignored. */
  take({ index, event }: CallToolsResponse): Outcome | undefined {
    if (!this.#open.has(index)) return undefined;
    if (event.case === "progress") this.onProgress?.({ index, proto: event.value });
    if (event.case !== "done") return undefined;
    this.#open.delete(index);
    try {
      return { index, ok: true, result: resultOf(event.value) };
    } catch (error) {
      if (error instanceof ToolCallError || error instanceof GatewayError) return { index, ok: false, error };
      throw error;
    }
  }

  /** Gives the error to every call that has no outcome. */
  *rest(error: GatewayError | undefined): Generator<Outcome> {
    error ??= new GatewayError("UNKNOWN", "the stream ended before every call had its outcome");
    for (const index of this.#open) yield { index, ok: false, error };
  }
}
