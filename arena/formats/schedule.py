"""Schedules the matches of a tournament, in any format, as tickets in rounds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Protocol, TypeVar

from arena.formats.base import Format, Gauntlet, Outcome, Place, Round, RoundRobin, Rounds, Stage, derivation_of
from arena.formats.final import SeparatingFinal
from arena.formats.knockout import Knockout
from arena.formats.ladder import Ladder
from arena.formats.swiss import Swiss
from arena.spec.secret import TournamentSecret
from arena.spec.spec import Spec, SpecError
from engine.records import Ticket
from leaderboard.records import Order, chunks

FORMATS: Final[dict[str, type[Format[Any]]]] = {
    "round-robin": RoundRobin,
    "gauntlet": Gauntlet,
    "swiss": Swiss,
    "ladder": Ladder,
    "knockout": Knockout,
    "final": SeparatingFinal,
}
"""The formats, by their name in ``schedule.format``.

A new format needs a module in this package, a model of its ``[schedule]`` table in ``arena.spec.tables`` (listed in ``PLANS`` and
``SchedulePlan``), and a line here. ``arena.changes`` defines what a changed file can add to a tournament of each format, and
``arena.report.leaderboard_table`` defines how its places are shown.
"""


class RoundDriver:
    """Steps through the rounds of a schedule. Before each round, it gives the format the outcomes that are needed to pair it.

    It is used to run, resume, count and verify a tournament. Call ``expect`` for each ticket of the current round that can have an outcome,
    in schedule order, and ``settle`` when the outcome is known; outcomes may come in any order. A ticket's outcome is needed to pair the
    round ``delay(ticket)`` rounds later; earlier rounds don't wait for it. If the format doesn't need results, there is a single round,
    and no ticket has to be settled.
    """

    def __init__(self, rounds: Rounds, delay: Callable[[Ticket], int], *, needs_results: bool) -> None:
        self._rounds = rounds
        self._delay = delay
        self._needs_results = needs_results
        self._step = 0
        self._due: dict[int, dict[str, tuple[Ticket, tuple[int, ...] | None]]] = {}
        self._steps: dict[str, int] = {}
        self._lost: set[int] = set()
        self.is_over = False
        """Whether the schedule is over."""

    @property
    def due(self) -> Collection[str]:
        """The ids of the matches whose outcomes are due before the next round, in schedule order."""
        return self._due.get(self._step, {}).keys()

    @property
    def missing(self) -> Collection[str]:
        """The ids of the due matches that are not settled."""
        return [match for match in self.due if match in self._steps]

    @property
    def is_waiting(self) -> bool:
        """Whether the next round must wait for a due match that is not settled."""
        return any(match in self._steps for match in self.due)

    @property
    def is_blocked(self) -> bool:
        """Whether the next round can't be paired because a due match has no outcome."""
        return self._step in self._lost

    def next(self) -> Round | None:
        """Return the next round, or None if the schedule is over or blocked.

        Raises RuntimeError while it is waiting for outcomes.
        """
        if self.is_waiting:
            raise RuntimeError("the next round depends on outcomes of earlier rounds, some of which are missing")
        if self.is_blocked or self.is_over:
            return None
        outcomes = [Outcome(ticket, ranks) for ticket, ranks in self._due.pop(self._step, {}).values() if ranks is not None]
        try:
            round_ = self._rounds.send(outcomes) if self._step else next(self._rounds)
        except StopIteration:
            self.is_over = True
            return None
        self._step += 1
        return round_

    def expect(self, ticket: Ticket) -> None:
        """Announce a match of the current round that will be settled later."""
        if self._needs_results:
            step = self._steps[ticket.id] = self._step + self._delay(ticket) - 1
            self._due.setdefault(step, {})[ticket.id] = (ticket, None)

    def settle(self, match: str, ranks: tuple[int, ...] | None) -> None:
        """Settle an expected match with the rank of each seat, or with None if it has no usable outcome."""
        step = self._steps.pop(match, None)
        if step is None:
            return
        self._due[step][match] = (self._due[step][match][0], ranks)
        if ranks is None:
            self._lost.add(step)


MOST_MATCHES: Final = 10**12
"""The most matches of a schedule. No machine could play more, so a longer schedule is a mistake in the spec."""


class Ranked(Protocol):
    """The part of a stored match that ``Schedule.walk`` needs."""

    @property
    def ranks(self) -> tuple[int, ...]:
        """The rank of each seat."""
        ...


R = TypeVar("R", bound=Ranked)


class Schedule:
    """The tickets of a spec, in an order that never changes.

    ``joined`` maps each bot that joined after the start to the round before which it joined; ``orders`` are the host's orders. If
    the spec needs a ``secret`` that is not given, matches can be counted, but using their tickets raises ValueError. If the schedule
    ``needs_results``, use ``drive`` or ``walk`` to get rounds one by one; otherwise, you can also iterate over it, with only one line-up at
    a time in memory. Raises SpecError if there are more than ``MOST_MATCHES`` matches.
    """

    def __init__(
        self, spec: Spec, joined: Mapping[str, int] | None = None, secret: TournamentSecret | None = None, orders: Sequence[Order] = ()
    ) -> None:
        self._format = FORMATS[spec.schedule.format](spec, spec.schedule, joined or {}, derivation_of(spec, secret))
        self.obey(orders)
        if (self.total or 0) > MOST_MATCHES:
            raise SpecError(
                f"the schedule of '{spec.name}' has more than {MOST_MATCHES} matches; use fewer blocks, or set schedule.lineups to a number"
            )

    @property
    def total(self) -> int | None:
        """The number of matches, or None if it depends on results or the schedule has no end."""
        return self._format.total

    @property
    def total_blocks(self) -> int | None:
        """The number of blocks, or None if ``total`` is None."""
        blocks = self._format.blocks
        return None if blocks is None else sum(blocks.values())

    @property
    def needs_results(self) -> bool:
        """Whether rounds are paired according to the results of earlier rounds."""
        return self._format.needs_results

    @property
    def has_places(self) -> bool:
        """Whether the format has its own rules for places, which depend on all outcomes."""
        return self._format.has_places

    def count_seatings(self, players: int) -> int:
        """Return the number of matches in a block for that number of players."""
        return self._format.count_seatings(players)

    def drive(self) -> RoundDriver:
        """Return a driver that starts with the first round; a schedule can have only one at a time."""
        return RoundDriver(self._format.rounds(), self._format.delay, needs_results=self.needs_results)

    def obey(self, orders: Sequence[Order]) -> None:
        """Set all of the host's orders; new orders must not affect rounds already scheduled. Raises ValueError if one is damaged."""
        self._format.obey(orders)

    @property
    def uncounted(self) -> frozenset[str]:
        """The bots whose results don't count."""
        return self._format.uncounted

    def counts(self, bots: Iterable[str]) -> bool:
        """Return whether the result of a match between these bots counts in ratings, standings and statistics."""
        return self._format.uncounted.isdisjoint(bots)

    @property
    def ladder(self) -> Ladder:
        """The format of a ladder. Raises TypeError if the format is not a ladder."""
        if not isinstance(self._format, Ladder):
            raise TypeError("this schedule is not a ladder")
        return self._format

    def places(self) -> tuple[Place, ...]:
        """Return the places according to the format's own rules after the outcomes so far; empty if it has no such rules."""
        return self._format.places()

    def conclusion(self) -> str:
        """Return a sentence on how certain the places are, or an empty string if the format has none."""
        return self._format.conclusion()

    def stages(self) -> tuple[Stage, ...]:
        """Return the pairings of a Swiss or knockout tournament so far, by round; empty for other formats."""
        return tuple(self._format.stages)

    def __len__(self) -> int:
        if self.total is None:
            raise TypeError("the length of this schedule depends on results, or the schedule has no end")
        return self.total

    def __iter__(self) -> Iterator[Ticket]:
        if self.needs_results:
            raise TypeError("the rounds of this schedule depend on results; use drive or walk")
        return (ticket for round_ in self._format.rounds() for ticket in round_.tickets)

    def walk(self, lookup: Callable[[Iterable[str]], Mapping[str, R]]) -> Iterator[tuple[Ticket, R | None]]:
        """Yield every ticket known so far and its stored match (None if it has not been played), in schedule order.

        ``lookup`` returns the stored matches with the given ids, like ``Store.matches``. If rounds need results, the last round yielded is
        the last one that can be paired with the stored results.
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
