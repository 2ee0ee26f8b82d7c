"""The stories in LangGraph, with the adapter and without."""

from __future__ import annotations

import itertools
import json
from typing import Any

import stories
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.messages.tool import invalid_tool_call, tool_call
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import BaseTool, tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from langgraph.types import RetryPolicy
from pydantic import PrivateAttr

from toolgate_sdk import AsyncClient
from toolgate_sdk.adapters.langchain import gateway_tools, keep_malformed


async def adapted(target: str, mind: stories.Mind, *, within: float = 30) -> None:
    """Play with the gateway's tools."""
    async with AsyncClient(target) as client, client.run() as run:
        tools = gateway_tools(await client.list_tools(), run, within=within)
        await graph(mind, ToolNode(tools)).ainvoke({"messages": [HumanMessage("Go.")]})


async def gated(stage: stories.Stage, mind: stories.Mind) -> None:
    """Play with the gateway of the stage."""
    await adapted(stage.gateway, mind)


async def plain(stage: stories.Stage, mind: stories.Mind) -> None:
    """Play with tools that call the back ends."""
    await graph(mind, ToolNode(_tools(stage))).ainvoke({"messages": [HumanMessage("Go.")]})


async def handled(stage: stories.Stage, mind: stories.Mind) -> None:
    """Play with the same, and with ToolNode told to handle what they raise."""
    node = ToolNode(_tools(stage), handle_tool_errors=True)
    await graph(mind, node).ainvoke({"messages": [HumanMessage("Go.")]})


def _tools(stage: stories.Stage) -> list[BaseTool]:
    @tool
    def list_invoices_untyped(start_date: str) -> dict[str, Any]:
        """List the invoices of the account."""
        return stage.list_invoices(start_date)

    @tool
    def book_slot(practitioner_id: str, start: str) -> dict[str, Any]:
        """Book an appointment."""
        return stage.book_slot(practitioner_id, start)

    return [list_invoices_untyped, book_slot]


def graph(mind: stories.Mind, tools: ToolNode) -> Any:
    """Build the usual loop, with the retries that most give its tools: RetryPolicy's defaults."""
    model = ScriptedModel(mind)

    async def ask(state: MessagesState) -> dict[str, Any]:
        answer = await model.ainvoke(state["messages"])
        return {"messages": [keep_malformed(answer)]}

    builder = StateGraph(MessagesState)
    builder.add_node("model", ask)
    builder.add_node("tools", tools, retry_policy=RetryPolicy())
    builder.add_edge(START, "model")
    builder.add_conditional_edges("model", tools_condition)
    builder.add_edge("tools", "model")
    return builder.compile()


class ScriptedModel(BaseChatModel):
    """A model that does what a mind says."""

    _mind: stories.Mind = PrivateAttr()
    _ids: Any = PrivateAttr(default_factory=itertools.count)

    def __init__(self, mind: stories.Mind) -> None:
        super().__init__()
        self._mind = mind

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **_: Any) -> Any:  # noqa: ARG002 # the script knows them
        """Know the tools already."""
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        """Read the tools' messages since the last turn, and answer."""
        told = itertools.takewhile(lambda message: isinstance(message, ToolMessage), reversed(messages))
        said = self._mind.turn([_read(message) for message in told][::-1])
        return ChatResult(generations=[ChatGeneration(message=self._message(said))])

    def _message(self, said: list[stories.Move] | str) -> AIMessage:
        if isinstance(said, str):
            return AIMessage(said)
        message = AIMessage("")
        for move in said:
            name = f"call_{next(self._ids)}"
            try:
                parsed = json.loads(move.arguments)
            except ValueError as error:
                malformed = invalid_tool_call(name=move.tool, args=move.arguments, id=name, error=str(error))
                message.invalid_tool_calls.append(malformed)
            else:
                message.tool_calls.append(tool_call(name=move.tool, args=parsed, id=name))
        return message


def _read(message: Any) -> stories.Read:
    images = [block for block in message.content_blocks if block["type"] == "image"]
    return stories.Read(message.text, message.status == "error", len(images))


def main() -> list[tuple[str, stories.Story, str, stories.Figures]]:
    """Play all."""
    return stories.show("LangGraph", toolgate=gated, its_own=plain, errors_handled=handled)


if __name__ == "__main__":
    print(stories.table(main()))
