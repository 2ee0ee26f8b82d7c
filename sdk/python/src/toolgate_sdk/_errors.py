"""Failures: of a tool, and of everything else."""

from __future__ import annotations

import math
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING

import grpc
import grpc.aio
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2
from toolgate.v1 import tool_error_pb2

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class ErrorClass(str, Enum):
    """What to do next. It is the one thing to branch on, and there are no others.

    A class that this client does not know reads as TERMINAL.
    """

    TRANSIENT = "transient"
    INVALID_REQUEST = "invalid_request"
    TERMINAL = "terminal"


_CLASSES = {
    tool_error_pb2.ERROR_CLASS_TRANSIENT: ErrorClass.TRANSIENT,
    tool_error_pb2.ERROR_CLASS_INVALID_REQUEST: ErrorClass.INVALID_REQUEST,
}


@dataclass(frozen=True)
class Violation:
    """One fault in the arguments. What is not known is empty."""

    field: str  # `a.b[0].c`; empty: the arguments as a whole
    value_json: str  # the offending value, redacted, as JSON text
    problem: str
    accepted: tuple[str, ...]  # the accepted values, nearest first
    format: str  # the accepted format, for example YYYY-MM-DD
    range: str  # the accepted range, for example 1 to 50
    accepted_truncated: bool


@dataclass(frozen=True)
class Alternative:
    """A call to make in place of the failed one."""

    tool: str
    arguments_json: str  # complete, ready to call; empty: only the tool is proposed
    label: str


class ToolCallError(Exception):
    """A failed tool call.

    `error_class` says what to do next; `observation` is the text for the transcript,
    the same in every language. `proto` is the whole message as the gateway sent it.
    """

    def __init__(self, proto: tool_error_pb2.ToolError) -> None:
        self.proto = proto
        self.error_class = _CLASSES.get(proto.error_class, ErrorClass.TERMINAL)
        self.code = proto.code
        self.message = proto.message
        self.retry_after = seconds(proto.retry_after) if proto.HasField("retry_after") else None
        self.exhausted = proto.exhausted
        self.violations = tuple(
            Violation(
                v.field, v.value_json, v.problem, tuple(v.accepted), v.format, v.range, v.accepted_truncated
            )
            for v in proto.violations
        )
        self.alternatives = tuple(Alternative(a.tool, a.arguments_json, a.label) for a in proto.alternatives)
        self.blocked_by = proto.blocked_by
        self.unblock_with = proto.unblock_with
        self.maybe_executed = proto.maybe_executed
        self.observation = proto.observation
        super().__init__(
            ": ".join(part for part in (self.error_class.value, self.code, self.message) if part)
        )

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle as the message that it is made of."""
        return type(self), (self.proto,)


class GatewayError(Exception):
    """An rpc that failed: never the tool's fault.

    `code` is the gRPC status, `reason` the gateway's own word for it, for example
    GATEWAY_FULL or CREDENTIAL_MISSING (empty where the gateway did not speak), and
    `retry_after` what it asked to wait, if anything.
    """

    def __init__(
        self, code: grpc.StatusCode, message: str, *, reason: str = "", retry_after: timedelta | None = None
    ) -> None:
        self.code = code
        self.message = message
        self.reason = reason
        self.retry_after = retry_after
        super().__init__(": ".join(part for part in (code.name, reason, message) if part))

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle as what it is made of."""
        made = partial(type(self), reason=self.reason, retry_after=self.retry_after)
        return made, (self.code, self.message)


@contextmanager
def rpc_failures() -> Iterator[None]:
    """Raise what gRPC raises as a GatewayError."""
    try:
        yield
    except grpc.FutureCancelledError as error:
        raise GatewayError(grpc.StatusCode.CANCELLED, "the call was cancelled") from error
    except grpc.RpcError as error:
        raise gateway_error(error) from error
    except (ValueError, grpc.aio.UsageError) as error:  # so gRPC says that a channel is closed
        raise closed() from error


def closed() -> GatewayError:
    """Tell of a client that was closed, before the call or during it."""
    return GatewayError(grpc.StatusCode.CANCELLED, "the client is closed")


def gateway_error(error: grpc.RpcError) -> GatewayError:
    """Make a GatewayError of what gRPC raised."""
    if not isinstance(error, (grpc.Call, grpc.aio.AioRpcError)):
        return GatewayError(grpc.StatusCode.UNKNOWN, str(error))
    code, message = error.code() or grpc.StatusCode.UNKNOWN, error.details() or ""
    reason, retry_after = _details(error.trailing_metadata() or ())
    return GatewayError(code, message, reason=reason, retry_after=retry_after)


def _details(trailers: Iterable[tuple[str, str | bytes]]) -> tuple[str, timedelta | None]:
    reason, retry_after = "", None
    for key, value in trailers:
        if key != "grpc-status-details-bin" or not isinstance(value, bytes):
            continue
        with suppress(DecodeError, OverflowError):  # what can't be read is left out
            for detail in status_pb2.Status.FromString(value).details:
                info, retry = error_details_pb2.ErrorInfo(), error_details_pb2.RetryInfo()
                if detail.Unpack(info):
                    reason = info.reason
                elif detail.Unpack(retry):
                    retry_after = retry.retry_delay.ToTimedelta()
    return reason, retry_after


def seconds(value: float) -> timedelta:
    """Round up to a microsecond; what no timedelta can hold is the longest."""
    if not value > 0:  # NaN too
        return timedelta()
    if value >= timedelta.max.total_seconds():
        return timedelta.max
    return timedelta(microseconds=math.ceil(value * 1e6))
