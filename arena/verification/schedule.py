"""Steps through the schedule of a stored tournament to find the stored match of each ticket.

If rounds are paired by results, the consumer must settle every match of a round before the next one is known. The schedule can't be derived
while the tournament's secret is not published; ``ClaimedSchedule`` then trusts each match's own ticket.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Iterator
from typing import Final

from arena.formats.base import Round
from arena.formats.ladder import NoTableError
from arena.formats.schedule import RoundDriver, Schedule
from arena.play.executors.base import PAUSE, Pause
from arena.verification.matches import ScheduledMatch
from engine.records import Ticket
from leaderboard.chunks import chunks
from leaderboard.records.evidence import MatchRecord, TournamentRecord
from leaderboard.storage.raw_queries import read_match_ids, read_matches, read_voids
from leaderboard.storage.store import Store

LEAST_WALK: Final = 1_000_000
"""The number of tickets that are always walked. A schedule with many more matches than are stored is not walked to its end."""


class ScheduleReplay:
    """The stored matches of a tournament in the order of its schedule."""

    def __init__(self, store: Store, tournament: TournamentRecord) -> None:
        self._store = store
        self._tournament = tournament
        self.ids: Final = frozenset(store.fetch(read_match_ids, tournament.key))
        self._left = set(self.ids)
        self._void_left = {void.match for void in store.fetch(read_voids, tournament.key)}
        self._walked = 0
        self._given = 0
        self._index: dict[str, int] = {}
        self._driver: RoundDriver
        self.voids: Final[dict[str, Ticket]] = {}
        """The tickets of the void matches that have been reached."""
        self.is_whole = False
        """Whether the schedule was walked to its end. If rounds are paired by results, every match of it is stored then."""
        self.is_broken = False
        """Whether a round could not be paired, because an earlier match is unusable."""

    @property
    def unknown(self) -> list[str]:
        """The ids of stored matches that have not been reached. After the end of ``matches``, these are not in the schedule."""
        return sorted(self._left)

    def matches(self, schedule: Schedule) -> Iterator[ScheduledMatch | Pause]:
        """Yield each stored match with its ticket, and a pause while matches of a round have to be settled before the next round.

        It ends after the last stored match or, if rounds are paired by results, with the last round that can be paired by stored ones.
        """
        self._driver = driver = schedule.drive()
        is_whole = True
        while (round_ := self._next()) is not None:
            is_whole = (yield from self._take(round_.tickets, is_paired=schedule.needs_results)) and is_whole
            while driver.is_waiting:
                yield PAUSE
            if not (schedule.needs_results or is_whole):
                return
        self.is_whole, self.is_broken = driver.is_over and is_whole, driver.is_blocked and is_whole

    def _next(self) -> Round | None:
        try:
            return self._driver.next()
        except NoTableError:  # neither complete nor broken: an order may let bots play again
            return None

    def settle(self, match: str, ranks: tuple[int, ...] | None) -> int:
        """Settle a match that ``matches`` yielded, with its ranks, or None if they are unusable.

        Return its place among the stored matches of the schedule, counted from 0.
        """
        self._driver.settle(match, ranks)
        return self._index.pop(match)

    def _take(self, tickets: Iterable[Ticket], *, is_paired: bool) -> Generator[ScheduledMatch, None, bool]:
        """Yield the stored matches of a round; return whether all its matches are stored, as far as the walk went."""
        most = max(LEAST_WALK, 100 * len(self.ids))
        is_whole = True
        for chunk in chunks(tickets):
            if self._walked >= most or not (self._left or self._void_left or (is_paired and is_whole)):
                return False
            self._walked += len(chunk)
            here = [ticket for ticket in chunk if ticket.id in self._left]
            stored = self._store.fetch(read_matches, self._tournament.key, [ticket.id for ticket in here]) if here else {}
            is_whole = is_whole and len(stored) == len(chunk)
            self._left.difference_update(ticket.id for ticket in here)  # if one has been removed since, the digest will be wrong
            for ticket in chunk:
                if ticket.id in self._void_left:
                    self._void_left.discard(ticket.id)
                    self.voids[ticket.id] = ticket
                if is_paired or ticket.id in stored:
                    self._driver.expect(ticket)
                if ticket.id in stored:
                    self._index[ticket.id] = self._given
                    self._given += 1
                    yield ScheduledMatch(ticket, stored[ticket.id])
                elif is_paired:
                    self._driver.settle(ticket.id, None)
        return is_whole or not is_paired


class ClaimedSchedule:
    """Replaces ``ScheduleReplay`` if the schedule can't be derived; matches are then not compared with the schedule."""

    def __init__(self, store: Store, tournament: TournamentRecord, bots: Collection[str]) -> None:
        self._store = store
        self._tournament = tournament
        self._bots = bots
        self._index: dict[str, int] = {}
        self.ids: Final = store.fetch(read_match_ids, tournament.key)
        self.unknown: list[str] = []
        """The ids of matches that can't belong to this tournament."""
        self.is_whole = False
        """Always False: whether there are more matches can't be known yet."""
        self.is_broken = False

    def matches(self, _schedule: Schedule) -> Iterator[ScheduledMatch]:
        """Yield each stored match with its derived ticket, or else with the one that it claims to have."""
        for chunk in chunks(self.ids):
            stored = self._store.fetch(read_matches, self._tournament.key, chunk)
            for evidence in (stored[match] for match in chunk if match in stored):
                ticket = _ticket(evidence)
                if set(ticket.seats) <= set(self._bots):
                    self._index[ticket.id] = len(self._index)
                    yield ScheduledMatch(ticket, evidence)
                else:
                    self.unknown.append(ticket.id)

    def settle(self, match: str, _ranks: tuple[int, ...] | None) -> int:
        """Return the place of the match among the stored ones, from 0."""
        return self._index[match]


def _ticket(match: MatchRecord) -> Ticket:
    seats = tuple(str(seat.bot) for seat in match.seats)
    numbers = [each if type(each) is int else -1 for each in (match.block, match.rotation, match.seed, match.round, match.block_key)]
    block, rotation, seed, round_, block_key = numbers
    return Ticket(match.id, tuple(sorted(seats)), block, rotation, seats, seed, round_, block_key)
