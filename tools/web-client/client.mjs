// Calls a gateway as web pages do, with the clients of @connectrpc/connect-web, and
// prints what came of each check, one JSON object a line.
//
//   node client.mjs DESCRIPTORS URL ORIGIN
//
// The service is read from a FileDescriptorSet: nothing is generated.
import { readFileSync } from "node:fs";
import { strict as assert } from "node:assert";
import { createFileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-web";

const [descriptors, baseUrl, origin] = process.argv.slice(2);
const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(descriptors)));
const service = registry.getService("toolgate.v1.ToolGatewayService");
const errorInfo = registry.getMessage("google.rpc.ErrorInfo");
const retryable = registry.getEnum("toolgate.v1.ErrorClass");

// A browser says which page calls.
const from = (page) => (url, init) => {
  const headers = new Headers(init.headers);
  headers.set("origin", page);
  return fetch(url, { ...init, headers });
};

const transports = {
  "Connect, JSON": createConnectTransport({ baseUrl, fetch: from(origin) }),
  "Connect, binary": createConnectTransport({ baseUrl, fetch: from(origin), useBinaryFormat: true }),
  "gRPC-Web": createGrpcWebTransport({ baseUrl, fetch: from(origin) }),
  "gRPC-Web, JSON": createGrpcWebTransport({ baseUrl, fetch: from(origin), useBinaryFormat: false }),
};

const className = (error) => retryable.value[error.errorClass].name;

const checks = {
  "a list": async (client) => {
    const { tools } = await client.listTools({});
    assert.ok(tools.some((tool) => tool.name === "list_invoices"));
  },
  "a result keeps its digits": async (client, run) => {
    const { outcome } = await client.callTool({ runId: run, call: { tool: "get_balance", argumentsJson: '{"account_id":"acc_1042"}' } });
    assert.equal(outcome.case, "result");
    assert.match(outcome.value.structuredJson, /"balance":42\.10/);
  },
  "a coercion": async (client, run) => {
    const { outcome } = await client.callTool({ runId: run, call: { tool: "list_invoices", argumentsJson: '{"start_date":"03/14/2026"}' } });
    assert.equal(outcome.value.coercions[0].toJson, '"2026-03-14"');
  },
  "an invalid request": async (client, run) => {
    const { outcome } = await client.callTool({ runId: run, call: { tool: "list_invoices", argumentsJson: '{"status":"unpaid"}' } });
    assert.equal(outcome.case, "error");
    assert.equal(className(outcome.value), "ERROR_CLASS_INVALID_REQUEST");
    assert.equal(outcome.value.violations[0].field, "status");
    assert.ok(outcome.value.observation.startsWith('{"error":"invalid_arguments"'));
  },
  "what is over, with alternatives": async (client, run) => {
    const argumentsJson = '{"practitioner_id":"p_17","start":"2026-03-12T14:30:00Z"}';
    const { outcome } = await client.callTool({ runId: run, call: { tool: "book_slot", argumentsJson } });
    assert.equal(className(outcome.value), "ERROR_CLASS_TERMINAL");
    assert.equal(outcome.value.alternatives.length, 3);
  },
  "a batch, streamed": async (client, run) => {
    const done = new Map();
    let progress = 0;
    const calls = [{ tool: "list_invoices" }, { tool: "nobody" }, { tool: "list_invoices", argumentsJson: "{" }];
    for await (const { index, event } of client.callTools({ runId: run, calls })) {
      if (event.case === "done") done.set(index, event.value.outcome.case);
      if (event.case === "progress") progress++;
    }
    assert.deepEqual([done.get(0), done.get(1), done.get(2)], ["result", "error", "error"]);
    assert.ok(progress >= 1);
  },
  "a status with its details": async (client) => {
    const error = await client.getRun({}).then(() => undefined, (reason) => ConnectError.from(reason));
    assert.equal(error.code, Code.InvalidArgument);
    assert.equal(error.findDetails(errorInfo)[0].reason, "RUN_ID_MISSING");
  },
  "a status of a stream": async (client, run) => {
    const stream = client.callTools({ runId: run, calls: [] })[Symbol.asyncIterator]();
    const error = await stream.next().then(() => undefined, (reason) => ConnectError.from(reason));
    assert.equal(error.code, Code.InvalidArgument);
  },
  "a run that ends": async (client, run) => {
    await client.callTool({ runId: run, call: { tool: "list_invoices" } });
    const before = await client.getRun({ runId: run });
    const after = await client.endRun({ runId: run });
    assert.equal(before.run.calls, 1n);
    assert.equal(after.run.calls, 1n);
    assert.equal((await client.getRun({ runId: run })).run.calls, 0n);
  },
  "a report": async (client) => {
    const report = await client.getFailureReport({ limit: 5 });
    assert.ok(report.calls > 0n);
  },
  "a deadline": async (client, run) => {
    const { outcome } = await client.callTool({ runId: run, call: { tool: "sleep" } }, { timeoutMs: 1500 });
    assert.equal(outcome.value.code, "timeout");
    assert.equal(className(outcome.value), "ERROR_CLASS_TRANSIENT");
  },
  "a caller that leaves": async (client, run) => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 100);
    const error = await client.callTool({ runId: run, call: { tool: "sleep" } }, { signal: controller.signal }).then(() => undefined, (reason) => ConnectError.from(reason));
    assert.equal(error.code, Code.Canceled);
  },
};

const print = (transport, check, why) => console.log(JSON.stringify({ transport, check, why }));

let runs = 0;
for (const [name, transport] of Object.entries(transports)) {
  for (const [check, run] of Object.entries(checks)) {
    try {
      await run(createClient(service, transport), `page-${++runs}`);
      print(name, check, "");
    } catch (error) {
      print(name, check, String(error.stack ?? error));
    }
  }
}

// A page of another origin, or one that asks before it calls.
const preflight = (page) =>
  fetch(`${baseUrl}/toolgate.v1.ToolGatewayService/CallTool`, {
    method: "OPTIONS",
    headers: { origin: page, "access-control-request-method": "POST", "access-control-request-headers": "content-type,x-grpc-web" },
  });
try {
  const allowed = await preflight(origin);
  assert.equal(allowed.status, 204);
  assert.equal(allowed.headers.get("access-control-allow-origin"), origin);
  print("CORS", "an invited page", "");
} catch (error) {
  print("CORS", "an invited page", String(error));
}
try {
  const refused = await preflight("https://evil.example");
  assert.equal(refused.status, 403);
  assert.equal(refused.headers.get("access-control-allow-origin"), null);
  const stranger = createClient(service, createConnectTransport({ baseUrl, fetch: from("https://evil.example") }));
  await assert.rejects(stranger.listTools({}));
  print("CORS", "another page", "");
} catch (error) {
  print("CORS", "another page", String(error));
}
