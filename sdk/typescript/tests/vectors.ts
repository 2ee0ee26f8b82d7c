/** What a tool says, and what must come of it in every language. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import {
  type Details,
  forbidden,
  invalidRequest,
  rateLimited,
  terminal,
  type ToolFailure,
  transient,
} from "../src/tool/index.js";

interface Vector {
  name: string;
  kind: "transient" | "rate_limited" | "invalid_request" | "terminal" | "forbidden";
  code: string;
  message: string;
  retry_after_ms?: number;
  problems?: Details["problems"];
  alternatives?: Details["alternatives"];
  blocked_by?: string;
  unblock_with?: string;
  requested?: object;
  facts?: object;
  maybe_executed?: boolean;
  partial?: boolean;
  want: Want;
}

interface Want {
  status: number;
  /** The header; undefined: none. */
  retry_after?: string;
  body: string;
  grpc_code: number;
  /** How much trailers hold of a failure that is larger. */
  detail?: { violations: number; accepted: number; alternatives: number };
}

export const vectors = JSON.parse(readFileSync("../../conformance/tool-failures.json", "utf8")) as Vector[];
assert.ok(vectors.length >= 40, `${vectors.length.toString()} vectors`);

/** The failure, said as an author of tools would. */
export function failureOf(vector: Vector): ToolFailure {
  const { kind, code, message, problems = [], ...rest } = vector;
  const { alternatives, requested, facts, partial, retry_after_ms: retryAfterMs } = rest;
  const said = {
    ...{ alternatives, requested, facts, partial },
    blockedBy: rest.blocked_by,
    unblockWith: rest.unblock_with,
    maybeExecuted: rest.maybe_executed,
  };
  switch (kind) {
    case "transient":
      return transient(code, message, { ...said, retryAfterMs });
    case "rate_limited":
      return rateLimited(code, message, { ...said, retryAfterMs });
    case "invalid_request":
      if (Object.values(said).every((value) => value === undefined))
        return invalidRequest(code, message, ...problems);
      return invalidRequest(code, message, { ...said, problems });
    case "terminal":
      return terminal(code, message, said);
    case "forbidden":
      return forbidden(code, message, said);
  }
}

/** Asks for every vector's failure, at `/failure/` and its number. */
export async function askForAll(url: string): Promise<void> {
  for (const [number, { name, want }] of vectors.entries()) {
    const response = await fetch(`${url}/failure/${number.toString()}`);
    const { status, headers } = response;
    assert.deepEqual([status, headers.get("retry-after")], [want.status, want.retry_after ?? null], name);
    assert.match(headers.get("content-type") ?? "", /^application\/json/, name);
    assert.equal(await response.text(), want.body, name);
  }
}
