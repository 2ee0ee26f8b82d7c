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
import { type Image, textsOf } from "./content.js";
import { type AdapterOptions, type CurrentRun, Dispatcher, type Reply } from "./dispatcher.js";
import { parseable, written } from "./written.js";

export type { AdapterOptions, CurrentRun };

/** The output of a call: the answer as text, or with what there was to see; or how it failed. */
export type Output = string | { readonly text: string; readonly images: readonly Image[] } | FailedOutput;

/** The output of a call that failed. */
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

/** Makes the tools: `gatewayTools(run, await client.listTools())`. */
export function gatewayTools(run: CurrentRun, tools: Iterable<Tool>, options?: AdapterOptions): GatewayTools {
  const calls = new Calls(new Dispatcher(run, options));
  const made = Object.fromEntries([...tools].map((tool) => [tool.name, toolOf(tool, calls)]));
  return { tools: made, middleware: middlewareOf(calls, new Set(Object.keys(made))) };
}

/** What middleware and tools know of the calls of a run that are under way. */
interface UnderWay {
  readonly written: Map<string, string>;
  broken?: Error;
}

class Calls {
  readonly #runs = new WeakMap<Run, UnderWay>();

  constructor(private readonly dispatcher: Dispatcher) {}

  /** Keeps what the model wrote: what the framework makes of it has lost digits. */
  keep(id: string, text: string): void {
    this.#underWay().written.set(id, text);
  }

  async make(tool: string, id: string, input: unknown, signal?: AbortSignal): Promise<Output> {
    const underWay = this.#underWay();
    const args: Arguments = underWay.written.get(id) ?? written(input);
    underWay.written.delete(id);
    try {
      return outputOf(await this.dispatcher.reply(tool, args, signal, id));
    } catch (error) {
      if (error instanceof Error && !signal?.aborted) underWay.broken = error;
      throw error;
    }
  }

  /** Throws what broke a call: the framework has caught that, to show it to the model. */
  throwIfBroken(): void {
    const underWay = this.#underWay();
    const { broken } = underWay;
    delete underWay.broken;
    if (broken) throw broken;
  }

  #underWay(): UnderWay {
    const { run } = this.dispatcher;
    const underWay = this.#runs.get(run) ?? { written: new Map<string, string>() };
    this.#runs.set(run, underWay);
    return underWay;
  }
}

function outputOf({ text, images, failure }: Reply): Output {
  if (failure) return { class: failure.errorClass, code: failure.code, observation: text };
  return images.length === 0 ? text : { text, images };
}

function toolOf(tool: Tool, calls: Calls) {
  return dynamicTool({
    description: tool.description,
    inputSchema: jsonSchema(schemaOf(tool)), // without a validator: it is the gateway that validates
    execute: (input, { toolCallId, abortSignal }) => calls.make(tool.name, toolCallId, input, abortSignal),
    toModelOutput: ({ output }) => modelOutputOf(output as Output),
  });
}

function modelOutputOf(output: Output): ModelOutput {
  if (typeof output === "string") return { type: "text", value: output };
  if ("observation" in output) return { type: "error-text", value: output.observation };
  const text = textsOf(output).map((text) => ({ type: "text" as const, text }));
  const seen = output.images.map((image) => ({ type: "image-data" as const, ...image }));
  return { type: "content", value: [...text, ...seen] };
}

type ModelOutput = Awaited<ReturnType<NonNullable<ToolSet[string]["toModelOutput"]>>>;

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
