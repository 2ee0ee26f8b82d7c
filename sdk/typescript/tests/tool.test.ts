/** What tools say: in Express, in Fastify, on node:http, over gRPC, and to a real gateway. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import type { AddressInfo } from "node:net";
import { test } from "node:test";

import { ConnectError, createClient } from "@connectrpc/connect";
import { connectNodeAdapter, createGrpcTransport } from "@connectrpc/connect-node";
import express from "express";
import fastify from "fastify";
import { ToolGatewayService } from "toolgate-proto/toolgate/v1/gateway_pb";
import { ToolErrorSchema } from "toolgate-proto/toolgate/v1/tool_error_pb";

import { Client, ToolCallError } from "../src/index.js";
import { answer, connectError, fastifyErrors, terminal, toolErrors } from "../src/tool/index.js";
import { failure, Stage } from "./stage.js";
import { askForAll, failureOf, vectors } from "./vectors.js";

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
  const vector = vectors[Number(number)];
  throw vector ? failureOf(vector) : new Error("no such vector");
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
    await askForAll(url);
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
    await askForAll(url);
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
  await asking(server, askForAll);
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

test("an rpc ends with the failure as its detail", async () => {
  const whole = vectors.filter(({ facts, want }) => facts && !want.detail);
  const shortened = vectors.filter(({ want }) => want.detail);
  assert.ok(whole.length > 0 && shortened.length > 0);
  for (const vector of [...whole.slice(0, 1), ...shortened]) {
    const said = failureOf(vector);
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
      assert.equal(error.code, vector.want.grpc_code);
      assert.deepEqual(error.findDetails(ToolErrorSchema), connectError(said).findDetails(ToolErrorSchema));
    } finally {
      server.close();
    }
  }
});

test("the gateway takes a tool's word", async () => {
  await using stage = await Stage.start();
  const said = terminal("slot_taken", "It was booked.", {
    blockedBy: "slot",
    requested: { slot: "a" },
    alternatives: [{ tool: "book_slot", arguments: { slot: "b" } }],
    partial: true,
  });
  stage.answer("/slots", said.body, said.status, said.headers);
  using client = new Client(stage.target);
  await using run = client.run();
  const error = await failure(run.call("book_slot", { slot: "a" }), ToolCallError);
  assert.deepEqual([error.errorClass, error.code, error.blockedBy], ["terminal", "slot_taken", "slot"]);
  assert.deepEqual([error.proto.requestedJson, error.proto.partial], ['{"slot":"a"}', true]);
  assert.deepEqual(error.alternatives, [{ tool: "book_slot", argumentsJson: '{"slot":"b"}', label: "" }]);
});
