import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  ErrorClass as WireClass,
  type ToolError,
  ToolErrorSchema,
} from "toolgate-proto/toolgate/v1/tool_error_pb";

import type { ErrorClass } from "../errors.js";
import { written } from "../json.js";

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

/** A call to make in place of the failed one. */
export interface Proposal {
  tool: string;
  /** Complete, ready to call. */
  arguments?: object;
  /** What it is, for people and models. */
  label?: string;
}

/** What a failure can say beside class, code and message. */
export interface Details {
  /** Transient: how long to wait, in milliseconds; 0 leaves the wait to the gateway. */
  retryAfterMs?: number;
  problems?: readonly Problem[];
  alternatives?: readonly Proposal[];
  /** The condition that blocks the call. */
  blockedBy?: string;
  /** The tool that changes that condition. */
  unblockWith?: string;
  /** The numbers of the boundary that was hit. */
  facts?: object;
  /** The call may have taken effect. */
  maybeExecuted?: boolean;
}

// Bounds of the contract, in bytes and items.
const CODE = 64;
const MESSAGE = 512;
const TEXT = 160;
const LABEL = 80;
const OBJECT = 512;
const PROBLEMS = 8;
const ACCEPTED = { items: 20, bytes: 256 };
const PROPOSALS = 3;
const FINE_MS = 10_000; // longer waits are whole seconds

const WIRE = {
  transient: WireClass.TRANSIENT,
  invalid_request: WireClass.INVALID_REQUEST,
  terminal: WireClass.TERMINAL,
};

/** A failed call of a tool: throw what the functions of this module make. */
export class ToolFailure extends Error {
  static {
    this.prototype.name = "ToolFailure";
  }

  /** The contract's message, within its bounds. */
  readonly proto: ToolError;
  readonly #facts: object | undefined;
  readonly #proposals: readonly Proposal[];

  /** The status of an HTTP answer, for consumers that look only there. */
  readonly status: number;
  readonly errorClass: ErrorClass;

  /** A transient failure had no effect: one that may have had is terminal, status 500. */
  constructor(
    status: number,
    errorClass: ErrorClass,
    readonly code: string,
    message: string,
    details: Details = {},
  ) {
    super(message);
    const over = errorClass === "transient" && details.maybeExecuted === true;
    this.status = over ? 500 : status;
    this.errorClass = over ? "terminal" : errorClass;
    // What does not fit is left out: cut, it would be something else.
    this.#facts = details.facts && fits(details.facts) ? details.facts : undefined;
    const proposals = (details.alternatives ?? []).filter((call) => !call.arguments || fits(call.arguments));
    this.#proposals = proposals.slice(0, PROPOSALS);
    this.proto = protoOf(this, { ...details, facts: this.#facts, alternatives: this.#proposals });
    this.proto.alternativesTruncated = proposals.length > PROPOSALS;
  }

  /** The headers of an HTTP answer. */
  get headers(): Record<string, string> {
    const headers = { "Content-Type": "application/json", "X-Content-Type-Options": "nosniff" };
    const wait = Math.ceil(this.proto.retryAfter ?? 0);
    return wait > 0 ? { ...headers, "Retry-After": wait.toString() } : headers;
  }

  /** The canonical body of an HTTP answer. */
  get body(): string {
    const e = this.proto;
    return written({
      error: e.code,
      class: this.errorClass,
      retryable: this.errorClass === "transient",
      message: e.message,
      retry_after: e.retryAfter,
      violations: some(e.violations.map(violation)),
      alternatives: some(
        e.alternatives.map(({ tool, label }, i) => {
          return { tool, arguments: this.#proposals[i]?.arguments, label: said(label) };
        }),
      ),
      facts: this.#facts,
      blocked_by: said(e.blockedBy),
      unblock_with: said(e.unblockWith),
      maybe_executed: e.maybeExecuted || undefined,
    });
  }
}

/**
 * Time cures it: after `retryAfterMs` the gateway sends the identical call again. It must be
 * certain that the call took no effect.
 */
export function transient(
  code: string,
  message: string,
  details?: Pick<Details, "retryAfterMs">,
): ToolFailure {
  return new ToolFailure(503, "transient", code, message, details);
}

/** `transient` to a caller that asked too often. */
export function rateLimited(
  code: string,
  message: string,
  details?: Pick<Details, "retryAfterMs">,
): ToolFailure {
  return new ToolFailure(429, "transient", code, message, details);
}

/** Other arguments may do; without a problem, the arguments as a whole are wrong. */
export function invalidRequest(code: string, message: string, ...problems: Problem[]): ToolFailure {
  return new ToolFailure(400, "invalid_request", code, message, { problems });
}

/** This call is over: nobody can send it again to any avail. */
export function terminal(
  code: string,
  message: string,
  details?: Omit<Details, "retryAfterMs" | "problems">,
): ToolFailure {
  return new ToolFailure(422, "terminal", code, message, details);
}

/** `terminal` to a caller that may not do this. */
export function forbidden(code: string, message: string): ToolFailure {
  return new ToolFailure(403, "terminal", code, message, { blockedBy: "permission" });
}

function protoOf({ errorClass, code, message }: ToolFailure, details: Details): ToolError {
  const { alternatives = [], blockedBy = "", unblockWith = "", facts, maybeExecuted = false } = details;
  const listed = details.problems ?? [];
  const problems = errorClass === "invalid_request" && listed.length === 0 ? [{}] : listed;
  return create(ToolErrorSchema, {
    errorClass: WIRE[errorClass],
    code: cut(code, CODE),
    message: cut(message, MESSAGE),
    ...(errorClass === "transient" && { retryAfter: seconds(details.retryAfterMs ?? 0) }),
    violations: problems.slice(0, PROBLEMS).map((problem) => violationOf(problem, message)),
    violationsTruncated: problems.length > PROBLEMS,
    alternatives: alternatives.map(({ tool, arguments: args, label = "" }) => {
      return { tool: cut(tool, CODE), argumentsJson: args ? written(args) : "", label: cut(label, LABEL) };
    }),
    blockedBy: cut(blockedBy, CODE),
    unblockWith: blockedBy && cut(unblockWith, CODE),
    factsJson: facts ? written(facts) : "",
    maybeExecuted,
  });
}

/** Rounds up: to a millisecond, from ten seconds on to a second. */
function seconds(ms: number): number {
  if (!(ms > 0 && ms < Infinity)) return 0; // NaN too
  return ms < FINE_MS ? Math.ceil(ms) / 1000 : Math.ceil(ms / 1000);
}

type ViolationInit = NonNullable<MessageInitShape<typeof ToolErrorSchema>["violations"]>[number];

function violationOf(fault: Problem, message: string): ViolationInit {
  const accepted: string[] = [];
  let left = ACCEPTED.bytes;
  for (const value of (fault.accepted ?? []).slice(0, ACCEPTED.items)) {
    left -= Buffer.byteLength(value);
    if (left < 0) break;
    accepted.push(value);
  }
  return {
    field: cut(fault.field ?? "", CODE),
    problem: cut(said(fault.problem ?? "") ?? message, TEXT),
    accepted,
    acceptedTruncated: accepted.length < (fault.accepted?.length ?? 0),
    format: cut(fault.format ?? "", TEXT),
    range: cut(fault.range ?? "", TEXT),
  };
}

function fits(value: object): boolean {
  try {
    return Buffer.byteLength(written(value)) <= OBJECT;
  } catch {
    return false; // what is no JSON: the failure is told all the same
  }
}

function violation(v: ToolError["violations"][number]) {
  const { field, problem, accepted, format, range } = v;
  return {
    field,
    problem,
    accepted: some(accepted),
    format: said(format),
    range: said(range),
    accepted_truncated: v.acceptedTruncated || undefined,
  };
}

function said(text: string): string | undefined {
  return text === "" ? undefined : text;
}

function some<T>(list: T[]): T[] | undefined {
  return list.length === 0 ? undefined : list;
}

/** Cuts to a number of bytes, between characters; half a character is replaced. */
export function cut(text: string, limit: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return bytes.toString();
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, limit), { stream: true });
}
