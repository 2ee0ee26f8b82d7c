"""The synchronous client against a real gateway."""

from __future__ import annotations

import pickle
import socket
import threading
import time
from datetime import timedelta
from typing import TYPE_CHECKING

import grpc
import pytest

from toolgate_sdk import AsyncClient, Call, Client, ErrorClass, GatewayError, ToolCallError

if TYPE_CHECKING:
    from conftest import Backend


def test_an_answer_keeps_its_digits_and_parses(target: str, backend: Backend) -> None:
    backend.answer("/invoices", '{"total":12345678901234567890.10}')
    with Client(target) as client, client.run() as run:
        result = run.call("list_invoices", {"start_date": "03/14/2026"})
    assert result.text == '{"total":12345678901234567890.10}'
    assert result.json(parse_float=str) == {"total": "12345678901234567890.10"}
    assert result.proto.coercions[0].to_json == '"2026-03-14"'
    assert backend.requests == ["/invoices?start_date=2026-03-14"]


def test_a_wrong_argument_is_told_with_what_is_accepted(target: str) -> None:
    with Client(target) as client, client.run() as run, pytest.raises(ToolCallError) as raised:
        run.call("list_invoices", {"status": "opn"})
    error = raised.value
    assert error.error_class is ErrorClass.INVALID_REQUEST
    assert (error.code, error.retry_after) == ("invalid_arguments", None)
    assert (error.violations[0].field, error.violations[0].accepted) == ("status", ("open", "paid"))
    assert '"expected":["open","paid"]' in error.observation
    assert str(error).startswith("invalid_request: invalid_arguments: ")
    again = pickle.loads(pickle.dumps(error))
    assert (again.error_class, again.violations) == (error.error_class, error.violations)


def test_a_run_ends_itself_and_is_summed_up(target: str, backend: Backend) -> None:
    backend.answer("/invoices", {})
    with Client(target) as client:
        with client.run("r1") as run:
            run.call("list_invoices")
        assert run.summary is not None
        assert (run.summary.run_id, run.summary.calls) == ("r1", 1)
        assert client.end_run("r1").calls == 0
        other = client.run("r2")
        other.call("list_invoices")
        ended = other.end()
        assert ended is not None
        assert ended.calls == 1


def test_a_transient_failure_is_repeated_by_wait_transient_alone(target: str, backend: Backend) -> None:
    backend.answer("/invoices", "{}", 429, Retry_After="1")
    backend.answer("/invoices", {"n": 1})
    with Client(target) as client:
        with pytest.raises(ToolCallError) as raised:
            client.call("list_invoices", run="a")
        assert raised.value.error_class is ErrorClass.TRANSIENT
        assert raised.value.retry_after == timedelta(seconds=1)
        assert len(backend.requests) == 1
        began = time.monotonic()
        assert client.wait_transient("list_invoices", run="b", within=20).json() == {"n": 1}
        assert 0.3 < time.monotonic() - began < 10


def test_wait_transient_raises_at_once_what_does_not_fit(target: str, backend: Backend) -> None:
    backend.answer("/invoices", "{}", 429, Retry_After="30")
    with Client(target) as client, pytest.raises(ToolCallError) as raised:
        client.wait_transient("list_invoices", run="a", within=5)
    assert raised.value.retry_after == timedelta(seconds=30)
    assert len(backend.requests) == 1


def test_outcomes_of_a_batch_stand_alone(target: str, backend: Backend) -> None:
    backend.answer("/balances/a", {"balance": 42.10})
    calls = [Call("get_balance", {"account_id": "a"}), Call("get_balance", "{not json"), Call("nowhere")]
    with Client(target) as client, client.run() as run:
        outcomes = {outcome.index: outcome for outcome in run.call_many(calls)}
    assert outcomes[0].unwrap().json() == {"balance": 42.10}
    errors = [outcomes[i].error for i in (1, 2)]
    assert [e.code for e in errors if isinstance(e, ToolCallError)] == ["malformed_json", "unknown_tool"]
    with pytest.raises(ToolCallError):
        outcomes[1].unwrap()
    assert list(Client(target).call_many([])) == []


def test_leaving_a_batch_cancels_the_rest_at_the_tool(target: str, backend: Backend) -> None:
    backend.answer("/balances/a", {})
    calls = [Call("get_balance", {"account_id": "hangs"}), Call("get_balance", {"account_id": "a"})]
    with Client(target) as client:
        outcomes = client.call_many(calls, "run")
        assert next(outcomes).index == 1
        del outcomes
        assert backend.left.wait(10)


def test_closing_the_client_cancels_its_calls_at_the_tool(target: str, backend: Backend) -> None:
    with Client(target) as client:

        def close_once_it_runs() -> None:
            backend.arrived.wait(10)
            client.close()

        threading.Thread(target=close_once_it_runs).start()
        with pytest.raises(GatewayError) as raised:
            client.call("list_invoices", run="a")
        assert raised.value.code is grpc.StatusCode.CANCELLED
        assert backend.left.wait(10)


def test_a_closed_client_says_so() -> None:
    client = Client("127.0.0.1:1")
    run = client.run()
    client.close()
    outcomes = list(run.call_many([Call("t"), Call("u")]))
    assert [str(outcome.error) for outcome in outcomes] == ["CANCELLED: the client is closed"] * 2
    for move in (lambda: run.call("t"), client.list_tools):
        with pytest.raises(GatewayError) as raised:
            move()
        assert raised.value.code is grpc.StatusCode.CANCELLED
    with run:
        pass
    assert run.summary is None


def test_a_status_tells_the_gateways_reason(target: str) -> None:
    with Client(target) as client, pytest.raises(GatewayError) as raised:
        client.call("list_invoices")  # without a run
    assert raised.value.code is grpc.StatusCode.INVALID_ARGUMENT
    assert raised.value.reason != ""


def test_nobody_there_is_no_fault_of_the_tool() -> None:
    with Client("127.0.0.1:1", deadline=5) as client:
        with pytest.raises(GatewayError) as raised:
            client.call("list_invoices", run="a")
        assert raised.value.code is grpc.StatusCode.UNAVAILABLE
        with client.run() as run:
            pass
        assert run.summary is None


def test_a_url_is_no_target() -> None:
    for client, url in ((Client, "http://127.0.0.1:7440"), (AsyncClient, "https://gateway:7440")):
        with pytest.raises(ValueError, match=f"{url} is not host:port"):
            client(url)


def test_nobody_waits_long_for_the_end_of_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolgate_sdk._client.FAREWELL", 0.2)
    with (
        socket.create_server(("127.0.0.1", 0)) as deaf,
        Client(f"127.0.0.1:{deaf.getsockname()[1]}") as client,
    ):
        with client.run() as run:
            pass
        assert run.summary is None


def test_the_shapes_carry_the_schema_as_it_is(target: str) -> None:
    with Client(target) as client:
        tools = client.list_tools()
    assert [tool.name for tool in tools] == ["get_balance", "list_invoices"]
    assert len(tools) == 2
    assert tools.contract
    schema = tools.anthropic()[0]["input_schema"]
    assert schema["required"] == ["account_id"]
    assert tools.openai()[0]["parameters"] == schema == tools.openai_chat()[0]["function"]["parameters"]
    assert tools.gemini()[0]["parametersJsonSchema"] == schema == tools.mcp()[0]["inputSchema"]
    assert tools.mcp()[0]["annotations"]["readOnlyHint"]
