"""The stories in Google's ADK, with the adapter and without."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

import stories
from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai.types import Content, FunctionCall, Part
from pydantic import PrivateAttr

from toolgate_sdk import AsyncClient
from toolgate_sdk.adapters.google_adk import gateway_tools

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from google.adk.models.llm_request import LlmRequest


async def adapted(target: str, mind: stories.Mind, *, within: float = 30) -> None:
    """Play with the gateway's tools."""
    async with AsyncClient(target) as client, client.run() as run:
        listed = await client.list_tools()
        await _run(mind, gateway_tools(listed, run, within=within), listed.contract)


async def plain(stage: stories.Stage, mind: stories.Mind) -> None:
    """Play with tools that call the back ends."""

    def list_invoices_untyped(start_date: str) -> dict[str, Any]:
        """List the invoices of the account."""
        return stage.list_invoices(start_date)

    def book_slot(practitioner_id: str, start: str) -> dict[str, Any]:
        """Book an appointment."""
        return stage.book_slot(practitioner_id, start)

    await _run(mind, [list_invoices_untyped, book_slot])


async def _run(mind: stories.Mind, tools: list[Any], instruction: str = "") -> None:
    agent = LlmAgent(name="agent", model=ScriptedModel(mind), tools=tools, instruction=instruction)
    runner = InMemoryRunner(agent, app_name="stories")
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
        told = [part.function_response.response or {} for part in parts if part.function_response]
        said = self._mind.turn([stories.Read(_text(one), failed="error" in one) for one in told])
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


def _text(response: dict[str, Any]) -> str:
    return json.dumps(response, ensure_ascii=False, separators=(",", ":"))


def main() -> list[tuple[str, stories.Story, str, stories.Figures]]:
    """Play all."""
    return stories.show("Google ADK", lambda stage, mind: adapted(stage.gateway, mind), plain)


if __name__ == "__main__":
    print(stories.table(main()))
