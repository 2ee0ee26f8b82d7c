"""What the adapters have in common, and the ways into them that no example takes."""

from __future__ import annotations

import asyncio
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from anthropic.types import Message
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, AIMessageChunk, ToolMessage
from langchain_core.messages.tool import invalid_tool_call, tool_call, tool_call_chunk
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from pydantic_ai import Agent
from pydantic_ai.models.function import FunctionModel
from script import Script
from stories import Move
from toolgate.v1.tool_error_pb2 import ToolError
from with_langgraph import ScriptedModel
from with_pydantic_ai import scripted

from toolgate_sdk import AsyncClient, Call, Client, GatewayError, ToolCallError
from toolgate_sdk.adapters import anthropic, langchain, pydantic_ai
from toolgate_sdk.adapters._content import told
from toolgate_sdk.adapters._turn import ThreadedTurns, Turns, call_of

if TYPE_CHECKING:
    from conftest import Backend, Gateway

BALANCE = '{"account_id":"%s"}'


def balance(account: str) -> Call:
    return Call("get_balance", BALANCE % account)


ONCE = "call_9fGk2LmQ8sTvX1yZ3aBcDeF4"


@pytest.mark.parametrize(
    "name",
    [
        ONCE,
        "toolu_01A09q90qw90lq917835lq9",
        "adk-3f2b8c1e-9a4d-4e57-8b6a-0c1d2e3f4a5b",
        "3f2b8c1e-9a4d-4e57-8b6a-0c1d2e3f4a5b",
        "chatcmpl-tool-6f4bca3b2a4e4d9ab5b6a4f2a8c9d0e1",
        "pyd_ai_6f4bca3b2a4e4d9ab5b6a4f2a8c9d0e1",
        "D681PevKs",
    ],
)
def test_a_name_that_comes_once_names_one_call_of_one_tool_with_one_text(name: str) -> None:
    first = call_of("t", '{"a":1}', name)
    assert first == call_of("t", '{"a":1}', name)
    others = [call_of("u", '{"a":1}', name), call_of("t", '{"a":2}', name), call_of("t", "", "")]
    assert len({first.call_id, *(other.call_id for other in others)}) == 4
    assert first.call_id.startswith(f"{name}.")
    assert len(call_of("t", "", "é" * 500 + name).call_id.encode()) <= 128


@pytest.mark.parametrize(
    "name",
    [
        None,
        "",
        "0",
        "call_0",
        "call_12",
        "functions.list_invoices_by_customer2:0",
        "call_list_invoices_by_customer2_0",
        "list_invoices_by_customer2",
        "tool-call-1",
        "chatcmpl-tool-0",
        "toolCall3",
        "call_0000000001",
        "call_00000000000000000000000001",
    ],
)
def test_a_name_that_may_come_again_names_nothing(name: str | None) -> None:
    tool = "list_invoices_by_customer2"
    first, second = (call_of(tool, "{}", name).call_id for _ in range(2))
    assert first != second
    assert min(len(first), len(second)) > 0


def test_a_step_that_runs_again_gets_the_outcome_that_there_was(target: str, backend: Backend) -> None:
    assert turns_of(target, backend, ONCE) == [{"n": 1}, {"n": 1}]


def test_a_model_that_counts_its_calls_anew_looks_again(target: str, backend: Backend) -> None:
    assert turns_of(target, backend, "functions.list_invoices:0") == [{"n": 1}, {"n": 2}]


def turns_of(target: str, backend: Backend, name: str) -> list[object]:
    for n in (1, 2):
        backend.answer("/invoices", {"n": n})

    async def play() -> list[object]:
        async with AsyncClient(target) as client, client.run() as run:
            call = (Turns(5).call(run, call_of("list_invoices", "{}", name)) for _ in range(2))
            return [(await one).json() for one in call]

    return asyncio.run(play())


def test_a_failure_with_no_words_is_told_all_the_same() -> None:
    assert told(ToolCallError(ToolError(code="gone", message="It is gone."))) == "terminal: gone: It is gone."
    assert told(ToolCallError(ToolError(code="gone", observation="{}"))) == "{}"


def test_runs_keep_their_calls_apart(target: str, backend: Backend) -> None:
    backend.answer("/balances/a", {"balance": 1})

    async def play() -> None:
        async with AsyncClient(target) as client, client.run() as one, client.run() as other:
            turns = Turns(5)
            await asyncio.gather(*(turns.call(run, balance("a")) for run in (one, other, one)))
            counts = [(await client.end_run(run.id)).calls for run in (one, other)]
        assert counts == [2, 1]

    asyncio.run(play())


def test_more_calls_than_a_batch_holds_go_in_two(target: str, backend: Backend) -> None:
    backend.answer("/balances/a", {"balance": 1})

    async def play() -> None:
        async with AsyncClient(target) as client, client.run() as run:
            turns = Turns(5)
            results = await asyncio.gather(*(turns.call(run, balance("a")) for _ in range(70)))
            assert {result.text for result in results} == {'{"balance": 1}'}

    asyncio.run(play())


def test_who_leaves_a_batch_leaves_the_others_and_the_last_one_ends_it(target: str, backend: Backend) -> None:
    async def play() -> None:
        async with AsyncClient(target) as client, client.run() as run:
            turns = Turns(5)
            calls = [asyncio.create_task(turns.call(run, balance(a))) for a in ("hangs", "too", "gone")]
            assert await asyncio.to_thread(backend.arrived.wait, 10)
            calls[2].cancel()
            backend.answer("/balances/a", {"balance": 1})
            assert (await turns.call(run, balance("a"))).json() == {"balance": 1}
            assert not backend.left.is_set()
            calls[0].cancel()
            calls[1].cancel()
            assert await asyncio.to_thread(backend.left.wait, 4), "sooner than the gateway gives up"
            await asyncio.wait(calls)

    asyncio.run(play())


def test_a_call_after_a_cancelled_one_has_a_batch_of_its_own(target: str, backend: Backend) -> None:
    backend.answer("/balances/a", {"balance": 1})

    async def play() -> None:
        async with AsyncClient(target) as client, client.run() as run:
            turns = Turns(5)
            cancelled = asyncio.create_task(turns.call(run, balance("a")))
            await asyncio.sleep(0)
            cancelled.cancel()
            assert (await turns.call(run, balance("a"))).json() == {"balance": 1}

    asyncio.run(play())


def test_a_closed_client_fails_every_call_of_the_batch(target: str) -> None:
    async def play() -> None:
        client = AsyncClient(target)
        run = client.run()
        await client.close()
        turns = Turns(5)
        calls = (turns.call(run, balance(account)) for account in "ab")
        outcomes = await asyncio.gather(*calls, return_exceptions=True)
        assert [type(outcome) for outcome in outcomes] == [GatewayError, GatewayError]

    asyncio.run(play())


def test_threads_of_one_turn_count_once(target: str, backend: Backend) -> None:
    backend.answer("/balances/a", {"balance": 1})
    with Client(target) as client, client.run() as run, ThreadPoolExecutor(8) as threads:
        turns, start = ThreadedTurns(5), threading.Barrier(5)

        def rejected(i: list[int]) -> ToolCallError:
            start.wait()
            with pytest.raises(ToolCallError) as raised:
                turns.call(run, Call("get_balance", {"account_id": i}))
            return raised.value

        for _ in range(2):
            errors = list(threads.map(rejected, [[1], [2], [3], [4], [5]]))
            assert {error.error_class.value for error in errors} == {"invalid_request"}
        assert turns.call(run, balance("a")).json() == {"balance": 1}


def test_threads_wait_a_transient_out(target: str, backend: Backend) -> None:
    backend.answer("/invoices", "{}", 429, Retry_After="1")
    backend.answer("/invoices", {"n": 1})
    with Client(target) as client, client.run() as run:
        assert ThreadedTurns(20).call(run, Call("list_invoices")).json() == {"n": 1}


def test_threads_are_told_of_a_gateway_that_is_gone(gateway: Gateway) -> None:
    with Client(gateway.target) as client, client.run() as run, ThreadPoolExecutor(4) as threads:
        turns = ThreadedTurns(5)
        gateway.kill()
        asked = [threads.submit(turns.call, run, balance("a")) for _ in range(4)]
        assert {type(one.exception(20)) for one in asked} == {GatewayError}


def test_a_graph_without_asyncio(target: str, backend: Backend) -> None:
    backend.answer("/invoices", {"n": 1})
    given: list[dict[str, str]] = [{"status": "opn"}, {}]
    calls = [tool_call(name="list_invoices", args=args, id=f"{ONCE}{i}") for i, args in enumerate(given)]
    with Client(target) as client, client.run() as run:
        builder = StateGraph(MessagesState)
        builder.add_node("tools", ToolNode(langchain.gateway_tools(client.list_tools(), run)))
        builder.add_edge(START, "tools")
        state: Any = {"messages": [AIMessage("", tool_calls=calls)]}
        told, again = (builder.compile().invoke(state)["messages"][1:] for _ in range(2))
    assert [message.status for message in told] == ["error", "success"]
    assert json.loads(told[0].content)["class"] == "invalid_request"
    assert told[1].content == again[1].content == '{"n": 1}'
    assert len(backend.requests) == 1, "a step that runs again gets the outcome that there was"


def test_create_agent_with_the_middleware(target: str, backend: Backend) -> None:
    backend.answer("/invoices", {"n": 1})
    broken, sound = Move("list_invoices", '{"status": "open"'), Move("list_invoices", "{}")
    mind = Script([[broken, sound], [sound]])
    with Client(target) as client, client.run() as run:
        tools = langchain.gateway_tools(client.list_tools(), lambda: run)
        agent: Any = create_agent(ScriptedModel(mind), tools, middleware=[langchain.GatewayMiddleware()])
        state = agent.invoke({"messages": [{"role": "user", "content": "Go."}]})
    told = [message for message in state["messages"] if isinstance(message, ToolMessage)]
    assert sorted(message.status for message in told) == ["error", "success", "success"]
    assert any('"error":"malformed_json"' in str(message.content) for message in told)


HALF = '{"status": "op'


@pytest.mark.parametrize(
    "said",
    [
        AIMessage("", invalid_tool_calls=[invalid_tool_call(name="t", args=HALF, id="1", error=None)]),
        AIMessageChunk(content="", tool_call_chunks=[tool_call_chunk(name="t", args=HALF, id="1", index=0)]),
    ],
    ids=["whole", "in pieces"],
)
def test_half_of_a_call_is_kept_as_the_model_wrote_it(said: AIMessage) -> None:
    kept = langchain.keep_malformed(said)
    assert [call["args"] for call in kept.tool_calls] == [{langchain.MALFORMED: HALF}]
    assert type(kept) is AIMessage
    assert kept.invalid_tool_calls == []
    assert langchain.keep_malformed(kept) is kept


@pytest.mark.parametrize("told", [{"finish_reason": "length"}, {"stop_reason": "max_tokens"}])
def test_what_a_limit_cut_off_and_a_parser_closed_is_no_json(told: dict[str, str]) -> None:
    calls = [tool_call(name="t", args={"status": status}, id=status) for status in ("open", "op")]
    kept = langchain.keep_malformed(AIMessage("", tool_calls=calls, response_metadata=told))
    assert kept.tool_calls[0] == calls[0]
    assert kept.tool_calls[1]["args"] == {langchain.MALFORMED: '{"status":"op"'}
    complete = AIMessage("", tool_calls=calls, response_metadata={"finish_reason": "tool_calls"})
    assert langchain.keep_malformed(complete) is complete


def test_what_a_limit_of_anthropics_cut_off_is_not_sent_to_the_tool(target: str, backend: Backend) -> None:
    backend.answer("/invoices", {"n": 1})
    uses = message(("1", "list_invoices", {}), ("2", "list_invoices", {"status": "open"}))
    with Client(target) as client, client.run() as run:
        answer: Any = anthropic.tool_results(uses.model_copy(update={"stop_reason": "max_tokens"}), run)
    assert [result.get("is_error", False) for result in answer["content"]] == [False, True]
    assert '"error":"malformed_json"' in answer["content"][1]["content"]
    nothing = message().model_copy(update={"stop_reason": "max_tokens", "content": []})
    assert anthropic.tool_results(nothing, run)["content"] == []
    assert backend.requests == ["/invoices"]


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_a_name_that_is_no_tools_is_the_gateways_to_tell(kind: str, target: str) -> None:
    mind = Script([[Move("list_invoice", "{}")]])
    question: Any = {"messages": [{"role": "user", "content": "Go."}]}

    async def play() -> None:
        async with AsyncClient(target) as client, client.run() as run:
            tools = langchain.gateway_tools(await client.list_tools(), run)
            middleware = [langchain.GatewayMiddleware(run)]
            await create_agent(ScriptedModel(mind), tools, middleware=middleware).ainvoke(question)

    if kind == "async":
        asyncio.run(play())
    else:
        with Client(target) as client, client.run() as run:
            tools = langchain.gateway_tools(client.list_tools(), run)
            middleware = [langchain.GatewayMiddleware(run)]
            create_agent(ScriptedModel(mind), tools, middleware=middleware).invoke(question)
    assert (mind.fields(1)["error"], mind.fields(1)["expected"][0]) == ("unknown_tool", "list_invoices")
    assert mind.read[1][0].failed


def test_a_run_of_an_async_client_says_that_it_can_not_wait(target: str) -> None:
    async def play() -> None:
        async with AsyncClient(target) as client:
            tool = langchain.gateway_tools(await client.list_tools(), client.run())[0]
            with pytest.raises(NotImplementedError, match="ainvoke"):
                tool.invoke({})

    asyncio.run(play())


def test_an_agent_of_pydantic_ai_may_serve_many_runs(target: str, backend: Backend) -> None:
    backend.answer("/invoices", {"n": 1})

    async def play() -> None:
        async with AsyncClient(target) as client:
            toolset = pydantic_ai.GatewayToolset(client)
            calls = [[Move("list_invoices", "{}")], [Move("list_invoices", "{}")]]
            minds = [Script([*calls]) for _ in range(2)]
            agents = [Agent(FunctionModel(scripted(mind)), toolsets=[toolset]) for mind in minds]
            await asyncio.gather(*(agent.run("Go.") for agent in agents))
            run = client.run("conversation")
            agent = Agent(FunctionModel(scripted(Script([*calls]))))
            await agent.run("Go.", toolsets=[pydantic_ai.GatewayToolset(client, run)])
            assert (await client.end_run("conversation")).calls == 2

    asyncio.run(play())
    assert len(backend.requests) == 6


def test_pydantic_ai_passes_on_what_a_hook_changed() -> None:
    arguments = pydantic_ai._Arguments('{"a": 1.10}')  # noqa: SLF001
    assert (arguments, arguments.untouched, arguments.text) == ({"a": 1.1}, True, '{"a": 1.10}')
    arguments["a"] = 2
    assert not arguments.untouched
    assert pydantic_ai._Arguments("[1").untouched  # noqa: SLF001


def message(*uses: tuple[str, str, object]) -> Message:
    return Message.model_validate(
        {
            "id": "m",
            "type": "message",
            "role": "assistant",
            "model": "scripted",
            "stop_reason": "tool_use",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
            "content": [
                {"type": "text", "text": "Let me see."},
                *({"type": "tool_use", "id": i, "name": name, "input": given} for i, name, given in uses),
            ],
        }
    )


def test_anthropics_results_stand_in_the_order_of_their_uses(target: str, backend: Backend) -> None:
    backend.answer("/invoices", "{}", 429, Retry_After="1")
    backend.answer("/invoices", {"n": 1})
    backend.answer("/balances/a", {"balance": 1})
    uses = message(
        ("1", "list_invoices", {}), ("2", "get_balances", {}), ("3", "get_balance", {"account_id": "a"})
    )
    with Client(target) as client, client.run() as run:
        answer: Any = anthropic.tool_results(uses, run)
        nothing: Any = anthropic.tool_results(message(), run)
    assert answer["role"] == "user"
    assert [result["tool_use_id"] for result in answer["content"]] == ["1", "2", "3"]
    assert [result.get("is_error", False) for result in answer["content"]] == [False, True, False]
    assert answer["content"][0]["content"] == '{"n": 1}'
    assert '"error":"unknown_tool"' in answer["content"][1]["content"]
    assert nothing == {"role": "user", "content": []}
    assert len(backend.requests) == 3


def test_anthropics_results_are_none_where_the_gateway_is_gone(gateway: Gateway) -> None:
    with Client(gateway.target) as client, client.run() as run:
        gateway.kill()
        with pytest.raises(GatewayError):
            anthropic.tool_results(message(("1", "list_invoices", {})), run)
