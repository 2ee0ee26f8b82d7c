/**
 * The executor of the TypeScript SDK: it makes the moves that toolgate-conformance asks for.
 * See proto/toolgate/conformance/v1.
 */

import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { sizeDelimitedDecodeStream, sizeDelimitedEncode } from "@bufbuild/protobuf/wire";
import {
  type Action,
  type ExecuteRequest,
  ExecuteRequestSchema,
  type ExecuteResponse,
  ExecuteResponseSchema,
  type FailedSchema,
  OutcomeSchema,
  type ShapeSchema,
} from "toolgate-proto/toolgate/conformance/v1/executor_pb";
import type { ToolCall } from "toolgate-proto/toolgate/v1/call_pb";

import {
  type Call,
  Client,
  GatewayError,
  type Options,
  type Progress,
  type Result,
  type Run,
  ToolCallError,
  type ToolList,
} from "../src/index.js";

type Failed = MessageInitShape<typeof FailedSchema>;
type Shape = MessageInitShape<typeof ShapeSchema>;

async function main(): Promise<void> {
  for await (const request of sizeDelimitedDecodeStream(ExecuteRequestSchema, process.stdin)) {
    const response = create(ExecuteResponseSchema);
    try {
      await move(request, response);
    } catch (error) {
      response.broken = String(error); // the runner is told, whatever it is
    }
    process.stdout.write(sizeDelimitedEncode(ExecuteResponseSchema, response));
  }
}

async function move({ connection, action, runId }: ExecuteRequest, response: ExecuteResponse): Promise<void> {
  if (!connection || !action) throw new Error("a move without a connection or an action");
  using client = new Client(connection.target, {
    tls: connection.caPem || false,
    token: connection.token,
    ...(action.deadline > 0 && { deadlineMs: action.deadline * 1000 }),
  });
  const cancel = new AbortController();
  const timer = setTimeout(() => {
    cancel.abort();
  }, action.cancelAfter * 1000);
  if (action.cancelAfter === 0) clearTimeout(timer);
  const expected = action.kind.case === "callMany" ? action.kind.value.calls.length : 1;
  try {
    await act(client, runId, action, cancel.signal, response);
  } catch (error) {
    const seen = new Set(response.outcomes.map(({ index }) => index));
    for (let index = 0; index < expected; index++)
      if (!seen.has(index)) tell(response, index, error, cancel.signal);
  } finally {
    clearTimeout(timer);
  }
}

async function act(
  client: Client,
  runId: string,
  { kind }: Action,
  signal: AbortSignal,
  response: ExecuteResponse,
): Promise<void> {
  const run = client.run(runId);
  switch (kind.case) {
    case "call":
      tell(
        response,
        0,
        await callOnce(kind.value, (tool, args, options) => run.call(tool, args, options), signal),
      );
      break;
    case "waitTransient": {
      const withinMs = kind.value.within * 1000;
      const wait: Once = (tool, args, options) => run.waitTransient(tool, args, { ...options, withinMs });
      tell(response, 0, await callOnce(kind.value.call, wait, signal));
      break;
    }
    case "callMany":
      await many(run, kind.value.calls.map(native), signal, response);
      break;
    case "listTools":
      response.shapes.push(
        ...create(ExecuteResponseSchema, { shapes: shapes(await client.listTools({ signal })) }).shapes,
      );
      break;
    case "endRun":
      response.calls = (await client.endRun(runId, { signal }))?.calls ?? 0n;
      break;
    case undefined:
      response.broken = "an action that this executor does not know";
  }
}

type Once = (tool: string, args: Call["arguments"], options: Options) => Promise<Result>;

function callOnce(message: ToolCall | undefined, once: Once, signal: AbortSignal): Promise<Result> {
  if (!message) throw new Error("a move without a call");
  const { tool, arguments: args, ...extras } = native(message);
  return once(tool, args, { ...extras, signal });
}

async function many(run: Run, calls: Call[], signal: AbortSignal, response: ExecuteResponse): Promise<void> {
  const heard: Progress[] = [];
  const onProgress = (progress: Progress) => heard.push(progress);
  for await (const outcome of run.callMany(calls, { signal, onProgress })) {
    tell(response, outcome.index, outcome.ok ? outcome.result : outcome.error);
    const progress = heard.filter(({ index }) => index === outcome.index);
    response.outcomes.at(-1)?.progress.push(...progress.map(({ proto }) => proto));
  }
}

function native({ tool, argumentsJson, callId, wantAlternatives, fresh }: ToolCall): Call {
  return { tool, arguments: argumentsJson, callId, wantAlternatives, fresh };
}

function tell(response: ExecuteResponse, index: number, came: unknown, cancelled?: AbortSignal): void {
  response.outcomes.push(create(OutcomeSchema, { index, outcome: told(came, cancelled) }));
}

function told(came: unknown, cancelled?: AbortSignal): MessageInitShape<typeof OutcomeSchema>["outcome"] {
  if (came instanceof ToolCallError) return { case: "failed", value: failed(came) };
  if (came instanceof GatewayError) return { case: "rpc", value: { code: came.code, reason: came.reason } };
  if (cancelled?.aborted && came === cancelled.reason) return { case: "rpc", value: { code: "CANCELLED" } };
  if (came instanceof Error) throw came;
  const { proto, text } = came as Result;
  return { case: "result", value: { message: proto, text } };
}

function failed(error: ToolCallError): Failed {
  const { errorClass, code, message, retryAfterMs, exhausted, violations, alternatives } = error;
  return {
    errorClass,
    code,
    message,
    violations: violations.map((violation) => ({ ...violation, accepted: [...violation.accepted] })),
    alternatives: [...alternatives],
    blockedBy: error.blockedBy,
    unblockWith: error.unblockWith,
    observation: error.observation,
    exhausted,
    error: error.proto,
    ...(retryAfterMs !== undefined && { retryAfter: retryAfterMs / 1000 }),
  };
}

function shapes(tools: ToolList): Shape[] {
  return Object.entries({
    openai: tools.openai(),
    openai_chat: tools.openaiChat(),
    anthropic: tools.anthropic(),
    gemini: tools.gemini(),
    mcp: tools.mcp(),
  }).map(([name, shape]) => ({ name, json: JSON.stringify(shape) }));
}

await main();
