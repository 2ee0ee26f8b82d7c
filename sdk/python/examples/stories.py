"""Two stories, and the model that plays them: a script that reads what a tool layer says.

It branches on the fields of what it reads, as a model does that was told what they mean. Of
prose it can only make out that something failed, and so it tries again: the same call, or the
same thing written another way.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
import os
import pathlib
import subprocess
import time
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

import requests

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator, Sequence

    Player = Callable[["Stage", "Mind"], Coroutine[Any, Any, None]]

STEPS = 20  # that a model makes before it gives up, where the harness does not stop it earlier
STAGE = pathlib.Path(__file__).resolve().parents[3] / ".bin" / "stage"


@dataclass(frozen=True)
class Move:
    """A call that the model makes, with the text of its arguments."""

    tool: str
    arguments: str


@dataclass(frozen=True)
class Read:
    """What the model gets to read of a call; `failed` is what the harness marks it as."""

    text: str
    failed: bool = False
    images: int = 0


class Mind(Protocol):
    """What a scripted model of a harness asks for its turn."""

    def turn(self, read: Sequence[Read]) -> list[Move] | str:
        """Read what came of the last turn's calls; make new ones or end with a word."""


@dataclass(frozen=True)
class Story:
    """A task, and how it may go."""

    name: str
    tool: str
    arguments: dict[str, str]
    done: str  # the key of an answer that ends it well
    blindly: tuple[dict[str, str], ...]  # other ways to write the same call


INVOICES = Story(
    "invoices, bare string",
    "list_invoices_untyped",
    {"start_date": "03/14/2026"},
    "invoices",
    ({"start_date": "3/14/2026"}, {"start_date": "March 14, 2026"}, {"start_date": "14/03/2026"}),
)
CLINIC = Story(
    "clinic",
    "book_slot",
    {"practitioner_id": "p_17", "start": "2026-03-12T14:30:00Z"},
    "booking_id",
    ({"start": "2026-03-12T14:30:00+00:00"}, {"start": "2026-03-12T15:30:00+01:00"}),
)
TYPED = replace(INVOICES, name="invoices, `format: date`", tool="list_invoices")  # that a gateway coerces
STORIES = (TYPED, INVOICES, CLINIC)


class Reader:
    """The scripted model."""

    def __init__(self, story: Story) -> None:
        self.story = story
        self.turns = 0
        self.read = 0  # bytes
        self.alternative = False  # one was taken
        self.ended = ""
        self._arguments: dict[str, str] = story.arguments
        self._blindly = itertools.cycle(({}, *story.blindly))

    def turn(self, read: Sequence[Read]) -> list[Move] | str:
        """Make the next move."""
        self.turns += 1
        self.read += sum(len(one.text.encode()) for one in read)
        if read and (ended := self._decide(fields(read[-1].text))):
            self.ended = ended
        elif self.turns > STEPS:
            self.ended = f"gave up after {STEPS} steps"
        return self.ended or [Move(self.story.tool, json.dumps(self._arguments, separators=(",", ":")))]

    def _decide(self, answer: dict[str, Any]) -> str:
        if self.story.done in answer:
            return "succeeded"
        if "class" not in answer:
            self._arguments = {**self.story.arguments, **next(self._blindly)}
        elif answer["class"] == "invalid_request" and (value := self._mended(answer)):
            self._arguments = {**self._arguments, answer["field"]: value}
        elif answer.get("alternatives"):
            self._arguments, self.alternative = answer["alternatives"][0], True
        else:
            return f"reported {answer['error']}"
        return ""

    def _mended(self, answer: dict[str, Any]) -> str:
        if answer.get("expected") != "YYYY-MM-DD":
            return ""
        day = datetime.strptime(self._arguments[str(answer["field"])], "%m/%d/%Y")  # noqa: DTZ007 # no instant
        return day.strftime("%Y-%m-%d")


def fields(text: str) -> dict[str, Any]:
    """Read the fields of a JSON object, in whichever field a harness put its text; prose has none."""
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    if not isinstance(value, dict):
        return {}
    if len(value) == 1 and isinstance(inner := next(iter(value.values())), str):
        return fields(inner)
    return value


class Stage:
    """The example back ends with a gateway in front, and what arrives at them."""

    def __init__(self) -> None:
        program = os.environ.get("STAGE", str(STAGE))
        self._process = subprocess.Popen(  # noqa: S603 # the repository's own
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert self._process.stdout is not None  # noqa: S101 # for the type checker
        at = json.loads(self._process.stdout.readline())
        self.gateway: str = at["gateway"]
        self.billing: str = at["billing"]
        self.clinic: str = at["clinic"]
        self._control: str = at["control"]

    def __enter__(self) -> Stage:  # noqa: PYI034 # nobody inherits
        """Return the stage."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the stage."""
        self._process.communicate()

    def reset(self) -> None:
        """Put everything back to where it began."""
        self._ask("/reset", "POST")

    def arrived(self) -> int:
        """Tell how many requests have arrived at the back ends."""
        return sum(json.loads(self._ask("/requests", "GET")).values())

    def _ask(self, path: str, method: str) -> bytes:
        request = urllib.request.Request(self._control + path, method=method)  # noqa: S310 # loopback
        with urllib.request.urlopen(request) as answer:  # noqa: S310 # loopback
            return bytes(answer.read())

    # What tools look like without a gateway.

    def list_invoices(self, start_date: str) -> dict[str, Any]:
        """List the invoices of the account, oldest first."""
        return self._json(requests.get(self.billing + "/invoices", {"start_date": start_date}, timeout=10))

    def book_slot(self, practitioner_id: str, start: str) -> dict[str, Any]:
        """Book an appointment."""
        slot = {"practitioner_id": practitioner_id, "start": start}
        return self._json(requests.post(self.clinic + "/bookings", json=slot, timeout=10))

    def _json(self, answer: requests.Response) -> dict[str, Any]:
        answer.raise_for_status()
        body: dict[str, Any] = answer.json()
        return body


@dataclass(frozen=True)
class Figures:
    """What a story cost, and how it ended."""

    upstream: int
    slept: float  # seconds that somebody meant to sleep; nobody waited for them
    turns: int
    read: int
    ended: str
    alternative: bool = False


def play(stage: Stage, story: Story, player: Player) -> Figures:
    """Play a story and count."""
    logging.disable()  # the harnesses log what ends them
    stage.reset()
    mind = Reader(story)
    with counted_sleeps() as slept:
        try:
            asyncio.run(player(stage, mind))
        except Exception as error:  # noqa: BLE001 # so it ended
            mind.ended = f"{type(error).__name__} ended the run"
    return Figures(stage.arrived(), sum(slept), mind.turns, mind.read, mind.ended, mind.alternative)


@contextmanager
def counted_sleeps() -> Iterator[list[float]]:
    """Count sleeps of 50 ms and more, in place of sleeping them."""
    slept: list[float] = []
    real, real_async = time.sleep, asyncio.sleep

    def sleep(seconds: float) -> None:
        if seconds >= 0.05:
            slept.append(seconds)
        real(min(seconds, 0.05))

    async def async_sleep(delay: float, result: Any = None) -> Any:
        if delay >= 0.05:
            slept.append(delay)
        return await real_async(min(delay, 0.05), result)

    time.sleep, asyncio.sleep = sleep, async_sleep  # type: ignore[assignment]
    try:
        yield slept
    finally:
        time.sleep, asyncio.sleep = real, real_async


def table(rows: Sequence[tuple[str, Story, str, Figures]]) -> str:
    """Write figures as a table of Markdown."""
    lines = [
        "| framework | story | tools | upstream calls | slept | model turns | bytes read | how it ended |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for framework, story, tools, figures in rows:
        ended = figures.ended + (", by an alternative" if figures.alternative else "")
        cells = (framework, story.name, tools, figures.upstream, f"{figures.slept:.1f} s", figures.turns)
        lines.append("| " + " | ".join(map(str, (*cells, figures.read, ended))) + " |")
    return "\n".join(lines)


def show(framework: str, **players: Player) -> list[tuple[str, Story, str, Figures]]:
    """Play the stories with each kind of tools."""
    with Stage() as stage:
        return [
            (framework, story, tools.replace("_", " "), play(stage, story, player))
            for story in STORIES
            for tools, player in players.items()
            if tools == "toolgate" or story is not TYPED
        ]
