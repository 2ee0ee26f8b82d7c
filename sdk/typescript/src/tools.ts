import { Effect, type Tool } from "toolgate-proto/toolgate/v1/tool_pb";
import type { ListToolsResponse } from "toolgate-proto/toolgate/v1/gateway_pb";

/** A JSON Schema, as the gateway sent it. */
export type Schema = Record<string, unknown>;

/**
 * The tools that this caller may use, by name. Each shape is a list to put into a request as it
 * is; the schemas stay as the gateway sent them, but that each says `type: object`, without which
 * some APIs refuse the whole list.
 */
export class ToolList implements Iterable<Tool> {
  constructor(readonly proto: ListToolsResponse) {}

  /** The sentence for a system prompt: what each class means. */
  get contract(): string {
    return this.proto.contract;
  }

  get length(): number {
    return this.proto.tools.length;
  }

  [Symbol.iterator](): Iterator<Tool> {
    return this.proto.tools.values();
  }

  /** `tools` of OpenAI's Responses API. Strict would rewrite what is optional. */
  openai() {
    return this.proto.tools.map((tool) => {
      return { type: "function" as const, ...described(tool), parameters: schemaOf(tool), strict: false };
    });
  }

  /** `tools` of OpenAI's Chat Completions API, and of the many that take the same. */
  openaiChat() {
    return this.proto.tools.map((tool) => {
      return { type: "function" as const, function: { ...described(tool), parameters: schemaOf(tool) } };
    });
  }

  /** `tools` of Anthropic's Messages API. */
  anthropic() {
    return this.proto.tools.map((tool) => {
      return { ...described(tool), input_schema: schemaOf(tool) };
    });
  }

  /** `functionDeclarations` of one tool of the Gemini API. */
  gemini() {
    return this.proto.tools.map((tool) => ({ ...described(tool), parametersJsonSchema: schemaOf(tool) }));
  }

  /** `tools` of a tools/list result of the Model Context Protocol. */
  mcp() {
    return this.proto.tools.map((tool) => {
      return { ...described(tool), inputSchema: schemaOf(tool), annotations: annotationsOf(tool) };
    });
  }
}

function described({ name, description }: Tool) {
  return { name, description };
}

/** The schema of the arguments; what takes any is an object. */
export function schemaOf(tool: Tool): Schema & { type: "object" } {
  const schema = JSON.parse(tool.inputSchemaJson || "{}") as Schema | boolean;
  return { type: "object", ...(typeof schema === "object" ? schema : {}) };
}

/** Whether a write destroys anything nobody stated. */
function annotationsOf({ effect }: Tool) {
  if (effect === Effect.READ) return { readOnlyHint: true, idempotentHint: true, destructiveHint: false };
  return { readOnlyHint: false, idempotentHint: effect === Effect.IDEMPOTENT };
}
