"""Quick matches: visitors who wait for somebody to play a game of two with. They are in memory, on the server that plays the tables."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Final

from arena.web.play.seats import Seat, Visitor
from engine.core import Game

if TYPE_CHECKING:
    from arena.web.play.tables import Tables

PATIENCE: Final = 120.0
"""The seconds that a visitor waits."""
_PRESENT: Final = 12.0
"""The seconds for which a visitor counts as there; a waiting page asks every 3 seconds."""
_PLAYERS: Final = 2


@dataclass(frozen=True, slots=True)
class Waiting:
    """A visitor who waits for a match of this game, under this name."""

    visitor: Visitor
    name: str
    game: str


@dataclass(slots=True)
class _Search:
    who: Waiting
    since: float
    seen: float
    table: str = ""


class Opponents:
    """The visitors who wait; its methods may be called from any thread. A visitor has at most one search."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._searches: dict[str, _Search] = {}

    def enter(self, tables: Tables, game: Game, who: Waiting) -> str:
        """Start a match with the visitor who has waited longest, and return its table; if nobody waits, wait and return nothing.

        Raises OptionsError for a game that two can't play, and TableError if there is no room for a table.
        """
        game.check_start(_PLAYERS, 0)
        with self._lock:
            self._forget()
            key = who.visitor.browser
            others = (each for each in self._searches.values() if each.who.game == who.game and not each.table)
            other = next((each for each in others if each.who.visitor.browser != key), None)
            if other is None:
                self._searches[key] = _Search(who, self._clock(), self._clock())
                return ""
            seats = [Seat(each.name, key=each.visitor.browser) for each in (who, other.who)]
            secrets.SystemRandom().shuffle(seats)
            table = tables.open(game, seats, who.visitor)
            tables.start(table)
            self._searches.pop(key, None)
            other.table = table.id
            return table.id

    def look(self, key: str) -> str | float | None:
        """Return the table of a visitor once there is one, before that how many seconds they have waited; None if they don't wait."""
        with self._lock:
            self._forget()
            search = self._searches.get(key)
            if search is None:
                return None
            search.seen = self._clock()
            return search.table or search.seen - search.since

    def leave(self, key: str) -> None:
        """Wait no longer."""
        with self._lock:
            self._searches.pop(key, None)

    def _forget(self) -> None:
        """Forget those who have waited for too long, or have closed the page."""
        now = self._clock()
        for key, search in list(self._searches.items()):
            if now - search.seen > _PRESENT or (not search.table and now - search.since > PATIENCE):
                del self._searches[key]
