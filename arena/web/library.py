"""What pages show, taken from the store and kept for a moment, so that many visitors cost little more than one. It writes nothing."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock
from time import monotonic
from typing import Any, Final, TypeVar

from arena.report import Standing, standings
from arena.web.errors import NotFoundError
from leaderboard.store import Store, StoredTournament

T = TypeVar("T")

FRESH_SECONDS: Final = 1.0
"""How old a page may be during a run."""
_MOST_KEPT: Final = 512


class Library:
    """One store for all requests; its methods may be called from any thread."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._kept: dict[Hashable, tuple[float, Any]] = {}
        self._lock = Lock()

    def keep(self, key: Hashable, make: Callable[[], T]) -> T:
        """What ``make`` gives, made anew when the last is older than ``FRESH_SECONDS``."""
        now = monotonic()
        with self._lock:
            found = self._kept.get(key)
        if found is not None and now - found[0] < FRESH_SECONDS:
            return found[1]  # type: ignore[no-any-return]  # what this key was kept for
        made = make()
        with self._lock:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            self._kept[key] = (now, made)
        return made

    def tournament_names(self) -> tuple[str, ...]:
        """The names of all tournaments, oldest first."""
        return self.keep("tournaments", self.store.tournament_names)

    def tournament(self, name: str) -> StoredTournament:
        """The tournament of that name. Raises NotFoundError."""
        found = self.keep(("tournament", name), lambda: self.store.tournament(name))
        if found is None:
            names = self.tournament_names()
            there = f"there is {', '.join(names[-10:])}" if names else "there is none yet"
            raise NotFoundError(f"There is no tournament '{name}' here; {there}.")
        return found

    def standings(self, tournament: StoredTournament) -> tuple[Standing, ...]:
        """The leaderboard, best first."""
        return self.keep(("standings", tournament.id), lambda: standings(self.store, tournament))

    def played(self, tournament: StoredTournament) -> int:
        """How many matches are stored."""
        return self.keep(("played", tournament.id), lambda: self.store.count_matches(tournament))
