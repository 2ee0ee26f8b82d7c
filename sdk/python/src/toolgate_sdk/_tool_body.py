"""A tool's failure within the contract's bounds: as its message and as a body of HTTP."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from toolgate.v1 import tool_error_pb2

from toolgate_sdk._calls import written
from toolgate_sdk._errors import ErrorClass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolgate_sdk.tool import Problem, Proposal, ToolFailure

# Bounds of the contract, in bytes and items. The gateway cuts what is larger; a tool does not send it.
_CODE, _MESSAGE, _PROBLEM, _FORMAT, _TOOL, _LABEL, _OBJECT = 64, 512, 160, 96, 128, 80, 512
_PROBLEMS, _ACCEPTED, _ACCEPTED_BYTES, _PROPOSALS = 8, 20, 256, 3
_DETAIL, _STATUS_TEXT = 4096, 128  # what every gRPC client gets, whatever its limit of trailers
_FINE = 10.0  # seconds; longer ones are whole


def message_of(failure: ToolFailure) -> tool_error_pb2.ToolError:
    """Make the contract's message. What does not fit is left out."""
    fit = [a for a in map(_alternative, failure.alternatives) if a is not None]
    e = tool_error_pb2.ToolError(
        error_class=tool_error_pb2.ErrorClass.Value(f"ERROR_CLASS_{failure.error_class.name}"),
        code=_cut(failure.code, _CODE),
        message=_cut(failure.message, _MESSAGE),
        violations=[_violation(p, failure.message) for p in failure.problems[:_PROBLEMS]],
        violations_truncated=len(failure.problems) > _PROBLEMS,
        requested_json=_object(failure.requested or None) or "",
        facts_json=_object(failure.facts or None) or "",
        alternatives=fit[:_PROPOSALS],
        alternatives_truncated=len(fit) > _PROPOSALS,
        blocked_by=_cut(failure.blocked_by, _CODE),
        maybe_executed=failure.maybe_executed,
        partial=failure.partial,
    )
    if e.blocked_by and _size(failure.unblock_with) <= _CODE:  # a name that is cut is another tool's
        e.unblock_with = _cut(failure.unblock_with, _CODE)
    if failure.error_class is ErrorClass.TRANSIENT:
        e.retry_after = seconds_of(failure)
    return e


def seconds_of(failure: ToolFailure) -> float:
    """Tell how long to wait: milliseconds are rounded up below ten seconds, whole ones above."""
    if not 0 < failure.retry_after < math.inf:  # NaN too
        return 0.0
    steps = 1000 if failure.retry_after < _FINE else 1
    return math.ceil(Decimal(str(failure.retry_after)) * steps) / steps  # 1.1 * 1000 is more than 1100


def body_of(failure: ToolFailure) -> bytes:
    """Write the message as JSON, in the order in which it is read."""
    e = failure.proto()
    body: dict[str, Any] = {
        "error": e.code,
        "class": failure.error_class.value,
        "retryable": failure.error_class is ErrorClass.TRANSIENT,
        "message": e.message,
    }
    if e.HasField("retry_after"):
        body["retry_after"] = int(e.retry_after) if e.retry_after.is_integer() else e.retry_after
    optional = {
        "violations": [_said_of_violation(v) for v in e.violations],
        "violations_truncated": e.violations_truncated,
        "requested": _read(e.requested_json),
        "facts": _read(e.facts_json),
        "alternatives": [_said_of_alternative(a) for a in e.alternatives],
        "alternatives_truncated": e.alternatives_truncated,
        "blocked_by": e.blocked_by,
        "unblock_with": e.unblock_with,
        "maybe_executed": e.maybe_executed,
        "partial": e.partial,
    }
    body |= {key: value for key, value in optional.items() if value}
    return written(body).encode()


def detail_of(failure: ToolFailure) -> tool_error_pb2.ToolError:
    """Shorten the message to the size of a trailer: what the caller acts on goes last."""
    e = failure.proto()
    while e.ByteSize() > _DETAIL:
        if e.facts_json:
            e.facts_json = ""
        elif e.requested_json:
            e.requested_json = ""
        elif len(e.violations) > 1:
            del e.violations[-1]
            e.violations_truncated = True
        elif e.violations and e.violations[0].accepted:
            del e.violations[0].accepted[:]
            e.violations[0].accepted_truncated = True
        else:
            del e.alternatives[:]
            e.alternatives_truncated = True
    return e


def status_text_of(failure: ToolFailure) -> str:
    """Cut the message to what trailers have room for beside the detail."""
    return _cut(failure.message, _STATUS_TEXT)


def _violation(problem: Problem, message: str) -> tool_error_pb2.Violation:
    accepted = _some(problem.accepted)
    return tool_error_pb2.Violation(
        field=_cut(problem.field, _CODE),
        problem=_cut(problem.problem or message, _PROBLEM),
        accepted=accepted,
        accepted_truncated=len(accepted) < len(problem.accepted),
        format=_cut(problem.format, _FORMAT),
        range=_cut(problem.range, _FORMAT),
    )


def _alternative(call: Proposal) -> tool_error_pb2.Alternative | None:
    arguments = _object(call.arguments)
    if arguments is None or _size(call.tool) > _TOOL:
        return None  # cut, it would be another call
    return tool_error_pb2.Alternative(
        tool=_cut(call.tool, _TOOL), arguments_json=arguments, label=_cut(call.label, _LABEL)
    )


def _said_of_violation(v: tool_error_pb2.Violation) -> dict[str, Any]:
    said: dict[str, Any] = {"problem": v.problem, "accepted": list(v.accepted)}
    said |= {"format": v.format, "range": v.range, "accepted_truncated": v.accepted_truncated}
    return {"field": v.field} | {key: value for key, value in said.items() if value}


def _said_of_alternative(a: tool_error_pb2.Alternative) -> dict[str, Any]:
    said: dict[str, Any] = {"tool": a.tool}
    if a.arguments_json:  # {} too: a call without arguments
        said["arguments"] = _read(a.arguments_json)
    if a.label:
        said["label"] = a.label
    return said


def _object(members: Mapping[str, Any] | None) -> str | None:
    """Write an object; none where it has no JSON, or is too large: cut, it would be another."""
    try:
        text = "" if members is None else written({**members})
    except (TypeError, ValueError, RecursionError):
        return None  # the failure is told all the same
    return text if _size(text) <= _OBJECT else None


def _read(text: str) -> Any:
    return json.loads(text, parse_float=Decimal) if text else None


def _some(accepted: Sequence[str]) -> list[str]:
    """Take the values that fit, the nearest; none is cut."""
    fits: list[str] = []
    size = 0
    for value in accepted[:_ACCEPTED]:
        size += _size(value)
        if size > _ACCEPTED_BYTES:
            break
        fits.append(_cut(value, _ACCEPTED_BYTES))
    return fits


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def _cut(text: str, limit: int) -> str:
    return text.encode("utf-8", "replace")[:limit].decode("utf-8", "ignore")
