"""What needs no gateway: classes and numbers that no gateway sends today."""

from __future__ import annotations

import math
import pickle
from datetime import timedelta
from decimal import Decimal
from types import MappingProxyType

import pytest
from grpc import StatusCode
from toolgate.v1 import call_pb2, gateway_pb2, tool_error_pb2, tool_pb2

from toolgate_sdk import AsyncClient, Call, Client, ErrorClass, ToolCallError, ToolList
from toolgate_sdk._calls import LONGEST, Patience, result_of
from toolgate_sdk._errors import GatewayError, _details, seconds


@pytest.mark.parametrize("number", [0, 3, 7])
def test_a_class_that_nobody_knows_reads_as_terminal(number: int) -> None:
    proto = tool_error_pb2.ToolError()
    proto.MergeFromString(bytes([8, number]))
    assert ToolCallError(proto).error_class is ErrorClass.TERMINAL


@pytest.mark.parametrize(
    ("value", "wait"),
    [
        (0.0, timedelta()),
        (-1.0, timedelta()),
        (float("nan"), timedelta()),
        (0.0000001, timedelta(microseconds=1)),
        (42.0, timedelta(seconds=42)),
        (1e300, timedelta.max),
        (float("inf"), timedelta.max),
    ],
)
def test_every_number_of_seconds_is_a_wait(value: float, wait: timedelta) -> None:
    assert seconds(value) == wait


def test_patience_ends_with_its_time_and_with_every_other_class() -> None:
    transient = tool_error_pb2.ToolError(error_class=tool_error_pb2.ERROR_CLASS_TRANSIENT)
    assert Patience(10).wait(ToolCallError(transient)) == 0.05
    transient.retry_after = 2.5
    assert Patience(10).wait(ToolCallError(transient)) == 2.5
    for within in (0, 2.4):
        with pytest.raises(ToolCallError):
            Patience(within).wait(ToolCallError(transient))
    transient.exhausted = True
    with pytest.raises(ToolCallError):
        Patience(10).wait(ToolCallError(transient))
    with pytest.raises(ToolCallError):
        Patience(10).wait(ToolCallError(tool_error_pb2.ToolError(error_class=3)))  # type: ignore[arg-type]


def test_what_a_model_wrote_is_sent_as_it_stands() -> None:
    assert Call("t", '{"a": 1,}').message().arguments_json == '{"a": 1,}'
    assert (
        Call("t", {"a": "é<>", "n": 2**64}).message().arguments_json == '{"a":"é<>","n":18446744073709551616}'
    )
    assert Call("t").message().arguments_json == ""
    with pytest.raises(ValueError, match="not JSON compliant"):
        Call("t", {"a": float("nan")}).message()


def test_every_text_can_be_sent() -> None:
    half = "\ud83d"
    assert Call(f"t{half}", f'{{"a":"{half}"}}').message().arguments_json == '{"a":"\\ud83d"}'
    assert Call("t", {"a": half, "b": "\0"}).message().arguments_json == '{"a":"\\ud83d","b":"\\u0000"}'


def test_a_decimal_keeps_its_digits() -> None:
    amounts = {"amount": Decimal("12345678901234567890.10"), "all": [Decimal(1)]}
    assert Call("t", amounts).message().arguments_json == '{"amount":12345678901234567890.10,"all":[1]}'
    proxies = MappingProxyType({"a": [MappingProxyType({"b": Decimal("1.10")})]})
    assert Call("t", proxies).message().arguments_json == '{"a":[{"b":1.10}]}'
    with pytest.raises(ValueError, match="NaN is not JSON"):
        Call("t", {"a": Decimal("NaN")}).message()
    with pytest.raises(TypeError, match="a set is not JSON"):
        Call("t", {"a": {1}}).message()


def test_a_limit_is_any_number() -> None:
    transient = ToolCallError(
        tool_error_pb2.ToolError(error_class=tool_error_pb2.ERROR_CLASS_TRANSIENT, retry_after=1e300)
    )
    assert Patience(math.inf).timeout(None) == Patience(math.inf).wait(transient) == LONGEST
    with pytest.raises(ToolCallError):
        Patience(math.nan).wait(transient)


def test_a_failed_rpc_can_be_pickled() -> None:
    error = GatewayError(StatusCode.UNAVAILABLE, "later", reason="DRAINING", retry_after=timedelta(seconds=2))
    again = pickle.loads(pickle.dumps(error))
    assert vars(again) == vars(error)
    assert str(again) == str(error) == "UNAVAILABLE: DRAINING: later"


@pytest.mark.parametrize("client", [Client, AsyncClient])
def test_a_token_that_no_header_holds_is_told_at_once(client: type[Client | AsyncClient]) -> None:
    for token in ("secret\n", "sécret"):
        with pytest.raises(ValueError, match="token") as raised:
            client("127.0.0.1:1", token=token)
        assert "cret" not in str(raised.value)


@pytest.mark.parametrize(
    ("sent", "want"),
    [
        ("", {"type": "object"}),
        ("true", {"type": "object"}),
        ('{"required":["a"]}', {"type": "object", "required": ["a"]}),
        ('{"type":["object"]}', {"type": ["object"]}),
    ],
)
def test_every_schema_says_object(sent: str, want: object) -> None:
    tools = ToolList(gateway_pb2.ListToolsResponse(tools=[tool_pb2.Tool(name="t", input_schema_json=sent)]))
    shapes = tools.openai()[0]["parameters"], tools.gemini()[0]["parametersJsonSchema"]
    assert (*shapes, tools.anthropic()[0]["input_schema"], tools.mcp()[0]["inputSchema"]) == (want,) * 4


def test_details_that_cant_be_read_are_left_out() -> None:
    assert _details([("grpc-status-details-bin", bytes([26, 5, 1])), ("other", "a")]) == ("", None)


def test_an_outcome_of_the_future_is_no_answer() -> None:
    with pytest.raises(GatewayError):
        result_of(call_pb2.CallToolResponse())
