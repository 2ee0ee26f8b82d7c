"""Every adapter in its real framework, with a scripted model, against a real gateway."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

import pytest
import with_anthropic
import with_google_adk
import with_langgraph
import with_openai_agents
import with_pydantic_ai
from script import Script
from stories import Move

from toolgate_sdk import GatewayError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from conftest import Backend, Gateway

    Play = Callable[..., Coroutine[Any, Any, None]]

FRAMEWORKS = {
    "openai_agents": with_openai_agents.adapted,
    "langgraph": with_langgraph.adapted,
    "pydantic_ai": with_pydantic_ai.adapted,
    "google_adk": with_google_adk.adapted,
    "anthropic": with_anthropic.adapted,
}
PASS_TEXT_ON = ["openai_agents", "langgraph", "pydantic_ai"]  # the others have parsed it before
MARK_FAILURES = ["langgraph", "pydantic_ai", "google_adk", "anthropic"]

each_framework = pytest.mark.parametrize("play", FRAMEWORKS.values(), ids=FRAMEWORKS.keys())


def script(play: Play, target: str, *turns: list[Move], within: float = 20) -> Script:
    mind = Script(list(turns))
    asyncio.run(play(target, mind, within=within))
    assert len(mind.read) == len(turns) + 1, "the run ended early"
    return mind


def invoices(arguments: str) -> Move:
    return Move("list_invoices", arguments)


@each_framework
def test_an_answer_reaches_the_model_with_its_digits(play: Play, target: str, backend: Backend) -> None:
    backend.answer("/invoices", '{"total":12345678901234567890.10}')
    mind = script(play, target, [invoices('{"start_date":"03/14/2026"}')])
    assert "12345678901234567890.10" in mind.read[1][0].text
    assert not mind.read[1][0].failed
    assert backend.requests == ["/invoices?start_date=2026-03-14"]


@each_framework
def test_an_image_reaches_the_model(play: Play, target: str, backend: Backend) -> None:
    backend.answer("/invoices", "the bytes of an image", Content_Type="image/png")
    backend.answer("/balances/a", "the bytes of a sound", Content_Type="audio/wav")
    mind = script(play, target, [invoices("{}"), Move("get_balance", '{"account_id":"a"}')])
    assert [read.images for read in mind.read[1]] == [1, 0]
    assert "[audio/wav, 20 bytes]" in mind.read[1][1].text


@each_framework
def test_a_transient_failure_that_time_cures_never_reaches_the_model(
    play: Play, target: str, backend: Backend
) -> None:
    backend.answer("/invoices", "{}", 429, Retry_After="1")
    backend.answer("/invoices", {"n": 1})
    mind = script(play, target, [invoices("{}")])
    assert mind.fields(1) == {"n": 1}
    assert len(backend.requests) == 2


@each_framework
def test_a_transient_failure_that_outlasts_the_limit_is_told_as_what_it_is(
    play: Play, target: str, backend: Backend
) -> None:
    backend.answer("/invoices", "{}", 429, Retry_After="30")
    began = time.monotonic()
    mind = script(play, target, [invoices("{}")], within=5)
    assert time.monotonic() - began < 20
    told = mind.fields(1)
    assert (told["class"], told["retryable"], told["retry_after"]) == ("transient", True, 30)
    assert len(backend.requests) == 1


@each_framework
def test_a_terminal_failure_reads_as_terminal(play: Play, target: str, backend: Backend) -> None:
    backend.answer("/balances/a", {"error": {"code": "account_closed", "message": "closed in May"}}, 403)
    mind = script(play, target, [Move("get_balance", '{"account_id":"a"}')])
    told = mind.fields(1)
    assert (told["error"], told["class"], told["retryable"]) == ("account_closed", "terminal", False)
    assert "try again" not in mind.read[1][0].text.lower()
    assert len(backend.requests) == 1


@each_framework
def test_a_refused_argument_is_told_without_the_others(play: Play, target: str, backend: Backend) -> None:
    mind = script(play, target, [invoices('{"status":"opn","start_date":"2026-03-14"}')])
    told = mind.fields(1)
    assert (told["class"], told["field"], told["expected"]) == (
        "invalid_request",
        "status",
        ["open", "paid"],
    )
    assert "2026-03-14" not in mind.read[1][0].text
    assert backend.requests == []


@each_framework
def test_a_missing_argument_is_the_gateways_to_tell(play: Play, target: str, backend: Backend) -> None:
    mind = script(play, target, [Move("get_balance", "{}")])
    assert (mind.fields(1)["error"], mind.fields(1)["field"]) == ("invalid_arguments", "account_id")
    assert backend.requests == []


@pytest.mark.parametrize("name", PASS_TEXT_ON)
def test_malformed_arguments_reach_the_gateway_as_they_are(name: str, target: str, backend: Backend) -> None:
    backend.answer("/invoices", {"n": 1})
    mind = script(FRAMEWORKS[name], target, [invoices('{"status": "open"')], [invoices("{}")])
    assert (mind.fields(1)["error"], mind.fields(1)["class"]) == ("malformed_json", "invalid_request")
    assert mind.fields(2) == {"n": 1}


@pytest.mark.parametrize("name", MARK_FAILURES)
def test_a_failure_is_marked_where_the_framework_has_a_mark(name: str, target: str) -> None:
    mind = script(FRAMEWORKS[name], target, [Move("get_balance", "{}")])
    assert mind.read[1][0].failed


@each_framework
def test_rejections_of_one_turn_count_once(play: Play, target: str, backend: Backend) -> None:
    backend.answer("/invoices", {"n": 1})
    backend.answer("/balances/a", {"balance": 42.10})

    def turn(letter: str) -> list[Move]:
        wrong = [invoices(f'{{"status":"{letter}{i}"}}') for i in range(6)]
        return [*wrong, Move("get_balance", '{"account_id":"a"}')]

    mind = script(play, target, turn("a"), turn("b"), [invoices("{}")])
    for i in (1, 2):
        assert [mind.fields(i, call).get("class") for call in range(7)] == ["invalid_request"] * 6 + [None]
        assert mind.fields(i, 6) == {"balance": 42.10}
    assert mind.fields(3) == {"n": 1}


@each_framework
def test_the_gateways_cap_is_the_only_one(play: Play, target: str) -> None:
    turns = [[invoices(f'{{"status":"wrong{i}"}}')] for i in range(4)]
    mind = script(play, target, *turns)
    assert [mind.fields(i)["class"] for i in (1, 2, 3)] == ["invalid_request", "invalid_request", "terminal"]
    assert (mind.fields(4)["error"], mind.fields(4)["class"]) == ("rejection_cap", "terminal")


@each_framework
def test_a_gateway_that_is_gone_is_raised(play: Play, gateway: Gateway) -> None:
    mind = Script([[invoices("{}")]], before=gateway.kill)
    with pytest.raises(Exception) as raised:  # noqa: PT011 # each wraps it in its own
        asyncio.run(play(gateway.target, mind))
    error: BaseException | None = raised.value
    while error is not None and not isinstance(error, GatewayError):
        error = error.__cause__ or error.__context__
    assert isinstance(error, GatewayError)
    assert len(mind.read) == 1, "the model was asked again"


@each_framework
def test_cancelling_the_run_cancels_the_calls_at_the_tool(play: Play, target: str, backend: Backend) -> None:
    async def cancelled() -> None:
        calls = [invoices("{}"), Move("get_balance", '{"account_id":"hangs"}')]
        running = asyncio.create_task(play(target, Script([calls])))
        assert await asyncio.to_thread(backend.arrived.wait, 20)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert await asyncio.to_thread(backend.left.wait, 4), "sooner than the gateway gives up"

    asyncio.run(cancelled())
