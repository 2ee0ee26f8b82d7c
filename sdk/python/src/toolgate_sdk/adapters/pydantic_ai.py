"""The tools of a gateway for Pydantic AI.

What its defaults would do otherwise: an exception of a tool ends the run; a refused argument
is counted by tool, and the second one ends the run; arguments that are no JSON never leave.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pydantic_ai import AbstractToolset, BinaryContent, RunContext, ToolDefinition
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.toolsets.abstract import ToolsetTool

from toolgate_sdk._errors import ToolCallError
from toolgate_sdk.adapters._content import shown, told
from toolgate_sdk.adapters._turn import WITHIN, Turns, call_of, now

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Self

    from toolgate_sdk._aio import AsyncClient, AsyncRun
    from toolgate_sdk._tools import ToolList


class GatewayToolset(AbstractToolset[Any]):
    """All tools of the gateway that this caller may use; its contract joins the instructions.

    Each run of an agent is a run of the gateway, which ends with it, unless `run` names one,
    or is a function that tells the one of the moment. A transient failure is waited out for
    `within` seconds. A GatewayError is raised. No failure counts against the agent's retries.
    """

    def __init__(
        self,
        client: AsyncClient,
        run: AsyncRun | Callable[[], AsyncRun] | None = None,
        *,
        within: float = WITHIN,
        id: str | None = None,  # noqa: A002 # its name there
    ) -> None:
        """Take the gateway's client; nothing is asked of it yet."""
        self._client = client
        self._run = run
        self._own: AsyncRun | None = None
        self._within = within
        self._id = id
        self._turns = Turns(within)
        self._listed: ToolList | None = None

    @property
    def id(self) -> str | None:
        """The id that a durable execution needs."""
        return self._id

    async def for_run(self, ctx: RunContext[Any]) -> GatewayToolset:  # noqa: ARG002 # its signature
        """List the tools anew for each run."""
        return GatewayToolset(self._client, self._run, within=self._within, id=self._id)

    async def __aenter__(self) -> Self:
        """Begin the gateway's run."""
        if self._run is None:
            self._own = await self._client.run().__aenter__()
        return self

    async def __aexit__(self, *args: object) -> None:
        """End the gateway's run."""
        if self._own is not None:
            own, self._own = self._own, None
            await own.__aexit__(None, None, None)

    async def _list(self) -> ToolList:
        if self._listed is None:
            self._listed = await self._client.list_tools()
        return self._listed

    async def get_instructions(self, ctx: RunContext[Any]) -> str | None:  # noqa: ARG002 # its signature
        """Say what the classes mean."""
        return (await self._list()).contract or None

    async def get_tools(self, ctx: RunContext[Any]) -> dict[str, ToolsetTool[Any]]:  # noqa: ARG002 # its signature
        """List the tools."""
        return {
            shape["name"]: ToolsetTool(
                toolset=self,
                tool_def=ToolDefinition(
                    name=shape["name"],
                    description=shape["description"],
                    parameters_json_schema=shape["input_schema"],
                ),
                max_retries=0,
                args_validator=_AsWritten(),
            )
            for shape in (await self._list()).anthropic()
        }

    async def call_tool(
        self,
        name: str,
        tool_args: dict[str, Any],
        ctx: RunContext[Any],
        tool: ToolsetTool[Any],  # noqa: ARG002 # its signature
    ) -> str | list[str | BinaryContent]:
        """Call a tool; what fails is shown as a failed result."""
        run = self._own or (now(self._run) if self._run is not None else None)
        if run is None:
            raise RuntimeError("the toolset is not entered: nobody began a run")
        text = tool_args.text if isinstance(tool_args, _Arguments) and tool_args.untouched else tool_args
        try:
            answer, images = shown(await self._turns.call(run, call_of(name, text, ctx.tool_call_id)))
        except ToolCallError as error:
            raise ToolFailed(told(error)) from error
        if not images:
            return answer
        return [answer, *(BinaryContent(image.data, media_type=image.mime_type) for image in images)]


class _Arguments(dict[str, Any]):
    """What the framework sees of the arguments, and their text."""

    def __init__(self, text: str) -> None:
        try:
            parsed = json.loads(text)
        except ValueError:
            parsed = None
        super().__init__(parsed if isinstance(parsed, dict) else {})
        self.text = text
        self._parsed = dict(self)

    @property
    def untouched(self) -> bool:
        return self == self._parsed


class _AsWritten:
    """Validates nothing: the gateway does, and tells the model in its own words."""

    def validate_json(self, input: str | bytes | bytearray, **_: Any) -> Any:  # noqa: A002 # its name there
        return _Arguments(input if isinstance(input, str) else bytes(input).decode("utf-8", "replace"))

    def validate_python(self, input: Any, **_: Any) -> Any:  # noqa: A002 # its name there
        return input
