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
import { type Schema, schemaOf } from "../tools.js";
import { textsOf } from "./content.js";
import { type AdapterOptions, type CurrentRun, Dispatcher, type Reply } from "./dispatcher.js";
import { parsed, written } from "./written.js";

export type { AdapterOptions, CurrentRun };

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
  /**
   * All of it for `createAgent` of the package `langchain`:
   * `createAgent({ model, middleware: [createMiddleware(gateway.middleware)] })`.
   */
  readonly middleware: {
    readonly name: string;
    readonly tools: DynamicStructuredTool[];
    readonly wrapModelCall: <Request, Answer>(
      request: Request,
      handler: Handler<Request, Answer>,
    ) => Promise<Answer | AIMessage>;
    readonly wrapToolCall: <Request extends ToolRequest, Answer>(
      request: Request,
      handler: Handler<Request, Answer>,
    ) => Promise<Answer | ToolMessage>;
  };
}

type Handler<Request, Answer> = (request: Request) => Answer | PromiseLike<Answer>;

interface ToolRequest {
  readonly toolCall: ToolCall;
  readonly tool?: unknown;
  readonly runtime: { readonly signal?: AbortSignal };
}

/** Makes the tools: `gatewayTools(run, await client.listTools())`. */
export function gatewayTools(run: CurrentRun, tools: Iterable<Tool>, options?: AdapterOptions): GatewayTools {
  const dispatcher = new Dispatcher(run, options);
  const made = [...tools].map((tool) => toolOf(tool, dispatcher));
  const names = new Set(made.map(({ name }) => name));
  return {
    tools: made,
    calls: RunnableLambda.from((message: BaseMessage) => passable(message, names)),
    node: (others = []) => new GatewayNode([...made, ...others], dispatcher),
    middleware: {
      name: "toolgate",
      tools: made,
      wrapModelCall: async (request, handler) => passable(await handler(request), names),
      wrapToolCall: (request, handler) => {
        const { toolCall, tool, runtime } = request;
        return told(toolCall, runtime.signal, async () =>
          tool === undefined ? replyTo(toolCall, dispatcher, runtime.signal) : handler(request),
        );
      },
    },
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
      const reply = await dispatcher.reply(name, written(args), config?.signal, config?.toolCall?.id);
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

function messageOf(name: string, id: string, reply: Reply): ToolMessage {
  const seen = reply.images.map(({ mediaType, data }) => {
    return { type: "image_url" as const, image_url: { url: `data:${mediaType};base64,${data}` } };
  });
  const text = textsOf(reply).map((text) => ({ type: "text" as const, text }));
  const content = seen.length === 0 ? reply.text : [...text, ...seen];
  return new ToolMessage({ name, tool_call_id: id, content, status: reply.failure ? "error" : "success" });
}

/** The message with the calls of these tools as the model wrote them. */
function passable<Message>(message: Message, names: ReadonlySet<string>): Message | AIMessage {
  if (!AIMessage.isInstance(message)) return message;
  const isOurs = ({ name = "" }: { name?: string }) => names.has(name);
  if (![...(message.tool_calls ?? []), ...(message.invalid_tool_calls ?? [])].some(isOurs)) return message;
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
  const first = message.tool_call_chunks?.find(({ id }) => id !== undefined && id === call.id);
  if (!first) return call;
  const isPiece = ({ id, index }: typeof first) => (id ? id === call.id : index === first.index);
  const pieces = message.tool_call_chunks?.filter(isPiece) ?? [];
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

  protected override runTool(
    call: ToolCall,
    config: LangGraphRunnableConfig,
    state: unknown,
  ): Promise<ToolMessage | Command> {
    return told(call, config.signal, () =>
      this.tools.some(({ name }) => name === call.name)
        ? super.runTool(call, config, state)
        : replyTo(call, this.dispatcher, config.signal),
    );
  }
}

/** A call of a name that nobody here has: the gateway knows the nearest. */
async function replyTo(call: ToolCall, dispatcher: Dispatcher, signal?: AbortSignal): Promise<ToolMessage> {
  const { id = "", name, args } = call;
  return messageOf(name, id, await dispatcher.reply(name, written(args), signal, id));
}

/** Lets through what is no tool's failure. Any other tool's is told to the model as it is. */
async function told<Answer>(
  { name, id = "" }: ToolCall,
  signal: AbortSignal | undefined,
  run: () => Promise<Answer>,
): Promise<Answer | ToolMessage> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof GatewayError || isGraphBubbleUp(error) || signal?.aborted) throw error;
    return new ToolMessage({ name, tool_call_id: id, content: String(error), status: "error" });
  }
}
