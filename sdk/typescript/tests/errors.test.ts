/** What needs no gateway: classes and numbers that no gateway sends today. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { create, fromBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { CallToolResponseSchema } from "toolgate-proto/toolgate/v1/call_pb";
import { ListToolsResponseSchema } from "toolgate-proto/toolgate/v1/gateway_pb";
import { ErrorClass, ToolErrorSchema } from "toolgate-proto/toolgate/v1/tool_error_pb";

import { messageOf, resultOf } from "../src/call.js";
import { gatewayError, milliseconds } from "../src/errors.js";
import { Client, GatewayError, ToolCallError, ToolList } from "../src/index.js";
import { Patience } from "../src/patience.js";

for (const number of [0, 3, 7]) {
  test(`class ${number.toString()} reads as terminal`, () => {
    const proto = fromBinary(ToolErrorSchema, new Uint8Array([8, number]));
    assert.equal(new ToolCallError(proto).errorClass, "terminal");
  });
}

test("every number of seconds is a wait", () => {
  const waits: [number, number][] = [
    [0, 0],
    [-1, 0],
    [NaN, 0],
    [0.0000015, 1],
    [1.1, 1100],
    [2.0001, 2001],
    [42, 42_000],
    [1e300, Number.MAX_SAFE_INTEGER],
    [Infinity, Number.MAX_SAFE_INTEGER],
  ];
  for (const [seconds, wait] of waits) assert.equal(milliseconds(seconds), wait, seconds.toString());
});

test("patience ends with its time and with every other class", () => {
  const transient = create(ToolErrorSchema, { errorClass: ErrorClass.TRANSIENT });
  assert.equal(new Patience(10_000).waitMs(new ToolCallError(transient)), 50);
  transient.retryAfter = 2.5;
  assert.equal(new Patience(10_000).waitMs(new ToolCallError(transient)), 2500);
  assert.equal(new Patience(Infinity).waitMs(new ToolCallError(transient)), 2500);
  for (const within of [0, 2400, NaN])
    assert.throws(() => new Patience(within).waitMs(new ToolCallError(transient)), ToolCallError);
  transient.exhausted = true;
  assert.throws(() => new Patience(10_000).waitMs(new ToolCallError(transient)), ToolCallError);
  const terminal = new ToolCallError(create(ToolErrorSchema, { errorClass: ErrorClass.TERMINAL }));
  assert.throws(() => new Patience(10_000).waitMs(terminal), ToolCallError);
  assert.throws(() => new Patience(10_000).waitMs(new GatewayError("UNAVAILABLE", "")), GatewayError);
});

test("an error names what is known", () => {
  const said = { errorClass: ErrorClass.TERMINAL, code: "gone", message: "It is gone." };
  const failed = new ToolCallError(create(ToolErrorSchema, said));
  assert.equal(
    `${failed.toString()} ${failed.message}`,
    "ToolCallError: terminal: gone: It is gone. It is gone.",
  );
  const drained = new GatewayError("UNAVAILABLE", "later", { reason: "DRAINING" });
  assert.equal(drained.toString(), "GatewayError: UNAVAILABLE: DRAINING: later");
  assert.equal(new GatewayError("UNKNOWN", "").toString(), "GatewayError: UNKNOWN");
});

test("details that can't be read are left out", () => {
  const broken = new ConnectError("full", Code.ResourceExhausted, { "grpc-status": "8" });
  for (const type of ["google.rpc.ErrorInfo", "google.rpc.RetryInfo"])
    broken.details.push({ type, value: new Uint8Array([10, 5, 1]) });
  const error = gatewayError(broken, false);
  assert.ok(error instanceof GatewayError);
  assert.deepEqual([error.code, error.reason, error.retryAfterMs], ["RESOURCE_EXHAUSTED", "", undefined]);
});

test("every schema says object", () => {
  const want: [string, object][] = [
    ["", { type: "object" }],
    ["true", { type: "object" }],
    ['{"required":["a"]}', { type: "object", required: ["a"] }],
    ['{"type":["object"]}', { type: ["object"] }],
  ];
  for (const [inputSchemaJson, schema] of want) {
    const tools = new ToolList(create(ListToolsResponseSchema, { tools: [{ inputSchemaJson }] }));
    assert.deepEqual(tools.openai()[0]?.parameters, schema);
    assert.deepEqual(tools.mcp()[0]?.inputSchema, schema);
  }
});

test("what a model wrote is sent as it stands", () => {
  const text = (args: object | string | undefined) => messageOf({ tool: "t", arguments: args }).argumentsJson;
  assert.equal(text('{"a": 1,}'), '{"a": 1,}');
  assert.equal(text({ a: "é<>", n: 2n ** 64n }), '{"a":"é<>","n":18446744073709551616}');
  assert.equal(text(undefined), "");
  assert.equal(text('{"half":"\ud83d","whole":"😀"}'), '{"half":"\\ud83d","whole":"😀"}');
});

test("an outcome of the future is no answer", () => {
  assert.throws(() => resultOf(create(CallToolResponseSchema)), { name: "GatewayError", code: "UNKNOWN" });
});

test("a target is host:port", () => {
  for (const target of ["127.0.0.1:1", "[::1]:1", "gateway:7440"]) new Client(target).close();
  for (const target of ["", "http://gateway:1", "gateway:1/path", "a b"])
    assert.throws(() => new Client(target), TypeError, target);
});
