import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  ErrorClass as WireClass,
  type ToolError,
  ToolErrorSchema,
} from "toolgate-proto/toolgate/v1/tool_error_pb";

import type { ErrorClass } from "../errors.js";
import { written } from "../json.js";
import type { Details, Problem, Proposal } from "./failure.js";

// Bounds of the contract, in bytes and items. The gateway cuts what is larger; a tool does not send it.
const CODE = 64;
const MESSAGE = 512;
const PROBLEM = 160;
const FORMAT = 96;
const TOOL = 128;
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

type Init = MessageInitShape<typeof ToolErrorSchema>;
type ViolationInit = NonNullable<Init["violations"]>[number];
type AlternativeInit = NonNullable<Init["alternatives"]>[number];

/** What is sent of a failure: the contract's message, within its bounds. */
export function bounded(errorClass: ErrorClass, code: string, message: string, details: Details): ToolError {
  const { blockedBy = "", unblockWith = "" } = details;
  const listed = details.problems ?? [];
  const problems = errorClass === "invalid_request" && listed.length === 0 ? [{}] : listed;
  const alternatives = (details.alternatives ?? []).flatMap(alternativeOf);
  return create(ToolErrorSchema, {
    errorClass: WIRE[errorClass],
    code: cut(code, CODE),
    message: cut(message, MESSAGE),
    ...(errorClass === "transient" && { retryAfter: seconds(details.retryAfterMs ?? 0) }),
    violations: problems.slice(0, PROBLEMS).map((problem) => violationOf(problem, message)),
    violationsTruncated: problems.length > PROBLEMS,
    requestedJson: membersOf(details.requested),
    factsJson: membersOf(details.facts),
    alternatives: alternatives.slice(0, PROPOSALS),
    alternativesTruncated: alternatives.length > PROPOSALS,
    blockedBy: cut(blockedBy, CODE),
    unblockWith: blockedBy && whole(unblockWith, CODE) ? cut(unblockWith, CODE) : "",
    maybeExecuted: details.maybeExecuted ?? false,
    partial: details.partial ?? false,
  });
}

/** Rounds up: to a millisecond, from ten seconds on to a second. */
function seconds(ms: number): number {
  if (!(ms > 0 && ms < Infinity)) return 0; // NaN too
  return ms < FINE_MS ? Math.ceil(ms) / 1000 : Math.ceil(ms / 1000);
}

function violationOf(fault: Problem, message: string): ViolationInit {
  const { field = "", problem = "", format = "", range = "" } = fault;
  const accepted = nearest(fault.accepted ?? []);
  return {
    field: cut(field, CODE),
    problem: cut(problem === "" ? message : problem, PROBLEM),
    accepted,
    acceptedTruncated: accepted.length < (fault.accepted?.length ?? 0),
    format: cut(format, FORMAT),
    range: cut(range, FORMAT),
  };
}

/** The accepted values that fit, up to the first that does not. */
function nearest(accepted: readonly string[]): string[] {
  let left = ACCEPTED.bytes;
  const end = accepted.findIndex((value) => (left -= Buffer.byteLength(value)) < 0);
  const fit = end < 0 ? accepted : accepted.slice(0, end);
  return fit.slice(0, ACCEPTED.items).map((value) => cut(value, ACCEPTED.bytes));
}

/** The call, or none where it does not fit: cut, it would be another. */
function alternativeOf({ tool, arguments: args, label = "" }: Proposal): AlternativeInit[] {
  const argumentsJson = args ? objectOf(args) : "";
  if (argumentsJson === undefined || !whole(tool, TOOL)) return [];
  return [{ tool: cut(tool, TOOL), argumentsJson, label: cut(label, LABEL) }];
}

/** What an object holds, as JSON; empty where that is nothing, or can't be said. */
function membersOf(value: object | undefined): string {
  const text = value && objectOf(value);
  return text === undefined || text === "{}" ? "" : text;
}

/** The JSON of an object; undefined where it has none or is too large: the failure is told all the same. */
function objectOf(value: object): string | undefined {
  try {
    const text = written(value);
    return text.startsWith("{") && whole(text, OBJECT) ? text : undefined;
  } catch {
    return undefined;
  }
}

function whole(text: string, limit: number): boolean {
  return Buffer.byteLength(text) <= limit;
}

/** Cuts to a number of bytes, between characters; half a character is replaced. */
export function cut(text: string, limit: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return bytes.toString();
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, limit), { stream: true });
}
