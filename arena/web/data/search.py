"""What a visitor looks for by a word: tournaments and bots by a part of their names, matches by the beginning of their ids."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from arena.web.data.queries import Queries
from leaderboard.storage.match_queries import DatedMatch

MOST: Final = 30
"""Results of a kind that are shown; how many more there are is said."""
LEAST_ID: Final = 4
"""Characters of the beginning of a match's id."""
_MOST_MATCHES: Final = 10
_LONGEST_ID: Final = 64


@dataclass(frozen=True, slots=True)
class Found:
    """The results of a search, with the number of all tournaments and bots that fit."""

    tournaments: tuple[str, ...] = ()
    bots: tuple[str, ...] = ()
    matches: tuple[DatedMatch, ...] = ()
    all_tournaments: int = 0
    all_bots: int = 0

    @property
    def is_one_match(self) -> bool:
        """Whether there is one match and nothing else."""
        return len(self.matches) == 1 and not self.tournaments and not self.bots

    @property
    def is_nothing(self) -> bool:
        """Whether nothing was found."""
        return not (self.tournaments or self.bots or self.matches)


def search(queries: Queries, text: str) -> Found:
    """Return what fits the text, best first: equal names, then those that begin with it, then those that contain it."""
    wanted = text.strip().casefold()
    if not wanted:
        return Found()
    tournaments, bots = _fitting(queries.tournament_names()[::-1], wanted), _fitting(queries.bots(), wanted)
    matches = _matches(queries, wanted) if wanted.isascii() and wanted.isalnum() and LEAST_ID <= len(wanted) <= _LONGEST_ID else ()
    return Found(tournaments[:MOST], bots[:MOST], matches, len(tournaments), len(bots))


def _fitting(names: Iterable[str], wanted: str) -> tuple[str, ...]:
    ranked = [(not name.casefold().startswith(wanted), len(name), name) for name in names if wanted in name.casefold()]
    return tuple(name for *_, name in sorted(ranked, key=lambda each: each[:2]))


def _matches(queries: Queries, beginning: str) -> tuple[DatedMatch, ...]:
    return queries.look_up(queries.store.find_ids(beginning, _MOST_MATCHES))
