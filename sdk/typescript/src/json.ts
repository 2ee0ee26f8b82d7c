import { randomUUID } from "node:crypto";
import { types } from "node:util";

/** A value and where it stands: under which key of what. The outermost has nothing above it. */
interface Place {
  readonly value: unknown;
  readonly key: string;
  readonly above: Place | undefined;
}

/** What JSON.stringify would leave out, or write as `{}`, without a word. */
const OPAQUE: readonly (readonly [is: (value: object) => boolean, why: string])[] = [
  [types.isMap, "a Map is not JSON: use Object.fromEntries"],
  [types.isSet, "a Set is not JSON: use Array.from"],
  [types.isPromise, "a Promise is not JSON: await it"],
  [types.isTypedArray, "a typed array is not JSON: use Array.from"],
  [isBytes, "bytes are not JSON: use text, in base64 for example"],
  [types.isRegExp, "a RegExp is not JSON: use its source"],
  [(value) => value instanceof Error, "an Error is not JSON: use its message"],
  [isHiddenList, "an iterable is not JSON: use Array.from, or Object.fromEntries for pairs"],
  [isHidden, "an object whose class shows no members is not JSON: use a plain one"],
];

/**
 * Writes JSON, a bigint with all its digits, and what has a toJSON as that says. What would be lost
 * is a TypeError that names the place by its path, `lines[2].when` for example, and what is accepted.
 * An undefined member of an object is left out: so are optional arguments given.
 */
export function written(args: object): string {
  const mark = randomUUID(); // stands before digits, and nowhere else
  const places = new Map<unknown, Place>();
  const text = JSON.stringify(args, function (this: unknown, key, given: unknown) {
    const value: unknown = types.isBoxedPrimitive(given) ? given.valueOf() : given;
    const place = { value, key, above: places.get(this) };
    const why = refusal(place);
    if (why !== undefined) throw new TypeError(`${pathOf(place) || "arguments"}: ${why}`);
    if (typeof value === "object") places.set(value, place);
    return typeof value === "bigint" ? mark + value.toString() : value;
  });
  return text.replace(new RegExp(`"${mark}(-?\\d+)"`, "g"), "$1");
}

/** Why the value can't be written; undefined where it can. */
function refusal(place: Place): string | undefined {
  const { value, above } = place;
  switch (typeof value) {
    case "number":
      return Number.isFinite(value)
        ? undefined
        : `${value.toString()} is not JSON: use a finite number, or null`;
    case "function":
      return "a function is not JSON: use what it returns";
    case "symbol":
      return "a symbol is not JSON: use a string";
    case "undefined":
      if (above === undefined) return "undefined is not JSON: use an object";
      return Array.isArray(above.value) ? "undefined in an array is not JSON: use null" : undefined;
    case "object":
      return value === null ? undefined : refusalOf(value, above);
    default:
      return undefined;
  }
}

function refusalOf(value: object, above: Place | undefined): string | undefined {
  for (let holder = above; holder; holder = holder.above)
    if (holder.value === value) return "an object inside of itself is not JSON: use its id, or a copy";
  return OPAQUE.find(([is]) => is(value))?.[1];
}

function isBytes(value: object): boolean {
  return types.isAnyArrayBuffer(value) || types.isDataView(value);
}

/** Whether it lists what none of its members shows, as URLSearchParams and generators do. */
function isHiddenList(value: object): boolean {
  return Symbol.iterator in value && !Array.isArray(value) && Object.keys(value).length === 0;
}

/** Whether nothing of it would be written: a WeakMap, a Blob, whatever keeps its state to itself. */
function isHidden(value: object): boolean {
  const kind = Object.getPrototypeOf(value) as object | null;
  const plain = kind === null || Object.getPrototypeOf(kind) === null; // of any realm
  return !plain && !Array.isArray(value) && Object.keys(value).length === 0;
}

/** `a.b[0].c`, as a violation names its field; what can't stand between dots is `a["b.c"]`. */
function pathOf({ key, above }: Place): string {
  if (above === undefined) return "";
  const path = pathOf(above);
  if (Array.isArray(above.value)) return `${path}[${key}]`;
  if (!/^[^\p{Cc}.[\]"\\ ]+$/u.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === "" ? key : `${path}.${key}`;
}
