"""The client for asyncio."""

from __future__ import annotations

import asyncio
import uuid
from contextlib import contextmanager
from typing import TYPE_CHECKING

import grpc
import grpc.aio
from toolgate.v1 import call_pb2, gateway_pb2, gateway_pb2_grpc

from toolgate_sdk import _channel
from toolgate_sdk._calls import (
    FAREWELL,
    LONGEST,
    Arguments,
    Batch,
    Call,
    Outcome,
    Patience,
    Progress,
    Result,
    result_of,
)
from toolgate_sdk._errors import GatewayError, ToolCallError, closed, gateway_error, rpc_failures
from toolgate_sdk._tools import ToolList

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Sequence
    from types import TracebackType

    from typing_extensions import Self


class AsyncClient:
    """Calls tools through the gateway at `target`, `127.0.0.1:7440` for example.

    `tls` is how the connection is encrypted, `token` the bearer token that is shown with
    every rpc, `deadline` how many seconds a call may take (None: the gateway's default).
    It belongs to one event loop. It connects with the first call; close it
    when done, best by `async with`: calls in flight then end as CANCELLED.
    """

    def __init__(
        self,
        target: str,
        *,
        tls: _channel.TLS = False,
        token: str | None = None,
        deadline: float | None = None,
    ) -> None:
        self._metadata = _channel.metadata(token)
        credentials = _channel.credentials(tls)
        if credentials is None:
            self._channel = grpc.aio.insecure_channel(_channel.address(target), options=_channel.OPTIONS)
        else:
            self._channel = grpc.aio.secure_channel(
                _channel.address(target), credentials, options=_channel.OPTIONS
            )
        self._closed = False
        self._stub = gateway_pb2_grpc.ToolGatewayServiceStub(self._channel)
        self._deadline = None if deadline is None else min(deadline, LONGEST)

    async def __aenter__(self) -> Self:
        """Return the client."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connection."""
        await self.close()

    async def close(self) -> None:
        """Close the connection. Calls in flight end as CANCELLED, at the tool too."""
        self._closed = True
        await self._channel.close()

    def run(self, run_id: str | None = None) -> AsyncRun:
        """Begin a run, which ends itself: `async with client.run() as run`."""
        return AsyncRun(self, run_id or uuid.uuid4().hex)

    async def call(self, tool: str | Call, arguments: Arguments = None, run: str = "") -> Result:
        """Run one call to its outcome; a failed one raises ToolCallError.

        Cancelling the task cancels the call, at the tool too.
        """
        return await self._send(_call(tool, arguments), run, self._deadline)

    async def wait_transient(
        self, tool: str | Call, arguments: Arguments = None, run: str = "", *, within: float
    ) -> Result:
        """Call, and wait out transient failures for `within` seconds, all in all.

        It sleeps what the gateway says and sends the identical call. Where a wait does not
        fit, and after an exhausted failure, which the gateway has waited out already, the
        failure is raised at once.
        """
        call, patience = _call(tool, arguments), Patience(within)
        while True:
            try:
                return await self._send(call, run, patience.timeout(self._deadline))
            except ToolCallError as error:
                wait = patience.wait(error)
            await asyncio.sleep(wait)

    async def _send(self, call: Call, run: str, timeout: float | None) -> Result:
        request = call_pb2.CallToolRequest(run_id=run, call=call.message())
        with self._failures():
            response = await self._stub.CallTool(request, timeout=timeout, metadata=self._metadata)
        return result_of(response)

    async def call_many(
        self, calls: Sequence[Call], run: str = "", *, on_progress: Callable[[Progress], object] | None = None
    ) -> AsyncIterator[Outcome]:
        """Run a model's parallel calls of one turn, 1 to 64, and yield outcomes as they arrive.

        One broken call never fails the others: each call has exactly one outcome. Leaving
        the loop cancels what is still running. Transient failures are not waited out.
        """
        batch = Batch(run, calls, on_progress)
        if batch.finished:
            return
        broken, stream = None, None
        try:
            with self._failures():
                stream = self._stub.CallTools(batch.request, timeout=self._deadline, metadata=self._metadata)
            async for event in stream:
                outcome = batch.take(event)
                if outcome is not None:
                    yield outcome
        except grpc.RpcError as error:
            broken = gateway_error(error)
        except GatewayError as error:
            broken = error
        except asyncio.CancelledError as error:
            broken = self._left(error)
        finally:
            if stream is not None:
                stream.cancel()
        for outcome in batch.rest(broken):
            yield outcome

    @contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            with rpc_failures():
                yield
        except asyncio.CancelledError as error:
            raise self._left(error) from error

    def _left(self, error: asyncio.CancelledError) -> GatewayError:
        """Tell a client that was closed from a task that was cancelled, which gRPC raises as the same."""
        cancelling = getattr(asyncio.current_task(), "cancelling", int)  # since Python 3.11
        if not self._closed or cancelling():
            raise error
        return closed()

    async def list_tools(self) -> ToolList:
        """List the tools that this caller may use."""
        request = gateway_pb2.ListToolsRequest()
        with self._failures():
            return ToolList(
                await self._stub.ListTools(request, timeout=self._deadline, metadata=self._metadata)
            )

    async def end_run(self, run: str, *, within: float | None = None) -> gateway_pb2.RunSummary:
        """Forget a run and sum it up, for no longer than `within` seconds, or the deadline.

        Ending an unknown run is not an error.
        """
        request = gateway_pb2.EndRunRequest(run_id=run)
        timeout = min((t for t in (within, self._deadline) if t is not None), default=None)
        with self._failures():
            return (await self._stub.EndRun(request, timeout=timeout, metadata=self._metadata)).run


class AsyncRun:
    """One run of an agent: what the gateway remembers, counts and refuses belongs to it.

    Used by `async with` it ends itself, and `summary` then tells what happened. A gateway that
    can't be reached for that within five seconds is no error: it forgets the run by itself.
    """

    def __init__(self, client: AsyncClient, run_id: str) -> None:
        self.id = run_id
        self.summary: gateway_pb2.RunSummary | None = None
        self._client = client

    async def __aenter__(self) -> Self:
        """Return the run."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the run."""
        await self.end()

    async def end(self) -> gateway_pb2.RunSummary | None:
        """End the run, and tell what `summary` then is: None where the gateway can't be reached."""
        try:
            self.summary = await self._client.end_run(self.id, within=FAREWELL)
        except GatewayError:
            self.summary = None
        return self.summary

    async def call(self, tool: str | Call, arguments: Arguments = None) -> Result:
        """As `AsyncClient.call`."""
        return await self._client.call(tool, arguments, self.id)

    async def wait_transient(self, tool: str | Call, arguments: Arguments = None, *, within: float) -> Result:
        """As `AsyncClient.wait_transient`."""
        return await self._client.wait_transient(tool, arguments, self.id, within=within)

    def call_many(
        self, calls: Sequence[Call], *, on_progress: Callable[[Progress], object] | None = None
    ) -> AsyncIterator[Outcome]:
        """As `AsyncClient.call_many`."""
        return self._client.call_many(calls, self.id, on_progress=on_progress)


def _call(tool: str | Call, arguments: Arguments) -> Call:
    return tool if isinstance(tool, Call) else Call(tool, arguments)
