"""A mind for the scripted models of the examples that does not think."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import stories

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from stories import Move


@dataclass
class Script:
    """Makes its calls, turn by turn, whatever it reads; `before` runs first."""

    turns: list[list[Move]]
    before: Callable[[], object] = lambda: None
    read: list[list[stories.Read]] = field(default_factory=list)

    def turn(self, read: Sequence[stories.Read]) -> list[Move] | str:
        self.before()
        self.read.append(list(read))
        return self.turns.pop(0) if self.turns else "done"

    def fields(self, turn: int, call: int = 0) -> dict[str, Any]:
        return stories.fields(self.read[turn][call].text)
