import { create } from "@bufbuild/protobuf";
import {
  type CallProgress,
  type CallToolResponse,
  type ToolCall,
  ToolCallSchema,
  type ToolResult,
} from "toolgate-proto/toolgate/v1/call_pb";

import { GatewayError, ToolCallError } from "./errors.js";
import { written } from "./json.js";

/**
 * A value is written as JSON, a bigint with all its digits, a Date and what else has a toJSON as
 * that says. What JSON would lose, as a Map, a function or NaN, is a TypeError that names its place;
 * an undefined member of an object is one that was not given. Text is JSON already and is sent as it
 * stands, malformed or not, which is right for what a model wrote. Undefined is no arguments.
 */
export type Arguments = object | string | undefined;

/** What a call can carry beside tool and arguments. */
export interface CallExtras {
  /**
   * Names the call within its run, at most 128 bytes: a resend under the same id joins the
   * running call or gets its outcome.
   */
  callId?: string;
  /** Also runs the lookups of alternatives that are made on request only. */
  wantAlternatives?: boolean;
  /** Lifts the gateway's memory of this call, after a person acted. */
  fresh?: boolean;
}

/** One call of one tool. */
export interface Call extends CallExtras {
  tool: string;
  arguments?: Arguments;
}

/** What the gateway does while the caller waits: for people and logs. */
export interface Progress {
  /** Of the call in the list. */
  readonly index: number;
  readonly proto: CallProgress;
}

/** How one call of `callMany` ended. */
export type Outcome =
  | { readonly index: number; readonly ok: true; readonly result: Result }
  | { readonly index: number; readonly ok: false; readonly error: ToolCallError | GatewayError };

/** A tool's answer. `proto` is the whole message. */
export class Result {
  constructor(readonly proto: ToolResult) {}

  /** What a transcript shows: the answer's JSON, digits as received, else its text. */
  get text(): string {
    if (this.proto.structuredJson !== "") return this.proto.structuredJson;
    return this.proto.content
      .flatMap(({ block }) => (block.case === "text" ? [block.value.text] : []))
      .join("\n");
  }

  /** Parses a structured answer, as JSON.parse does: numbers that no double holds are in `text`. */
  json(): unknown {
    if (this.proto.structuredJson === "") throw new TypeError("the tool's answer is not JSON");
    return JSON.parse(this.proto.structuredJson) as unknown;
  }
}

/** Makes the wire form. */
export function messageOf(call: Call): ToolCall {
  return create(ToolCallSchema, {
    tool: call.tool,
    argumentsJson: textOf(call.arguments),
    callId: call.callId ?? "",
    wantAlternatives: call.wantAlternatives ?? false,
    fresh: call.fresh ?? false,
  });
}

function textOf(args: Arguments): string {
  if (args === undefined) return "";
  return wellFormed(typeof args === "string" ? args : written(args));
}

/** Half a character can't be sent, but JSON has an escape for it. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, (half) => `\\u${half.charCodeAt(0).toString(16)}`);
}

/** Returns the result or throws the failure. */
export function resultOf(response: CallToolResponse): Result {
  switch (response.outcome.case) {
    case "result":
      return new Result(response.outcome.value);
    case "error":
      throw new ToolCallError(response.outcome.value);
    case undefined:
      throw new GatewayError("UNKNOWN", "the gateway sent an outcome that this client does not know");
  }
}
