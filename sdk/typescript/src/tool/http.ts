import type { ServerResponse } from "node:http";

import { forbidden, invalidRequest, type Problem, rateLimited, ToolFailure, transient } from "./failure.js";

/**
 * Answers a request of node:http, or of what is built on it, with the failure that was thrown. Where an
 * answer has begun, the connection is cut: half an answer is none.
 */
export function answer(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const failure = failureOf(error);
  response.writeHead(failure.status, failure.headers).end(failure.body);
}

/**
 * The error handler of an Express application, to be used after every route:
 * `app.use(toolErrors())`. A ToolFailure is answered as it says, a refusal of Express and its
 * parsers by its class. Any other error goes to `report` and is answered by a body that says
 * nothing of it: terminal, `internal_error`, status 500, and the call may have taken effect. Once
 * an answer has begun, errors pass on: half an answer is none.
 */
export function toolErrors(report: (error: unknown) => void = console.error) {
  return (error: unknown, _: unknown, response: ServerResponse, next: (error: unknown) => void): void => {
    if (response.headersSent) {
      next(error);
      return;
    }
    if (unexpected(error)) report(error);
    answer(response, error);
  };
}

/** What of a Fastify reply is used. */
interface Reply {
  code(status: number): unknown;
  headers(headers: Record<string, string>): unknown;
  send(body: string): unknown;
  log: { error(error: unknown): void };
}

/** The error handler of a Fastify application, as `toolErrors`: `app.setErrorHandler(fastifyErrors)`. */
export function fastifyErrors(error: unknown, _: unknown, reply: Reply): void {
  if (unexpected(error)) reply.log.error(error);
  const failure = failureOf(error);
  reply.code(failure.status);
  reply.headers(failure.headers);
  reply.send(failure.body);
}

/** What frameworks throw where they refuse a request; its message is meant for the caller. */
interface Refusal extends Error {
  code?: string;
  type?: string;
  validation?: { instancePath?: string; message?: string; params?: Record<string, unknown> }[];
}

function failureOf(error: unknown): ToolFailure {
  if (error instanceof ToolFailure) return error;
  const status = statusOf(error);
  if (status === undefined) return internal();
  const { message, code, type, validation = [] } = error as Refusal;
  const name = code ?? type?.replaceAll(".", "_") ?? "bad_request";
  if (status === 401 || status === 403) return forbidden(name, message);
  if (status === 429) return rateLimited(name, message);
  if (status === 408 || status === 425) return transient(name, message);
  return invalidRequest(name, message, ...validation.map(problemOf));
}

function unexpected(error: unknown): boolean {
  return !(error instanceof ToolFailure) && statusOf(error) === undefined;
}

/** The status of a refusal: of http-errors that are exposed, and of Fastify's own. */
function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("statusCode" in error)) return undefined;
  const { statusCode, message } = error;
  const meant = ("expose" in error && error.expose === true) || ("code" in error && isFastifys(error.code));
  const refused = typeof statusCode === "number" && statusCode >= 400 && statusCode < 500;
  return meant && refused && message !== "" ? statusCode : undefined;
}

function isFastifys(code: unknown): boolean {
  return typeof code === "string" && code.startsWith("FST_ERR_");
}

/** A fault as Fastify's validator tells it: `/a/b/0` is `a.b[0]`. */
function problemOf({
  instancePath = "",
  message = "",
  params = {},
}: NonNullable<Refusal["validation"]>[number]): Problem {
  const missing = params["missingProperty"];
  const path = typeof missing === "string" ? `${instancePath}/${missing}` : instancePath;
  const accepted = params["allowedValues"];
  return {
    field: path
      .slice(1)
      .replaceAll("/", ".")
      .replace(/\.(\d+)(?=\.|$)/g, "[$1]"),
    problem: message,
    accepted: Array.isArray(accepted) ? accepted.map(String) : [],
  };
}

function internal(): ToolFailure {
  const message = "The tool failed for a reason of its own.";
  return new ToolFailure(500, "terminal", "internal_error", message, { maybeExecuted: true });
}
