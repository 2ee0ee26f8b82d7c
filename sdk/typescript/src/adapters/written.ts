import type { Arguments } from "../call.js";

/**
 * Frameworks parse what a model wrote, and have their own word for it where that fails; the transcripts
 * of the model APIs hold nothing but objects. So what is no object travels through them inside of one.
 */
const CARRIER = "malformed_json_arguments";

/** Arguments as a framework can parse them: the text itself, wherever that is a JSON object. */
export function parseable(text: string): string {
  if (text.trim() === "") return "{}";
  return isObject(text) ? text : JSON.stringify({ [CARRIER]: text });
}

/** The same, parsed. */
export function parsed(text: string): Record<string, unknown> {
  return JSON.parse(parseable(text)) as Record<string, unknown>;
}

/** What the model wrote, out of the arguments that a framework parsed. */
export function written(args: unknown): Arguments {
  if (typeof args !== "object" || args === null) return args as Arguments;
  const carried = (args as Record<string, unknown>)[CARRIER];
  return typeof carried === "string" ? carried : args;
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
