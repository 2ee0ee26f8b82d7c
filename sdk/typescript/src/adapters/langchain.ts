/**
 * The gateway's tools for LangChain.js, packages `@langchain/core` and `@langchain/langgraph`.
 *
 * @packageDocumentation
 */

import { AIMessage, AIMessageChunk, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import { type Runnable, RunnableLambda } from "@langchain/core/runnables";
import { DynamicStructuredTool, type StructuredToolInterface } from "@langchain/core/tools";
import { type Command, isGraphBubbleUp, type LangGraphRunnableConfig } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import type { Tool } from "toolgate-proto/toolgate/v1/tool_pb";

import { GatewayError } from "../errors.js";
import type { Run } from "../run.js";
import { type Schema, schemaOf } from "../tools.js";
import { type AdapterOptions, Dispatcher, type Reply } from "./dispatcher.js";
import { parsed, written } from "./written.js";

export type { AdapterOptions };

/** What an agent is made of, beside its model. */
export interface GatewayTools {
  /** For `bindTools`. A failure is a ToolMessage of status "error"; a failed rpc is thrown. */
  readonly tools: DynamicStructuredTool[];
  /**
   * Goes after the model: `model.bindTools(tools).pipe(calls)`. The framework takes a malformed call
   * out, and its agents end as if the model had made none; here it reaches the gateway as it stands.
   */
  readonly calls: Runnable<BaseMessage, BaseMessage>;
  /**
   * Makes the node that runs them, and others beside them. A failed rpc ends the graph with its
   * GatewayError; a ToolNode by itself shows it to the model.
   */
  readonly node: (others?: readonly StructuredToolInterface[]) => ToolNode;
}

/** Makes the tools of one run: `gatewayTools(run, await client.listTools())`. */
export function gatewayTools(run: Run, tools: Iterable<Tool>, options?: AdapterOptions): GatewayTools {
  const dispatcher = new Dispatcher(run, options);
  const made = [...tools].map((tool) => toolOf(tool, dispatcher));
  const names = new Set(made.map(({ name }) => name));
  return {
    tools: made,
    calls: RunnableLambda.from((message: BaseMessage) => passable(message, names)),
    node: (others = []) => new GatewayNode([...made, ...others], dispatcher),
  };
}

/** A tool that shows its schema to the model, and runs without the framework's own look at arguments. */
function toolOf(tool: Tool, dispatcher: Dispatcher): DynamicStructuredTool {
  const { name, description } = tool;
  const fields = (schema: Schema) => ({
    name,
    description,
    schema,
    func: async (args: unknown, _manager: unknown, config?: Called) => {
      const reply = await dispatcher.reply(name, written(args), config?.signal);
      return config?.toolCall?.id ? messageOf(name, config.toolCall.id, reply) : reply.text;
    },
  });
  const unchecked = new DynamicStructuredTool(fields({}));
  const made = new DynamicStructuredTool(fields(schemaOf(tool)));
  made.invoke = unchecked.invoke.bind(unchecked);
  return made;
}

interface Called {
  signal?: AbortSignal;
  toolCall?: { id?: string };
}

function messageOf(name: string, id: string, { text, failure }: Reply): ToolMessage {
  return new ToolMessage({ name, tool_call_id: id, content: text, status: failure ? "error" : "success" });
}

/** The message with the calls of these tools as the model wrote them. */
function passable(message: BaseMessage, names: ReadonlySet<string>): BaseMessage {
  if (!AIMessage.isInstance(message)) return message;
  const isOurs = ({ name = "" }: { name?: string }) => names.has(name);
  const calls = (message.tool_calls ?? []).map((call) => (isOurs(call) ? whole(message, call) : call));
  const [malformed, others] = parted(message.invalid_tool_calls ?? [], isOurs);
  const made = malformed.map(({ id, name = "", args = "" }) => callOf(id, name, args));
  return new AIMessage({
    id: message.id,
    name: message.name,
    content: message.content,
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- what providers keep there is theirs
    additional_kwargs: message.additional_kwargs,
    response_metadata: message.response_metadata,
    usage_metadata: message.usage_metadata,
    tool_calls: [...calls, ...made],
    invalid_tool_calls: others,
  });
}

/** Of a message that came in pieces the framework has closed what was cut off, and called it arguments. */
function whole(message: AIMessage, call: ToolCall): ToolCall {
  if (!AIMessageChunk.isInstance(message)) return call;
  const pieces = message.tool_call_chunks?.filter(({ id }) => id !== undefined && id === call.id) ?? [];
  if (pieces.length === 0) return call;
  return callOf(call.id, call.name, pieces.map(({ args }) => args ?? "").join(""));
}

function callOf(id: string | undefined, name: string, args: string): ToolCall {
  return { type: "tool_call", id, name, args: parsed(args) };
}

function parted<Item>(items: readonly Item[], is: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(is), items.filter((item) => !is(item))];
}

class GatewayNode extends ToolNode {
  constructor(
    tools: ToolNode["tools"],
    private readonly dispatcher: Dispatcher,
  ) {
    super(tools, { handleToolErrors: false });
  }

  protected override async runTool(
    call: ToolCall,
    config: LangGraphRunnableConfig,
    state: unknown,
  ): Promise<ToolMessage | Command> {
    const id = call.id ?? "";
    try {
      if (this.tools.some(({ name }) => name === call.name)) return await super.runTool(call, config, state);
      return messageOf(
        call.name,
        id,
        await this.dispatcher.reply(call.name, written(call.args), config.signal),
      );
    } catch (error) {
      if (error instanceof GatewayError || isGraphBubbleUp(error) || config.signal?.aborted) throw error;
      return new ToolMessage({ name: call.name, tool_call_id: id, content: String(error), status: "error" });
    }
  }
}
