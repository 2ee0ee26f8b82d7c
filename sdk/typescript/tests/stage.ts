/** A gateway as it is built, and a back end that answers as it is told. */

import { type ChildProcess, spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

interface Answer {
  body: unknown;
  status?: number;
  headers?: Record<string, string>;
}

function catalog(backend: string): string {
  return `
upstreams:
  shop: {url: "${backend}"}
  clinic: {url: "${backend}", speaks: toolgate}
tools:
  - name: list_invoices
    description: Lists invoices.
    upstream: shop
    http: {method: GET, url: /invoices}
    input_schema:
      type: object
      properties:
        start_date: {type: string, format: date}
        status: {type: string, enum: [open, paid]}
      additionalProperties: false
    policy: {max_wait: 0s}
  - name: get_balance
    description: Shows a balance.
    upstream: shop
    http: {method: GET, url: "/balances/{account_id}"}
    input_schema:
      type: object
      properties: {account_id: {type: string}}
      required: [account_id]
  - name: put_note
    description: Keeps a note of any shape.
    upstream: shop
    http: {method: PUT, url: /notes}
    input_schema: {type: object}
  - name: book_slot
    description: Books a slot.
    upstream: clinic
    http: {method: POST, url: /slots}
    input_schema:
      type: object
      properties: {slot: {type: string}}
      required: [slot]
`;
}

/** Answers by path; a path without answers hangs until the caller leaves. */
export class Stage implements AsyncDisposable {
  readonly requests: string[] = [];
  readonly bodies: string[] = [];
  target = "";
  readonly #answers = new Map<string, Answer[]>();
  readonly #seen = new EventEmitter();
  readonly #server: Server = createServer((request, response) => void this.#serve(request, response));
  #gateway: ChildProcess | undefined;
  #folder = "";

  static async start(): Promise<Stage> {
    const stage = new Stage();
    await stage.#start();
    return stage;
  }

  /** Resolves once a request hangs. */
  readonly hung = once(this.#seen, "hung");

  /** Resolves once the caller of a hanging request has left. */
  readonly left = once(this.#seen, "left");

  answer(path: string, body: unknown, status = 200, headers: Record<string, string> = {}): void {
    this.#answers.set(path, [...(this.#answers.get(path) ?? []), { body, status, headers }]);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = request.url ?? "";
    this.requests.push(url);
    let body = "";
    for await (const chunk of request) body += String(chunk);
    this.bodies.push(body);
    const answers = this.#answers.get(url.split("?")[0] ?? "") ?? [];
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (!answer) {
      response.on("close", () => this.#seen.emit("left"));
      this.#seen.emit("hung");
      return;
    }
    response.writeHead(answer.status ?? 200, { "Content-Type": "application/json", ...answer.headers });
    const { body: given } = answer;
    response.end(typeof given === "string" || Buffer.isBuffer(given) ? given : JSON.stringify(given));
  }

  async #start(): Promise<void> {
    await once(this.#server.listen(0, "127.0.0.1"), "listening");
    const { port } = this.#server.address() as AddressInfo;
    this.#folder = await mkdtemp(join(tmpdir(), "toolgate-"));
    const file = join(this.#folder, "catalog.yaml");
    await writeFile(file, catalog(`http://127.0.0.1:${port.toString()}`));
    const args = [
      "serve",
      "--catalog",
      file,
      "--listen",
      "127.0.0.1:0",
      "--admin-listen",
      "",
      "--http-listen",
      "",
    ];
    const gateway = spawn(process.env["TOOLGATE"] ?? "toolgate", args, {
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#gateway = gateway;
    for await (const line of createInterface(gateway.stderr)) {
      const told = JSON.parse(line) as { msg: string; grpc: string };
      if (told.msg !== "serving") continue;
      this.target = told.grpc;
      break;
    }
    if (this.target === "") throw new Error("the gateway ended");
    gateway.stderr.resume();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#gateway?.kill("SIGKILL")) await once(this.#gateway, "exit");
    this.#server.closeAllConnections();
    this.#server.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** Collects what an iterable yields. */
export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** The error that a promise rejects with. */
export async function failure<E extends Error>(
  promise: Promise<unknown>,
  kind: abstract new (...args: never[]) => E,
): Promise<E> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof kind) return error;
    throw error;
  }
  throw new Error(`no ${kind.name}`);
}
