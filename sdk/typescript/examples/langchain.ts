/** The stories under LangChain.js, in the graph of an agent that its guides draw. */

import { pathToFileURL } from "node:url";

import { BaseChatModel, type BindToolsInput } from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { InvalidToolCall, ToolCall } from "@langchain/core/messages/tool";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import type { Runnable } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";

import { gatewayTools } from "../src/adapters/langchain.js";
import { type Mind, trailing, type Written } from "./mind.js";
import { type Framework, main } from "./story.js";

/** A model that the mind moves. Like those of the providers it sorts out what it can't parse. */
export class MindModel extends BaseChatModel {
  #made = 0;

  constructor(private readonly mind: Mind) {
    super({});
  }

  _llmType(): string {
    return "mind";
  }

  /** It calls what it wants to, whatever there is. */
  override bindTools(tools: BindToolsInput[]): Runnable<BaseMessage[], AIMessageChunk> {
    return this.withConfig({ metadata: { tools: tools.length } });
  }

  _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const said = this.mind(readOf(messages));
    const message = new AIMessage(typeof said === "string" ? said : { content: "", ...this.#sorted(said) });
    return Promise.resolve({ generations: [{ message, text: "" }] });
  }

  override async *_streamResponseChunks(messages: BaseMessage[]): AsyncGenerator<ChatGenerationChunk> {
    const said = await Promise.resolve(this.mind(readOf(messages)));
    if (typeof said === "string") yield pieceOf({ content: said });
    else for (const call of said) yield* this.#pieces(call);
  }

  /** One call in two pieces, as a stream brings it. */
  *#pieces({ tool: name, arguments: args }: Written): Generator<ChatGenerationChunk> {
    const index = this.#made++;
    const half = Math.floor(args.length / 2);
    const first = { name, args: args.slice(0, half), id: `call_${index.toString()}`, index };
    yield pieceOf({ content: "", tool_call_chunks: [first] });
    yield pieceOf({ content: "", tool_call_chunks: [{ args: args.slice(half), index }] });
  }

  #sorted(said: Exclude<ReturnType<Mind>, string>): {
    tool_calls: ToolCall[];
    invalid_tool_calls: InvalidToolCall[];
  } {
    const sorted = { tool_calls: [] as ToolCall[], invalid_tool_calls: [] as InvalidToolCall[] };
    for (const { tool: name, arguments: args } of said) {
      const id = `call_${(this.#made++).toString()}`;
      try {
        const parsed = JSON.parse(args) as Record<string, unknown>;
        sorted.tool_calls.push({ type: "tool_call", id, name, args: parsed });
      } catch (error) {
        sorted.invalid_tool_calls.push({ type: "invalid_tool_call", id, name, args, error: String(error) });
      }
    }
    return sorted;
  }
}

function pieceOf(fields: ConstructorParameters<typeof AIMessageChunk>[0]): ChatGenerationChunk {
  const message = new AIMessageChunk(fields);
  return new ChatGenerationChunk({ message, text: message.text });
}

/** What the last calls brought. */
function readOf(messages: readonly BaseMessage[]): string[] {
  return trailing(messages, (message) => ToolMessage.isInstance(message)).map(({ text }) => text);
}

/** An agent: the model, its tools, and back to the model. */
export function graphOf(model: Runnable<BaseMessage[], BaseMessage>, node: ToolNode) {
  return new StateGraph(MessagesAnnotation)
    .addNode("agent", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode("tools", node)
    .addEdge("__start__", "agent")
    .addConditionalEdges("agent", toolsCondition)
    .addEdge("tools", "agent")
    .compile();
}

const task = { messages: ["Do it."] };

function lastOf({ messages }: { messages: BaseMessage[] }): string {
  return messages.at(-1)?.text ?? "";
}

export const langchain: Framework = {
  name: "LangChain",
  async withAdapter(mind, run, list, options) {
    const { tools, calls, node } = gatewayTools(run, list, options);
    const graph = graphOf(new MindModel(mind).bindTools(tools).pipe(calls), node());
    return lastOf(await graph.invoke(task, { signal: options?.signal }));
  },
  async without(mind, plain) {
    const tools = plain.map(({ name, description, schema, call }) =>
      tool((args) => call(args as Record<string, string>), { name, description, schema }),
    );
    const graph = graphOf(new MindModel(mind).bindTools(tools), new ToolNode(tools));
    return lastOf(await graph.invoke(task));
  },
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main(langchain);
