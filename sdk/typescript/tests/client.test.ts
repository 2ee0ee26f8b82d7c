/** The client against a real gateway. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { test } from "node:test";

import { Client, GatewayError, ToolCallError } from "../src/index.js";
import { all, failure, Stage } from "./stage.js";

test("an answer keeps its digits and parses", async () => {
  await using stage = await Stage.start();
  stage.answer("/invoices", '{"total":12345678901234567890.10,"open":2}');
  using client = new Client(stage.target);
  await using run = client.run();
  const result = await run.call("list_invoices", { start_date: "03/14/2026" });
  assert.equal(result.text, '{"total":12345678901234567890.10,"open":2}');
  assert.deepEqual(result.json(), { total: Number("12345678901234567890.10"), open: 2 });
  assert.equal(result.proto.coercions[0]?.toJson, '"2026-03-14"');
  assert.deepEqual(stage.requests, ["/invoices?start_date=2026-03-14"]);
});

test("no digit of the arguments is lost", async () => {
  await using stage = await Stage.start();
  stage.answer("/notes", {});
  using client = new Client(stage.target);
  await using run = client.run();
  await run.call("put_note", { n: 18446744073709551616n, list: [-1n, 0.5], s: "é<>" });
  await run.call("put_note", '{"total":12345678901234567890.10}');
  const want = ['{"n":18446744073709551616,"list":[-1,0.5],"s":"é<>"}', '{"total":12345678901234567890.10}'];
  assert.deepEqual(stage.bodies, want);
});

test("a wrong argument is told with what is accepted", async () => {
  await using stage = await Stage.start();
  using client = new Client(stage.target);
  await using run = client.run();
  const error = await failure(run.call("list_invoices", { status: "opn" }), ToolCallError);
  assert.equal(error.errorClass, "invalid_request");
  assert.deepEqual([error.code, error.retryAfterMs], ["invalid_arguments", undefined]);
  assert.equal(error.violations[0]?.field, "status");
  assert.deepEqual(error.violations[0].accepted, ["open", "paid"]);
  assert.match(error.observation, /"expected":\["open","paid"\]/);
  assert.equal(error.proto.code, error.code);
});

test("a run ends itself and is summed up", async () => {
  await using stage = await Stage.start();
  stage.answer("/invoices", {});
  using client = new Client(stage.target);
  const run = client.run("r1");
  {
    await using left = run;
    await left.call("list_invoices");
  }
  assert.deepEqual([run.summary?.runId, run.summary?.calls], ["r1", 1n]);
  assert.equal((await client.endRun("r1"))?.calls, 0n);
});

test("a transient failure is repeated by waitTransient alone", async () => {
  await using stage = await Stage.start();
  stage.answer("/invoices", "{}", 429, { "Retry-After": "1" });
  stage.answer("/invoices", { n: 1 });
  using client = new Client(stage.target);
  const error = await failure(client.call("list_invoices", undefined, "a"), ToolCallError);
  assert.deepEqual([error.errorClass, error.retryAfterMs], ["transient", 1000]);
  assert.equal(stage.requests.length, 1);
  const result = await client.waitTransient("list_invoices", undefined, "b", { withinMs: 20_000 });
  assert.deepEqual(result.json(), { n: 1 });
  assert.equal(stage.requests.length, 2);
});

test("waitTransient rejects at once what does not fit", async () => {
  await using stage = await Stage.start();
  stage.answer("/invoices", "{}", 429, { "Retry-After": "30" });
  using client = new Client(stage.target);
  const wait = client.waitTransient("list_invoices", undefined, "a", { withinMs: 5000 });
  assert.equal((await failure(wait, ToolCallError)).retryAfterMs, 30_000);
  assert.equal(stage.requests.length, 1);
});

test("an abort ends the sleep of waitTransient", async () => {
  await using stage = await Stage.start();
  stage.answer("/invoices", "{}", 429, { "Retry-After": "30" });
  using client = new Client(stage.target);
  const signal = AbortSignal.timeout(1000);
  const wait = client.waitTransient("list_invoices", undefined, "a", { withinMs: 60_000, signal });
  assert.equal(await failure(wait, DOMException), signal.reason);
});

test("outcomes of a batch stand alone", async () => {
  await using stage = await Stage.start();
  stage.answer("/balances/a", { balance: 42.1 });
  using client = new Client(stage.target);
  await using run = client.run();
  const calls = [
    { tool: "get_balance", arguments: { account_id: "a" } },
    { tool: "get_balance", arguments: "{not json" },
    { tool: "nowhere" },
  ];
  const outcomes = (await all(run.callMany(calls))).sort((a, b) => a.index - b.index);
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.ok ? outcome.result.json() : outcome.error.code)),
    [{ balance: 42.1 }, "malformed_json", "unknown_tool"],
  );
  assert.deepEqual(await all(run.callMany([])), []);
});

test("leaving a batch cancels the rest at the tool", async () => {
  await using stage = await Stage.start();
  stage.answer("/balances/a", {});
  using client = new Client(stage.target);
  const calls = ["hangs", "a"].map((account_id) => ({ tool: "get_balance", arguments: { account_id } }));
  for await (const outcome of client.callMany(calls, "run")) {
    assert.equal(outcome.index, 1);
    await stage.hung;
    break;
  }
  await stage.left;
});

test("an abort cancels a call at the tool and rejects with its reason", async () => {
  await using stage = await Stage.start();
  using client = new Client(stage.target);
  const abort = new AbortController();
  const reason = new Error("the user left");
  const { signal } = abort;
  const call = failure(client.call("list_invoices", undefined, "a", { signal }), Error);
  const batch = failure(all(client.callMany([{ tool: "list_invoices" }], "a", { signal })), Error);
  await stage.hung;
  abort.abort(reason);
  assert.deepEqual([await call, await batch], [reason, reason]);
  await stage.left;
  assert.equal(await failure(client.call("list_invoices", undefined, "a", { signal }), Error), reason);
});

test("closing the client cancels its calls at the tool", async () => {
  await using stage = await Stage.start();
  const client = new Client(stage.target);
  const call = failure(client.call("list_invoices", undefined, "a"), GatewayError);
  await stage.hung;
  client.close();
  assert.equal((await call).code, "CANCELLED");
  await stage.left;
  const late = await failure(client.call("list_invoices", undefined, "a"), GatewayError);
  assert.equal(late.code, "CANCELLED");
});

test("a status tells the gateway's reason", async () => {
  await using stage = await Stage.start();
  using client = new Client(stage.target);
  const error = await failure(client.call("list_invoices", undefined, ""), GatewayError);
  assert.deepEqual([error.code, error.reason !== ""], ["INVALID_ARGUMENT", true]);
});

test("a gateway that goes away mid-call is UNAVAILABLE, for each call of a batch", async () => {
  await using stage = await Stage.start();
  using client = new Client(stage.target);
  const calls = [{ tool: "list_invoices" }, { tool: "list_invoices", arguments: { status: "open" } }];
  const batch = all(client.callMany(calls, "a"));
  await stage.hung;
  await stage[Symbol.asyncDispose]();
  const codes = (await batch).map((outcome) => !outcome.ok && outcome.error.code);
  assert.deepEqual(codes, ["UNAVAILABLE", "UNAVAILABLE"]);
});

test("nobody there is no fault of the tool", async () => {
  using client = new Client("127.0.0.1:1", { deadlineMs: 5000 });
  const error = await failure(client.call("list_invoices", undefined, "a"), GatewayError);
  assert.equal(error.code, "UNAVAILABLE");
  const run = client.run();
  await run.end();
  assert.equal(run.summary, undefined);
});

test("the shapes carry the schema as it is", async () => {
  await using stage = await Stage.start();
  using client = new Client(stage.target);
  const tools = await client.listTools();
  assert.deepEqual(
    [...tools].map(({ name }) => name),
    ["book_slot", "get_balance", "list_invoices", "put_note"],
  );
  assert.equal(tools.length, 4);
  assert.notEqual(tools.contract, "");
  const schema = tools.anthropic()[1]?.input_schema;
  assert.deepEqual(schema, {
    type: "object",
    properties: { account_id: { type: "string" } },
    required: ["account_id"],
  });
  assert.deepEqual(tools.openai()[1]?.parameters, schema);
  assert.deepEqual(tools.openaiChat()[1]?.function.parameters, schema);
  assert.deepEqual(tools.gemini()[1]?.parametersJsonSchema, schema);
  assert.deepEqual(tools.mcp()[1]?.inputSchema, schema);
  assert.equal(tools.mcp()[1]?.annotations.readOnlyHint, true);
});

test("a token that changes is asked for with every rpc", async () => {
  await using stage = await Stage.start();
  let asked = 0;
  using client = new Client(stage.target, { token: () => `t${(++asked).toString()}` });
  await client.listTools();
  await client.listTools();
  assert.equal(asked, 2);
});

test("nobody waits long for the end of a run", async () => {
  const deaf = createServer().listen(0, "127.0.0.1");
  await once(deaf, "listening");
  using client = new Client(`127.0.0.1:${(deaf.address() as AddressInfo).port.toString()}`);
  assert.equal(
    (await failure(client.endRun("r", { withinMs: 200 }), GatewayError)).code,
    "DEADLINE_EXCEEDED",
  );
  client.close();
  deaf.close();
});
