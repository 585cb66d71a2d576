"""The matches of a tournament whose secret is not yet published: each is taken to be what it claims to be, in the bundle's order."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from arena.tournament.scheduler import Schedule
from arena.verification.evidence_source import Source
from arena.verification.match_check import Sought
from engine.records import Ticket
from leaderboard.chunks import chunks
from leaderboard.storage.raw_rows import RawMatch, RawTournament


class Claimed:
    """Takes the place of ``ScheduleReplay`` where the schedule can't be derived, so that matches can't be compared with it."""

    def __init__(self, source: Source, tournament: RawTournament, bots: Collection[str]) -> None:
        self._source = source
        self._tournament = tournament
        self._bots = bots
        self._index: dict[str, int] = {}
        self.ids: Final = tuple(source.match_ids(tournament))
        self.unknown: list[str] = []
        """The ids of matches that can't belong to this tournament."""
        self.is_whole = False
        """Always False: whether there are more matches can't be known yet."""
        self.is_broken = False

    def sought(self, _schedule: Schedule) -> Iterator[Sought]:
        """Yield each stored match with the ticket that it claims to have."""
        for chunk in chunks(self.ids):
            for match, evidence in self._source.matches(self._tournament, chunk).items():
                ticket = _ticket(evidence)
                if set(ticket.seats) <= set(self._bots):
                    self._index[match] = len(self._index)
                    yield Sought(ticket, evidence)
                else:
                    self.unknown.append(match)

    def settle(self, match: str, _ranks: tuple[int, ...] | None) -> int:
        """Return the place of the match among the stored ones, from 0."""
        return self._index[match]


def _ticket(match: RawMatch) -> Ticket:
    seats = tuple(str(seat.bot) for seat in match.seats)
    numbers = [each if type(each) is int else -1 for each in (match.block, match.rotation, match.seed, match.round, match.block_key)]
    block, rotation, seed, round_, block_key = numbers
    return Ticket(match.id, tuple(sorted(seats)), block, rotation, seats, seed, round_, block_key)
