/**
 * Run in a folder that holds the packages as they are published, and no framework: the SDK needs none,
 * and its adapters are missing nothing but theirs.
 */

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const here = createRequire(join(process.cwd(), "package.json"));
const load = (name: string) =>
  import(pathToFileURL(here.resolve(name)).href) as Promise<Record<string, unknown>>;

assert.ok("Client" in (await load("toolgate-sdk")));
assert.ok("toolErrors" in (await load("toolgate-sdk/tool")));
const adapters = [
  ["vercel", "ai"],
  ["openai-agents", "@openai/agents"],
  ["langchain", "@langchain/core"],
] as const;
for (const [adapter, framework] of adapters)
  await assert.rejects(load(`toolgate-sdk/${adapter}`), (error: NodeJS.ErrnoException) => {
    return error.code === "ERR_MODULE_NOT_FOUND" && error.message.includes(`'${framework}'`);
  });
