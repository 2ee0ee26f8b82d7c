import { createHash, randomUUID } from "node:crypto";

/**
 * The id of a call: the same in every repetition, and no other call's. A resend under the framework's
 * name for it joins it, where that name comes once: a step that a checkpoint runs again. Some models
 * count their calls anew in each turn (`call_0`, `functions.look:0`), and what they then ask again is to
 * be looked up again.
 */
export function idOf(tool: string, argumentsJson: string, name = ""): string {
  if (!comesOnce(tool === "" ? name : name.replaceAll(tool, ""))) return randomUUID();
  const said = createHash("sha256").update([name, tool, argumentsJson].join("\0")).digest("hex");
  return `${name.slice(0, 64).replace(/[^\x20-\x7e]/g, "?")}.${said.slice(0, 24)}`;
}

const LONG = 20; // characters of a random name
const MIXED = 8; // of one with digits inside

/** Tells a random name from words and a count: it is long, or has letters after its digits. */
function comesOnce(name: string): boolean {
  const parts = name.replaceAll("-", "").match(/[a-z\d]+/gi) ?? [];
  return parts.some(
    (part) => (part.length >= LONG && !/^\d+$/.test(part)) || (part.length >= MIXED && /\d[a-z]/i.test(part)),
  );
}
