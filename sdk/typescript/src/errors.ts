import { fromBinary } from "@bufbuild/protobuf";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { DurationSchema } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { ErrorClass as WireClass, type ToolError } from "toolgate-proto/toolgate/v1/tool_error_pb";

/**
 * What to do next. It is the one thing to branch on, and there are no others: a class that
 * this client does not know reads as `terminal`.
 */
export type ErrorClass = "transient" | "invalid_request" | "terminal";

/** One fault in the arguments. What is not known is empty. */
export interface Violation {
  /** `a.b[0].c`; empty: the arguments as a whole. */
  readonly field: string;
  /** The offending value, redacted, as JSON text. */
  readonly valueJson: string;
  readonly problem: string;
  /** The accepted values, nearest first. */
  readonly accepted: readonly string[];
  /** The accepted format, for example `YYYY-MM-DD`. */
  readonly format: string;
  /** The accepted range, for example `1 to 50`. */
  readonly range: string;
  readonly acceptedTruncated: boolean;
}

/** A call to make in place of the failed one. */
export interface Alternative {
  readonly tool: string;
  /** Complete arguments, ready to call; empty: only the tool is proposed. */
  readonly argumentsJson: string;
  readonly label: string;
}

/**
 * A failed tool call. `errorClass` says what to do next; `observation` is the text for the
 * transcript, the same in every language. `proto` is the whole message as the gateway sent it.
 */
export class ToolCallError extends Error {
  static {
    this.prototype.name = "ToolCallError";
  }

  readonly errorClass: ErrorClass;
  /** Stable: the provider's own code, else the gateway's. */
  readonly code: string;
  /** How long to wait before the identical call, in milliseconds; on every transient, on nothing else. */
  readonly retryAfterMs: number | undefined;
  /** On a transient: every attempt was spent. The one case in which an outage may be reported. */
  readonly exhausted: boolean;
  readonly violations: readonly Violation[];
  readonly alternatives: readonly Alternative[];
  /** The condition that blocks the call, and the tool that changes it; empty where not known. */
  readonly blockedBy: string;
  readonly unblockWith: string;
  /** The call may have taken effect: check before repeating it. */
  readonly maybeExecuted: boolean;
  readonly observation: string;
  readonly #proto: ToolError;

  constructor(proto: ToolError) {
    super(proto.message);
    this.#proto = proto;
    this.errorClass = classOf(proto.errorClass);
    this.code = proto.code;
    this.retryAfterMs = proto.retryAfter === undefined ? undefined : milliseconds(proto.retryAfter);
    this.exhausted = proto.exhausted;
    this.violations = proto.violations.map(
      ({ field, valueJson, problem, accepted, format, range, acceptedTruncated }) => {
        return { field, valueJson, problem, accepted, format, range, acceptedTruncated };
      },
    );
    this.alternatives = proto.alternatives.map(({ tool, argumentsJson, label }) => {
      return { tool, argumentsJson, label };
    });
    this.blockedBy = proto.blockedBy;
    this.unblockWith = proto.unblockWith;
    this.maybeExecuted = proto.maybeExecuted;
    this.observation = proto.observation;
  }

  get proto(): ToolError {
    return this.#proto;
  }

  /** Names class, code and message. */
  override toString(): string {
    return named(this.name, this.errorClass, this.code, this.message);
  }
}

function named(...parts: string[]): string {
  return parts.filter((part) => part !== "").join(": ");
}

function classOf(wire: WireClass): ErrorClass {
  switch (wire) {
    case WireClass.TRANSIENT:
      return "transient";
    case WireClass.INVALID_REQUEST:
      return "invalid_request";
    default:
      return "terminal";
  }
}

/** Rounds up to a millisecond; what no timer can hold is the longest. */
export function milliseconds(seconds: number): number {
  if (!(seconds > 0)) return 0; // NaN too
  return Math.min(Math.ceil(seconds * 1000 - 1e-6), Number.MAX_SAFE_INTEGER); // 1.1 s is 1100.0000000000002 ms
}

/** The names of gRPC's status codes, by number. */
const STATUS_CODES = [
  "OK",
  "CANCELLED",
  "UNKNOWN",
  "INVALID_ARGUMENT",
  "DEADLINE_EXCEEDED",
  "NOT_FOUND",
  "ALREADY_EXISTS",
  "PERMISSION_DENIED",
  "RESOURCE_EXHAUSTED",
  "FAILED_PRECONDITION",
  "ABORTED",
  "OUT_OF_RANGE",
  "UNIMPLEMENTED",
  "INTERNAL",
  "UNAVAILABLE",
  "DATA_LOSS",
  "UNAUTHENTICATED",
] as const;

/** A gRPC status code by its name, for example `UNAVAILABLE`. */
export type StatusCode = (typeof STATUS_CODES)[number];

/** What more is known of a failed rpc. */
export interface GatewayErrorDetails extends ErrorOptions {
  reason?: string;
  retryAfterMs?: number;
}

/** An rpc that failed: never the tool's fault. The gateway, the network or this program is. */
export class GatewayError extends Error {
  static {
    this.prototype.name = "GatewayError";
  }

  readonly code: StatusCode;
  /** The gateway's own word, for example `GATEWAY_FULL`; empty where the gateway did not speak. */
  readonly reason: string;
  /** What the gateway asked to wait, in milliseconds, if anything. */
  readonly retryAfterMs: number | undefined;

  constructor(code: StatusCode, message: string, details: GatewayErrorDetails = {}) {
    super(message, details);
    this.code = code;
    this.reason = details.reason ?? "";
    this.retryAfterMs = details.retryAfterMs;
  }

  /** Names code, reason and message. */
  override toString(): string {
    return named(this.name, this.code, this.reason, this.message);
  }
}

/** Makes a GatewayError of what an rpc threw; `closed` tells whether this client had been closed. */
export function gatewayError(error: unknown, closed: boolean): unknown {
  if (!(error instanceof ConnectError)) return error;
  const details: GatewayErrorDetails = { cause: error };
  for (const detail of error.details) {
    if (!("type" in detail)) continue;
    try {
      read(detail.type, detail.value, details);
    } catch {
      continue; // what can't be read is left out
    }
  }
  return new GatewayError(codeOf(error, closed), error.rawMessage, details);
}

function read(type: string, value: Uint8Array, details: GatewayErrorDetails): void {
  const first = firstField(value);
  if (first && type === "google.rpc.ErrorInfo") details.reason = new TextDecoder().decode(first);
  if (first && type === "google.rpc.RetryInfo") {
    const delay = fromBinary(DurationSchema, first);
    details.retryAfterMs = milliseconds(Number(delay.seconds) + delay.nanos / 1e9);
  }
}

/** Where no status arrived, connect tells how the stream broke off. To gRPC all of that is UNAVAILABLE. */
function codeOf(error: ConnectError, closed: boolean): StatusCode {
  const broken = [Code.Canceled, Code.Aborted, Code.Internal].includes(error.code);
  if (broken && !error.metadata.has("grpc-status")) return closed ? "CANCELLED" : "UNAVAILABLE";
  return error.code in Code ? STATUS_CODES[error.code] : "UNKNOWN";
}

/** Field 1, which is all that is read of ErrorInfo (its reason) and of RetryInfo (its delay). */
function firstField(message: Uint8Array): Uint8Array | undefined {
  const reader = new BinaryReader(message);
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (field === 1 && wireType === WireType.LengthDelimited) return reader.bytes();
    reader.skip(wireType, field);
  }
  return undefined;
}
