import type { ToolError } from "toolgate-proto/toolgate/v1/tool_error_pb";

import type { ErrorClass } from "../errors.js";
import { bodyOf } from "./body.js";
import { bounded } from "./bounded.js";

/** One fault in the arguments. Say what is accepted in one of its three ways. */
export interface Problem {
  /** `a.b[0].c`; empty: the arguments as a whole. */
  field?: string;
  /** What is wrong; empty: the failure's message. */
  problem?: string;
  /** The accepted values, nearest first. */
  accepted?: readonly string[];
  /** The accepted format, for example `YYYY-MM-DD`. */
  format?: string;
  /** The accepted range, for example `0.01 to 500.00`. */
  range?: string;
}

/**
 * A call to make in place of the failed one. It is left out whole where `tool` is longer than 128
 * bytes, or `arguments` are no JSON object of at most 512.
 */
export interface Proposal {
  tool: string;
  /** Complete, ready to call; undefined: only the tool is proposed. */
  arguments?: object;
  /** What it is, for people and models. */
  label?: string;
}

/** What a failure can say beside class, code and message. */
export interface Details {
  /** Transient: how long to wait, in milliseconds; 0 leaves the wait to the gateway. */
  retryAfterMs?: number;
  /** Invalid request: what is wrong; eight are kept. Without any, the arguments as a whole are. */
  problems?: readonly Problem[];
  /** Nearest first; three are kept. */
  alternatives?: readonly Proposal[];
  /** The condition that blocks the call. */
  blockedBy?: string;
  /** The tool that changes that condition; left out without one, and over 64 bytes. */
  unblockWith?: string;
  /** The part of the request that matters. What is no JSON object of at most 512 bytes is left out. */
  requested?: object;
  /** The numbers of the boundary that was hit; bound as `requested`. */
  facts?: object;
  /** The call may have taken effect: it is not repeated unless that is safe. */
  maybeExecuted?: boolean;
  /** A part of the call took effect: an invalid request names the items that failed, to be sent alone. */
  partial?: boolean;
}

/** A failed call of a tool: throw what the functions of this module make. */
export class ToolFailure extends Error {
  static {
    this.prototype.name = "ToolFailure";
  }

  /** The contract's message, within its bounds. */
  readonly proto: ToolError;
  /** The status of an HTTP answer, for consumers that look only there. */
  readonly status: number;
  readonly errorClass: ErrorClass;

  /** A transient failure had no effect: one that had, or may have had, is terminal, status 500. */
  constructor(
    status: number,
    errorClass: ErrorClass,
    readonly code: string,
    message: string,
    details: Details = {},
  ) {
    super(message);
    const hadEffect = (details.maybeExecuted ?? false) || (details.partial ?? false);
    const over = errorClass === "transient" && hadEffect;
    this.status = over ? 500 : status;
    this.errorClass = over ? "terminal" : errorClass;
    this.proto = bounded(this.errorClass, code, message, details);
  }

  /** The headers of an HTTP answer. */
  get headers(): Record<string, string> {
    const headers = { "Content-Type": "application/json", "X-Content-Type-Options": "nosniff" };
    const wait = Math.ceil(this.proto.retryAfter ?? 0);
    return wait > 0 ? { ...headers, "Retry-After": wait.toString() } : headers;
  }

  /** The canonical body of an HTTP answer. */
  get body(): string {
    return bodyOf(this.proto, this.errorClass);
  }
}

/** What all failures but an invalid request can say: the gateway reads problems of no other. */
type Others = Omit<Details, "problems">;

/** What an invalid request can say; `problems` may be empty, but tells this from one problem. */
export type Faults = Omit<Details, "retryAfterMs"> & Required<Pick<Details, "problems">>;

/**
 * Time cures it: after `retryAfterMs` the gateway sends the identical call again. It must be
 * certain that the call took no effect.
 */
export function transient(code: string, message: string, details?: Others): ToolFailure {
  return new ToolFailure(503, "transient", code, message, details);
}

/** `transient` to a caller that asked too often. */
export function rateLimited(code: string, message: string, details?: Others): ToolFailure {
  return new ToolFailure(429, "transient", code, message, details);
}

/**
 * Other arguments may do; without a problem, the arguments as a whole are wrong. With details, it
 * says more than problems:
 *
 *     throw invalidRequest("over_limit", "750.5 is above 500.5", {
 *       problems: [{ field: "amount", range: "0.01 to 500.5" }],
 *       facts: { limit: 500.5, requested: 750.5 },
 *     });
 */
export function invalidRequest(code: string, message: string, ...problems: Problem[]): ToolFailure;
export function invalidRequest(code: string, message: string, details: Faults): ToolFailure;
export function invalidRequest(code: string, message: string, ...said: (Problem | Faults)[]): ToolFailure {
  const [first] = said;
  const details = first && "problems" in first ? first : { problems: said as Problem[] };
  return new ToolFailure(400, "invalid_request", code, message, details);
}

/** This call is over: nobody can send it again to any avail. */
export function terminal(code: string, message: string, details?: Omit<Others, "retryAfterMs">): ToolFailure {
  return new ToolFailure(422, "terminal", code, message, details);
}

/** `terminal` to a caller that may not do this; it is blocked by `permission` unless details say otherwise. */
export function forbidden(
  code: string,
  message: string,
  details?: Omit<Others, "retryAfterMs">,
): ToolFailure {
  const blockedBy = details?.blockedBy ?? "permission";
  return new ToolFailure(403, "terminal", code, message, { ...details, blockedBy });
}
