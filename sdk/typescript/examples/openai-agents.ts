/** The stories under the OpenAI Agents SDK. */

import { pathToFileURL } from "node:url";

import {
  Agent,
  type AgentInputItem,
  type Model,
  type ModelRequest,
  Runner,
  type StreamEvent,
  tool,
  Usage,
} from "@openai/agents";

import { gatewayTools } from "../src/adapters/openai-agents.js";
import { type Mind, trailing, type Written } from "./mind.js";
import { type Framework, main } from "./story.js";

/** A model that the mind moves. */
export function modelOf(mind: Mind): Model {
  let made = 0;
  const turn = ({ input }: ModelRequest) => {
    const said = mind(typeof input === "string" ? [] : readOf(input));
    return typeof said === "string" ? [messageOf(said)] : said.map((call) => callOf(call, made++));
  };
  return {
    getResponse: (request) => Promise.resolve({ usage: new Usage(), output: turn(request) }),
    async *getStreamedResponse(request): AsyncGenerator<StreamEvent> {
      const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
      const output = await Promise.resolve(turn(request));
      yield { type: "response_done", response: { id: `response_${made.toString()}`, usage, output } };
    },
  };
}

function messageOf(text: string) {
  const content = [{ type: "output_text" as const, text }];
  return { type: "message" as const, role: "assistant" as const, status: "completed" as const, content };
}

function callOf(call: Written, number: number) {
  const callId = `call_${number.toString()}`;
  const made = { type: "function_call" as const, status: "completed" as const };
  return { ...made, callId, name: call.tool, arguments: call.arguments };
}

/** What the last calls brought. */
function readOf(input: readonly AgentInputItem[]): string[] {
  const isResult = (item: AgentInputItem) => item.type === "function_call_result";
  return trailing(input, isResult).flatMap(({ output }) => {
    if (typeof output === "string") return [output];
    const parts = [output].flat();
    return parts.flatMap((part) => (part.type === "text" || part.type === "input_text" ? [part.text] : []));
  });
}

const runner = new Runner({ tracingDisabled: true });

export const openaiAgents: Framework = {
  name: "OpenAI Agents",
  async withAdapter(mind, run, list, options) {
    const gateway = gatewayTools(run, list, options);
    const model = gateway.model(modelOf(mind));
    const agent = new Agent({ name: "agent", instructions: list.contract, model, tools: gateway.tools });
    return (await runner.run(agent, "Do it.", { signal: options?.signal })).finalOutput ?? "";
  },
  async without(mind, plain) {
    const tools = plain.map(({ name, description, schema, call }) => {
      const parameters = { required: [], additionalProperties: true as const, ...(schema as Schema) };
      return tool({
        name,
        description,
        parameters,
        strict: false,
        execute: (input) => call(input as Strings),
      });
    });
    const agent = new Agent({ name: "agent", model: modelOf(mind), tools });
    return (await runner.run(agent, "Do it.")).finalOutput ?? "";
  },
};

type Strings = Record<string, string>;
interface Schema {
  type: "object";
  properties: Record<string, { type: "string" }>;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main(openaiAgents);
