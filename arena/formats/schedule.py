"""The matches of a tournament of any format, as tickets, round by round."""

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
"""The formats by the name that ``schedule.format`` gives them.

A new one is a module beside this, a model of its ``[schedule]`` table in ``plans`` (also listed there in ``PLANS`` and ``SchedulePlan``),
and a line here. ``arena.changes`` says what a changed file may add to a tournament of each format, and
``arena.report.leaderboard_table`` how its places are shown.
"""


class RoundDriver:
    """Steps through the rounds of a schedule, and passes to the format the outcomes by which it pairs each round.

    It is used to run, resume, count and verify a tournament. Call ``expect`` for each ticket of the current round that can have an outcome,
    in the schedule's order, and ``settle`` when its outcome is known; outcomes may come in any order. ``delay`` says how many rounds after
    its own a ticket's outcome is due; until then, later rounds don't wait for it. A format that does not pair by results has a single
    round; then the driver keeps nothing, and no ticket has to be settled.
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
        """The ids of the matches whose outcomes are first used to pair the next round, in the schedule's order."""
        return self._due.get(self._step, {}).keys()

    @property
    def missing(self) -> Collection[str]:
        """The ids of the due matches that are not settled."""
        return [match for match in self.due if match in self._steps]

    @property
    def is_waiting(self) -> bool:
        """Whether the next round must wait for a match that is not settled and whose outcome is due."""
        return any(match in self._steps for match in self.due)

    @property
    def is_blocked(self) -> bool:
        """Whether there can be no next round because a match has no outcome, although it is due."""
        return self._step in self._lost

    def next(self) -> Round | None:
        """Return the next round; None at the end of the schedule, or if the driver is blocked.

        Raises RuntimeError while it is waiting for outcomes.
        """
        if self.is_waiting:
            raise RuntimeError("the next round is paired by outcomes of earlier ones, and some of them are missing")
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
"""The most matches of a schedule. No machine can play more, so a longer one is a mistake in the spec."""


class Ranked(Protocol):
    """The part of a stored match that a walk needs."""

    @property
    def ranks(self) -> tuple[int, ...]:
        """The rank of each seat."""
        ...


R = TypeVar("R", bound=Ranked)


class Schedule:
    """The tickets of a spec, in an order that never changes.

    ``joined`` has, for each bot that entered later, the round before which it entered; ``orders`` are the host's. Without its ``secret``
    a schedule that follows from one can be counted, but its tickets raise ValueError. If it
    ``needs_results``, use ``drive`` or ``walk`` to get rounds one by one; otherwise it can also be iterated, in the memory of one line-up.
    Raises SpecError for a schedule of more than ``MOST_MATCHES`` matches.
    """

    def __init__(
        self, spec: Spec, joined: Mapping[str, int] | None = None, secret: TournamentSecret | None = None, orders: Sequence[Order] = ()
    ) -> None:
        self._format = FORMATS[spec.schedule.format](spec, spec.schedule, joined or {}, derivation_of(spec, secret))
        self.obey(orders)
        if (self.total or 0) > MOST_MATCHES:
            raise SpecError(
                f"the schedule of '{spec.name}' has over {MOST_MATCHES} matches; take fewer blocks, or set schedule.lineups to a number"
            )

    @property
    def total(self) -> int | None:
        """The number of matches; None while it depends on results, or if the schedule has no end."""
        return self._format.total

    @property
    def total_blocks(self) -> int | None:
        """The number of blocks; None whenever ``total`` is."""
        blocks = self._format.blocks
        return None if blocks is None else sum(blocks.values())

    @property
    def needs_results(self) -> bool:
        """Whether rounds are paired by the results of earlier rounds."""
        return self._format.needs_results

    @property
    def has_places(self) -> bool:
        """Whether the format has its own rules for places, which need all outcomes."""
        return self._format.has_places

    def count_seatings(self, players: int) -> int:
        """Return how many matches a block at tables of that size has."""
        return self._format.count_seatings(players)

    def drive(self) -> RoundDriver:
        """Return a driver that begins with the first round; a schedule has one at a time."""
        return RoundDriver(self._format.rounds(), self._format.delay, needs_results=self.needs_results)

    def obey(self, orders: Sequence[Order]) -> None:
        """Set all orders of the host so far; new ones must take effect from a round that is not scheduled yet. Raises ValueError if one is
        damaged."""
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
        """The format of a ladder. Raises TypeError for another one."""
        if not isinstance(self._format, Ladder):
            raise TypeError("this is no ladder")
        return self._format

    def places(self) -> tuple[Place, ...]:
        """Return the places by the format's own rules after the outcomes so far; empty if only ratings count."""
        return self._format.places()

    def conclusion(self) -> str:
        """Return how certain those places are, in a sentence; empty where the format does not say."""
        return self._format.conclusion()

    def stages(self) -> tuple[Stage, ...]:
        """Return the pairings of a Swiss or a knockout so far, round by round; empty for other formats."""
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

        ``lookup`` returns the stored matches among ids, as ``Store.matches`` does. If rounds need results, the walk ends with the last
        round that can be paired by the stored ones.
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
