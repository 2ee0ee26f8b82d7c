/** The stories under the AI SDK. */

import { pathToFileURL } from "node:url";

import { generateText, jsonSchema, stepCountIs, tool, type ToolSet, wrapLanguageModel } from "ai";
import { convertArrayToReadableStream, MockLanguageModelV3 } from "ai/test";

import { gatewayTools } from "../src/adapters/vercel.js";
import type { Mind, Written } from "./mind.js";
import { type Framework, main } from "./story.js";

type Model = Parameters<typeof wrapLanguageModel>[0]["model"];
type Prompt = Parameters<Model["doGenerate"]>[0]["prompt"];

/** A model that the mind moves. */
export function modelOf(mind: Mind): Model {
  let made = 0;
  const turn = (prompt: Prompt) => {
    const said = mind(readOf(prompt));
    const unified = typeof said === "string" ? ("stop" as const) : ("tool-calls" as const);
    const content = typeof said === "string" ? said : said.map((call) => callOf(call, made++));
    return { content, finishReason: { unified, raw: unified }, usage };
  };
  return new MockLanguageModelV3({
    doGenerate({ prompt }) {
      const { content, ...rest } = turn(prompt);
      const parts = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
      return Promise.resolve({ content: parts, warnings: [], ...rest });
    },
    doStream({ prompt }) {
      const { content, ...rest } = turn(prompt);
      const parts = typeof content === "string" ? piecesOf(content) : content;
      const stream = convertArrayToReadableStream([...parts, { type: "finish" as const, ...rest }]);
      return Promise.resolve({ stream });
    },
  });
}

function callOf(call: Written, number: number) {
  const toolCallId = `call_${number.toString()}`;
  return { type: "tool-call" as const, toolCallId, toolName: call.tool, input: call.arguments };
}

function piecesOf(text: string) {
  const id = "text";
  return [
    { type: "text-start" as const, id },
    { type: "text-delta" as const, id, delta: text },
    { type: "text-end" as const, id },
  ];
}

const usage = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
};

/** What the last calls brought. */
function readOf(prompt: Prompt): string[] {
  const last = prompt.at(-1);
  if (last?.role !== "tool") return [];
  return last.content.flatMap((part) => {
    if (part.type !== "tool-result") return [];
    const { output } = part;
    return "value" in output
      ? [typeof output.value === "string" ? output.value : JSON.stringify(output.value)]
      : [];
  });
}

/** What ToolLoopAgent stops at by itself; generateText leaves it to its caller. */
const stopWhen = stepCountIs(20);
const prompt = "Do it.";

export const vercel: Framework = {
  name: "AI SDK",
  async withAdapter(mind, run, list, options) {
    const { tools, middleware } = gatewayTools(run, list, options);
    const model = wrapLanguageModel({ model: modelOf(mind), middleware });
    return (
      await generateText({
        model,
        tools,
        stopWhen,
        prompt,
        system: list.contract,
        abortSignal: options?.signal,
      })
    ).text;
  },
  async without(mind, plain) {
    const tools: ToolSet = Object.fromEntries(
      plain.map(({ name, description, schema, call }) => {
        const inputSchema = jsonSchema<Record<string, string>>(schema);
        return [name, tool({ description, inputSchema, execute: (input) => call(input) })];
      }),
    );
    const { text, steps } = await generateText({ model: modelOf(mind), tools, stopWhen, prompt });
    return text || `nothing after ${steps.length.toString()} steps`;
  },
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main(vercel);
