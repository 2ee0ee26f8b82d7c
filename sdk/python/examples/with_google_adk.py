"""The stories in Google's ADK, with the adapter and without."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

import stories
from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins import ReflectAndRetryToolPlugin
from google.adk.runners import InMemoryRunner
from google.genai.types import Content, FunctionCall, Part
from pydantic import PrivateAttr

from toolgate_sdk import AsyncClient
from toolgate_sdk.adapters.google_adk import gateway_tools

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Sequence

    from google.adk.models.llm_request import LlmRequest
    from google.adk.plugins.base_plugin import BasePlugin
    from google.genai.types import FunctionResponse


async def adapted(target: str, mind: stories.Mind, *, within: float = 30) -> None:
    """Play with the gateway's tools."""
    async with AsyncClient(target) as client, client.run() as run:
        listed = await client.list_tools()
        await _run(mind, gateway_tools(listed, run, within=within), listed.contract)


async def gated(stage: stories.Stage, mind: stories.Mind) -> None:
    """Play with the gateway of the stage."""
    await adapted(stage.gateway, mind)


async def plain(stage: stories.Stage, mind: stories.Mind) -> None:
    """Play with tools that call the back ends."""
    await _run(mind, _tools(stage))


async def reflected(stage: stories.Stage, mind: stories.Mind) -> None:
    """Play with the same, and with the plugin that has the model reflect and retry."""
    await _run(mind, _tools(stage), plugins=[ReflectAndRetryToolPlugin()])


def _tools(stage: stories.Stage) -> list[Callable[..., dict[str, Any]]]:
    def list_invoices_untyped(start_date: str) -> dict[str, Any]:
        """List the invoices of the account."""
        return stage.list_invoices(start_date)

    def book_slot(practitioner_id: str, start: str) -> dict[str, Any]:
        """Book an appointment."""
        return stage.book_slot(practitioner_id, start)

    return [list_invoices_untyped, book_slot]


async def _run(
    mind: stories.Mind, tools: list[Any], instruction: str = "", plugins: Sequence[BasePlugin] = ()
) -> None:
    agent = LlmAgent(name="agent", model=ScriptedModel(mind), tools=tools, instruction=instruction)
    runner = InMemoryRunner(app=App(name="stories", root_agent=agent, plugins=[*plugins]))
    session = await runner.session_service.create_session(app_name="stories", user_id="user")
    go = Content(role="user", parts=[Part(text="Go.")])
    async for _ in runner.run_async(user_id="user", session_id=session.id, new_message=go):
        pass


class ScriptedModel(BaseLlm):
    """A model that does what a mind says."""

    _mind: stories.Mind = PrivateAttr()
    _ids: Any = PrivateAttr(default_factory=itertools.count)

    def __init__(self, mind: stories.Mind) -> None:
        super().__init__(model="scripted")
        self._mind = mind

    async def generate_content_async(
        self,
        llm_request: LlmRequest,
        stream: bool = False,  # noqa: ARG002, FBT001, FBT002
    ) -> AsyncGenerator[LlmResponse, None]:
        """Read the functions' responses since the last turn, and answer."""
        parts = llm_request.contents[-1].parts or []
        said = self._mind.turn([_read(part.function_response) for part in parts if part.function_response])
        if isinstance(said, str):
            answer = [Part(text=said)]
        else:
            answer = [
                Part(
                    function_call=FunctionCall(
                        id=f"call_{next(self._ids)}", name=move.tool, args=json.loads(move.arguments)
                    )
                )
                for move in said
            ]
        yield LlmResponse(content=Content(role="model", parts=answer))


def _read(told: FunctionResponse) -> stories.Read:
    response = told.response or {}
    text = json.dumps(response, ensure_ascii=False, separators=(",", ":"))
    return stories.Read(text, "error" in response, len(told.parts or []))


def main() -> list[tuple[str, stories.Story, str, stories.Figures]]:
    """Play all."""
    return stories.show("Google ADK", toolgate=gated, its_own=plain, ReflectAndRetry=reflected)


if __name__ == "__main__":
    print(stories.table(main()))
