"""What tools say, as an HTTP answer, a gRPC status and to a real gateway."""

from __future__ import annotations

import asyncio
import json
import math
from concurrent import futures
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import fastapi
import grpc
import pytest
from google.rpc import status_pb2
from grpc import StatusCode
from starlette.testclient import TestClient
from toolgate.v1 import call_pb2, gateway_pb2_grpc, tool_error_pb2

from toolgate_sdk import ErrorClass
from toolgate_sdk.tool import (
    Problem,
    Proposal,
    ToolErrorMiddleware,
    ToolFailure,
    abort,
    async_abort,
    forbidden,
    invalid_request,
    rate_limited,
    terminal,
    transient,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

LONG = "żółw 🐢 " * 400
CASES: list[tuple[ToolFailure, int, str | None, dict[str, Any]]] = [
    (
        transient("maintenance", "Back soon.", retry_after=1.5),
        503,
        "2",
        {"class": "transient", "retryable": True, "retry_after": 1.5},
    ),
    (
        rate_limited("slow_down", "Too fast.", retry_after=90.1),
        429,
        "91",
        {"class": "transient", "retry_after": 91},
    ),
    (transient("busy", "Later.", retry_after=1.1), 503, "2", {"retry_after": 1.1}),
    (transient("busy", "Later.", retry_after=math.nan), 503, None, {"class": "transient", "retry_after": 0}),
    (
        invalid_request("bad", "Wrong.", Problem("a.b[0]", accepted=["x"])),
        400,
        None,
        {
            "class": "invalid_request",
            "violations": [{"field": "a.b[0]", "problem": "Wrong.", "accepted": ["x"]}],
        },
    ),
    (invalid_request("bad", "a < b"), 400, None, {"violations": [{"field": "", "problem": "a < b"}]}),
    (
        terminal(
            "insufficient_funds",
            "No money.",
            blocked_by="balance",
            unblock_with="deposit",
            facts={"balance": 42.1},
            alternatives=[Proposal("pay_later", {"days": 30}, "in a month")],
        ),
        422,
        None,
        {
            "class": "terminal",
            "facts": {"balance": 42.1},
            "alternatives": [{"tool": "pay_later", "arguments": {"days": 30}, "label": "in a month"}],
            "blocked_by": "balance",
            "unblock_with": "deposit",
        },
    ),
    (forbidden("not_yours", "Not yours."), 403, None, {"class": "terminal", "blocked_by": "permission"}),
]


def app() -> fastapi.FastAPI:
    app = fastapi.FastAPI()
    app.add_middleware(ToolErrorMiddleware)

    @app.get("/failure/{number}")
    async def failure(number: int) -> None:
        raise CASES[number][0]

    @app.get("/bug")
    def bug() -> None:
        raise RuntimeError("dsn=postgres://app:secret@10.0.0.5")

    @app.get("/half")
    async def half() -> fastapi.responses.StreamingResponse:
        async def parts() -> AsyncIterator[bytes]:
            yield b"half"
            await asyncio.sleep(0)
            raise RuntimeError("too late")

        return fastapi.responses.StreamingResponse(parts())

    return app


@pytest.mark.parametrize("number", range(len(CASES)))
def test_a_failure_is_answered_with_body_status_and_delay(number: int) -> None:
    failure, status, wait, members = CASES[number]
    answer = TestClient(app()).get(f"/failure/{number}")
    assert (answer.status_code, answer.headers.get("retry-after")) == (status, wait)
    body = answer.json()
    assert (body["error"], body["message"]) == (failure.code, failure.message)
    assert {key: body.get(key) for key in members} == members


def test_numbers_are_written_as_people_write_them() -> None:
    failure = terminal("c", "m", facts={"balance": Decimal("42.10"), "odd": "\ud83d"})
    assert b'"facts":{"balance":42.10,"odd":"\\ud83d"}' in failure.body()
    assert transient("c", "m", retry_after=30).body().endswith(b'"retry_after":30}')


def test_what_is_no_json_is_left_out() -> None:
    proposals = [Proposal("t", {"a": {1}}), *(Proposal("t", {"a": n}) for n in range(3))]
    failure = terminal("c", "m", facts={"a": object()}, alternatives=proposals)
    assert (failure.proto().facts_json, failure.proto().alternatives_truncated) == ("", False)
    assert len(json.loads(failure.body())["alternatives"]) == 3


def test_more_accepted_values_than_fit() -> None:
    failure = invalid_request("c", "m", Problem("a", accepted=["x", "y" * 256, "\ud83d"]))
    assert json.loads(failure.body())["violations"] == [
        {"field": "a", "problem": "m", "accepted": ["x"], "accepted_truncated": True}
    ]


def test_the_contract_holds_whoever_makes_the_failure() -> None:
    late = ToolFailure(ErrorClass.TRANSIENT, "c", "m", 503, StatusCode.UNAVAILABLE, maybe_executed=True)
    assert (late.error_class, late.status, late.grpc_code) == (ErrorClass.TERMINAL, 500, StatusCode.INTERNAL)
    empty = ToolFailure(ErrorClass.INVALID_REQUEST, "c", "m", 400, StatusCode.INVALID_ARGUMENT)
    assert len(empty.proto().violations) == 1


def test_of_an_unexpected_exception_nothing_is_said(caplog: pytest.LogCaptureFixture) -> None:
    answer = TestClient(app()).get("/bug")
    assert answer.status_code == 500
    assert answer.json() == {
        "error": "internal_error",
        "class": "terminal",
        "retryable": False,
        "message": "The tool failed for a reason of its own.",
        "maybe_executed": True,
    }
    assert "dsn=postgres" in caplog.text


def test_half_an_answer_is_none() -> None:
    with pytest.raises(RuntimeError, match="too late"):
        TestClient(app()).get("/half")


def test_whatever_a_tool_says_keeps_the_bounds() -> None:
    problems = [Problem(LONG, LONG, [LONG, "x"], LONG, LONG)] * 20
    for failure in (
        invalid_request(LONG, LONG, *problems),
        terminal(
            LONG,
            LONG,
            blocked_by=LONG,
            unblock_with=LONG,
            facts={"f": LONG},
            alternatives=[Proposal(LONG, {"a": LONG}), *[Proposal("t", {"a": "x" * 400})] * 5],
        ),
    ):
        e = failure.proto()
        assert len(e.code.encode()) <= 64
        assert len(e.message.encode()) <= 512
        assert len(e.violations) <= 8
        assert len(e.alternatives) <= 3
        assert all(len(a.arguments_json.encode()) <= 512 for a in e.alternatives)
        assert e.facts_json == ""
        assert json.loads(failure.body())["class"] == failure.error_class.value


@pytest.mark.parametrize(
    "failure", [terminal("over", LONG), invalid_request("bad", LONG, *[Problem(LONG, format=LONG)] * 9)]
)
def test_an_rpc_ends_with_the_failure_as_its_detail(failure: ToolFailure) -> None:
    def call_tool(_: call_pb2.CallToolRequest, context: grpc.ServicerContext) -> call_pb2.CallToolResponse:
        abort(context, failure)

    handler = grpc.unary_unary_rpc_method_handler(
        call_tool, call_pb2.CallToolRequest.FromString, call_pb2.CallToolResponse.SerializeToString
    )
    server = grpc.server(futures.ThreadPoolExecutor(1))
    server.add_generic_rpc_handlers(
        [grpc.method_handlers_generic_handler("toolgate.v1.ToolGatewayService", {"CallTool": handler})]
    )
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel, pytest.raises(grpc.RpcError) as raised:
            gateway_pb2_grpc.ToolGatewayServiceStub(channel).CallTool(call_pb2.CallToolRequest())
    finally:
        server.stop(None).wait()
    error = raised.value
    assert isinstance(error, grpc.Call)
    assert error.code() is failure.grpc_code
    trailers = dict(error.trailing_metadata() or ())
    status = status_pb2.Status.FromString(trailers["grpc-status-details-bin"])
    detail = tool_error_pb2.ToolError()
    assert status.details[0].Unpack(detail)
    assert detail.code == failure.code
    assert detail.ByteSize() <= 4096


def test_an_rpc_of_asyncio_ends_with_the_failure_too() -> None:
    async def call_tool(_: object, context: grpc.aio.ServicerContext[Any, Any]) -> call_pb2.CallToolResponse:
        await async_abort(context, terminal("over", "It is over."))

    async def play() -> grpc.aio.AioRpcError:
        handler = grpc.unary_unary_rpc_method_handler(
            call_tool, call_pb2.CallToolRequest.FromString, call_pb2.CallToolResponse.SerializeToString
        )
        server = grpc.aio.server()
        service = "toolgate.v1.ToolGatewayService"
        server.add_generic_rpc_handlers(
            [grpc.method_handlers_generic_handler(service, {"CallTool": handler})]
        )
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            with pytest.raises(grpc.aio.AioRpcError) as raised:
                await gateway_pb2_grpc.ToolGatewayServiceStub(channel).CallTool(call_pb2.CallToolRequest())
        await server.stop(None)
        return raised.value

    error = asyncio.run(play())
    assert (error.code(), error.details()) == (StatusCode.FAILED_PRECONDITION, "It is over.")
    assert "grpc-status-details-bin" in dict(error.trailing_metadata())
