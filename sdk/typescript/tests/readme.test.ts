/** The snippets of the README compile and run as they stand, against the gateway of the tests. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { promisify } from "node:util";

import ts from "typescript";

import { Stage } from "./stage.js";

// Beside the built package, which a snippet imports by its name.
const folder = new URL("../readme/", import.meta.url);
const readme = await readFile("README.md", "utf8");
const snippets = [...readme.matchAll(/```ts\n(.*?)```/gs)].map((match) => match[1] ?? "");

// The snippet of a tool: it is asked, and stopped.
const LISTEN = "app.listen(8080);";
const ASK = `const server = app.listen(0, async () => {
  const { port } = server.address() as { port: number };
  console.log(await (await fetch(\`http://127.0.0.1:\${port}/invoices\`)).text());
  server.closeAllConnections();
  server.close();
});`;

// The model of a framework's snippet: it calls once, and says what it read.
const MODEL = `import { MockLanguageModelV3 } from "ai/test";

const usage = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
};
export const model = new MockLanguageModelV3({
  async doGenerate({ prompt }) {
    const called = prompt.at(-1)?.role === "tool";
    const unified = called ? ("stop" as const) : ("tool-calls" as const);
    const call = { toolCallId: "a", toolName: "list_invoices", input: "{}" };
    return {
      content: called
        ? [{ type: "text" as const, text: JSON.stringify(prompt.at(-1)?.content) }]
        : [{ type: "tool-call" as const, ...call }],
      finishReason: { unified, raw: unified },
      usage,
      warnings: [],
    };
  },
});
`;

test("each snippet compiles and runs", async () => {
  await using stage = await Stage.start();
  stage.answer("/invoices", { invoices: [] });
  stage.answer("/balances/acc_1042", { balance: 42.1 });
  await mkdir(folder, { recursive: true });
  const files = snippets.map((_, i) => new URL(`snippet${i.toString()}.ts`, folder).pathname);
  for (const [i, file] of files.entries())
    await writeFile(
      file,
      (snippets[i] ?? "").replaceAll("127.0.0.1:7440", stage.target).replace(LISTEN, ASK),
    );
  await writeFile(new URL("model.ts", folder), MODEL);
  assert.deepEqual(compile(files), []);
  for (const file of files) {
    const { stdout } = await promisify(execFile)(process.execPath, [file.replace(/ts$/, "js")]);
    assert.match(stdout, /invoices|"format":"YYYY-MM-DD"/, file);
  }
});

test("a stranger calls in less than fifteen lines", () => {
  assert.ok(snippets.length >= 3);
  assert.ok((snippets[0] ?? "").trim().split("\n").length < 15);
});

function compile(files: string[]): string[] {
  const config = ts.parseJsonConfigFileContent(
    ts.readConfigFile("tsconfig.json", (path) => ts.sys.readFile(path)).config,
    ts.sys,
    ".",
  );
  const options = {
    ...config.options,
    rootDir: folder.pathname,
    outDir: folder.pathname,
    incremental: false,
  };
  delete options.tsBuildInfoFile;
  const program = ts.createProgram(files, { ...options, noUnusedLocals: false });
  const found = [...ts.getPreEmitDiagnostics(program), ...program.emit().diagnostics];
  return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}
