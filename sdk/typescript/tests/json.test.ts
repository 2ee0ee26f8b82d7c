/** What a value is as arguments: nothing of it is lost without a word. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { messageOf } from "../src/call.js";

function textOf(value: unknown): string {
  return messageOf({ tool: "t", arguments: value as object }).argumentsJson;
}

class Money {
  readonly #cents = 1050;
  toJSON() {
    return { cents: this.#cents };
  }
}

class Tags extends Set<string> {
  toJSON() {
    return [...this];
  }
}

class Point {
  x = 1;
  y?: number;
  length() {
    return this.x;
  }
}

class Page {
  items = [1];
  *[Symbol.iterator]() {
    yield* this.items;
  }
}

const shared = { n: 1n };

const WRITTEN: [string, unknown, string][] = [
  ["no members", {}, "{}"],
  [
    "what JSON has",
    { a: [null, true, -0.5, "é<>\u2028"], b: { c: {} } },
    '{"a":[null,true,-0.5,"é<>\u2028"],"b":{"c":{}}}',
  ],
  ["digits", { n: 2n ** 64n, list: [-1n] }, '{"n":18446744073709551616,"list":[-1]}'],
  ["an optional argument", { a: undefined, b: { c: undefined }, d: 1 }, '{"b":{},"d":1}'],
  ["a Date", { when: new Date(0) }, '{"when":"1970-01-01T00:00:00.000Z"}'],
  ["a URL", { at: new URL("http://a/b") }, '{"at":"http://a/b"}'],
  [
    "a toJSON",
    { price: new Money(), list: [new Money()] },
    '{"price":{"cents":1050},"list":[{"cents":1050}]}',
  ],
  ["a toJSON of what has none by itself", { tags: new Tags(["a"]) }, '{"tags":["a"]}'],
  ["a toJSON that leaves the member out", { a: { toJSON: () => undefined } }, "{}"],
  ["a class", new Point(), '{"x":1}'],
  ["a class that lists what its members show", new Page(), '{"items":[1]}'],
  ["no prototype", Object.assign(Object.create(null) as object, { a: 1 }), '{"a":1}'],
  ["boxes", { a: [Object(1), Object("b"), Object(2n), Object(false)] }, '{"a":[1,"b",2,false]}'],
  ["one object in two places", { a: shared, b: [shared, shared] }, '{"a":{"n":1},"b":[{"n":1},{"n":1}]}'],
  ["a list", [1, { a: 2 }], '[1,{"a":2}]'],
];

for (const [name, value, want] of WRITTEN)
  test(`written: ${name}`, () => {
    assert.equal(textOf(value), want);
  });

const circle: Record<string, unknown> = {};
circle["a"] = [{ back: circle }];

function* generated() {
  yield 1;
}

const REFUSED: [unknown, string][] = [
  [
    { lines: [{}, {}, { when: new Map([["a", 1]]) }] },
    "lines[2].when: a Map is not JSON: use Object.fromEntries",
  ],
  [{ a: { tags: new Set(["b"]) } }, "a.tags: a Set is not JSON: use Array.from"],
  [new Map(), "arguments: a Map is not JSON: use Object.fromEntries"],
  [{ on: { done: () => 1 } }, "on.done: a function is not JSON: use what it returns"],
  [() => 1, "arguments: a function is not JSON: use what it returns"],
  [{ list: [Money] }, "list[0]: a function is not JSON: use what it returns"],
  [{ kind: Symbol("a") }, "kind: a symbol is not JSON: use a string"],
  [[[Symbol.iterator]], "[0][0]: a symbol is not JSON: use a string"],
  [{ a: [{ n: NaN }] }, "a[0].n: NaN is not JSON: use a finite number, or null"],
  [{ a: { b: { c: -Infinity } } }, "a.b.c: -Infinity is not JSON: use a finite number, or null"],
  [{ a: Object(NaN) as unknown }, "a: NaN is not JSON: use a finite number, or null"],
  [{ a: [1, undefined] }, "a[1]: undefined in an array is not JSON: use null"],
  // eslint-disable-next-line no-sparse-arrays
  [{ a: [1, , 3] }, "a[1]: undefined in an array is not JSON: use null"],
  [[{ toJSON: () => undefined }], "[0]: undefined in an array is not JSON: use null"],
  [{ toJSON: () => undefined }, "arguments: undefined is not JSON: use an object"],
  [{ a: { toJSON: () => new Map() } }, "a: a Map is not JSON: use Object.fromEntries"],
  [{ a: { toJSON: () => ({ b: [NaN] }) } }, "a.b[0]: NaN is not JSON: use a finite number, or null"],
  [{ price: Promise.resolve(1) }, "price: a Promise is not JSON: await it"],
  [{ vector: new Float32Array(2) }, "vector: a typed array is not JSON: use Array.from"],
  [{ file: new ArrayBuffer(2) }, "file: bytes are not JSON: use text, in base64 for example"],
  [{ why: new RangeError("x") }, "why: an Error is not JSON: use its message"],
  [{ like: /a/ }, "like: a RegExp is not JSON: use its source"],
  [{ a: generated() }, "a: an iterable is not JSON: use Array.from, or Object.fromEntries for pairs"],
  [
    { q: new URLSearchParams("a=1") },
    "q: an iterable is not JSON: use Array.from, or Object.fromEntries for pairs",
  ],
  [{ a: new Blob(["x"]) }, "a: an object whose class shows no members is not JSON: use a plain one"],
  [{ a: new WeakMap() }, "a: an object whose class shows no members is not JSON: use a plain one"],
  [circle, "a[0].back: an object inside of itself is not JSON: use its id, or a copy"],
  [{ "a.b": { "": [NaN] } }, '["a.b"][""][0]: NaN is not JSON: use a finite number, or null'],
  [{ a: shared, b: { c: shared, d: NaN } }, "b.d: NaN is not JSON: use a finite number, or null"],
];

for (const [value, message] of REFUSED)
  test(`refused: ${message}`, () => {
    assert.throws(() => textOf(value), { name: "TypeError", message });
  });
