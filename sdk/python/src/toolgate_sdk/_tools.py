"""The tools, as the gateway lists them and as model APIs take them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from toolgate.v1 import tool_pb2

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolgate.v1 import gateway_pb2

Shape = dict[str, Any]


class ToolList:
    """The tools that this caller may use.

    `contract` is the sentence for a system prompt: what each class means. Each shape is a
    list to put into a request as it is; the schemas stay as the gateway sent them, but that
    each says `type: object`, without which some APIs refuse the whole list.
    """

    def __init__(self, proto: gateway_pb2.ListToolsResponse) -> None:
        self.proto = proto
        self.contract = proto.contract

    def __iter__(self) -> Iterator[tool_pb2.Tool]:
        """Go through the tools, by name."""
        return iter(self.proto.tools)

    def __len__(self) -> int:
        """Count the tools."""
        return len(self.proto.tools)

    def openai(self) -> list[Shape]:
        """`tools` of OpenAI's Responses API."""
        # Strict would rewrite what is optional.
        return [
            {"type": "function", **_described(t), "parameters": _schema(t), "strict": False} for t in self
        ]

    def openai_chat(self) -> list[Shape]:
        """`tools` of OpenAI's Chat Completions API, and of the many that take the same."""
        return [{"type": "function", "function": {**_described(t), "parameters": _schema(t)}} for t in self]

    def anthropic(self) -> list[Shape]:
        """`tools` of Anthropic's Messages API."""
        return [{**_described(t), "input_schema": _schema(t)} for t in self]

    def gemini(self) -> list[Shape]:
        """`functionDeclarations` of one tool of the Gemini API."""
        return [{**_described(t), "parametersJsonSchema": _schema(t)} for t in self]

    def mcp(self) -> list[Shape]:
        """`tools` of a tools/list result of the Model Context Protocol."""
        return [{**_described(t), "inputSchema": _schema(t), "annotations": _annotations(t)} for t in self]


def _described(tool: tool_pb2.Tool) -> Shape:
    return {"name": tool.name, "description": tool.description}


def _schema(tool: tool_pb2.Tool) -> Any:
    schema = json.loads(tool.input_schema_json or "{}")
    if not isinstance(schema, dict):
        return {"type": "object"}
    return schema if "type" in schema else {"type": "object", **schema}


def _annotations(tool: tool_pb2.Tool) -> Shape:
    # Whether a write destroys anything nobody stated.
    if tool.effect == tool_pb2.EFFECT_READ:
        return {"readOnlyHint": True, "idempotentHint": True, "destructiveHint": False}
    return {"readOnlyHint": False, "idempotentHint": tool.effect == tool_pb2.EFFECT_IDEMPOTENT}
