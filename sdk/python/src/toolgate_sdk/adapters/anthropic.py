"""The tool_use blocks of a message of Anthropic's API, run through a gateway.

What its tool runner would do otherwise: show the model the exception's text, whatever the
failure is, and go on for as long as the model does.
"""

from __future__ import annotations

import asyncio
import time
from base64 import b64encode
from typing import TYPE_CHECKING, Any

from toolgate_sdk._calls import Patience
from toolgate_sdk._errors import GatewayError, ToolCallError
from toolgate_sdk.adapters._content import shown, told
from toolgate_sdk.adapters._turn import MOST, WITHIN, call_of, cut_off

if TYPE_CHECKING:
    from anthropic.types import (
        ImageBlockParam,
        Message,
        MessageParam,
        TextBlockParam,
        ToolResultBlockParam,
        ToolUseBlock,
    )
    from anthropic.types.beta import BetaMessage, BetaToolUseBlock
    from toolgate.v1.call_pb2 import BlobBlock

    from toolgate_sdk._aio import AsyncRun
    from toolgate_sdk._calls import Call, Outcome
    from toolgate_sdk._client import Run


def tool_results(message: Message | BetaMessage, run: Run, *, within: float = WITHIN) -> MessageParam:
    """Run all tool_use blocks of the message in one batch, and make the user's message of it.

    A failed call is a tool_result with is_error. A transient failure is waited out for
    `within` seconds. A GatewayError is raised.
    """
    turn = _Turn(message, within)
    while turn.open:
        for outcome in run.call_many(turn.next()):
            turn.take(outcome)
        time.sleep(turn.wait())
    return turn.answer()


async def async_tool_results(
    message: Message | BetaMessage, run: AsyncRun, *, within: float = WITHIN
) -> MessageParam:
    """As tool_results. Cancelling the task cancels the calls."""
    turn = _Turn(message, within)
    while turn.open:
        async for outcome in run.call_many(turn.next()):
            turn.take(outcome)
        await asyncio.sleep(turn.wait())
    return turn.answer()


class _Turn:
    """The calls of one message, and which of them are still open."""

    def __init__(self, message: Message | BetaMessage, within: float) -> None:
        self._blocks = [block for block in message.content if block.type == "tool_use"]
        self._calls = [call_of(block.name, block.input, block.id) for block in self._blocks]
        last = message.content[-1] if message.content else None
        if message.stop_reason == "max_tokens" and last is not None and last.type == "tool_use":
            # Streams close what was cut off: it is half of what was meant.
            self._calls[-1] = call_of(last.name, cut_off(last.input), last.id)
        self._outcomes: dict[int, Outcome] = {}
        self._patience = Patience(within)
        self._sent: list[int] = []
        self._wait = 0.0
        self.open = list(range(len(self._calls)))

    def next(self) -> list[Call]:
        self._sent, self.open = self.open[:MOST], self.open[MOST:]
        self._wait = 0.0
        return [self._calls[i] for i in self._sent]

    def take(self, outcome: Outcome) -> None:
        if isinstance(outcome.error, GatewayError):
            raise outcome.error
        i = self._sent[outcome.index]
        self._outcomes[i] = outcome
        if outcome.error is None:
            return
        try:
            self._wait = max(self._wait, self._patience.wait(outcome.error))
        except ToolCallError:
            return
        self.open.append(i)

    def wait(self) -> float:
        return self._wait

    def answer(self) -> MessageParam:
        results = [_result(block, self._outcomes[i]) for i, block in enumerate(self._blocks)]
        return {"role": "user", "content": results}


def _result(block: ToolUseBlock | BetaToolUseBlock, outcome: Outcome) -> ToolResultBlockParam:
    result: ToolResultBlockParam = {"type": "tool_result", "tool_use_id": block.id}
    if isinstance(outcome.error, ToolCallError):
        return {**result, "content": told(outcome.error), "is_error": True}
    text, images = shown(outcome.unwrap())
    if not images:
        return {**result, "content": text}
    texts: list[TextBlockParam] = [{"type": "text", "text": text}] if text else []  # an empty one is refused
    return {**result, "content": [*texts, *map(_image, images)]}


def _image(image: BlobBlock) -> ImageBlockParam:
    kind: Any = image.mime_type  # one that they take
    data = b64encode(image.data).decode()
    return {"type": "image", "source": {"type": "base64", "media_type": kind, "data": data}}
