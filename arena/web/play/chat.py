"""What people write at a table: short lines of plain text, of which the last are kept."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from time import time
from typing import Final

from arena.web.play.seats import TableError
from engine.text import one_line
from leaderboard.storage.play_tables import KEPT_LINES, StoredLine

LONGEST: Final = 200
"""Characters of a line."""


class Chat:
    """The last lines of a table."""

    def __init__(self, lines: Iterable[StoredLine] = ()) -> None:
        self._lines = deque(lines, KEPT_LINES)

    @property
    def lines(self) -> list[StoredLine]:
        """The lines that are kept, oldest first."""
        return list(self._lines)

    def write(self, seat: int, name: str, text: str) -> StoredLine:
        """Add a message as one line, with control and bidirectional characters escaped. Raises TableError if it is empty or too long."""
        if len(text) > LONGEST:
            raise TableError(f"a line has at most {LONGEST} characters", 422)
        cleaned = one_line(text, 10 * LONGEST)
        if not cleaned:
            raise TableError("there is nothing in that line", 422)
        line = StoredLine(seat, name, cleaned, int(time()))
        self._lines.append(line)
        return line
