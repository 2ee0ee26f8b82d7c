"""The tools of a gateway for Google's Agent Development Kit.

What its defaults would do otherwise: an exception of a tool ends the run; a missing argument
is answered with "you could retry".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from google.adk.tools.base_tool import BaseTool
from google.genai.types import FunctionDeclaration, Part

from toolgate_sdk._errors import ToolCallError
from toolgate_sdk.adapters._content import shown, told
from toolgate_sdk.adapters._turn import WITHIN, Turns, call_of, now

if TYPE_CHECKING:
    from collections.abc import Callable

    from google.adk.tools.tool_context import ToolContext

    from toolgate_sdk._aio import AsyncRun
    from toolgate_sdk._tools import Shape, ToolList


def gateway_tools(
    listed: ToolList, run: AsyncRun | Callable[[], AsyncRun], *, within: float = WITHIN
) -> list[BaseTool]:
    """Make an agent's `tools`. Its `instruction` should hold `listed.contract`.

    `run` is the gateway's run, or a function that tells the one of the moment, for an agent
    that serves many. A transient failure is waited out for `within` seconds. A GatewayError
    ends the agent's run.
    """
    turns = Turns(within)
    return [_GatewayTool(shape, turns, run) for shape in listed.gemini()]


class _GatewayTool(BaseTool):
    def __init__(self, shape: Shape, turns: Turns, run: AsyncRun | Callable[[], AsyncRun]) -> None:
        super().__init__(name=shape["name"], description=shape["description"])
        self._schema = shape["parametersJsonSchema"]
        self._turns = turns
        self._run = run

    def _get_declaration(self) -> FunctionDeclaration:
        return FunctionDeclaration(
            name=self.name, description=self.description, parameters_json_schema=self._schema
        )

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> dict[str, Any]:
        """Call the tool: `result` is its answer, `error` what the gateway says of its failure."""
        call = call_of(self.name, args, tool_context.function_call_id)
        try:
            text, images = shown(await self._turns.call(now(self._run), call))
        except ToolCallError as error:
            return {"error": told(error)}
        parts = [Part.from_bytes(data=image.data, mime_type=image.mime_type) for image in images]
        return {"result": text, "images": parts} if parts else {"result": text}
