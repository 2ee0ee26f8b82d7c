/** The adapters under the real frameworks, against a real gateway. The models are scripted. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { ToolCallError as AgentsToolCallError } from "@openai/agents";

import { langchain } from "../examples/langchain.js";
import type { Mind, Written } from "../examples/mind.js";
import { openaiAgents } from "../examples/openai-agents.js";
import type { Framework } from "../examples/story.js";
import { vercel } from "../examples/vercel.js";
import { Client, GatewayError } from "../src/index.js";
import { variants } from "./variants.js";
import { failure, Stage } from "./stage.js";

const FRAMEWORKS: Framework[] = [vercel, openaiAgents, langchain, ...variants];

const call = (tool: string, args: object | string): Written => ({
  tool,
  arguments: typeof args === "string" ? args : JSON.stringify(args),
});

/** A model that makes these turns, whatever comes, and keeps what it reads. */
class Script {
  readonly read: string[][] = [];

  constructor(private readonly turns: Written[][]) {}

  readonly mind: Mind = (read) => {
    this.read.push([...read]);
    return this.turns[this.read.length - 1] ?? "the end";
  };

  /** What the turn read, each text as JSON. */
  observed(turn: number): Record<string, unknown>[] {
    return (this.read[turn] ?? []).map((text) => JSON.parse(text) as Record<string, unknown>);
  }
}

type Options = Parameters<Framework["withAdapter"]>[3];

/** Plays one script under one framework. */
async function play(
  stage: Stage,
  framework: Framework,
  turns: Written[][],
  options?: Options,
): Promise<Script> {
  const script = new Script(turns);
  using client = new Client(stage.target);
  await using run = client.run();
  assert.equal(await framework.withAdapter(script.mind, run, await client.listTools(), options), "the end");
  return script;
}

for (const framework of FRAMEWORKS) {
  const { name } = framework;

  test(`${name}: an answer is read as the tool gave it`, async () => {
    await using stage = await Stage.start();
    stage.answer("/invoices", '{"total":12345678901234567890.10}');
    const { read } = await play(stage, framework, [[call("list_invoices", { start_date: "03/14/2026" })]]);
    assert.deepEqual(read, [[], ['{"total":12345678901234567890.10}']]);
    assert.deepEqual(stage.requests, ["/invoices?start_date=2026-03-14"]);
  });

  test(`${name}: a transient failure that time cures is never read`, async () => {
    await using stage = await Stage.start();
    stage.answer("/invoices", "{}", 429, { "Retry-After": "1" });
    stage.answer("/invoices", { n: 1 });
    const { read } = await play(stage, framework, [[call("list_invoices", {})]]);
    assert.deepEqual(read, [[], ['{"n":1}']]);
    assert.equal(stage.requests.length, 2);
  });

  test(`${name}: a transient failure is told once it is given up`, async () => {
    await using stage = await Stage.start();
    stage.answer("/invoices", "{}", 429, { "Retry-After": "30" });
    const script = await play(stage, framework, [[call("list_invoices", {})]], { withinMs: 5000 });
    const [told] = script.observed(1);
    assert.deepEqual([told?.["class"], told?.["retry_after"]], ["transient", 30]);
    assert.equal(stage.requests.length, 1);
  });

  test(`${name}: terminal reads as terminal, word for word`, async () => {
    await using stage = await Stage.start();
    const taken = { error: "slot_unavailable", class: "terminal", retryable: false, message: "It is taken." };
    stage.answer("/slots", taken, 409);
    const { read } = await play(stage, framework, [[call("book_slot", { slot: "a" })]]);
    assert.deepEqual(read[1], [JSON.stringify(taken)]);
  });

  test(`${name}: wrong arguments are the gateway's to judge`, async () => {
    await using stage = await Stage.start();
    const wrong = [
      call("list_invoices", { status: "opn" }),
      call("get_balance", {}),
      call("book_slot", { slot: 5 }),
    ];
    stage.answer("/slots", {});
    const script = await play(stage, framework, [wrong]);
    const [invoices, balance, slot] = script.observed(1);
    assert.deepEqual([invoices?.["class"], invoices?.["field"]], ["invalid_request", "status"]);
    assert.deepEqual(invoices?.["expected"], ["open", "paid"]);
    assert.deepEqual([balance?.["class"], balance?.["field"]], ["invalid_request", "account_id"]);
    assert.deepEqual([slot, stage.bodies], [{}, ['{"slot":"5"}']], "what has one reading is coerced");
  });

  test(`${name}: malformed arguments reach the gateway as they were written`, async () => {
    await using stage = await Stage.start();
    stage.answer("/invoices", {});
    const script = await play(stage, framework, [
      [call("list_invoices", '{"status": open}')],
      [call("list_invoices", "[1]")],
      [call("list_invoices", "")],
    ]);
    const codes = [1, 2].map((turn) => script.observed(turn)[0]?.["error"]);
    assert.deepEqual(codes, ["malformed_json", "invalid_arguments"]);
    assert.deepEqual(script.observed(3), [{}], "no arguments are none");
  });

  test(`${name}: what a turn makes at once counts once`, async () => {
    await using stage = await Stage.start();
    stage.answer("/balances/a", { balance: 42.1 });
    const wrong = [1, 2, 3, 4].map((n) => call("get_balance", { n }));
    const script = await play(stage, framework, [
      wrong,
      [call("get_balance", {})],
      [call("get_balance", { account_id: "a" })],
    ]);
    assert.deepEqual(
      script.observed(1).map((told) => told["class"]),
      Array(4).fill("invalid_request"),
    );
    assert.deepEqual(script.observed(3), [{ balance: 42.1 }], "two rejections are less than three");
  });

  test(`${name}: three rejections end it`, async () => {
    await using stage = await Stage.start();
    const script = await play(
      stage,
      framework,
      [1, 2, 3, 4].map((n) => [call("get_balance", { n })]),
    );
    const told = [1, 2, 3, 4].map((turn) => script.observed(turn)[0]);
    assert.deepEqual(
      told.map((one) => one?.["class"]),
      ["invalid_request", "invalid_request", "terminal", "terminal"],
    );
    assert.equal(told[3]?.["error"], "rejection_cap");
  });

  test(`${name}: a gateway that is gone is thrown, and the model not asked`, async () => {
    await using stage = await Stage.start();
    using client = new Client(stage.target);
    const run = client.run();
    const tools = await client.listTools();
    await stage[Symbol.asyncDispose]();
    const script = new Script([[call("list_invoices", {}), call("get_balance", { account_id: "a" })]]);
    const thrown = await failure(framework.withAdapter(script.mind, run, tools), Error);
    const cause = thrown instanceof AgentsToolCallError ? thrown.error : thrown;
    assert.ok(cause instanceof GatewayError, String(cause));
    assert.equal(cause.code, "UNAVAILABLE");
    assert.equal(script.read.length, 1);
  });

  test(`${name}: an abort reaches the tool`, async () => {
    await using stage = await Stage.start();
    using client = new Client(stage.target);
    await using run = client.run();
    const abort = new AbortController();
    const script = new Script([[call("list_invoices", {}), call("list_invoices", { status: "open" })]]);
    const { signal } = abort;
    const ended = framework.withAdapter(script.mind, run, await client.listTools(), { signal }).catch(String);
    await stage.hung;
    abort.abort();
    await stage.left;
    await ended;
    assert.equal(script.read.length, 1);
  });
}

test("AI SDK and OpenAI Agents: no digit of the arguments is lost", async () => {
  for (const framework of FRAMEWORKS.filter(({ name }) => !name.startsWith("LangChain"))) {
    await using stage = await Stage.start();
    stage.answer("/notes", {});
    await play(stage, framework, [
      [call("put_note", '{"n":18446744073709551616,"a":12345678901234567890.10}')],
    ]);
    assert.deepEqual(
      stage.bodies,
      ['{"n":18446744073709551616,"a":12345678901234567890.10}'],
      framework.name,
    );
  }
});
