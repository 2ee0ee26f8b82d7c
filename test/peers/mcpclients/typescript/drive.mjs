// Drives an MCP server with the official client in TypeScript and writes one JSON
// line for each check. The arguments are the folder with node_modules, `sdk` (the
// first line of the SDK) or `client` (the second), and a URL or a command.
import { createRequire } from "node:module";

const [folder, line, ...target] = process.argv.slice(2);
const require = createRequire(folder + "/package.json");
const names =
  line === "sdk"
    ? [
        "@modelcontextprotocol/sdk/client/index.js",
        "@modelcontextprotocol/sdk/client/streamableHttp.js",
        "@modelcontextprotocol/sdk/client/stdio.js",
        "@modelcontextprotocol/sdk/types.js",
      ]
    : ["@modelcontextprotocol/client", "@modelcontextprotocol/client", "@modelcontextprotocol/client/stdio", null];
const { Client } = require(names[0]);
const { StreamableHTTPClientTransport } = require(names[1]);
const { StdioClientTransport } = require(names[2]);
const schema = names[3] ? require(names[3]).CallToolResultSchema : undefined;

const client = new Client(
  { name: "typescript-" + line, version: "1" },
  line === "client" ? { versionNegotiation: { mode: { pin: "2026-07-28" } } } : {},
);
const transport = target[0].startsWith("http")
  ? new StreamableHTTPClientTransport(new URL(target[0]))
  : new StdioClientTransport({ command: target[0], args: target.slice(1), stderr: "inherit" });

// call hides that the second line takes no schema.
function call(name, args, options = {}, meta) {
  const params = { name, arguments: args, ...(meta ? { _meta: meta } : {}) };
  return schema ? client.callTool(params, schema, options) : client.callTool(params, options);
}

function expect(condition, found) {
  if (!condition) throw new Error("found " + JSON.stringify(found));
}

async function check(name, run) {
  let fault = "";
  try {
    await run();
  } catch (error) {
    fault = String(error && error.stack ? error.stack : error);
  }
  console.log(JSON.stringify({ name, fault }));
}

// failed is what a model reads of a failed call.
function failed(result, cls) {
  expect(result.isError === true && result.content.length === 1 && result.structuredContent === undefined, result);
  const observation = JSON.parse(result.content[0].text);
  expect(observation.class === cls, result);
  const whole = result._meta["dev.toolgate/error"];
  expect(whole.class === "ERROR_CLASS_" + cls.toUpperCase() && whole.code === observation.error, whole);
  const failure = result._meta["io.modelcontextprotocol/toolFailure"];
  const named = { transient: "reliability", invalid_request: "capability", terminal: "governance" }[cls];
  expect(failure.class === named && failure.retryable === (cls === "transient") && failure.correlationId, failure);
  return observation;
}

await client.connect(transport);

await check("instructions", async () => {
  expect(client.getInstructions().includes('"terminal": this call is over'), client.getInstructions());
});

await check("list", async () => {
  const { tools } = await client.listTools();
  const names = tools.map((tool) => tool.name);
  expect(["book_slot", "flaky", "hang", "list_invoices"].every((name) => names.includes(name)), names);
  expect(tools.every((tool) => tool.inputSchema.type === "object" && tool.description.endsWith("terminal stop.")), tools);
  expect(tools.find((tool) => tool.name === "list_invoices").annotations.readOnlyHint === true, tools);
});

await check("success", async () => {
  const result = await call("list_invoices", { start_date: "03/14/2026" });
  expect(!result.isError && result.structuredContent === undefined, result);
  expect(JSON.parse(result.content[0].text), result);
});

await check("invalid_request", async () => {
  const observation = failed(await call("list_invoices", { status: "late" }), "invalid_request");
  expect(observation.field === "status" && observation.expected, observation);
});

await check("unknown tool", async () => {
  const observation = failed(await call("list_invoicez", {}), "invalid_request");
  expect(observation.error === "unknown_tool" && JSON.stringify(observation).includes("list_invoices"), observation);
});

await check("terminal, then an alternative", async () => {
  const taken = { practitioner_id: "p_17", start: "2026-03-12T14:30:00Z" };
  const observation = failed(await call("book_slot", taken), "terminal");
  expect(observation.alternatives.length === 3, observation);
  const result = await call("book_slot", observation.alternatives[0]);
  expect(!result.isError, result);
});

await check("transient", async () => {
  const result = await call("down", {});
  expect(failed(result, "transient").retry_after === 300, result);
  const until = result._meta["io.modelcontextprotocol/toolFailure"].retryNotBefore - Date.now();
  expect(until > 200_000 && until <= 300_000, until);
});

await check("progress", async () => {
  const told = [];
  const result = await call("flaky", {}, { onprogress: (progress) => told.push(progress) });
  expect(!result.isError, result);
  // What comes in one piece with the result finds nobody who listens any more.
  expect(told.length >= 2 && told.some((one) => /attempt 2 of 5 in/.test(one.message)), told);
  expect(told.every((one, i) => one.progress === i + 1), told);
});

await check("cancellation", async () => {
  const abort = new AbortController();
  const pending = call("hang", {}, { signal: abort.signal });
  setTimeout(() => abort.abort("enough"), 300);
  let result;
  try {
    result = await pending;
  } catch {
    // as it should be
  }
  expect(result === undefined, result);
  const left = await call("hung", {});
  expect(JSON.parse(left.content[0].text).left === true, left);
});

await check("run", async () => {
  const run = line + "-" + process.pid;
  const result = await call("list_invoices", {}, {}, { "dev.toolgate/run_id": run });
  expect(result._meta["dev.toolgate/run_id"] === run, result._meta);
});

await check("fault of the runtime", async () => {
  let fault;
  try {
    await call("list_invoices", {}, {}, { "dev.toolgate/run_id": 7 });
  } catch (error) {
    fault = error;
  }
  expect(fault && fault.code === -32602 && fault.data.reason === "META_INVALID", fault);
});

await client.close();
