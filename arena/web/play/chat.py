"""What people write at a table: short lines of plain text, of which the last are kept."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Final

import msgspec

from arena.web.play.seating import TableError
from engine.text import one_line

LONGEST: Final = 200
"""Characters of a line."""
KEPT: Final = 100
"""Lines that are kept of a table."""


class Line(msgspec.Struct, frozen=True):
    """A line: who wrote it from which seat, and when, in seconds since 1970."""

    seat: int | None
    name: str
    text: str
    at: int


class Chat:
    """The last lines of a table."""

    def __init__(self, lines: Iterable[Line] = ()) -> None:
        self._lines = deque(lines, KEPT)

    def add(self, line: Line) -> None:
        """Add a line."""
        self._lines.append(line)

    @property
    def lines(self) -> list[Line]:
        """The lines that are kept, oldest first."""
        return list(self._lines)


def clean(text: str) -> str:
    """Return what was typed as one line, with control characters and those that turn the direction of text written out.

    Raises TableError if there is nothing in it, or too much.
    """
    if len(text) > LONGEST:
        raise TableError(f"a line has at most {LONGEST} characters", 422)
    line = one_line(text, 10 * LONGEST)
    if not line:
        raise TableError("there is nothing in that line", 422)
    return line
