"""The client for asyncio against a real gateway."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from toolgate_sdk import AsyncClient, Call, GatewayError, Outcome, ToolCallError

if TYPE_CHECKING:
    from conftest import Backend


def test_a_call_and_a_batch(target: str, backend: Backend) -> None:
    backend.answer("/balances/a", {"balance": 1})

    async def play() -> None:
        async with AsyncClient(target) as client:
            async with client.run("r") as run:
                assert (await run.call("get_balance", {"account_id": "a"})).json() == {"balance": 1}
                outcomes = [
                    o
                    async for o in run.call_many([Call("nowhere"), Call("get_balance", {"account_id": "a"})])
                ]
                assert {o.index: o.result is not None for o in outcomes} == {0: False, 1: True}
                with pytest.raises(ToolCallError):
                    await run.call("get_balance")
            assert run.summary is not None
            assert run.summary.calls == 4
            ended = await client.run("other").end()
            assert ended is not None
            assert ended.calls == 0
            assert len(await client.list_tools()) == 2

    asyncio.run(play())


def test_cancelling_a_task_cancels_the_call_at_the_tool(target: str, backend: Backend) -> None:
    async def play() -> None:
        async with AsyncClient(target) as client:
            task = asyncio.create_task(client.call("list_invoices", run="a"))
            await asyncio.to_thread(backend.arrived.wait, 10)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert await asyncio.to_thread(backend.left.wait, 10)

    asyncio.run(play())


def test_a_closed_client_says_so() -> None:
    async def play() -> None:
        client = AsyncClient("127.0.0.1:1")
        await client.close()
        with pytest.raises(GatewayError, match="CANCELLED"):
            await client.call("t", run="r")
        with pytest.raises(GatewayError, match="CANCELLED"):
            await client.end_run("r")
        outcomes = [outcome async for outcome in client.call_many([Call("t"), Call("u")], "r")]
        assert [str(outcome.error) for outcome in outcomes] == ["CANCELLED: the client is closed"] * 2

    asyncio.run(play())


def test_closing_the_client_ends_its_calls_as_cancelled(target: str, backend: Backend) -> None:
    async def play() -> None:
        client = AsyncClient(target)
        one = asyncio.create_task(client.call("list_invoices", run="a"))

        async def many() -> list[Outcome]:
            return [outcome async for outcome in client.call_many([Call("list_invoices")], "b")]

        all_of_them = asyncio.create_task(many())
        while len(backend.requests) < 2:  # noqa: ASYNC110 # another thread fills it
            await asyncio.sleep(0.01)
        await client.close()
        with pytest.raises(GatewayError, match="CANCELLED"):
            await one
        assert [type(outcome.error) for outcome in await all_of_them] == [GatewayError]

    asyncio.run(play())


def test_a_status_tells_the_gateways_reason(target: str) -> None:
    async def play() -> None:
        async with AsyncClient(target) as client:
            with pytest.raises(GatewayError) as raised:
                await client.call("list_invoices")  # without a run
        assert raised.value.code.name == "INVALID_ARGUMENT"
        assert raised.value.reason

    asyncio.run(play())


def test_wait_transient_sends_the_identical_call(target: str, backend: Backend) -> None:
    backend.answer("/invoices", "{}", 429, Retry_After="1")
    backend.answer("/invoices", {"n": 1})

    async def play() -> None:
        async with AsyncClient(target) as client, client.run() as run:
            assert (await run.wait_transient("list_invoices", within=20)).json() == {"n": 1}

    asyncio.run(play())
    assert len(backend.requests) == 2
