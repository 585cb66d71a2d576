"""Which matches a tournament has, whatever its format: tickets, round by round."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, Protocol, TypeVar

from arena.formats.base import Place, Stage
from arena.formats.registry import FORMATS
from arena.formats.rounds import RoundDriver
from arena.spec.seeds.derivation import derivation_of
from arena.spec.seeds.secret import TournamentSecret
from arena.spec.spec import Spec, SpecError
from engine.records import Ticket
from leaderboard.chunks import chunks

MOST_MATCHES: Final = 10**12
"""More than any machine can play; a spec with more must have a slip in it."""


class Ranked(Protocol):
    """What a walk needs of a stored match."""

    @property
    def ranks(self) -> tuple[int, ...]:
        """The rank of each seat."""
        ...


R = TypeVar("R", bound=Ranked)


class Schedule:
    """The tickets of a spec, in an order that never changes.

    ``joined`` has the round before which each bot entered that was not there from the start. ``secret`` is the tournament's, if it has one;
    without it the schedule can be counted, but asking for a ticket raises ValueError. If it ``needs_results``, rounds are asked for one by
    one with ``drive`` or ``walk``; otherwise it can also be iterated, in the memory of one line-up. Raises SpecError for a schedule that is
    too long to be meant.
    """

    def __init__(self, spec: Spec, joined: Mapping[str, int] | None = None, secret: TournamentSecret | None = None) -> None:
        self._format = FORMATS[spec.schedule.format](spec, spec.schedule, joined or {}, derivation_of(spec, secret))
        if (self.total or 0) > MOST_MATCHES:
            raise SpecError(f"the schedule of '{spec.name}' has over {MOST_MATCHES} matches; take fewer blocks or a number of line-ups")

    @property
    def total(self) -> int | None:
        """How many matches there are; None while it depends on results, or if there is no end."""
        return self._format.total

    @property
    def total_blocks(self) -> int | None:
        """How many blocks there are; None under the same conditions as ``total``."""
        blocks = self._format.blocks
        return None if blocks is None else sum(blocks.values())

    @property
    def needs_results(self) -> bool:
        """Whether rounds are paired by the results of those before."""
        return self._format.needs_results

    @property
    def has_places(self) -> bool:
        """Whether the format has places by rules of its own, which all outcomes are needed for."""
        return self._format.has_places

    def count_seatings(self, players: int) -> int:
        """Return how many matches a block of so many seats has."""
        return self._format.count_seatings(players)

    def drive(self) -> RoundDriver:
        """Return a driver that begins with the first round; a schedule has one at a time."""
        return RoundDriver(self._format.rounds(), needs_results=self.needs_results)

    def join(self, bot: str, before: int, author: str | None = None) -> None:
        """Enter a bot before a round that has not been asked for yet. Raises TypeError unless the format is a ladder."""
        self._format.join(bot, before, author)

    def places(self) -> tuple[Place, ...]:
        """Return where everyone stands by the format's own rules, after the outcomes so far; empty where only ratings count."""
        return self._format.places()

    def stages(self) -> tuple[Stage, ...]:
        """Return what a Swiss or a knockout has paired so far, round by round; empty for other formats."""
        return tuple(self._format.stages)

    def __len__(self) -> int:
        if self.total is None:
            raise TypeError("this schedule's length depends on results, or it has no end")
        return self.total

    def __iter__(self) -> Iterator[Ticket]:
        if self.needs_results:
            raise TypeError("the rounds of this schedule depend on results: use drive or walk")
        return (ticket for round_ in self._format.rounds() for ticket in round_.tickets)

    def walk(self, lookup: Callable[[Iterable[str]], Mapping[str, R]]) -> Iterator[tuple[Ticket, R | None]]:
        """Yield every ticket that is known by now with its stored match, or None if it has not been played, in the schedule's order.

        ``lookup`` returns the stored matches among ids, as ``Store.matches`` does. Where rounds need results, the walk ends with the first
        round of which a match is missing.
        """
        driver = self.drive()
        while (round_ := driver.next()) is not None:
            for chunk in chunks(round_.tickets):
                stored = lookup(ticket.id for ticket in chunk)
                for ticket in chunk:
                    match = stored.get(ticket.id)
                    driver.expect(ticket)
                    driver.settle(ticket.id, None if match is None else match.ranks)
                    yield ticket, match
