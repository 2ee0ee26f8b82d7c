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

import json
import logging
import math
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NoReturn

import grpc
from google.rpc import status_pb2
from toolgate.v1 import tool_error_pb2

from toolgate_sdk._calls import written
from toolgate_sdk._errors import ErrorClass

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence

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

# Bounds of the contract, in bytes and items.
_CODE, _MESSAGE, _TEXT, _OBJECT, _DETAIL = 64, 512, 160, 512, 4096
_FINE = 10.0  # seconds; longer ones are whole
_PROBLEMS, _ACCEPTED, _ACCEPTED_BYTES, _PROPOSALS = 8, 20, 256, 3

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
    maybe_executed: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        """Keep the contract: a transient failure had no effect, an invalid request names a fault."""
        if self.maybe_executed and self.error_class is ErrorClass.TRANSIENT:
            self.error_class, self.status = ErrorClass.TERMINAL, 500
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
        if self.error_class is ErrorClass.TRANSIENT and self._seconds() > 0:
            headers["retry-after"] = str(math.ceil(self._seconds()))
        return headers

    def body(self) -> bytes:
        """Write the canonical body of an HTTP answer."""
        e = self.proto()
        body: dict[str, Any] = {
            "error": e.code,
            "class": self.error_class.value,
            "retryable": self.error_class is ErrorClass.TRANSIENT,
            "message": e.message,
        }
        if e.HasField("retry_after"):
            whole = e.retry_after.is_integer()
            body["retry_after"] = int(e.retry_after) if whole else e.retry_after
        optional = {
            "violations": [_violation(v) for v in e.violations],
            "facts": _read(e.facts_json),
            "alternatives": [_alternative(a) for a in e.alternatives],
            "blocked_by": e.blocked_by,
            "unblock_with": e.unblock_with,
            "maybe_executed": e.maybe_executed,
        }
        body |= {key: value for key, value in optional.items() if value}
        return written(body).encode()

    def proto(self) -> tool_error_pb2.ToolError:
        """Make the contract's message, within its bounds. What does not fit is left out."""
        proposed = [(call, _object(call.arguments)) for call in self.alternatives]
        fit = [(call, arguments) for call, arguments in proposed if arguments is not None]
        e = tool_error_pb2.ToolError(
            error_class=tool_error_pb2.ErrorClass.Value(f"ERROR_CLASS_{self.error_class.name}"),
            code=_cut(self.code, _CODE),
            message=_cut(self.message, _MESSAGE),
            blocked_by=_cut(self.blocked_by, _CODE),
            unblock_with=_cut(self.unblock_with, _CODE) if self.blocked_by else "",
            maybe_executed=self.maybe_executed,
            violations_truncated=len(self.problems) > _PROBLEMS,
            alternatives_truncated=len(fit) > _PROPOSALS,
            facts_json=_object(self.facts) or "",
        )
        if self.error_class is ErrorClass.TRANSIENT:
            e.retry_after = self._seconds()
        for problem in self.problems[:_PROBLEMS]:
            accepted = _some(problem.accepted)
            e.violations.add(
                field=_cut(problem.field, _CODE),
                problem=_cut(problem.problem or self.message, _TEXT),
                accepted=accepted,
                accepted_truncated=len(accepted) < len(problem.accepted),
                format=_cut(problem.format, _TEXT),
                range=_cut(problem.range, _TEXT),
            )
        for call, arguments in fit[:_PROPOSALS]:
            e.alternatives.add(
                tool=_cut(call.tool, _CODE), arguments_json=arguments, label=_cut(call.label, _TEXT // 2)
            )
        return e

    def _seconds(self) -> float:
        if not 0 < self.retry_after < math.inf:  # NaN too
            return 0.0
        steps = 1000 if self.retry_after < _FINE else 1
        return math.ceil(Decimal(str(self.retry_after)) * steps) / steps  # 1.1 * 1000 is more than 1100


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


def invalid_request(code: str, message: str, *problems: Problem) -> ToolFailure:
    """Other arguments may do; without a problem, the arguments as a whole are wrong."""
    code_of_rpc = grpc.StatusCode.INVALID_ARGUMENT
    return ToolFailure(ErrorClass.INVALID_REQUEST, code, message, 400, code_of_rpc, problems=problems)


def terminal(  # noqa: PLR0913
    code: str,
    message: str,
    *,
    blocked_by: str = "",
    unblock_with: str = "",
    alternatives: Sequence[Proposal] = (),
    facts: Mapping[str, Any] | None = None,
    maybe_executed: bool = False,
) -> ToolFailure:
    """End this call: nobody can send it again to any avail.

    `blocked_by` is the condition that blocks it, `unblock_with` the tool that changes that,
    `facts` are the numbers of the boundary that was hit.
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
        facts=facts,
        maybe_executed=maybe_executed,
    )


def forbidden(code: str, message: str) -> ToolFailure:
    """Say `terminal` to a caller that may not do this."""
    code_of_rpc = grpc.StatusCode.PERMISSION_DENIED
    return ToolFailure(ErrorClass.TERMINAL, code, message, 403, code_of_rpc, blocked_by="permission")


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
    e = failure.proto()
    while e.ByteSize() > _DETAIL:  # what the caller acts on goes last
        if e.facts_json:
            e.facts_json = ""
        elif len(e.violations) > 1:
            del e.violations[-1]
            e.violations_truncated = True
        elif e.violations and e.violations[0].accepted:
            del e.violations[0].accepted[:]
            e.violations[0].accepted_truncated = True
        else:
            del e.alternatives[:]
            e.alternatives_truncated = True
    text = _cut(failure.message, 128)
    status = status_pb2.Status(code=failure.grpc_code.value[0], message=text)
    status.details.add().Pack(e)
    return text, (("grpc-status-details-bin", status.SerializeToString()),)


def _violation(v: tool_error_pb2.Violation) -> dict[str, Any]:
    said: dict[str, Any] = {"problem": v.problem, "accepted": list(v.accepted)}
    said |= {"format": v.format, "range": v.range, "accepted_truncated": v.accepted_truncated}
    return {"field": v.field} | {key: value for key, value in said.items() if value}


def _alternative(a: tool_error_pb2.Alternative) -> dict[str, Any]:
    said = {"arguments": _read(a.arguments_json), "label": a.label}
    return {"tool": a.tool} | {key: value for key, value in said.items() if value is not None and value != ""}


def _object(members: Mapping[str, Any] | None) -> str | None:
    """Write an object; none where it has no JSON, or is too large: cut, it would be another."""
    try:
        text = "" if members is None else written(members)
    except (TypeError, ValueError, RecursionError):
        return None  # the failure is told all the same
    return text if len(text.encode()) <= _OBJECT else None


def _read(text: str) -> Any:
    return json.loads(text, parse_float=Decimal) if text else None


def _some(accepted: Sequence[str]) -> list[str]:
    fits: list[str] = []
    for value in (_cut(value, _ACCEPTED_BYTES + 1) for value in accepted[:_ACCEPTED]):
        if sum(len(one.encode()) for one in [*fits, value]) > _ACCEPTED_BYTES:
            break
        fits.append(value)
    return fits


def _cut(text: str, limit: int) -> str:
    return text.encode("utf-8", "replace")[:limit].decode("utf-8", "ignore")
