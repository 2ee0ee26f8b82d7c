"""The tools of a gateway for LangChain and LangGraph.

What their defaults would do otherwise: an exception of a tool ends the run, or is repeated by
a RetryPolicy that can't know whether it may; a refused argument is answered with all the
arguments and "please fix"; a call whose arguments are no JSON is dropped, and
one that was cut off is closed and sent.
"""

from __future__ import annotations

import json
from base64 import b64encode
from typing import TYPE_CHECKING, Any, cast

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import AIMessage, AIMessageChunk, ToolCall, message_chunk_to_message
from langchain_core.messages.content import create_image_block, create_text_block
from langchain_core.runnables.config import run_in_executor
from langchain_core.tools import BaseTool, ToolException
from pydantic import PrivateAttr

from toolgate_sdk._client import Run
from toolgate_sdk._errors import ToolCallError
from toolgate_sdk.adapters._content import shown, told
from toolgate_sdk.adapters._turn import WITHIN, ThreadedTurns, Turns, call_of, cut_off, now

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from langchain_core.messages import ToolMessage
    from langchain_core.messages.content import ImageContentBlock, TextContentBlock
    from langgraph.prebuilt.tool_node import ToolCallRequest
    from langgraph.runtime import Runtime
    from langgraph.types import Command

    from toolgate_sdk._aio import AsyncRun
    from toolgate_sdk._calls import Call, Result
    from toolgate_sdk._tools import ToolList

    AnyRun = Run | AsyncRun
    Told = ToolMessage | Command[Any]
    Content = str | list[TextContentBlock | ImageContentBlock]

LIMITS = {"length", "max_tokens"}  # how the providers say that a message is not complete
MALFORMED = "malformed_json"  # the one argument of a call that could not be parsed


def gateway_tools(
    listed: ToolList, run: AnyRun | Callable[[], AnyRun], *, within: float = WITHIN
) -> list[BaseTool]:
    """Make the tools of a ToolNode, of create_agent, or to bind to a model.

    `run` is the gateway's run, or a function that tells the one of the moment, for a graph
    that serves many. One of a Client serves `invoke` and `ainvoke`, one of an AsyncClient
    `ainvoke`. A transient failure is waited out for `within` seconds. A failed call is a
    ToolMessage of status "error"; a GatewayError is raised. The system prompt should hold
    `listed.contract`.
    """
    turns = Turns(within), ThreadedTurns(within)
    return [
        _GatewayTool(turns, run, name=s["name"], description=s["description"], args_schema=s["inputSchema"])
        for s in listed.mcp()
    ]


class _GatewayTool(BaseTool):
    handle_tool_error: bool = True
    _turns: tuple[Turns, ThreadedTurns] = PrivateAttr()
    _of: Any = PrivateAttr()

    def __init__(
        self, turns: tuple[Turns, ThreadedTurns], run: AnyRun | Callable[[], AnyRun], **fields: Any
    ) -> None:
        super().__init__(**fields)
        self._turns = turns
        self._of = run

    def _to_args_and_kwargs(
        self, tool_input: str | dict[str, Any], tool_call_id: str | None
    ) -> tuple[tuple[()], dict[str, Any]]:
        text: str | dict[str, Any] = tool_input
        if isinstance(tool_input, dict) and tool_input.keys() == {MALFORMED}:
            text = str(tool_input[MALFORMED])
        return (), {"call": call_of(self.name, text, tool_call_id)}

    def _run(self, *, call: Call) -> Content:
        run: AnyRun = now(self._of)
        if not isinstance(run, Run):
            raise NotImplementedError("the run is for asyncio: use ainvoke, or the run of a Client")
        try:
            return _content(self._turns[1].call(run, call))
        except ToolCallError as error:
            raise ToolException(told(error)) from error

    async def _arun(self, *, call: Call) -> Content:
        run: AnyRun = now(self._of)
        if isinstance(run, Run):
            return await run_in_executor(None, self._run, call=call)
        try:
            return _content(await self._turns[0].call(run, call))
        except ToolCallError as error:
            raise ToolException(told(error)) from error


def _content(result: Result) -> Content:
    text, images = shown(result)
    if not images:
        return text
    blocks = (create_image_block(base64=b64encode(i.data).decode(), mime_type=i.mime_type) for i in images)
    return [create_text_block(text), *blocks]


def keep_malformed(message: AIMessage) -> AIMessage:
    """Make calls of those whose arguments are no JSON: the gateway tells the model where.

    For a graph of one's own, right after the model. What the model's limit cut off counts as
    no JSON: the framework would close it where it ends, and send half of what was meant.
    """
    text = _texts(message)
    kept = [
        call if _is_json(text.get(call["id"], "")) else _unparsed(call["name"], text[call["id"]], call["id"])
        for call in message.tool_calls
    ]
    kept += [_unparsed(call["name"], call["args"], call["id"]) for call in message.invalid_tool_calls]
    if kept == message.tool_calls:
        return message
    whole = message_chunk_to_message(message)
    return cast("AIMessage", whole.model_copy(update={"tool_calls": kept, "invalid_tool_calls": []}))


def _texts(message: AIMessage) -> dict[str | None, str]:
    """Tell what the model wrote, of the calls of which it is known or the end is missing."""
    if isinstance(message, AIMessageChunk):
        return {chunk["id"]: chunk["args"] or "" for chunk in message.tool_call_chunks}
    told = message.response_metadata
    if message.tool_calls and LIMITS & {str(told.get("finish_reason")).lower(), str(told.get("stop_reason"))}:
        last = message.tool_calls[-1]
        return {last["id"]: cut_off(last["args"])}
    return {}


def _is_json(text: str) -> bool:
    try:
        json.loads(text or "{}")
    except ValueError:
        return False
    return True


def _unparsed(name: str | None, text: str | None, call_id: str | None) -> ToolCall:
    return ToolCall(name=name or "", args={MALFORMED: text or ""}, id=call_id, type="tool_call")


class GatewayMiddleware(AgentMiddleware):
    """Does keep_malformed in create_agent.

    With a run, a name that is no tool's goes to the gateway too, which tells the model the
    nearest ones. Its `wrap_tool_call` and `awrap_tool_call` do the same in a ToolNode.
    """

    def __init__(self, run: AnyRun | Callable[[], AnyRun] | None = None, *, within: float = WITHIN) -> None:
        """Take what gateway_tools takes."""
        super().__init__()
        self._run = run
        self._turns = Turns(within), ThreadedTurns(within)

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Told]) -> Told:
        """Send a call of no tool to the gateway."""
        tool = self._unknown(request)
        return handler(request) if tool is None else cast("ToolMessage", tool.invoke(request.tool_call))

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Told]]
    ) -> Told:
        """Send a call of no tool to the gateway."""
        tool = self._unknown(request)
        if tool is None:
            return await handler(request)
        return cast("ToolMessage", await tool.ainvoke(request.tool_call))

    def _unknown(self, request: ToolCallRequest) -> BaseTool | None:
        if self._run is None or request.tool is not None:
            return None
        name = request.tool_call["name"]
        return _GatewayTool(
            self._turns, self._run, name=name, description=name, args_schema={"type": "object"}
        )

    def after_model(self, state: Any, runtime: Runtime[Any]) -> dict[str, Any] | None:  # noqa: ARG002 # its signature
        """Replace the model's message where the text of a call is no JSON."""
        last = state["messages"][-1]
        kept = keep_malformed(last) if isinstance(last, AIMessage) else last
        return None if kept is last else {"messages": [kept]}
