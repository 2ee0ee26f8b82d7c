/** By what name a call goes to the gateway, which its repetitions share, and no other call. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { idOf } from "../src/adapters/ids.js";
import { Dispatcher } from "../src/adapters/dispatcher.js";
import { Client } from "../src/index.js";
import { Stage } from "./stage.js";

const ONCE = "call_9fGk2LmQ8sTvX1yZ3aBcDeF4";
const TOOL = "list_invoices_by_customer2";

test("a name that comes once names one call of one tool with one text", () => {
  for (const name of [
    ONCE,
    "toolu_01A09q90qw90lq917835lq9",
    "3f2b8c1e-9a4d-4e57-8b6a-0c1d2e3f4a5b",
    "chatcmpl-tool-6f4bca3b2a4e4d9ab5b6a4f2a8c9d0e1",
    "D681PevKs",
  ]) {
    const id = idOf("t", '{"a":1}', name);
    assert.equal(idOf("t", '{"a":1}', name), id);
    assert.ok(id.startsWith(`${name}.`));
    assert.equal(new Set([id, idOf("u", '{"a":1}', name), idOf("t", '{"a":2}', name)]).size, 3);
    assert.ok(Buffer.byteLength(idOf("t", "", "é".repeat(500) + name)) <= 128);
  }
});

test("a name that may come again names nothing", () => {
  for (const name of [
    undefined,
    "",
    "0",
    "call_0",
    `functions.${TOOL}:0`,
    `call_${TOOL}_0`,
    TOOL,
    "chatcmpl-tool-0",
    "toolCall3",
    "call_0000000001",
    "call_00000000000000000000000001",
  ])
    assert.notEqual(idOf(TOOL, "{}", name), idOf(TOOL, "{}", name), name);
});

test("a step that runs again gets the outcome that there was, and a new call a new one", async () => {
  for (const [name, second] of [
    [ONCE, '{"n":1}'],
    ["functions.list_invoices:0", '{"n":2}'],
  ] as const) {
    await using stage = await Stage.start();
    stage.answer("/invoices", { n: 1 });
    stage.answer("/invoices", { n: 2 });
    using client = new Client(stage.target);
    await using run = client.run();
    const dispatcher = new Dispatcher(run);
    const read = [];
    for (let i = 0; i < 2; i++)
      read.push((await dispatcher.reply("list_invoices", "{}", undefined, name)).text);
    assert.deepEqual(read, ['{"n":1}', second], name);
  }
});
