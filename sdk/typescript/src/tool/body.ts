import type { ToolError } from "toolgate-proto/toolgate/v1/tool_error_pb";

import type { ErrorClass } from "../errors.js";

/** The canonical body of an HTTP answer, in the order in which it is read. */
export function bodyOf(e: ToolError, errorClass: ErrorClass): string {
  return object({
    error: JSON.stringify(e.code),
    class: JSON.stringify(errorClass),
    retryable: JSON.stringify(errorClass === "transient"),
    message: JSON.stringify(e.message),
    retry_after: e.retryAfter?.toString(),
    violations: list(e.violations.map(violation)),
    violations_truncated: flag(e.violationsTruncated),
    requested: e.requestedJson,
    facts: e.factsJson,
    alternatives: list(e.alternatives.map(alternative)),
    alternatives_truncated: flag(e.alternativesTruncated),
    blocked_by: said(e.blockedBy),
    unblock_with: said(e.unblockWith),
    maybe_executed: flag(e.maybeExecuted),
    partial: flag(e.partial),
  });
}

function violation(v: ToolError["violations"][number]): string {
  return object({
    field: JSON.stringify(v.field),
    problem: JSON.stringify(v.problem),
    accepted: list(v.accepted.map((value) => JSON.stringify(value))),
    format: said(v.format),
    range: said(v.range),
    accepted_truncated: flag(v.acceptedTruncated),
  });
}

function alternative(a: ToolError["alternatives"][number]): string {
  return object({ tool: JSON.stringify(a.tool), arguments: a.argumentsJson, label: said(a.label) });
}

/** The members that have a text. Texts of JSON stand as they are: no digit of theirs is read again. */
function object(members: Record<string, string | undefined>): string {
  const said = Object.entries(members).filter(([, text]) => text);
  return `{${said.map(([key, text]) => `"${key}":${text ?? ""}`).join(",")}}`;
}

function list(texts: string[]): string | undefined {
  return texts.length === 0 ? undefined : `[${texts.join(",")}]`;
}

function said(text: string): string | undefined {
  return text === "" ? undefined : JSON.stringify(text);
}

function flag(set: boolean): string | undefined {
  return set ? "true" : undefined;
}
