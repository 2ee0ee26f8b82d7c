/** A failure is the same in every language: in its body, its status, its header and its rpc's status. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { toBinary } from "@bufbuild/protobuf";
import { type ToolError, ToolErrorSchema } from "toolgate-proto/toolgate/v1/tool_error_pb";

import {
  connectError,
  forbidden,
  invalidRequest,
  terminal,
  ToolFailure,
  transient,
} from "../src/tool/index.js";
import { failureOf, vectors } from "./vectors.js";

for (const vector of vectors) {
  const { name, want } = vector;
  test(name, () => {
    const failure = failureOf(vector);
    const { status, headers, body, proto } = failure;
    assert.equal(body, want.body);
    assert.deepEqual([status, headers["Retry-After"]], [want.status, want.retry_after]);
    const error = connectError(failure);
    assert.equal(error.code, want.grpc_code);
    const [detail] = error.findDetails(ToolErrorSchema);
    assert.ok(detail);
    if (want.detail) shortened(detail, want.detail);
    else assert.deepEqual(detail, proto);
  });
}

function shortened(e: ToolError, want: object): void {
  const { violations, alternatives } = e;
  const left = { violations: violations.length, accepted: violations[0]?.accepted.length };
  assert.deepEqual({ ...left, alternatives: alternatives.length }, want);
  assert.deepEqual([e.violationsTruncated, e.factsJson, e.requestedJson], [true, "", ""]);
  assert.ok(toBinary(ToolErrorSchema, e).length <= 4096);
}

test("what is longest leaves trailers first", () => {
  const long = { text: "x".repeat(480) };
  const alternative = { tool: "t".repeat(128), arguments: long, label: "l".repeat(80) };
  const problem = { accepted: ["v".repeat(128), "w".repeat(128)], problem: "p".repeat(160) };
  const said = { requested: long, facts: long, alternatives: Array<typeof alternative>(3).fill(alternative) };
  const message = "m".repeat(512);
  const left = (many: number) => {
    const failure = invalidRequest("c", message, { ...said, problems: Array<object>(many).fill(problem) });
    const [e] = connectError(failure).findDetails(ToolErrorSchema);
    assert.ok(e);
    return [e.factsJson !== "", e.requestedJson !== "", e.violations.length, e.alternatives.length];
  };
  assert.deepEqual(
    [left(1), left(2), left(8)],
    [
      [true, true, 1, 3],
      [false, true, 2, 3],
      [false, false, 3, 3],
    ],
  );
});

test("the contract holds whoever makes the failure", () => {
  const late = new ToolFailure(503, "transient", "cut", "Cut.", { partial: true, retryAfterMs: 1000 });
  assert.deepEqual([late.status, late.errorClass, late.proto.retryAfter], [500, "terminal", undefined]);
  assert.equal(transient("busy", "Later.", { retryAfterMs: NaN }).proto.retryAfter, 0);
  const { proto } = forbidden("no_role", "Not yours.", { unblockWith: "request_role" });
  assert.deepEqual([proto.blockedBy, proto.unblockWith], ["permission", "request_role"]);
  assert.equal(forbidden("no_role", "Not yours.", { blockedBy: "role" }).proto.blockedBy, "role");
  const [fault] = invalidRequest("bad", "Wrong.", { field: "a", problem: "" }).proto.violations;
  assert.equal(fault?.problem, "Wrong.");
});

test("an invalid request says a problem, or all that a failure can", () => {
  const problem = { field: "a", problem: "is no date" };
  const one = invalidRequest("bad", "Wrong.", problem);
  assert.deepEqual(invalidRequest("bad", "Wrong.", { problems: [problem] }).proto, one.proto);
  assert.deepEqual(
    invalidRequest("bad", "Wrong.", { problems: [] }).proto,
    invalidRequest("bad", "Wrong.").proto,
  );
  // @ts-expect-error: without its problems nothing tells details from a problem
  invalidRequest("bad", "Wrong.", { facts: { limit: 1 } });
});

test("what is no JSON object is left out, and the failure is told all the same", () => {
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  for (const none of [circle, { when: new Map() }, { n: NaN }, [1], new Date(0), { a: undefined }]) {
    const alternatives = [{ tool: "t", arguments: none }, { tool: "u" }];
    const { proto, body } = terminal("c", "m", { facts: none, requested: none, alternatives });
    assert.deepEqual([proto.factsJson, proto.requestedJson], ["", ""]);
    const left = "a" in none ? '{"tool":"t","arguments":{}},' : "";
    assert.ok(body.endsWith(`"message":"m","alternatives":[${left}{"tool":"u"}]}`), body);
  }
});

test("no digit of facts is lost, and no half of a character is sent", () => {
  const { body, proto } = terminal("c", "m\ud83d", { facts: { n: 2n ** 64n, half: "\ud83d" } });
  assert.match(body, /"message":"m\ufffd","facts":\{"n":18446744073709551616,"half":"\\ud83d"\}/);
  assert.equal(proto.factsJson, '{"n":18446744073709551616,"half":"\\ud83d"}');
  const { violations } = invalidRequest("c", "m", { accepted: ["a\ud83d"] }).proto;
  assert.deepEqual(violations[0]?.accepted, ["a\ufffd"]);
});
