"""The calls of one turn of a model, sent together.

Harnesses call tools one by one, each in a task or a thread of its own, a moment apart. The
gateway counts what it gets in one batch once, so that moment is waited for.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import threading
import time
import uuid
from concurrent.futures import Future
from typing import TYPE_CHECKING, Generic, TypeVar

from toolgate_sdk._calls import Call, Patience
from toolgate_sdk._errors import ToolCallError

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgate_sdk._aio import AsyncRun
    from toolgate_sdk._calls import Arguments, Outcome, Result
    from toolgate_sdk._client import Run

WITHIN = 30.0  # seconds that a transient failure is waited out for, where nothing else was said
TOGETHER = 0.002  # seconds: how far apart the tasks of one turn begin
TOGETHER_IN_THREADS = 0.02  # the same for threads, which take longer to begin
MOST = 64  # calls in a batch
LONG, MIXED = 20, 8  # characters of a name that comes once: of any random one, of one with digits inside


def call_of(tool: str, arguments: Arguments, name: str | None = None) -> Call:
    """Make a call with an id that is the same in every repetition, and no other call's.

    A resend under the harness' name for it joins it, where that name comes once: a step that a
    checkpoint runs again. Some models count their calls anew in each turn (`call_0`,
    `functions.look:0`), and what they then ask again is to be looked up again.
    """
    call = Call(tool, arguments)
    if not name or not _comes_once(name.replace(tool, "") if tool else name):
        return Call(tool, arguments, uuid.uuid4().hex)
    said = f"{name}\0{tool}\0{call.message().arguments_json}".encode("utf-8", "replace")
    readable = name[:64].encode("ascii", "replace").decode()
    return Call(tool, arguments, f"{readable}.{hashlib.sha256(said).hexdigest()[:24]}")


def _comes_once(name: str) -> bool:
    """Tell a random name from words and a count: it is long, or has letters after its digits."""
    for part in re.findall("[A-Za-z0-9]+", name.replace("-", "")):
        if len(part) >= LONG and not part.isdigit():
            return True
        if len(part) >= MIXED and re.search("[0-9][A-Za-z]", part):
            return True
    return False


def cut_off(arguments: Arguments) -> str:
    """Write arguments that a parser closed where the model's limit cut them: without the end."""
    return Call("", arguments).message().arguments_json[:-1]


AnyRun = TypeVar("AnyRun", bound="Run | AsyncRun")


def now(run: AnyRun | Callable[[], AnyRun]) -> AnyRun:
    """Tell the run of the moment, for tools that outlive one."""
    return run() if callable(run) else run


class Turns:
    """Calls tools for a harness that runs them in tasks of one event loop."""

    def __init__(self, within: float) -> None:
        self._within = within
        self._gathering: dict[str, _Batch[asyncio.Future[Outcome]]] = {}  # by run

    async def call(self, run: AsyncRun, call: Call) -> Result:
        """Call, wait out what is transient, and raise what else fails.

        Cancelling the task cancels the call at the tool, as soon as nobody waits for another
        call of its batch.
        """
        patience = Patience(self._within)
        while True:
            try:
                return (await self._outcome(run, call)).unwrap()
            except ToolCallError as error:
                wait = patience.wait(error)
            await asyncio.sleep(wait)

    async def _outcome(self, run: AsyncRun, call: Call) -> Outcome:
        batch = self._gathering.get(run.id)
        if batch is None or len(batch.calls) == MOST:
            batch = self._gathering[run.id] = _Batch()
            batch.task = asyncio.create_task(self._send(run, batch))
        outcome = batch.add(call, asyncio.get_running_loop().create_future())
        try:
            return await outcome
        finally:
            outcome.cancel()
            if batch.task is not None and all(one.done() for one in batch.outcomes):
                self._close(run, batch)
                batch.task.cancel()

    async def _send(self, run: AsyncRun, batch: _Batch[asyncio.Future[Outcome]]) -> None:
        try:
            gathered = 0
            while gathered < len(batch.calls):
                gathered = len(batch.calls)
                await asyncio.sleep(TOGETHER)
            self._close(run, batch)
            async for outcome in run.call_many(batch.calls):
                if not batch.outcomes[outcome.index].done():
                    batch.outcomes[outcome.index].set_result(outcome)
        except Exception as error:  # noqa: BLE001 # it is raised to everybody who waits
            batch.fail(error)
        finally:
            self._close(run, batch)
            for one in batch.outcomes:
                one.cancel()

    def _close(self, run: AsyncRun, batch: _Batch[asyncio.Future[Outcome]]) -> None:
        if self._gathering.get(run.id) is batch:
            del self._gathering[run.id]


class ThreadedTurns:
    """Calls tools for a harness that runs them in threads, or in one."""

    def __init__(self, within: float) -> None:
        self._within = within
        self._lock = threading.Lock()  # guards what follows
        self._gathering: dict[str, _Batch[Future[Outcome]]] = {}  # by run

    def call(self, run: Run, call: Call) -> Result:
        """Call, wait out what is transient, and raise what else fails."""
        patience = Patience(self._within)
        while True:
            try:
                return self._outcome(run, call).unwrap()
            except ToolCallError as error:
                wait = patience.wait(error)
            time.sleep(wait)

    def _outcome(self, run: Run, call: Call) -> Outcome:
        with self._lock:
            batch = self._gathering.get(run.id)
            first = batch is None or len(batch.calls) == MOST
            if batch is None or first:
                batch = self._gathering[run.id] = _Batch()
            outcome = batch.add(call, Future())
        if first:  # and so sends them all
            self._send(run, batch)
        return outcome.result()

    def _send(self, run: Run, batch: _Batch[Future[Outcome]]) -> None:
        try:
            gathered = 0
            while gathered < len(batch.calls):
                gathered = len(batch.calls)
                time.sleep(TOGETHER_IN_THREADS)
            self._close(run, batch)
            for outcome in run.call_many(batch.calls):
                batch.outcomes[outcome.index].set_result(outcome)
        except BaseException as error:
            batch.fail(error)
            raise
        finally:
            self._close(run, batch)

    def _close(self, run: Run, batch: _Batch[Future[Outcome]]) -> None:
        with self._lock:
            if self._gathering.get(run.id) is batch:
                del self._gathering[run.id]


AnyFuture = TypeVar("AnyFuture", "asyncio.Future[Outcome]", "Future[Outcome]")


class _Batch(Generic[AnyFuture]):
    """Calls that go out together, and where their outcomes will be."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.outcomes: list[AnyFuture] = []
        self.task: asyncio.Task[None] | None = None  # that sends it

    def add(self, call: Call, outcome: AnyFuture) -> AnyFuture:
        self.calls.append(call)
        self.outcomes.append(outcome)
        return outcome

    def fail(self, error: BaseException) -> None:
        for outcome in self.outcomes:
            if not outcome.done():
                outcome.set_exception(error)
                outcome.exception()  # whoever left does not miss it
