"""The schedule of a stored tournament, followed again: which stored match is which of its matches.

Where rounds are paired by results, whoever takes a match has to settle it before the next round can be known.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from typing import Final

from arena.executors.base import PAUSE, Pause
from arena.tournament.rounds import RoundDriver
from arena.tournament.scheduler import Schedule
from arena.verification.evidence_source import Source
from arena.verification.match_check import Sought
from engine.records import Ticket
from leaderboard.storage.matches import chunks
from leaderboard.storage.raw_rows import TournamentEvidence

LEAST_WALK: Final = 1_000_000
"""Tickets of a schedule that are looked through at least; a schedule much longer than what is stored of it is not walked to its end."""


class Retrace:
    """The stored matches of a tournament, taken from the source in the order of its schedule."""

    def __init__(self, source: Source, tournament: TournamentEvidence) -> None:
        self._source = source
        self._tournament = tournament
        self.ids: Final = frozenset(source.match_ids(tournament))
        self._left = set(self.ids)
        self._void_left = {void.match for void in source.voids(tournament)}
        self._walked = 0
        self._given = 0
        self._index: dict[str, int] = {}
        self._driver: RoundDriver
        self.voids: Final[dict[str, Ticket]] = {}
        """The tickets of void matches that have been come to."""
        self.is_whole = False
        """Whether the schedule has come to its end; if rounds are paired by results, every match of it is stored then."""
        self.is_broken = False
        """Whether a round could not be paired, because a match before it is of no use."""

    @property
    def unknown(self) -> list[str]:
        """The ids of stored matches that have not been come to; once all are taken, none of the schedule's."""
        return sorted(self._left)

    def sought(self, schedule: Schedule) -> Iterator[Sought | Pause]:
        """Each stored match with its ticket, and a pause where all of a round have to be settled before it can go on.

        It ends with the last that is stored; if rounds are paired by results, with the first that is not whole.
        """
        self._driver = driver = schedule.drive()
        while (round_ := driver.next()) is not None:
            is_whole = yield from self._take(round_.tickets, is_paired=schedule.needs_results)
            while driver.is_waiting:
                yield PAUSE
            if not is_whole:
                return
        self.is_whole, self.is_broken = driver.is_over, driver.is_blocked

    def settle(self, match: str, ranks: tuple[int, ...] | None) -> int:
        """A match that was given out is done with: its ranks, or None if it has none that can be used.

        Return its place among the stored matches of the schedule, counted from 0.
        """
        self._driver.settle(match, ranks)
        return self._index.pop(match)

    def _take(self, tickets: Iterable[Ticket], *, is_paired: bool) -> Generator[Sought, None, bool]:
        """Yield those of a round; return whether all of it are stored, as far as it was looked for."""
        most = max(LEAST_WALK, 100 * len(self.ids))
        is_whole = True
        for chunk in chunks(tickets):
            if self._walked >= most or not (self._left or self._void_left or (is_paired and is_whole)):
                return False
            self._walked += len(chunk)
            here = [ticket for ticket in chunk if ticket.id in self._left]
            found = self._source.matches(self._tournament, [ticket.id for ticket in here]) if here else {}
            is_whole = is_whole and len(found) == len(chunk)
            self._left.difference_update(ticket.id for ticket in here)  # what has gone since is told as a wrong digest
            for ticket in chunk:
                if ticket.id in self._void_left:
                    self._void_left.discard(ticket.id)
                    self.voids[ticket.id] = ticket
                if ticket.id in found:
                    self._index[ticket.id] = self._given
                    self._given += 1
                    self._driver.expect(ticket)
                    yield Sought(ticket, found[ticket.id])
        return is_whole or not is_paired
