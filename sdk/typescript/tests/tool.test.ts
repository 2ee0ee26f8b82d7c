/** What tools say: in Express, in Fastify, on node:http, over gRPC, and to a real gateway. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import type { AddressInfo } from "node:net";
import { test } from "node:test";

import { toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { connectNodeAdapter, createGrpcTransport } from "@connectrpc/connect-node";
import express from "express";
import fastify from "fastify";
import { ToolGatewayService } from "toolgate-proto/toolgate/v1/gateway_pb";
import { ToolErrorSchema } from "toolgate-proto/toolgate/v1/tool_error_pb";

import { Client, ToolCallError } from "../src/index.js";
import {
  answer,
  connectError,
  fastifyErrors,
  forbidden,
  invalidRequest,
  rateLimited,
  terminal,
  toolErrors,
  ToolFailure,
  transient,
} from "../src/tool/index.js";
import { failure, Stage } from "./stage.js";

const LONG = "żółw 🐢 \ud83d".repeat(400);

const CASES: [ToolFailure, number, string | null, object][] = [
  [
    transient("maintenance", "Back soon.", { retryAfterMs: 1500 }),
    503,
    "2",
    { class: "transient", retryable: true, retry_after: 1.5 },
  ],
  [
    rateLimited("slow_down", "Too fast.", { retryAfterMs: 90_100 }),
    429,
    "91",
    { class: "transient", retryable: true, retry_after: 91 },
  ],
  [
    transient("busy", "Later.", { retryAfterMs: NaN }),
    503,
    null,
    { class: "transient", retryable: true, retry_after: 0 },
  ],
  [
    invalidRequest("bad", "Wrong.", { field: "a.b[0]", accepted: ["x"] }),
    400,
    null,
    {
      class: "invalid_request",
      retryable: false,
      violations: [{ field: "a.b[0]", problem: "Wrong.", accepted: ["x"] }],
    },
  ],
  [
    invalidRequest("bad", "a < b"),
    400,
    null,
    { class: "invalid_request", retryable: false, violations: [{ field: "", problem: "a < b" }] },
  ],
  [
    terminal("insufficient_funds", "No money.", {
      blockedBy: "balance",
      unblockWith: "deposit",
      facts: { balance: 42.1 },
      alternatives: [{ tool: "pay_later", arguments: { days: 30 }, label: "in a month" }],
    }),
    422,
    null,
    {
      class: "terminal",
      retryable: false,
      facts: { balance: 42.1 },
      alternatives: [{ tool: "pay_later", arguments: { days: 30 }, label: "in a month" }],
      blocked_by: "balance",
      unblock_with: "deposit",
    },
  ],
  [
    forbidden("not_yours", "Not yours."),
    403,
    null,
    { class: "terminal", retryable: false, blocked_by: "permission" },
  ],
];

const UNEXPECTED = {
  error: "internal_error",
  class: "terminal",
  retryable: false,
  message: "The tool failed for a reason of its own.",
  maybe_executed: true,
};

function bug(): never {
  throw new Error("dsn=postgres://app:secret@10.0.0.5");
}

function thrown(number: unknown): never {
  throw CASES[Number(number)]?.[0] ?? new Error("no such case");
}

/** Starts a server, asks it, and stops it. */
async function asking(server: Server, ask: (url: string) => Promise<void>): Promise<void> {
  if (!server.listening) await once(server.listen(0, "127.0.0.1"), "listening");
  try {
    await ask(`http://127.0.0.1:${(server.address() as AddressInfo).port.toString()}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function everyCase(url: string): Promise<void> {
  for (const [number, [failure, status, wait, members]] of CASES.entries()) {
    const response = await fetch(`${url}/failure/${number.toString()}`);
    assert.deepEqual([response.status, response.headers.get("retry-after")], [status, wait]);
    const { code: error, message } = failure;
    assert.deepEqual(await response.json(), { error, message, ...members });
  }
}

async function post(url: string, body: string): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    body,
    headers: { "Content-Type": "application/json" },
  });
  return { status: response.status, ...((await response.json()) as object) };
}

test("Express answers with what a route throws, and says nothing of a bug", async () => {
  const reported: unknown[] = [];
  const app = express().set("env", "test"); // quiet
  app.use(express.json());
  app.get("/failure/:number", async (request) => {
    await Promise.resolve();
    thrown(request.params.number);
  });
  app.get("/bug", bug);
  app.get("/refused/:status", (request) => {
    throw Object.assign(new Error("not now"), { statusCode: Number(request.params.status), expose: true });
  });
  app.post("/json", (_, response) => void response.json({}));
  app.get("/half", (_, response) => {
    response.write("half");
    bug();
  });
  app.use(toolErrors((error) => reported.push(error)));
  await asking(createServer(app as Parameters<typeof createServer>[1]), async (url) => {
    await everyCase(url);
    assert.deepEqual(reported, []);
    const response = await fetch(`${url}/bug`);
    assert.deepEqual([response.status, await response.json()], [500, UNEXPECTED]);
    assert.match(String(reported), /^Error: dsn=/);
    for (const [refused, status, klass] of [
      [408, 503, "transient"],
      [425, 503, "transient"],
      [429, 429, "transient"],
      [403, 403, "terminal"],
      [404, 400, "invalid_request"],
      [413, 400, "invalid_request"],
    ] as const) {
      const answered = await fetch(`${url}/refused/${refused.toString()}`);
      const body = (await answered.json()) as { class: string };
      assert.deepEqual([refused, answered.status, body.class], [refused, status, klass]);
    }
    const malformed = (await post(`${url}/json`, '{"a":')) as {
      status: number;
      class: string;
      error: string;
    };
    assert.deepEqual(
      [malformed.status, malformed.class, malformed.error],
      [400, "invalid_request", "entity_parse_failed"],
    );
    await assert.rejects(async () => (await fetch(`${url}/half`)).text());
    assert.equal(reported.length, 1);
  });
});

test("Fastify answers with what a route throws, and with its own validation", async () => {
  const app = fastify();
  app.setErrorHandler(fastifyErrors);
  app.get<{ Params: { number: string } }>("/failure/:number", (request) => thrown(request.params.number));
  app.get("/bug", bug);
  const status = { type: "string", enum: ["open", "paid"] };
  const item = { type: "object", properties: { status }, required: ["id"] };
  const body = { type: "object", properties: { items: { type: "array", items: item } } };
  app.post("/items", { schema: { body } }, () => ({}));
  await app.listen({ port: 0, host: "127.0.0.1" });
  await asking(app.server, async (url) => {
    await everyCase(url);
    const response = await fetch(`${url}/bug`);
    assert.deepEqual([response.status, await response.json()], [500, UNEXPECTED]);
    const missing = { field: "items[0].id", problem: "must have required property 'id'" };
    const wrong = { field: "items[0].status", problem: "must be equal to one of the allowed values" };
    const answers = [await post(`${url}/items`, '{"items":[{}]}')];
    answers.push(await post(`${url}/items`, '{"items":[{"id":1,"status":"opn"}]}'));
    assert.deepEqual(
      answers.map((answered) => (answered as { violations: unknown }).violations),
      [[missing], [{ ...wrong, accepted: ["open", "paid"] }]],
    );
    assert.equal(((await post(`${url}/items`, '{"a":')) as { class: string }).class, "invalid_request");
  });
});

test("node:http answers in one line", async () => {
  const server = createServer((request, response) => {
    try {
      thrown(request.url?.split("/").pop());
    } catch (error) {
      answer(response, error);
    }
  });
  await asking(server, everyCase);
});

test("node:http cuts half an answer", async () => {
  const server = createServer((_, response) => {
    response.write("half");
    answer(response, new Error("too late"));
  });
  await asking(server, async (url) => {
    await assert.rejects(async () => (await fetch(url)).text());
  });
});

test("the contract holds whoever makes the failure", () => {
  const late = new ToolFailure(503, "transient", "cut", "Cut.", { maybeExecuted: true, retryAfterMs: 1000 });
  assert.deepEqual([late.status, late.errorClass, late.proto.retryAfter], [500, "terminal", undefined]);
  assert.match(late.body, /"class":"terminal","retryable":false,.*"maybe_executed":true/);
  const [fault] = invalidRequest("bad", "Wrong.", { field: "a", problem: "" }).proto.violations;
  assert.equal(fault?.problem, "Wrong.");
});

test("an rpc ends with the failure as its detail", async () => {
  const problems = Array.from({ length: 9 }, () => ({
    field: LONG,
    format: LONG,
    range: LONG,
    accepted: [LONG],
  }));
  const failures = [
    terminal("over", LONG, { facts: { a: "x".repeat(480) }, alternatives: [{ tool: "t" }] }),
    invalidRequest("bad", LONG, ...problems),
  ];
  for (const said of failures) {
    const server = createHttp2Server(
      connectNodeAdapter({
        routes: (router) =>
          router.service(ToolGatewayService, {
            callTool: () => {
              throw connectError(said);
            },
          }),
      }),
    );
    await once(server.listen(0, "127.0.0.1"), "listening");
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port.toString()}`;
    try {
      const client = createClient(
        ToolGatewayService,
        createGrpcTransport({ baseUrl, idleConnectionTimeoutMs: 1 }),
      );
      const error = await failure(client.callTool({}, { timeoutMs: 10_000 }), ConnectError);
      assert.equal(error.code, said.status === 400 ? Code.InvalidArgument : Code.FailedPrecondition);
      const [detail] = error.findDetails(ToolErrorSchema);
      assert.ok(detail);
      assert.equal(detail.code, said.code);
      assert.ok(toBinary(ToolErrorSchema, detail).length <= 4096);
    } finally {
      server.close();
    }
  }
});

test("whatever a tool says keeps the bounds", () => {
  const problems = Array.from({ length: 20 }, () => ({ field: LONG, accepted: ["x", LONG], format: LONG }));
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  const alternatives = [LONG, "a", "b", "c", "d", "e"].map((a) => ({
    tool: LONG,
    arguments: { a: a.repeat(400) },
    label: LONG,
  }));
  const failures = [
    invalidRequest(LONG, LONG, ...problems),
    terminal(LONG, LONG, { blockedBy: LONG, unblockWith: LONG, facts: { f: LONG }, alternatives }),
    terminal("c", "m", { facts: circle, unblockWith: "without a condition" }),
  ];
  for (const { proto: e, body, errorClass } of failures) {
    const size = (text: string) => Buffer.byteLength(text);
    assert.ok(size(e.code) <= 64 && size(e.message) <= 512 && size(e.blockedBy) <= 64);
    assert.ok(!e.message.slice(0, -1).includes("\u{fffd}\u{fffd}"));
    assert.ok(e.violations.length <= 8 && e.violations.every(({ accepted }) => accepted.length === 1));
    assert.equal(e.violationsTruncated, e.violations.length > 0);
    assert.ok(e.alternatives.length <= 3);
    assert.ok(
      e.alternatives.every(({ argumentsJson }) => size(argumentsJson) <= 512 && argumentsJson !== ""),
    );
    assert.equal(e.alternativesTruncated, e.alternatives.length > 0);
    assert.deepEqual([e.factsJson, e.unblockWith !== ""], ["", e.blockedBy !== ""]);
    assert.equal((JSON.parse(body) as { class: string }).class, errorClass);
  }
});

test("no digit of facts is lost", () => {
  const { body, proto } = terminal("c", "m", { facts: { n: 2n ** 64n } });
  assert.match(body, /"facts":\{"n":18446744073709551616\}/);
  assert.equal(proto.factsJson, '{"n":18446744073709551616}');
});

test("the gateway takes a tool's word", async () => {
  await using stage = await Stage.start();
  const said = terminal("slot_taken", "It was booked.", {
    blockedBy: "slot",
    alternatives: [{ tool: "book_slot", arguments: { slot: "b" } }],
  });
  stage.answer("/slots", said.body, said.status, said.headers);
  using client = new Client(stage.target);
  await using run = client.run();
  const error = await failure(run.call("book_slot", { slot: "a" }), ToolCallError);
  assert.deepEqual([error.errorClass, error.code, error.blockedBy], ["terminal", "slot_taken", "slot"]);
  assert.deepEqual(error.alternatives, [{ tool: "book_slot", argumentsJson: '{"slot":"b"}', label: "" }]);
});
