"""What tools say, as an HTTP answer, a gRPC status and to a real gateway."""

from __future__ import annotations

import asyncio
import json
import math
from concurrent import futures
from decimal import Decimal
from types import MappingProxyType
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
    invalid_request,
    terminal,
    transient,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

LONG = "żółw 🐢 " * 400


def app() -> fastapi.FastAPI:
    app = fastapi.FastAPI()
    app.add_middleware(ToolErrorMiddleware)

    @app.get("/failure")
    def failure() -> None:
        raise transient("maintenance", "Back soon.", retry_after=1.5)

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


def test_a_framework_answers_with_body_status_and_delay() -> None:
    answer = TestClient(app()).get("/failure")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["retry_after"] == 1.5


def test_numbers_are_written_as_people_write_them() -> None:
    members = {"balance": Decimal("42.10"), "odd": "\ud83d"}
    body = terminal("c", "m", requested=members, facts=members).body()
    assert body.endswith(
        b'"requested":{"balance":42.10,"odd":"\\ud83d"},"facts":{"balance":42.10,"odd":"\\ud83d"}}'
    )


def test_any_mapping_is_an_object_and_a_list_is_none() -> None:
    said = terminal("c", "m", requested=MappingProxyType({"a": MappingProxyType({})}), facts=[1]).proto()  # type: ignore[arg-type]
    assert (said.requested_json, said.facts_json) == ('{"a":{}}', "")


@pytest.mark.parametrize("value", [object(), math.nan, -math.inf, Decimal("NaN"), {1}])
def test_what_is_no_json_is_left_out(value: object) -> None:
    proposals = [Proposal("t", {"a": value}), *(Proposal("t", {"a": n}) for n in range(3))]
    failure = terminal("c", "m", requested={"a": [value]}, facts={"a": value}, alternatives=proposals)
    said = failure.proto()
    assert (said.requested_json, said.facts_json, said.alternatives_truncated) == ("", "", False)
    assert len(json.loads(failure.body())["alternatives"]) == 3


@pytest.mark.parametrize("wait", [math.nan, math.inf, -math.inf])
def test_a_wait_that_is_none_is_left_to_the_gateway(wait: float) -> None:
    failure = transient("busy", "Later.", retry_after=wait)
    assert failure.body().endswith(b'"retry_after":0}')
    assert "retry-after" not in failure.headers


def test_accepted_values_are_whole_or_not_told() -> None:
    for value in ("🐢" * 65, "ż" * 129):
        failure = invalid_request("c", "m", Problem("a", accepted=[value]))
        assert json.loads(failure.body())["violations"] == [
            {"field": "a", "problem": "m", "accepted_truncated": True}
        ]
    half = invalid_request("c\ud83d", "m", Problem("a", accepted=["\ud83d"]))
    assert json.loads(half.body())["violations"][0]["accepted"] == ["?"]


def test_an_rpc_is_told_of_no_empty_object() -> None:
    said = terminal("c", "m", requested={}, facts={}).proto()
    assert (said.requested_json, said.facts_json) == ("", "")


@pytest.mark.parametrize(("beyond", "told"), [(0, True), (1, False)])
def test_the_last_byte_that_fits(beyond: int, told: bool) -> None:  # noqa: FBT001
    members = {"a": "x" * (504 + beyond)}
    proposal = Proposal("t", members)
    said = terminal("c", "m", requested=members, facts=members, alternatives=[proposal]).proto()
    assert (bool(said.requested_json), bool(said.facts_json), bool(said.alternatives)) == (told,) * 3
    said = invalid_request(
        "c",
        "m",
        Problem("f", format="f" * (96 + beyond), range="r" * (96 + beyond)),
        alternatives=[Proposal("t", label="l" * (80 + beyond))],
    ).proto()
    assert (len(said.violations[0].format), len(said.violations[0].range)) == (96, 96)
    assert len(said.alternatives[0].label) == 80


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


def test_an_rpc_ends_with_the_failure_as_its_detail() -> None:
    failure = invalid_request("bad", LONG, *[Problem(LONG, format=LONG)] * 9)

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
