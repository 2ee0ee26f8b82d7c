"""The examples, and what the same frameworks do without the adapters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import stories
import with_anthropic
import with_google_adk
import with_langgraph
import with_openai_agents
import with_pydantic_ai
from all_stories import ALL
from stories import CLINIC, INVOICES, TYPED

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def stage() -> Iterator[stories.Stage]:
    with stories.Stage() as stage:
        yield stage


each_framework = pytest.mark.parametrize("framework", ALL, ids=lambda one: one.__name__)


@each_framework
@pytest.mark.parametrize(("story", "upstream"), [(TYPED, 1), (INVOICES, 2)], ids=["typed", "bare"])
def test_invoices_end_well_at_once(
    framework: Any, story: stories.Story, upstream: int, stage: stories.Stage
) -> None:
    figures = stories.play(stage, story, framework.gated)
    assert (figures.ended, figures.upstream, figures.slept) == ("succeeded", upstream, 0)
    assert figures.turns == upstream + 1


@each_framework
def test_the_clinic_ends_with_an_alternative(framework: Any, stage: stories.Stage) -> None:
    figures = stories.play(stage, CLINIC, framework.gated)
    assert (figures.ended, figures.alternative, figures.slept) == ("succeeded", True, 0)
    assert figures.upstream == 3, "the booking, the look-up of what is free, the booking of that"


@pytest.mark.parametrize("story", [INVOICES, CLINIC], ids=lambda one: one.name)
@pytest.mark.parametrize(
    ("player", "ends"),
    [
        (with_openai_agents.plain, (10, 10, "MaxTurnsExceeded ended the run")),
        (with_langgraph.plain, (3, 1, "HTTPError ended the run")),
        (with_langgraph.handled, (20, 21, "gave up after 20 steps")),
        (with_pydantic_ai.plain, (1, 1, "HTTPError ended the run")),
        (with_pydantic_ai.retried, (2, 2, "UnexpectedModelBehavior ended the run")),
        (with_google_adk.plain, (1, 1, "HTTPError ended the run")),
        (with_google_adk.reflected, (4, 4, "RuntimeError ended the run")),
        (with_anthropic.plain, (20, 21, "gave up after 20 steps")),
    ],
    ids=lambda one: f"{one.__module__}.{one.__name__}" if callable(one) else "",
)
def test_without_the_adapter_no_story_ends_well(
    story: stories.Story, player: stories.Player, ends: tuple[int, int, str], stage: stories.Stage
) -> None:
    figures = stories.play(stage, story, player)
    assert (figures.upstream, figures.turns, figures.ended) == ends
    assert (figures.slept > 1) == (player is with_langgraph.plain)
