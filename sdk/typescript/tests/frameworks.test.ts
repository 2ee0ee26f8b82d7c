/** What is particular to one framework, under the real one. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { AIMessage, AIMessageChunk, ToolMessage } from "@langchain/core/messages";
import { tool as langchainTool } from "@langchain/core/tools";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { Agent, Runner, tool as agentsTool } from "@openai/agents";
import { convertToModelMessages, generateText, jsonSchema, stepCountIs, tool, wrapLanguageModel } from "ai";

import { graphOf, MindModel } from "../examples/langchain.js";
import type { Mind, Written } from "../examples/mind.js";
import { modelOf as agentsModel } from "../examples/openai-agents.js";
import { modelOf as vercelModel } from "../examples/vercel.js";
import { Dispatcher } from "../src/adapters/dispatcher.js";
import * as langchain from "../src/adapters/langchain.js";
import * as openaiAgents from "../src/adapters/openai-agents.js";
import * as vercel from "../src/adapters/vercel.js";
import { Client, type Run } from "../src/index.js";
import { failure, Stage } from "./stage.js";

const PIXEL = "iVBORw0KGgo=";

/** A model that makes these turns, and keeps what it reads. */
function scripted(...turns: Written[][]): { mind: Mind; read: string[][] } {
  const read: string[][] = [];
  const mind: Mind = (texts) => {
    read.push([...texts]);
    return turns[read.length - 1] ?? "the end";
  };
  return { mind, read };
}

const invoices: Written = { tool: "list_invoices", arguments: "{}" };
const wrong: Written = { tool: "list_invoices", arguments: '{"status":"opn"}' };
const stopWhen = stepCountIs(20);
const prompt = "Do it.";

test("AI SDK: a failure is an output that is marked as an error, also when a UI sends it back", async () => {
  await using stage = await Stage.start();
  using client = new Client(stage.target);
  await using run = client.run();
  const { tools, middleware } = vercel.gatewayTools(run, await client.listTools());
  const model = wrapLanguageModel({ model: vercelModel(scripted([wrong]).mind), middleware });
  const { steps } = await generateText({ model, tools, stopWhen, prompt });
  const [result] = steps[0]?.toolResults ?? [];
  const output = result?.output as vercel.FailedOutput;
  assert.deepEqual([output.class, output.code], ["invalid_request", "invalid_arguments"]);
  const told = { type: "error-text", value: output.observation };
  const message = steps[0]?.response.messages.at(-1);
  assert.ok(message?.role === "tool" && message.content[0]?.type === "tool-result");
  assert.deepEqual(message.content[0].output, told);

  const part = { type: "dynamic-tool" as const, toolName: "list_invoices", toolCallId: "a", input: {} };
  const parts = [{ ...part, state: "output-available" as const, output }];
  const [, again] = await convertToModelMessages([{ role: "assistant", parts }], { tools });
  assert.ok(again?.role === "tool" && again.content[0]?.type === "tool-result");
  assert.deepEqual(again.content[0].output, told);
});

test("AI SDK: other tools stay as they are", async () => {
  await using stage = await Stage.start();
  using client = new Client(stage.target);
  await using run = client.run();
  const { tools, middleware } = vercel.gatewayTools(run, await client.listTools());
  const { mind, read } = scripted([{ tool: "mine", arguments: '{"a":1}' }]);
  const mine = tool({
    inputSchema: jsonSchema<{ a: number }>({ type: "object" }),
    execute: ({ a }) => a + 1,
  });
  const model = wrapLanguageModel({ model: vercelModel(mind), middleware });
  await generateText({ model, tools: { ...tools, mine }, stopWhen, prompt });
  assert.deepEqual(read, [[], ["2"]]);
});

test("AI SDK: after the gateway is back a new generation goes through", async () => {
  await using stage = await Stage.start();
  stage.answer("/invoices", { n: 1 });
  using away = new Client("127.0.0.1:1", { deadlineMs: 5000 });
  using client = new Client(stage.target);
  let run: Run = away.run();
  const { tools, middleware } = vercel.gatewayTools(() => run, await client.listTools());
  const generate = () => {
    const model = wrapLanguageModel({ model: vercelModel(scripted([invoices]).mind), middleware });
    return generateText({ model, tools, stopWhen, prompt });
  };
  await failure(generate(), Error);
  run = client.run();
  assert.equal((await generate()).text, "the end");
});

test("OpenAI Agents: a tool keeps a name with a dash in it", async () => {
  await using stage = await Stage.start();
  using client = new Client(stage.target);
  await using run = client.run();
  const [listed] = await client.listTools();
  assert.ok(listed);
  const gateway = openaiAgents.gatewayTools(run, [{ ...listed, name: "book-slot" }]);
  const { mind, read } = scripted([{ tool: "book-slot", arguments: "{}" }]);
  const agent = new Agent({ name: "agent", model: gateway.model(agentsModel(mind)), tools: gateway.tools });
  await new Runner({ tracingDisabled: true }).run(agent, prompt);
  assert.match(
    read[1]?.[0] ?? "",
    /"unknown_tool"/,
    "the gateway has no tool of that name, the framework has",
  );
});

test("LangChain: a failure is a message of status error, also for a name that nobody has", async () => {
  await using stage = await Stage.start();
  stage.answer("/invoices", { n: 1 });
  using client = new Client(stage.target);
  await using run = client.run();
  const gateway = langchain.gatewayTools(run, await client.listTools());
  const mine = langchainTool(
    () => {
      throw new Error("no paper");
    },
    { name: "mine", description: "Prints.", schema: { type: "object", properties: {} } },
  );
  const calls = [
    invoices,
    wrong,
    { tool: "list_invoice", arguments: "{}" },
    { tool: "mine", arguments: "{}" },
  ];
  const model = new MindModel(scripted(calls).mind).bindTools(gateway.tools).pipe(gateway.calls);
  const { messages } = await graphOf(model, gateway.node([mine])).invoke({ messages: [prompt] });
  const told = messages.filter((message) => ToolMessage.isInstance(message));
  assert.deepEqual(
    told.map(({ status }) => status),
    ["success", "error", "error", "error"],
  );
  assert.match(told[2]?.text ?? "", /"unknown_tool".*"list_invoices"/);
  assert.equal(told[3]?.text, "Error: no paper");
});

test("LangChain: a call that a stream cut off is not closed and sent", async () => {
  await using stage = await Stage.start();
  using client = new Client(stage.target);
  await using run = client.run();
  const { calls } = langchain.gatewayTools(run, await client.listTools());
  const cut = [
    { name: "list_invoices", id: "a", index: 0, args: '{"sta' },
    { index: 0, args: 'tus":"op' },
    { name: "list_invoices", id: "b", index: 1, args: '{"status":"open"}' },
  ];
  const chunk = new AIMessageChunk({ content: "", tool_call_chunks: cut });
  assert.deepEqual(chunk.tool_calls?.[0]?.args, { status: "op" }, "the framework has closed it");
  const message = await calls.invoke(chunk);
  assert.ok(AIMessage.isInstance(message));
  const [first, second] = message.tool_calls ?? [];
  assert.deepEqual(Object.values(first?.args ?? {}), ['{"status":"op']);
  assert.deepEqual(second?.args, { status: "open" });
});

test("a tool that is called by itself answers with text", async () => {
  await using stage = await Stage.start();
  stage.answer("/invoices", { n: 1 });
  using client = new Client(stage.target);
  await using run = client.run();
  const { tools } = langchain.gatewayTools(run, await client.listTools());
  const listed = tools.find(({ name }) => name === "list_invoices");
  assert.equal(await listed?.invoke({}), '{"n":1}');
  const lossy = { name: "TypeError", message: /^ids\.b: a Set is not JSON/ };
  await assert.rejects(async () => listed?.invoke({ ids: { b: new Set() } }), lossy);
});

test("an image is seen, and no empty text beside it", async () => {
  await using stage = await Stage.start();
  stage.answer("/invoices", Buffer.from(PIXEL, "base64"), 200, { "Content-Type": "image/png" });
  using client = new Client(stage.target);
  await using run = client.run();
  const list = await client.listTools();

  const { tools } = vercel.gatewayTools(run, list);
  const { steps } = await generateText({
    model: vercelModel(scripted([invoices]).mind),
    tools,
    stopWhen,
    prompt,
  });
  const [made] = steps[0]?.response.messages.at(-1)?.content ?? [];
  assert.ok(typeof made === "object" && made.type === "tool-result");
  const image = { type: "image-data", mediaType: "image/png", data: PIXEL };
  assert.deepEqual(made.output, { type: "content", value: [image] });

  const agent = new Agent({
    name: "agent",
    model: agentsModel(scripted([invoices]).mind),
    tools: openaiAgents.gatewayTools(run, list).tools,
  });
  const { history } = await new Runner({ tracingDisabled: true }).run(agent, prompt);
  const output = history.find((item) => item.type === "function_call_result")?.output;
  assert.deepEqual(output, [{ type: "input_image", image: `data:image/png;base64,${PIXEL}` }]);

  const gateway = langchain.gatewayTools(run, list);
  const graph = graphOf(new MindModel(scripted([invoices]).mind).bindTools(gateway.tools), gateway.node());
  const { messages } = await graph.invoke({ messages: [prompt] });
  const told = messages.find((message) => ToolMessage.isInstance(message));
  assert.deepEqual(told?.content, [
    { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } },
  ]);
});

test("calls that begin together are one batch, and more than a batch holds are more", async () => {
  await using stage = await Stage.start();
  stage.answer("/balances/a", { balance: 42.1 });
  using client = new Client(stage.target);
  await using run = client.run();
  const dispatcher = new Dispatcher(run);
  const replies = Array.from({ length: 70 }, () => dispatcher.reply("get_balance", { account_id: "a" }));
  assert.deepEqual(
    new Set((await Promise.all(replies)).map(({ text }) => text)),
    new Set(['{"balance":42.1}']),
  );
});

test("one caller's abort is its own; the last one's ends the call at the tool", async () => {
  await using stage = await Stage.start();
  stage.answer("/balances/a", { balance: 42.1 });
  using client = new Client(stage.target);
  await using run = client.run();
  const dispatcher = new Dispatcher(run);
  const [one, two] = [new AbortController(), new AbortController()];
  const hanging = [one, two].map(({ signal }) =>
    failure(dispatcher.reply("list_invoices", {}, signal), Error),
  );
  const answered = dispatcher.reply("get_balance", { account_id: "a" });
  assert.equal((await answered).text, '{"balance":42.1}');
  await stage.hung;
  one.abort(new Error("one left"));
  assert.equal((await hanging[0])?.message, "one left");
  two.abort(new Error("two left"));
  assert.equal((await hanging[1])?.message, "two left");
  await stage.left;
});

test("an abort ends the wait for a transient failure", async () => {
  await using stage = await Stage.start();
  stage.answer("/invoices", "{}", 429, { "Retry-After": "30" });
  using client = new Client(stage.target);
  await using run = client.run();
  const signal = AbortSignal.timeout(1000);
  const reply = new Dispatcher(run, { withinMs: 60_000 }).reply("list_invoices", {}, signal);
  assert.equal(await failure(reply, DOMException), signal.reason);
});

test("a signal that was aborted before sends nothing", async () => {
  await using stage = await Stage.start();
  using client = new Client(stage.target);
  await using run = client.run();
  const reply = new Dispatcher(run).reply("list_invoices", {}, AbortSignal.abort(new Error("gone")));
  assert.equal((await failure(reply, Error)).message, "gone");
  assert.deepEqual(stage.requests, []);
});

const malformed: Written = { tool: "list_invoices", arguments: '{"status": open}' };

test("by themselves the frameworks answer malformed arguments, or end", async () => {
  const schema = {
    type: "object" as const,
    properties: {},
    required: [],
    additionalProperties: true as const,
  };
  const ai = scripted([malformed]);
  const tools = { list_invoices: tool({ inputSchema: jsonSchema(schema), execute: () => "never" }) };
  await generateText({ model: vercelModel(ai.mind), tools, stopWhen, prompt });
  assert.match(ai.read[1]?.[0] ?? "", /JSON parsing failed: Text: {"status": open}/);

  const openai = scripted([malformed]);
  const settings = { name: "list_invoices", description: "", parameters: schema, strict: false as const };
  const agent = new Agent({
    name: "agent",
    model: agentsModel(openai.mind),
    tools: [agentsTool({ ...settings, execute: () => "never" })],
  });
  await new Runner({ tracingDisabled: true }).run(agent, prompt);
  assert.match(openai.read[1]?.[0] ?? "", /Please try again with valid JSON/);

  const lang = scripted([malformed]);
  const node = new ToolNode([langchainTool(() => "never", { name: "list_invoices", schema })]);
  const { messages } = await graphOf(new MindModel(lang.mind), node).invoke({ messages: [prompt] });
  assert.deepEqual([lang.read.length, messages.at(-1)?.text], [1, ""], "as if nothing had been called");
});
