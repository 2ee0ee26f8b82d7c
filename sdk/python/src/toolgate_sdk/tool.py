"""For whoever writes the tools that a gateway calls.

The best place to say what a failure means is the tool itself, in one line:

    raise invalid_request("bad_date", "start_date is no date", Problem("start_date", format="YYYY-MM-DD"))
    raise terminal("insufficient_funds", "42.10 is less than 150.00", blocked_by="balance")
    raise transient("maintenance", "back in half a minute", retry_after=30)

`ToolErrorMiddleware` answers with them in FastAPI, Starlette and every other ASGI server;
`abort` ends an rpc of a gRPC server with them. The gateway takes the tool's word where the
upstream is marked `speaks: toolgate` in the catalogue, or, over gRPC, always.
"""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

import grpc
from google.rpc import status_pb2

from toolgate_sdk._errors import ErrorClass
from toolgate_sdk._tool_body import body_of, detail_of, message_of, seconds_of, status_text_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence

    from toolgate.v1 import tool_error_pb2

    Message = MutableMapping[str, Any]
    Receive = Callable[[], Awaitable[Message]]
    Send = Callable[[Message], Awaitable[None]]
    App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

__all__ = [
    "Problem",
    "Proposal",
    "ToolErrorMiddleware",
    "ToolFailure",
    "abort",
    "async_abort",
    "forbidden",
    "invalid_request",
    "rate_limited",
    "terminal",
    "transient",
]

_log = logging.getLogger("toolgate_sdk.tool")


@dataclass(frozen=True)
class Problem:
    """One fault in the arguments. Say what is accepted in one of its three ways."""

    field: str = ""  # `a.b[0].c`; empty: the arguments as a whole
    problem: str = ""  # what is wrong; empty: the failure's message
    accepted: Sequence[str] = ()  # the accepted values, nearest first
    format: str = ""  # the accepted format, for example YYYY-MM-DD
    range: str = ""  # the accepted range, for example 0.01 to 500.00


@dataclass(frozen=True)
class Proposal:
    """A call to make in place of the failed one."""

    tool: str
    arguments: Mapping[str, Any] | None = None  # complete, ready to call
    label: str = ""  # what it is, for people and models


@dataclass(eq=False)
class ToolFailure(Exception):  # noqa: N818  (a tool fails; its caller has the error)
    """A failed call of a tool: raise what the functions of this module make."""

    error_class: ErrorClass
    code: str
    message: str
    status: int
    grpc_code: grpc.StatusCode
    retry_after: float = 0.0
    problems: Sequence[Problem] = ()
    alternatives: Sequence[Proposal] = ()
    blocked_by: str = ""
    unblock_with: str = ""
    facts: Mapping[str, Any] | None = None
    requested: Mapping[str, Any] | None = field(default=None, kw_only=True)
    maybe_executed: bool = field(default=False, kw_only=True)
    partial: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        """Keep the contract: a transient failure had no effect, an invalid request names a fault."""
        if (self.maybe_executed or self.partial) and self.error_class is ErrorClass.TRANSIENT:
            self.error_class, self.status, self.retry_after = ErrorClass.TERMINAL, 500, 0.0
            self.grpc_code = grpc.StatusCode.INTERNAL
        if self.error_class is ErrorClass.INVALID_REQUEST:
            self.problems = self.problems or (Problem(),)

    def __str__(self) -> str:
        """Name class, code and message."""
        return f"{self.error_class.value}: {self.code}: {self.message}"

    @property
    def headers(self) -> dict[str, str]:
        """The headers of an HTTP answer."""
        headers = {"content-type": "application/json", "x-content-type-options": "nosniff"}
        if self.error_class is ErrorClass.TRANSIENT and seconds_of(self) > 0:
            headers["retry-after"] = str(math.ceil(seconds_of(self)))
        return headers

    def body(self) -> bytes:
        """Write the canonical body of an HTTP answer."""
        return body_of(self)

    def proto(self) -> tool_error_pb2.ToolError:
        """Make the contract's message, within its bounds. What does not fit is left out."""
        return message_of(self)


def transient(code: str, message: str, *, retry_after: float = 0.0) -> ToolFailure:
    """Time cures it: after `retry_after` seconds the gateway sends the identical call again.

    It must be certain that the call took no effect.
    """
    return ToolFailure(ErrorClass.TRANSIENT, code, message, 503, grpc.StatusCode.UNAVAILABLE, retry_after)


def rate_limited(code: str, message: str, *, retry_after: float = 0.0) -> ToolFailure:
    """Say `transient` to a caller that asked too often."""
    return ToolFailure(
        ErrorClass.TRANSIENT, code, message, 429, grpc.StatusCode.RESOURCE_EXHAUSTED, retry_after
    )


def invalid_request(  # noqa: PLR0913
    code: str,
    message: str,
    *problems: Problem,
    alternatives: Sequence[Proposal] = (),
    blocked_by: str = "",
    unblock_with: str = "",
    requested: Mapping[str, Any] | None = None,
    facts: Mapping[str, Any] | None = None,
    maybe_executed: bool = False,
    partial: bool = False,
) -> ToolFailure:
    """Other arguments may do; without a problem, the arguments as a whole are wrong.

    The keywords are those of `terminal`. Where it is `partial`, the problems name the items
    that failed, to be sent alone.
    """
    return ToolFailure(
        ErrorClass.INVALID_REQUEST,
        code,
        message,
        400,
        grpc.StatusCode.INVALID_ARGUMENT,
        problems=problems,
        alternatives=alternatives,
        blocked_by=blocked_by,
        unblock_with=unblock_with,
        requested=requested,
        facts=facts,
        maybe_executed=maybe_executed,
        partial=partial,
    )


def terminal(  # noqa: PLR0913
    code: str,
    message: str,
    *,
    alternatives: Sequence[Proposal] = (),
    blocked_by: str = "",
    unblock_with: str = "",
    requested: Mapping[str, Any] | None = None,
    facts: Mapping[str, Any] | None = None,
    maybe_executed: bool = False,
    partial: bool = False,
) -> ToolFailure:
    """End this call: nobody can send it again to any avail.

    `alternatives` are calls to make in place of this one, nearest first, three are kept.
    `blocked_by` is the condition that blocks it, `unblock_with` the tool that changes that,
    which is told only beside a condition. `requested` is the part of the request that
    matters, `facts` are the numbers of the boundary that was hit: each is left out where
    it is larger than 512 bytes or no JSON. The call `maybe_executed`, or a part of it took
    effect for sure: `partial`.
    """
    return ToolFailure(
        ErrorClass.TERMINAL,
        code,
        message,
        422,
        grpc.StatusCode.FAILED_PRECONDITION,
        alternatives=alternatives,
        blocked_by=blocked_by,
        unblock_with=unblock_with,
        requested=requested,
        facts=facts,
        maybe_executed=maybe_executed,
        partial=partial,
    )


def forbidden(  # noqa: PLR0913
    code: str,
    message: str,
    *,
    alternatives: Sequence[Proposal] = (),
    blocked_by: str = "permission",
    unblock_with: str = "",
    requested: Mapping[str, Any] | None = None,
    facts: Mapping[str, Any] | None = None,
) -> ToolFailure:
    """Say `terminal` to a caller that may not do this."""
    return ToolFailure(
        ErrorClass.TERMINAL,
        code,
        message,
        403,
        grpc.StatusCode.PERMISSION_DENIED,
        alternatives=alternatives,
        blocked_by=blocked_by,
        unblock_with=unblock_with,
        requested=requested,
        facts=facts,
    )


def _unexpected() -> ToolFailure:
    return ToolFailure(
        ErrorClass.TERMINAL,
        "internal_error",
        "The tool failed for a reason of its own.",
        500,
        grpc.StatusCode.INTERNAL,
        maybe_executed=True,
    )


class ToolErrorMiddleware:
    """Answers with the failures that are raised in an ASGI application.

    `app.add_middleware(ToolErrorMiddleware)`. Any other exception is logged and answered by
    a body that says nothing of it: terminal, `internal_error`, status 500, and the call may
    have taken effect. Once an answer has begun, exceptions pass on: half an answer is none.
    """

    def __init__(self, app: App) -> None:
        """Stand around an application."""
        self._app = app

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = False

        async def note(message: Message) -> None:
            nonlocal begun
            begun = begun or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, note)
        except Exception as error:
            if begun:
                raise
            if not isinstance(error, ToolFailure):
                _log.exception("the tool failed")
            await _answer(error if isinstance(error, ToolFailure) else _unexpected(), send)


async def _answer(failure: ToolFailure, send: Send) -> None:
    body = failure.body()
    headers = {**failure.headers, "content-length": str(len(body))}
    encoded = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": failure.status, "headers": encoded})
    await send({"type": "http.response.body", "body": body})


def abort(context: grpc.ServicerContext, failure: ToolFailure) -> NoReturn:
    """End an rpc with the failure as a status detail, within the size of trailers."""
    text, trailers = _status(failure)
    context.set_trailing_metadata(trailers)
    context.abort(failure.grpc_code, text)
    raise failure  # a context that is a test's own goes on


async def async_abort(context: grpc.aio.ServicerContext[Any, Any], failure: ToolFailure) -> NoReturn:
    """Do the same in a server of grpc.aio."""
    text, trailers = _status(failure)
    await context.abort(failure.grpc_code, text, trailers)
    raise failure  # a context that is a test's own goes on


def _status(failure: ToolFailure) -> tuple[str, tuple[tuple[str, bytes]]]:
    text = status_text_of(failure)
    status = status_pb2.Status(code=failure.grpc_code.value[0], message=text)
    status.details.add().Pack(detail_of(failure))
    return text, (("grpc-status-details-bin", status.SerializeToString()),)
