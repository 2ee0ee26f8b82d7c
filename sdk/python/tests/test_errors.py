"""What needs no gateway: classes and numbers that no gateway sends today."""

from __future__ import annotations

from datetime import timedelta

import pytest
from toolgate.v1 import call_pb2, tool_error_pb2

from toolgate_sdk import Call, ErrorClass, ToolCallError
from toolgate_sdk._calls import Patience, result_of
from toolgate_sdk._errors import GatewayError, seconds


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


def test_an_outcome_of_the_future_is_no_answer() -> None:
    with pytest.raises(GatewayError):
        result_of(call_pb2.CallToolResponse())
