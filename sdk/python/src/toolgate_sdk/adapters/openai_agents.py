"""The tools of a gateway for the OpenAI Agents SDK.

What its defaults would do otherwise: every failure reads "An error occurred while running
the tool. Please try again.", and a tool's own timeout becomes a result.
"""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING

from agents import FunctionTool, ToolOutputImage, ToolOutputText

from toolgate_sdk._errors import ToolCallError
from toolgate_sdk.adapters._content import shown, told
from toolgate_sdk.adapters._turn import WITHIN, Turns, call_of, now

if TYPE_CHECKING:
    from collections.abc import Callable

    from agents.tool_context import ToolContext

    from toolgate_sdk._aio import AsyncRun
    from toolgate_sdk._calls import Result
    from toolgate_sdk._tools import Shape, ToolList

    Output = ToolOutputText | ToolOutputImage


def gateway_tools(
    listed: ToolList, run: AsyncRun | Callable[[], AsyncRun], *, within: float = WITHIN
) -> list[FunctionTool]:
    """Make an agent's `tools`. Its `instructions` should hold `listed.contract`.

    `run` is the gateway's run, or a function that tells the one of the moment, for an agent
    that serves many. A transient failure is waited out for `within` seconds. A GatewayError
    ends the agent's run as the cause of its UserError.
    """
    turns = Turns(within)
    return [_tool(shape, turns, run) for shape in listed.openai()]


def _tool(shape: Shape, turns: Turns, run: AsyncRun | Callable[[], AsyncRun]) -> FunctionTool:
    async def invoke(context: ToolContext[object], arguments: str) -> str | list[Output]:
        try:
            result = await turns.call(now(run), call_of(shape["name"], arguments, context.tool_call_id))
        except ToolCallError as error:
            return told(error)
        return _output(result)

    return FunctionTool(
        name=shape["name"],
        description=shape["description"],
        params_json_schema=shape["parameters"],
        on_invoke_tool=invoke,
        strict_json_schema=False,  # it would rewrite what is optional
    )


def _output(result: Result) -> str | list[Output]:
    text, images = shown(result)
    if not images:
        return text
    urls = (f"data:{image.mime_type};base64,{b64encode(image.data).decode()}" for image in images)
    return [ToolOutputText(text=text), *(ToolOutputImage(image_url=url) for url in urls)]
