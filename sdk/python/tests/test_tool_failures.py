"""What a failure becomes in every language: the body, the status and the detail of an rpc."""

from __future__ import annotations

import json
import pathlib
from dataclasses import replace
from typing import Any, cast

import grpc
import pytest
from google.rpc import status_pb2
from starlette.testclient import TestClient
from toolgate.v1 import tool_error_pb2

from toolgate_sdk.tool import (
    Problem,
    Proposal,
    ToolErrorMiddleware,
    ToolFailure,
    abort,
    forbidden,
    invalid_request,
    rate_limited,
    terminal,
    transient,
)

Vector = dict[str, Any]

FILE = pathlib.Path(__file__).parents[3] / "conformance" / "tool-failures.json"
VECTORS: list[Vector] = json.loads(FILE.read_text("utf-8"))


def failure_of(vector: Vector) -> ToolFailure:
    said = dict(vector)
    kind, code, message = said.pop("kind"), said.pop("code"), said.pop("message")
    wait = said.pop("retry_after_ms", 0) / 1000
    problems = [Problem(**problem) for problem in said.pop("problems", ())]
    del said["name"], said["want"]
    if "alternatives" in said:
        said["alternatives"] = [Proposal(**call) for call in said["alternatives"]]
    if kind == "invalid_request":
        return invalid_request(code, message, *problems, **said)
    if kind == "terminal":
        return terminal(code, message, **said)
    if kind == "forbidden":
        return replace(forbidden(code, message), **said)
    waits = {"transient": transient, "rate_limited": rate_limited}
    return replace(waits[kind](code, message, retry_after=wait), **said)


class Context:
    """Notes how an rpc ends."""

    def __init__(self) -> None:
        self.trailers: dict[str, bytes] = {}
        self.code = grpc.StatusCode.OK

    def set_trailing_metadata(self, trailers: tuple[tuple[str, bytes], ...]) -> None:
        self.trailers = dict(trailers)

    def abort(self, code: grpc.StatusCode, _: str) -> None:
        self.code = code


def test_there_are_vectors() -> None:
    assert len(VECTORS) >= 40


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_http_answers_as_in_every_language(vector: Vector) -> None:
    async def fails(*_: object) -> None:
        raise failure_of(vector)

    answer = TestClient(ToolErrorMiddleware(fails)).get("/")
    want = vector["want"]
    assert answer.content.decode() == want["body"]
    assert (answer.status_code, answer.headers.get("retry-after")) == (
        want["status"],
        want.get("retry_after"),
    )


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_an_rpc_ends_as_in_every_language(vector: Vector) -> None:
    failure, context, want = failure_of(vector), Context(), vector["want"]
    with pytest.raises(ToolFailure):
        abort(cast("grpc.ServicerContext", context), failure)
    status = status_pb2.Status.FromString(context.trailers["grpc-status-details-bin"])
    assert (context.code.value[0], status.code) == (want["grpc_code"], want["grpc_code"])
    detail = tool_error_pb2.ToolError()
    assert status.details[0].Unpack(detail)
    if "detail" not in want:
        assert detail == failure.proto()
        return
    assert want["detail"] == {
        "violations": len(detail.violations),
        "accepted": len(detail.violations[0].accepted),
        "alternatives": len(detail.alternatives),
    }
    assert (detail.violations_truncated, detail.facts_json, detail.requested_json) == (True, "", "")
    assert detail.ByteSize() <= 4096
