/** The frameworks of the examples, used in other ways: with models that stream, or other agents. */

import { Agent, Runner } from "@openai/agents";
import { stepCountIs, streamText, wrapLanguageModel } from "ai";
import { createAgent, createMiddleware } from "langchain";

import { graphOf, MindModel } from "../examples/langchain.js";
import { modelOf as agentsModel } from "../examples/openai-agents.js";
import type { Framework } from "../examples/story.js";
import { modelOf as vercelModel } from "../examples/vercel.js";
import * as langchain from "../src/adapters/langchain.js";
import * as openaiAgents from "../src/adapters/openai-agents.js";
import * as vercel from "../src/adapters/vercel.js";

type WithAdapter = Framework["withAdapter"];

const vercelStreams: WithAdapter = async (mind, run, list, options) => {
  const { tools, middleware } = vercel.gatewayTools(run, list, options);
  const model = wrapLanguageModel({ model: vercelModel(mind), middleware });
  let failed: Error | undefined;
  const { text } = streamText({
    model,
    tools,
    prompt: "Do it.",
    stopWhen: stepCountIs(20),
    abortSignal: options?.signal,
    onError({ error }) {
      if (error instanceof Error) failed = error;
    },
  });
  const said = await text; // what there was, where the stream ended by an error
  if (failed) throw failed;
  return said;
};

const agentsStream: WithAdapter = async (mind, run, list, options) => {
  const gateway = openaiAgents.gatewayTools(run, list, options);
  const agent = new Agent({ name: "agent", model: gateway.model(agentsModel(mind)), tools: gateway.tools });
  const runner = new Runner({ tracingDisabled: true });
  const result = await runner.run(agent, "Do it.", { stream: true, signal: options?.signal });
  await result.completed;
  return result.finalOutput ?? "";
};

const langchainStreams: WithAdapter = async (mind, run, list, options) => {
  const { tools, calls, node } = langchain.gatewayTools(run, list, options);
  const graph = graphOf(new MindModel(mind).bindTools(tools).pipe(calls), node());
  const task = { messages: ["Do it."] };
  const events = await graph.stream(task, { streamMode: ["values", "messages"], signal: options?.signal });
  let text = "";
  for await (const [mode, event] of events) if (mode === "values") text = event.messages.at(-1)?.text ?? "";
  return text;
};

const langchainAgent: WithAdapter = async (mind, run, list, options) => {
  const gateway = langchain.gatewayTools(run, list, options);
  const middleware = [createMiddleware(gateway.middleware)];
  const agent = createAgent({ model: new MindModel(mind), middleware });
  const { messages } = await agent.invoke({ messages: ["Do it."] }, { signal: options?.signal });
  return messages.at(-1)?.text ?? "";
};

const without = () => Promise.reject(new Error("plays with its adapter alone"));

export const variants: Framework[] = [
  { name: "AI SDK, streaming", withAdapter: vercelStreams, without },
  { name: "OpenAI Agents, streaming", withAdapter: agentsStream, without },
  { name: "LangChain, streaming", withAdapter: langchainStreams, without },
  { name: "LangChain, createAgent", withAdapter: langchainAgent, without },
];
