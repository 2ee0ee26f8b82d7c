"""The snippets of the README run as they stand, against the gateway of the tests."""

from __future__ import annotations

import pathlib
import re
from typing import TYPE_CHECKING, Any

import pytest
from starlette.testclient import TestClient

if TYPE_CHECKING:
    from conftest import Backend

README = (pathlib.Path(__file__).parents[1] / "README.md").read_text("utf-8")
SNIPPETS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("snippet", SNIPPETS, ids=range(len(SNIPPETS)))
def test_a_snippet_runs(
    snippet: str, target: str, backend: Backend, capsys: pytest.CaptureFixture[str]
) -> None:
    if "toolgate_sdk.adapters" in snippet:
        pytest.importorskip("agents", reason="runs where the frameworks are")
    backend.answer("/invoices", {"invoices": []})
    backend.answer("/balances/acc_1042", {"balance": 42.10})
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(snippet.replace("127.0.0.1:7440", target), "README.md", "exec"), names)
    if "app" in names:
        answer = TestClient(names["app"]).get("/invoices")
        assert (answer.status_code, answer.json()["violations"][0]["format"]) == (400, "YYYY-MM-DD")
    else:
        assert "invoices" in capsys.readouterr().out


def test_a_stranger_calls_in_less_than_fifteen_lines() -> None:
    assert len(SNIPPETS) >= 4
    assert len(SNIPPETS[0].strip().splitlines()) < 15
