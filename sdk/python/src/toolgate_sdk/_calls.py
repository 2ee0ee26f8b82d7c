"""What goes out and what comes back, the same in both clients."""

from __future__ import annotations

import json
import re
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import grpc
from toolgate.v1 import call_pb2

from toolgate_sdk._errors import ErrorClass, GatewayError, ToolCallError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Arguments = Mapping[str, Any] | str | bytes | None
"""A mapping is written as JSON, a Decimal with all its digits; what JSON can't say is a TypeError
or a ValueError. Text is JSON already and is sent as it stands, malformed or not, which is right
for what a model wrote. None is no arguments."""

SHORTEST_WAIT = 0.05  # keeps a `retry_after` of zero from becoming a busy loop
LONGEST = 99_999_999.0  # seconds: what gRPC can say of a time
FAREWELL = 5.0  # seconds: nobody waits longer for what only tells how a run was


@dataclass(frozen=True)
class Call:
    """One call of one tool.

    `call_id` names it within its run, at most 128 bytes: a resend under the same id joins
    the running call or gets its outcome. `want_alternatives` also runs the lookups that
    are made on request only. `fresh` lifts the gateway's memory of this call, after a
    person acted.
    """

    tool: str
    arguments: Arguments = None
    call_id: str = ""
    want_alternatives: bool = field(default=False, kw_only=True)
    fresh: bool = field(default=False, kw_only=True)

    def message(self) -> call_pb2.ToolCall:
        """Make the wire form."""
        return call_pb2.ToolCall(
            tool=self.tool.encode("utf-8", "replace").decode(),
            arguments_json=_text(self.arguments),
            call_id=self.call_id,
            want_alternatives=self.want_alternatives,
            fresh=self.fresh,
        )


def _text(arguments: Arguments) -> str:
    if arguments is None:
        return ""
    if isinstance(arguments, bytes):
        return arguments.decode()
    return _well_formed(arguments) if isinstance(arguments, str) else written(arguments)


def written(value: object) -> str:
    """Write JSON, a Decimal with all its digits."""
    mark = uuid.uuid4().hex  # stands before digits, and nowhere else

    def known(other: object) -> str | dict[Any, Any]:
        if isinstance(other, Mapping):  # that is no dict
            return {**other}
        if not isinstance(other, Decimal):
            raise TypeError(f"a {type(other).__name__} is not JSON")
        if not other.is_finite():
            raise ValueError(f"{other} is not JSON")
        return f"{mark}{other}"

    text = json.dumps(value, default=known, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _well_formed(re.sub(f'"{mark}([^"]+)"', r"\1", text))


def _well_formed(text: str) -> str:
    # Half a character can't be sent, but JSON has an escape for it.
    return re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text)


@dataclass(frozen=True)
class Progress:
    """What the gateway does while the caller waits: for people and logs."""

    index: int  # of the call in the list
    proto: call_pb2.CallProgress


class Result:
    """A tool's answer. `proto` is the whole message."""

    def __init__(self, proto: call_pb2.ToolResult) -> None:
        self.proto = proto

    @property
    def text(self) -> str:
        """What a transcript shows: the answer's JSON, digits as received, else its text."""
        if self.proto.structured_json:
            return self.proto.structured_json
        return "\n".join(block.text.text for block in self.proto.content if block.HasField("text"))

    def json(self, **options: Any) -> Any:
        """Parse a structured answer; the options are those of json.loads.

        `parse_float=Decimal` loses no digit.
        """
        if not self.proto.structured_json:
            raise ValueError("the tool's answer is not JSON")
        return json.loads(self.proto.structured_json, **options)

    def __repr__(self) -> str:
        """Show the text."""
        return f"Result({self.text!r})"


@dataclass(frozen=True)
class Outcome:
    """How one call of call_many ended: exactly one of `result` and `error` is set."""

    index: int  # of the call in the list
    result: Result | None = None
    error: ToolCallError | GatewayError | None = None

    def unwrap(self) -> Result:
        """Return the result or raise the error, as `call` does."""
        if self.error is not None or self.result is None:
            raise self.error or unknown_outcome()
        return self.result


def unknown_outcome() -> GatewayError:
    """Tell of a gateway that is newer than this client."""
    return GatewayError(grpc.StatusCode.UNKNOWN, "the gateway sent an outcome that this client does not know")


def result_of(response: call_pb2.CallToolResponse) -> Result:
    """Return the result or raise the failure."""
    kind = response.WhichOneof("outcome")
    if kind == "result":
        return Result(response.result)
    if kind == "error":
        raise ToolCallError(response.error)
    raise unknown_outcome()


class Batch:
    """What was sent and is not yet answered."""

    def __init__(
        self, run: str, calls: Sequence[Call], on_progress: Callable[[Progress], object] | None = None
    ) -> None:
        self.request = call_pb2.CallToolsRequest(run_id=run, calls=[call.message() for call in calls])
        self._open = list(range(len(calls)))
        self._on_progress = on_progress

    @property
    def finished(self) -> bool:
        """Whether every call has its outcome."""
        return not self._open

    def take(self, event: call_pb2.CallToolsResponse) -> Outcome | None:
        """Read one event. Events and places that are not known are ignored."""
        if event.index not in self._open:
            return None
        kind = event.WhichOneof("event")
        if kind == "progress" and self._on_progress is not None:
            self._on_progress(Progress(event.index, event.progress))
        if kind != "done":
            return None
        self._open.remove(event.index)
        try:
            return Outcome(event.index, result=result_of(event.done))
        except (ToolCallError, GatewayError) as error:
            return Outcome(event.index, error=error)

    def rest(self, error: GatewayError | None) -> Iterator[Outcome]:
        """Give the error to every call that has no outcome."""
        if error is None:
            error = GatewayError(
                grpc.StatusCode.UNKNOWN, "the stream ended before every call had its outcome"
            )
        while self._open:
            yield Outcome(self._open.pop(0), error=error)


class Patience:
    """Decides how long wait_transient waits: only where the class says so, and it fits."""

    def __init__(self, within: float) -> None:
        self._ends = time.monotonic() + within

    def timeout(self, deadline: float | None) -> float:
        """Tell how long one attempt may take."""
        left = max(self._ends - time.monotonic(), 0.001)
        return min(left, LONGEST if deadline is None else deadline)

    def wait(self, error: ToolCallError) -> float:
        """Tell how long to sleep before the identical call, or raise the error."""
        if error.error_class is not ErrorClass.TRANSIENT or error.exhausted:
            raise error
        hint = error.retry_after.total_seconds() if error.retry_after is not None else 0.0
        wait = max(hint, SHORTEST_WAIT)
        if not time.monotonic() + wait < self._ends:
            raise error
        return min(wait, LONGEST)
