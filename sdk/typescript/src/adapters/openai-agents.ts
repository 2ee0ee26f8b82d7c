/**
 * The gateway's tools for the OpenAI Agents SDK, package `@openai/agents`.
 *
 * @packageDocumentation
 */

import { type Tool as AgentTool, type Model, type StreamEvent, tool as functionTool } from "@openai/agents";
import type { Tool } from "toolgate-proto/toolgate/v1/tool_pb";

import { schemaOf } from "../tools.js";
import { textsOf } from "./content.js";
import { type AdapterOptions, type CurrentRun, Dispatcher, type Reply } from "./dispatcher.js";
import { parseable, written } from "./written.js";

export type { AdapterOptions, CurrentRun };

/** What an Agent is given. */
export interface GatewayTools {
  /** Goes into `tools`. A failure is an output; a failed rpc ends the run, as `error` of a ToolCallError. */
  readonly tools: AgentTool[];
  /**
   * Goes around the model, so that what it wrote reaches the gateway as it stands, malformed or not. By
   * itself the framework answers what it can't parse, and asks the model to try again.
   */
  readonly model: (model: Model) => Model;
}

/** Makes the tools: `gatewayTools(run, await client.listTools())`. */
export function gatewayTools(run: CurrentRun, tools: Iterable<Tool>, options?: AdapterOptions): GatewayTools {
  const dispatcher = new Dispatcher(run, options);
  const made = [...tools].map((tool) => toolOf(tool, dispatcher));
  const names = new Set(made.map(({ name }) => name));
  return { tools: made, model: (model) => around(model, names) };
}

function toolOf(tool: Tool, dispatcher: Dispatcher): AgentTool & { name: string } {
  const made = functionTool({
    name: tool.name,
    description: tool.description,
    parameters: {
      properties: {},
      required: [],
      additionalProperties: true,
      ...schemaOf(tool),
      type: "object",
    },
    strict: false, // which would rewrite what is optional
    errorFunction: null, // which would ask the model to try again
    async execute(input, _context, details) {
      const text = details?.toolCall?.arguments;
      const args = written(input);
      const sent = typeof args === "string" ? args : (text ?? args);
      return outputOf(await dispatcher.reply(tool.name, sent, details?.signal, details?.toolCall?.callId));
    },
  });
  return { ...made, name: tool.name }; // with the dashes that the framework makes underscores
}

function outputOf(reply: Reply) {
  if (reply.images.length === 0) return reply.text;
  const text = textsOf(reply).map((text) => ({ type: "text", text }));
  return [...text, ...reply.images.map((image) => ({ type: "image", image }))];
}

/** The same model, whose calls of these tools the framework can parse. */
function around(model: Model, names: ReadonlySet<string>): Model {
  function passable<Item extends { type?: string }>(item: Item): Item {
    if (!isCall(item) || !names.has(item.name)) return item;
    return { ...item, arguments: parseable(item.arguments) };
  }
  const passing: Model = {
    async getResponse(request) {
      const response = await model.getResponse(request);
      return { ...response, output: response.output.map(passable) };
    },
    async *getStreamedResponse(request): AsyncGenerator<StreamEvent> {
      for await (const event of model.getStreamedResponse(request)) {
        if (event.type !== "response_done") yield event;
        else yield { ...event, response: { ...event.response, output: event.response.output.map(passable) } };
      }
    },
    getRetryAdvice: (failed) => model.getRetryAdvice?.(failed),
  };
  return Object.assign(Object.create(model) as Model, passing);
}

interface Called {
  name: string;
  arguments: string;
}

function isCall<Item extends { type?: string }>(item: Item): item is Called & Item {
  return item.type === "function_call";
}
