"""The tools of a gateway for LangChain and LangGraph.

What their defaults would do otherwise: an exception of a tool ends the run, or is repeated by
a RetryPolicy that can't know whether it may; a refused argument is answered with all the
arguments and "please fix"; a call whose arguments are no JSON is dropped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import AIMessage, ToolCall
from langchain_core.runnables.config import run_in_executor
from langchain_core.tools import BaseTool, ToolException
from pydantic import PrivateAttr

from toolgate_sdk._client import Run
from toolgate_sdk._errors import ToolCallError
from toolgate_sdk.adapters._turn import WITHIN, ThreadedTurns, Turns, call_of, now

if TYPE_CHECKING:
    from collections.abc import Callable

    from langgraph.runtime import Runtime

    from toolgate_sdk._aio import AsyncRun
    from toolgate_sdk._calls import Call
    from toolgate_sdk._tools import ToolList

    AnyRun = Run | AsyncRun

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
            text = tool_input[MALFORMED]
        return (), {"call": call_of(self.name, text, tool_call_id)}

    def _run(self, *, call: Call) -> str:
        run: AnyRun = now(self._of)
        if not isinstance(run, Run):
            raise NotImplementedError("the run is for asyncio: use ainvoke, or the run of a Client")
        try:
            return self._turns[1].call(run, call).text
        except ToolCallError as error:
            raise ToolException(error.observation) from error

    async def _arun(self, *, call: Call) -> str:
        run: AnyRun = now(self._of)
        if isinstance(run, Run):
            return await run_in_executor(None, self._run, call=call)
        try:
            return (await self._turns[0].call(run, call)).text
        except ToolCallError as error:
            raise ToolException(error.observation) from error


def keep_malformed(message: AIMessage) -> AIMessage:
    """Make calls of those whose arguments are no JSON: the gateway tells the model where.

    For a graph of one's own, right after the model.
    """
    if not message.invalid_tool_calls:
        return message
    kept = [
        ToolCall(name=c["name"] or "", args={MALFORMED: c["args"] or ""}, id=c["id"], type="tool_call")
        for c in message.invalid_tool_calls
    ]
    return message.model_copy(update={"tool_calls": [*message.tool_calls, *kept], "invalid_tool_calls": []})


class GatewayMiddleware(AgentMiddleware):
    """Does keep_malformed in create_agent."""

    def after_model(self, state: Any, runtime: Runtime[Any]) -> dict[str, Any] | None:  # noqa: ARG002 # its signature
        """Replace the model's message where a call of it could not be parsed."""
        last = state["messages"][-1]
        if not isinstance(last, AIMessage) or not last.invalid_tool_calls:
            return None
        return {"messages": [keep_malformed(last)]}
