"""The stories in the OpenAI Agents SDK, with the adapter and without."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import stories
from agents import Agent, Model, ModelResponse, RunConfig, Runner, function_tool
from agents.usage import Usage
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from toolgate_sdk import AsyncClient
from toolgate_sdk.adapters.openai_agents import gateway_tools

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from agents import Tool, TResponseInputItem

QUIET = RunConfig(tracing_disabled=True)


async def adapted(target: str, mind: stories.Mind, *, within: float = 30) -> None:
    """Play with the gateway's tools."""
    async with AsyncClient(target) as client, client.run() as run:
        listed = await client.list_tools()
        tools: list[Tool] = [*gateway_tools(listed, run, within=within)]
        agent = Agent("agent", instructions=listed.contract, tools=tools, model=ScriptedModel(mind))
        await Runner.run(agent, "Go.", run_config=QUIET)


async def gated(stage: stories.Stage, mind: stories.Mind) -> None:
    """Play with the gateway of the stage."""
    await adapted(stage.gateway, mind)


async def plain(stage: stories.Stage, mind: stories.Mind) -> None:
    """Play with tools that call the back ends."""

    @function_tool
    def list_invoices_untyped(start_date: str) -> dict[str, Any]:
        return stage.list_invoices(start_date)

    @function_tool
    def book_slot(practitioner_id: str, start: str) -> dict[str, Any]:
        return stage.book_slot(practitioner_id, start)

    agent = Agent("agent", tools=[list_invoices_untyped, book_slot], model=ScriptedModel(mind))
    await Runner.run(agent, "Go.", run_config=QUIET)


class ScriptedModel(Model):
    """A model that does what a mind says."""

    def __init__(self, mind: stories.Mind) -> None:
        self._mind = mind
        self._ids = itertools.count()

    async def get_response(
        self,
        system_instructions: str | None,  # noqa: ARG002
        input: str | list[TResponseInputItem],  # noqa: A002
        *_: Any,
        **__: Any,
    ) -> ModelResponse:
        """Read the outputs since the last turn, and answer."""
        items: list[Any] = input if isinstance(input, list) else []
        outputs = itertools.takewhile(
            lambda item: item.get("type") == "function_call_output", reversed(items)
        )
        said = self._mind.turn([_read(item["output"]) for item in outputs][::-1])
        return ModelResponse(output=self._output(said), usage=Usage(), response_id=None)

    def _output(self, said: list[stories.Move] | str) -> list[Any]:
        if isinstance(said, str):
            text = ResponseOutputText(text=said, type="output_text", annotations=[])
            return [
                ResponseOutputMessage(
                    id="m", type="message", role="assistant", status="completed", content=[text]
                )
            ]
        return [
            ResponseFunctionToolCall(
                type="function_call", call_id=f"call_{next(self._ids)}", name=m.tool, arguments=m.arguments
            )
            for m in said
        ]

    def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        """Not needed here."""
        raise NotImplementedError


def _read(output: str | list[dict[str, Any]]) -> stories.Read:
    blocks = [{"type": "input_text", "text": output}] if isinstance(output, str) else output
    texts = [block["text"] for block in blocks if block["type"] == "input_text"]
    return stories.Read("".join(texts), images=len(blocks) - len(texts))


def main() -> list[tuple[str, stories.Story, str, stories.Figures]]:
    """Play all."""
    return stories.show("OpenAI Agents", toolgate=gated, its_own=plain)


if __name__ == "__main__":
    print(stories.table(main()))
