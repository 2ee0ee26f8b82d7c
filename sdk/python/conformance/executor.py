"""The executor of the Python SDK: it makes the moves that toolgate-conformance asks for.

See proto/toolgate/conformance/v1. With --async it uses the client for asyncio.
"""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from typing import TYPE_CHECKING, Any

from google.protobuf import proto
from toolgate.conformance.v1 import executor_pb2 as pb
from toolgate.v1 import tool_error_pb2

from toolgate_sdk import AsyncClient, Call, Client, GatewayError, Outcome, Progress, ToolCallError, ToolList

if TYPE_CHECKING:
    from datetime import timedelta

    from toolgate.v1 import call_pb2

CANCELLED = pb.RpcFailure(code="CANCELLED")


def main() -> None:
    loop = asyncio.new_event_loop()  # one for all: gRPC's threads outlive a move

    def move_async(request: pb.ExecuteRequest) -> pb.ExecuteResponse:
        return loop.run_until_complete(cancellable(request))

    move = move_async if "--async" in sys.argv[1:] else move_sync
    source: Any = sys.stdin.buffer  # protobuf's types know BytesIO alone
    sink: Any = sys.stdout.buffer
    while True:
        request = proto.parse_length_prefixed(pb.ExecuteRequest, source)
        if request is None:
            return
        try:
            response = move(request)
        except Exception as error:  # noqa: BLE001 - the runner is told, whatever it is
            response = pb.ExecuteResponse(broken=f"{type(error).__name__}: {error}")
        proto.serialize_length_prefixed(response, sink)
        sink.flush()


def move_sync(request: pb.ExecuteRequest) -> pb.ExecuteResponse:
    action, response = request.action, pb.ExecuteResponse()
    connection = request.connection
    with Client(
        connection.target,
        tls=connection.ca_pem.encode() or False,
        token=connection.token,
        deadline=action.deadline or None,
    ) as client:
        if action.cancel_after:
            threading.Timer(action.cancel_after, client.close).start()
        run = client.run(request.run_id)
        kind = action.WhichOneof("kind")
        try:
            if kind == "call":
                response.outcomes.append(told(Outcome(0, run.call(native(action.call)))))
            elif kind == "wait_transient":
                result = run.wait_transient(
                    native(action.wait_transient.call), within=action.wait_transient.within
                )
                response.outcomes.append(told(Outcome(0, result)))
            elif kind == "call_many":
                heard: list[Progress] = []
                calls = [native(call) for call in action.call_many.calls]
                for outcome in run.call_many(calls, on_progress=heard.append):
                    response.outcomes.append(told(outcome, heard))
            elif kind == "list_tools":
                response.shapes.extend(shapes(client.list_tools()))
            else:
                response.calls = client.end_run(request.run_id).calls
        except (ToolCallError, GatewayError) as error:
            response.outcomes.append(told(Outcome(0, error=error)))
    return response


async def cancellable(request: pb.ExecuteRequest) -> pb.ExecuteResponse:
    response = pb.ExecuteResponse()
    task = asyncio.create_task(act(request, response))
    if request.action.cancel_after:
        asyncio.get_running_loop().call_later(request.action.cancel_after, task.cancel)
    try:
        await task
    except asyncio.CancelledError:
        seen = {outcome.index for outcome in response.outcomes}
        for index in range(max(len(request.action.call_many.calls), 1)):
            if index not in seen:
                response.outcomes.append(pb.Outcome(index=index, rpc=CANCELLED))
    return response


async def act(request: pb.ExecuteRequest, response: pb.ExecuteResponse) -> None:
    action, connection = request.action, request.connection
    async with AsyncClient(
        connection.target,
        tls=connection.ca_pem.encode() or False,
        token=connection.token,
        deadline=action.deadline or None,
    ) as client:
        run = client.run(request.run_id)
        kind = action.WhichOneof("kind")
        try:
            if kind == "call":
                response.outcomes.append(told(Outcome(0, await run.call(native(action.call)))))
            elif kind == "wait_transient":
                wait = action.wait_transient
                response.outcomes.append(
                    told(Outcome(0, await run.wait_transient(native(wait.call), within=wait.within)))
                )
            elif kind == "call_many":
                heard: list[Progress] = []
                calls = [native(call) for call in action.call_many.calls]
                async for outcome in run.call_many(calls, on_progress=heard.append):
                    response.outcomes.append(told(outcome, heard))
            elif kind == "list_tools":
                response.shapes.extend(shapes(await client.list_tools()))
            else:
                response.calls = (await client.end_run(request.run_id)).calls
        except (ToolCallError, GatewayError) as error:
            response.outcomes.append(told(Outcome(0, error=error)))


def native(call: call_pb2.ToolCall) -> Call:
    return Call(
        call.tool,
        call.arguments_json,
        call.call_id,
        want_alternatives=call.want_alternatives,
        fresh=call.fresh,
    )


def told(outcome: Outcome, heard: list[Progress] | None = None) -> pb.Outcome:
    message = pb.Outcome(index=outcome.index)
    if outcome.result is not None:
        message.result.message.CopyFrom(outcome.result.proto)
        message.result.text = outcome.result.text
    elif isinstance(outcome.error, ToolCallError):
        message.failed.CopyFrom(failed(outcome.error))
    elif outcome.error is not None:
        message.rpc.CopyFrom(pb.RpcFailure(code=outcome.error.code.name, reason=outcome.error.reason))
    message.progress.extend(p.proto for p in heard or () if p.index == outcome.index)
    return message


def failed(error: ToolCallError) -> pb.Failed:
    return pb.Failed(
        error_class=error.error_class.value,
        code=error.code,
        message=error.message,
        retry_after=total(error.retry_after),
        exhausted=error.exhausted,
        violations=[
            tool_error_pb2.Violation(
                field=v.field,
                value_json=v.value_json,
                problem=v.problem,
                accepted=v.accepted,
                format=v.format,
                range=v.range,
                accepted_truncated=v.accepted_truncated,
            )
            for v in error.violations
        ],
        alternatives=[
            tool_error_pb2.Alternative(tool=a.tool, arguments_json=a.arguments_json, label=a.label)
            for a in error.alternatives
        ],
        blocked_by=error.blocked_by,
        unblock_with=error.unblock_with,
        observation=error.observation,
        error=error.proto,
    )


def total(wait: timedelta | None) -> float | None:
    return None if wait is None else wait.total_seconds()


def shapes(tools: ToolList) -> list[pb.Shape]:
    return [
        pb.Shape(name=shape.__name__, json=json.dumps(shape()))
        for shape in (tools.openai, tools.openai_chat, tools.anthropic, tools.gemini, tools.mcp)
    ]


if __name__ == "__main__":
    main()
