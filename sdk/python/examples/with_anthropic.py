"""The stories with Anthropic's API: tool_use blocks in, tool_result blocks out."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

import anthropic
import httpx2
import stories

from toolgate_sdk import AsyncClient
from toolgate_sdk.adapters.anthropic import async_tool_results

if TYPE_CHECKING:
    from anthropic.types import MessageParam


async def adapted(target: str, mind: stories.Mind, *, within: float = 30) -> None:
    """Play with the gateway's tools."""
    api = scripted(mind)
    async with AsyncClient(target) as client, client.run() as run:
        listed = await client.list_tools()
        tools: Any = listed.anthropic()
        messages: list[MessageParam] = [{"role": "user", "content": "Go."}]
        while True:
            message = await api.messages.create(
                model="scripted", max_tokens=1024, system=listed.contract, tools=tools, messages=messages
            )
            if message.stop_reason != "tool_use":
                return
            messages.append({"role": "assistant", "content": message.content})
            messages.append(await async_tool_results(message, run, within=within))


async def gated(stage: stories.Stage, mind: stories.Mind) -> None:
    """Play with the gateway of the stage."""
    await adapted(stage.gateway, mind)


async def plain(stage: stories.Stage, mind: stories.Mind) -> None:
    """Play with tools that call the back ends, in the tool runner of the package."""

    @anthropic.beta_async_tool
    async def list_invoices_untyped(start_date: str) -> str:
        """List the invoices of the account."""
        return json.dumps(stage.list_invoices(start_date))

    @anthropic.beta_async_tool
    async def book_slot(practitioner_id: str, start: str) -> str:
        """Book an appointment."""
        return json.dumps(stage.book_slot(practitioner_id, start))

    runner = scripted(mind).beta.messages.tool_runner(
        model="scripted",
        max_tokens=1024,
        tools=[list_invoices_untyped, book_slot],
        messages=[{"role": "user", "content": "Go."}],
    )
    await runner.until_done()


def scripted(mind: stories.Mind) -> anthropic.AsyncAnthropic:
    """Make the package's client, with a model behind it that does what a mind says."""
    ids = itertools.count()

    def answer(request: httpx2.Request) -> httpx2.Response:
        last = json.loads(request.content)["messages"][-1]["content"]
        told = [block for block in last if isinstance(block, dict) and block["type"] == "tool_result"]
        said = mind.turn([_read(block) for block in told])
        content: list[dict[str, Any]]
        if isinstance(said, str):
            content = [{"type": "text", "text": said}]
        else:
            content = [
                {
                    "type": "tool_use",
                    "id": f"toolu_{next(ids)}",
                    "name": move.tool,
                    "input": json.loads(move.arguments),
                }
                for move in said
            ]
        message = {
            "id": "msg",
            "type": "message",
            "role": "assistant",
            "model": "scripted",
            "content": content,
            "stop_reason": "end_turn" if isinstance(said, str) else "tool_use",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
        return httpx2.Response(200, json=message)

    transport = httpx2.AsyncClient(transport=httpx2.MockTransport(answer))
    return anthropic.AsyncAnthropic(api_key="none", http_client=transport)


def _read(result: dict[str, Any]) -> stories.Read:
    content = result["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    texts = [block["text"] for block in blocks if block["type"] == "text"]
    return stories.Read("".join(texts), result.get("is_error", False), len(blocks) - len(texts))


def main() -> list[tuple[str, stories.Story, str, stories.Figures]]:
    """Play all."""
    return stories.show("Anthropic API", toolgate=gated, its_own=plain)


if __name__ == "__main__":
    print(stories.table(main()))
