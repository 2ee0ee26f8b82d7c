"""The stories in Pydantic AI, with the adapter and without."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import requests
import stories
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from toolgate_sdk import AsyncClient
from toolgate_sdk.adapters.pydantic_ai import GatewayToolset

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


async def adapted(target: str, mind: stories.Mind, *, within: float = 30) -> None:
    """Play with the gateway's tools."""
    async with AsyncClient(target) as client:
        agent = Agent(FunctionModel(scripted(mind)), toolsets=[GatewayToolset(client, within=within)])
        await agent.run("Go.")


async def gated(stage: stories.Stage, mind: stories.Mind) -> None:
    """Play with the gateway of the stage."""
    await adapted(stage.gateway, mind)


async def plain(stage: stories.Stage, mind: stories.Mind) -> None:
    """Play with tools that call the back ends."""
    agent = Agent(FunctionModel(scripted(mind)))

    @agent.tool_plain
    def list_invoices_untyped(start_date: str) -> dict[str, Any]:
        return stage.list_invoices(start_date)

    @agent.tool_plain
    def book_slot(practitioner_id: str, start: str) -> dict[str, Any]:
        return stage.book_slot(practitioner_id, start)

    await agent.run("Go.")


async def retried(stage: stories.Stage, mind: stories.Mind) -> None:
    """Play with tools that ask for a retry of whatever fails, as its manual proposes."""
    agent = Agent(FunctionModel(scripted(mind)))

    @agent.tool_plain
    def list_invoices_untyped(start_date: str) -> dict[str, Any]:
        with _retried():
            return stage.list_invoices(start_date)

    @agent.tool_plain
    def book_slot(practitioner_id: str, start: str) -> dict[str, Any]:
        with _retried():
            return stage.book_slot(practitioner_id, start)

    await agent.run("Go.")


@contextmanager
def _retried() -> Iterator[None]:
    try:
        yield
    except requests.HTTPError as error:
        raise ModelRetry(str(error)) from error


def scripted(mind: stories.Mind) -> Callable[[list[ModelMessage], AgentInfo], ModelResponse]:
    """Make the function of a model that does what a mind says."""

    def answer(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
        parts = messages[-1].parts if len(messages) > 1 else []
        told = [part for part in parts if isinstance(part, ToolReturnPart)]
        # As the providers show it that have no mark for an error.
        read = [stories.Read(p.model_response_str(), p.outcome != "success", len(p.files)) for p in told]
        said = mind.turn(read)
        if isinstance(said, str):
            return ModelResponse(parts=[TextPart(said)])
        return ModelResponse(parts=[ToolCallPart(move.tool, move.arguments) for move in said])

    return answer


def main() -> list[tuple[str, stories.Story, str, stories.Figures]]:
    """Play all."""
    return stories.show("Pydantic AI", toolgate=gated, its_own=plain, ModelRetry=retried)


if __name__ == "__main__":
    print(stories.table(main()))
