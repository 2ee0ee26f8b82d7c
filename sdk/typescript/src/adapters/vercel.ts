/**
 * The gateway's tools for the AI SDK, package `ai`.
 *
 * @packageDocumentation
 */

import { dynamicTool, jsonSchema, type LanguageModelMiddleware, type ToolSet } from "ai";
import type { Tool } from "toolgate-proto/toolgate/v1/tool_pb";

import type { Arguments } from "../call.js";
import type { ErrorClass } from "../errors.js";
import type { Run } from "../run.js";
import { schemaOf } from "../tools.js";
import { type AdapterOptions, Dispatcher } from "./dispatcher.js";
import { parseable, written } from "./written.js";

export type { AdapterOptions };

/** The output of a call that failed. Of one that succeeded it is the answer, as text. */
export interface FailedOutput {
  readonly class: ErrorClass;
  readonly code: string;
  /** What the model reads, marked as an error. */
  readonly observation: string;
}

/** What generateText and streamText are given. */
export interface GatewayTools {
  /** Goes into `tools`. A failure is an output (FailedOutput), which no layer above words anew. */
  readonly tools: ToolSet;
  /**
   * Goes around the model, by `wrapLanguageModel`. It passes on what the model wrote as it stands, and
   * ends the generation where an rpc failed, with its GatewayError: a model can't do anything about it.
   */
  readonly middleware: LanguageModelMiddleware;
}

/** Makes the tools of one run: `gatewayTools(run, await client.listTools())`. */
export function gatewayTools(run: Run, tools: Iterable<Tool>, options?: AdapterOptions): GatewayTools {
  const calls = new Calls(new Dispatcher(run, options));
  const made = Object.fromEntries([...tools].map((tool) => [tool.name, toolOf(tool, calls)]));
  return { tools: made, middleware: middlewareOf(calls, new Set(Object.keys(made))) };
}

/** What middleware and tools know of the calls that are under way. */
class Calls {
  readonly #written = new Map<string, string>();
  #broken: Error | undefined;

  constructor(private readonly dispatcher: Dispatcher) {}

  /** Keeps what the model wrote: what the framework makes of it has lost digits. */
  keep(id: string, text: string): void {
    this.#written.set(id, text);
  }

  async make(tool: string, id: string, input: unknown, signal?: AbortSignal): Promise<string | FailedOutput> {
    const args: Arguments = this.#written.get(id) ?? written(input);
    this.#written.delete(id);
    try {
      const { text, failure } = await this.dispatcher.reply(tool, args, signal);
      return failure ? { class: failure.errorClass, code: failure.code, observation: text } : text;
    } catch (error) {
      if (error instanceof Error && !signal?.aborted) this.#broken = error;
      throw error;
    }
  }

  /** Throws what broke a call: the framework has caught that, to show it to the model. */
  throwIfBroken(): void {
    const error = this.#broken;
    this.#broken = undefined;
    if (error) throw error;
  }
}

function toolOf(tool: Tool, calls: Calls) {
  return dynamicTool({
    description: tool.description,
    inputSchema: jsonSchema(schemaOf(tool)), // without a validator: it is the gateway that validates
    execute: (input, { toolCallId, abortSignal }) => calls.make(tool.name, toolCallId, input, abortSignal),
    toModelOutput: ({ output }) =>
      typeof output === "string"
        ? { type: "text", value: output }
        : { type: "error-text", value: (output as FailedOutput).observation },
  });
}

function middlewareOf(calls: Calls, names: ReadonlySet<string>): LanguageModelMiddleware {
  function passable<Part extends { type: string }>(part: Part): Part {
    if (!isCall(part) || !names.has(part.toolName)) return part;
    calls.keep(part.toolCallId, part.input);
    return { ...part, input: parseable(part.input) };
  }
  return {
    specificationVersion: "v3",
    async wrapGenerate({ doGenerate }) {
      calls.throwIfBroken();
      const result = await doGenerate();
      return { ...result, content: result.content.map(passable) };
    },
    async wrapStream({ doStream }) {
      calls.throwIfBroken();
      const { stream, ...rest } = await doStream();
      const passing = new TransformStream<Parts<typeof stream>, Parts<typeof stream>>({
        transform(part, controller) {
          controller.enqueue(passable(part));
        },
      });
      return { ...rest, stream: stream.pipeThrough(passing) };
    },
  };
}

type Parts<Stream> = Stream extends ReadableStream<infer Part> ? Part : never;

interface Called {
  toolName: string;
  toolCallId: string;
  input: string;
}

function isCall<Part extends { type: string }>(part: Part): part is Called & Part {
  return part.type === "tool-call";
}
