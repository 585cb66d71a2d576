"""The base class of tournament formats, the derivation of tickets (seats, seeds and ids), and the formats round-robin and gauntlet.

A format yields rounds of tickets; a round may depend on earlier results. Formats refer to bots by number, so nothing depends on names.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import ClassVar, Generic, TypeAlias, TypeVar

from arena.formats.orders import Orders
from arena.formats.sampling import balanced_sample
from arena.spec.lineups import Authors, count_balanced_blocks, seat
from arena.spec.secret import Keys, TournamentSecret, open_root
from arena.spec.spec import Spec
from arena.spec.tables import FinalPlan, GauntletPlan, KnockoutPlan, LadderPlan, RoundRobinPlan, SwissPlan
from engine.records import Ticket
from leaderboard.records import Order


def derivation_of(spec: Spec, secret: TournamentSecret | None = None) -> Derivation:
    """Return the object that derives a spec's tickets. Without an open seed or the secret, it can only count matches."""
    if spec.seed is not None:
        return Derivation(spec, open_root(spec.seed))
    return Derivation(spec, None if secret is None else secret.root)


class Derivation:
    """Derives tickets from a root with HMAC. Bots are identified by number, from 0, so renaming a bot changes nothing else."""

    def __init__(self, spec: Spec, root: bytes | None) -> None:
        self._keys = None if root is None else Keys.of(root, spec.name, spec.game, dict(spec.make_game().options))
        self._schedule = spec.schedule

    @property
    def keys(self) -> Keys:
        """The tournament's keys. Raises ValueError if the secret is unknown."""
        if self._keys is None:
            raise ValueError("the matches of this tournament can't be derived without its secret")
        return self._keys

    def draw(self, *labels: str | int) -> int:
        """Return the seed for the random choice with these labels."""
        return self.keys.draw(*labels)

    def block(
        self, lineup: Sequence[int], names: Sequence[str], players: int, block: int, more: Sequence[str | int], number: int
    ) -> Iterator[Ticket]:
        """Yield the tickets of a block: a line-up (as numbers of bots) in all its seatings or, in solo play, each of its bots alone.

        Seatings balance seats and neighbours. Each match has its own deck, unless decks are shared. ``block`` numbers the blocks of a
        line-up; ``more`` distinguishes blocks with the same number, such as in different rounds. ``number`` is the number of the round.
        """
        same = [] if players == 1 else list(lineup)  # in solo play, a bot's matches don't depend on the other bots
        keys = self.keys.of_block(players, same, block, *more)
        key = keys.key
        shared = keys.shared_deck if self._schedule.shares_deck(players) else None
        called = tuple(names[bot] for bot in lineup)
        for rotation, seated in enumerate(self._seatings(lineup, players, block, more)):
            match = keys.match_id(seated)
            deck = keys.deck(seated) if shared is None else shared
            seats = tuple([names[bot] for bot in seated])
            yield Ticket(match, called, block, rotation, seats, deck, number, key, self.keys.bot_key(match))

    def _seatings(self, lineup: Sequence[int], players: int, block: int, more: Sequence[str | int]) -> Iterator[tuple[int, ...]]:
        if players == 1:
            return ((bot,) for bot in lineup)
        mode = self._schedule.seats
        length = count_balanced_blocks(mode, players)
        run = block // length
        draw = self.keys.draw("seats", players, list(lineup), run, *more)
        return (tuple(lineup[part] for part in seating) for seating in seat(mode, players, draw, block))


Lineup: TypeAlias = tuple[int, ...]
"""The sorted numbers of the bots in a match."""
P = TypeVar("P", bound=RoundRobinPlan | GauntletPlan | SwissPlan | LadderPlan | KnockoutPlan | FinalPlan)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A played match: its ticket, and the rank of each seat (1 is the best; tied seats share the better rank)."""

    ticket: Ticket
    ranks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Round:
    """Matches that can be played in any order. ``number`` counts from 0; a play-off has the number of the round that it decides."""

    number: int
    tickets: Iterable[Ticket]


@dataclass(frozen=True, slots=True)
class Place:
    """A bot's place according to the format's own rules; ``note`` gives the reason, such as its points or the stage that it reached.

    If several places are possible, ``place`` is the best of them and ``last`` is the worst.
    """

    place: int
    bot: str
    note: str
    last: int | None = None


@dataclass(frozen=True, slots=True)
class Stage:
    """The pairings and results of a round of a Swiss or knockout tournament, with bots by name.

    - ``tables``: the bots of each table, in the order of the bracket, if there is one; ``byes``: the bots with a bye
    - ``ranked``: the bots of each table, best first; empty until the round is over; the first ``kept`` of each table advance
    - ``bracket``: the bots in the bracket from top to bottom, with None for a bye; ``title``: the name of a knockout's stage
    - ``before``, ``after``: the points of all bots in a Swiss tournament; ``after`` is empty until the round is over
    """

    number: int
    tables: tuple[tuple[str, ...], ...]
    byes: tuple[str, ...]
    ranked: tuple[tuple[str, ...], ...] = ()
    kept: int = 0
    bracket: tuple[str | None, ...] = ()
    title: str = ""
    before: Mapping[str, int] = field(default_factory=dict)
    after: Mapping[str, int] = field(default_factory=dict)


Rounds: TypeAlias = Generator[Round, Sequence[Outcome], None]
"""A generator that yields a round, is sent the outcomes that are due, oldest first, and yields the next round."""


class Format(ABC, Generic[P]):
    """The scheduler of a tournament. The same spec, newcomers, orders and outcomes always give the same tickets."""

    needs_results: ClassVar[bool] = True
    """Whether rounds are paired according to earlier outcomes. If not, there is a single round, with lazily created tickets."""

    has_places: ClassVar[bool] = False
    """Whether the format has its own rules for places (see ``places``)."""

    def __init__(self, spec: Spec, plan: P, joined: Mapping[str, int], derivation: Derivation) -> None:
        self.spec = spec
        self.plan = plan
        self.derivation = derivation
        self.names = [bot.name for bot in spec.bots]
        self.authors = Authors({bot.name: bot.author for bot in spec.bots}, self.names)
        self.stages: list[Stage] = []
        self.uncounted: frozenset[str] = frozenset()
        """The bots whose results don't count, according to the orders."""
        self.joined = {self.number(name): before for name, before in joined.items() if name in self.names}

    def obey(self, orders: Sequence[Order]) -> None:
        """Set all of the host's orders. Only in a ladder do they change rounds. Raises DamagedOrderError."""
        self.uncounted = Orders(orders).uncounted if orders else frozenset()

    @property
    def bots(self) -> range:
        """The numbers of all bots."""
        return range(len(self.names))

    def number(self, name: str) -> int:
        """Return the number of the bot with this name."""
        return self.names.index(name)

    @property
    @abstractmethod
    def blocks(self) -> Mapping[int, int] | None:
        """The number of blocks for each number of seats, or None if it depends on results or the tournament has no end."""

    @property
    def total(self) -> int | None:
        """The number of matches, or None if ``blocks`` is None."""
        blocks = self.blocks
        return None if blocks is None else sum(number * self.count_seatings(players) for players, number in blocks.items())

    @abstractmethod
    def rounds(self) -> Rounds:
        """Yield all rounds, in order."""

    @property
    def numbers(self) -> dict[str, int]:
        """The number of each bot, by name."""
        return {name: number for number, name in enumerate(self.names)}

    def delay(self, ticket: Ticket) -> int:
        """Return the number of rounds from the ticket's own round to the round for which its outcome is due; by default 1."""
        return 1

    def places(self) -> tuple[Place, ...]:
        """Return the place of each bot after the outcomes sent so far, best first; empty if the format has no rules for places."""
        return ()

    def conclusion(self) -> str:
        """Return a sentence on how certain the places are, or an empty string if the format has none."""
        return ""

    def count_seatings(self, players: int) -> int:
        """Return the number of matches in a block."""
        return len(self.names) if players == 1 else self.plan.count_seatings(players)

    def block(self, lineup: Lineup, players: int, block: int, *more: str | int, number: int = 0) -> Iterator[Ticket]:
        """Yield a ticket for each seating of one block; ``lineup`` must be sorted (see ``Derivation.block``)."""
        return self.derivation.block(lineup, self.names, players, block, more, number)

    def paired(self, tables: Iterable[Lineup], number: int, blocks: Iterable[int] | None = None) -> Iterator[Ticket]:
        """Yield the tickets of round ``number`` for these line-ups: all blocks of the plan or, if given, only ``blocks``."""
        for block in range(self.plan.blocks) if blocks is None else blocks:
            for lineup in tables:
                yield from self.block(lineup, len(lineup), block, self.plan.format, number, number=number)


def points(ranks: Sequence[int]) -> tuple[int, ...]:
    """Return the points of each seat in a match: 2 for each opponent that it beats, and 1 for each that it ties with."""
    return tuple(sum(2 * (rank < other) + (rank == other) for other in ranks) - 1 for rank in ranks)


def add_points(outcomes: Iterable[Outcome], numbers: Mapping[str, int]) -> dict[int, int]:
    """Return the total points of each bot in these matches, by number."""
    total: dict[int, int] = {}
    for outcome in outcomes:
        for name, scored in zip(outcome.ticket.seats, points(outcome.ranks), strict=True):
            total[numbers[name]] = total.get(numbers[name], 0) + scored
    return total


_Fixed = TypeVar("_Fixed", bound=RoundRobinPlan | GauntletPlan)


class _FixedLineups(Format[_Fixed]):
    """A format with a single, lazy round, of which only one line-up at a time is in memory.

    Every line-up plays a block before any line-up plays its next, so if a run stops early, all have played about equally often. Tickets
    keep their ids when blocks, numbers of seats or bots are added, or when a sample grows. A line-up has the same ids with and without
    sampling, and in both formats.
    """

    needs_results: ClassVar[bool] = False

    @property
    def blocks(self) -> Mapping[int, int]:
        """The number of blocks: blocks per line-up times line-ups."""
        return {players: self.plan.blocks * self._count_lineups(players) for players in self.plan.tables}

    def rounds(self) -> Rounds:
        """Yield the only round."""
        yield Round(0, self._tickets())

    def _tickets(self) -> Iterator[Ticket]:
        for block in range(self.plan.blocks):
            for players in self.plan.tables:
                for lineup, repeat in self._lineups(players):
                    yield from self.block(lineup, players, block, *((repeat,) if repeat else ()))

    @abstractmethod
    def _count_lineups(self, players: int) -> int: ...

    @abstractmethod
    def _lineups(self, players: int) -> Iterator[tuple[Lineup, int]]:
        """Yield each line-up and how often it has occurred before (if a sample repeats it, it plays with different seeds)."""

    def _count_groups(self, bots: Sequence[int], players: int) -> int:
        every = self.authors.count_lineups(bots, players)
        return every if self.plan.lineups == "all" else min(self.plan.lineups, every)

    def _groups(self, bots: Sequence[int], players: int, table: int) -> Iterator[tuple[Lineup, int]]:
        count = self._count_groups(bots, players)
        if count == self.authors.count_lineups(bots, players):
            return ((group, 0) for group in combinations(bots, players) if self.authors.may_share(group))
        return balanced_sample(bots, players, count, self.derivation.draw("line-ups", table), self.authors)


class RoundRobin(_FixedLineups[RoundRobinPlan]):
    """A round-robin: in each block and for each number of seats, every line-up (or a balanced sample) plays in all seatings."""

    def _count_lineups(self, players: int) -> int:
        return 1 if players == 1 else self._count_groups(self.bots, players)

    def _lineups(self, players: int) -> Iterator[tuple[Lineup, int]]:
        return iter([(tuple(self.bots), 0)]) if players == 1 else self._groups(self.bots, players, players)


class Gauntlet(_FixedLineups[GauntletPlan]):
    """A gauntlet: every line-up has exactly one challenger, so the other bots (the field) meet each other only in a challenger's matches.

    A sample consists of line-ups of the field, which are the same for every challenger. Challengers can be added later.
    """

    @property
    def _challengers(self) -> list[int]:
        return [bot for bot in self.bots if self.names[bot] in self.plan.challengers]

    @property
    def _field(self) -> list[int]:
        return [bot for bot in self.bots if self.names[bot] not in self.plan.challengers]

    def _count_lineups(self, players: int) -> int:
        groups = self._count_groups(self._field, players - 1)
        if not self.authors.clashes:
            return groups * len(self._challengers)
        if groups == self.authors.count_lineups(self._field, players - 1):
            rivals = ([bot for bot in self._field if not self.authors.are_apart(bot, each)] for each in self._challengers)
            return sum(self.authors.count_lineups(bots, players - 1) for bots in rivals)
        return sum(1 for _ in self._lineups(players))

    def _lineups(self, players: int) -> Iterator[tuple[Lineup, int]]:
        for others, repeat in self._groups(self._field, players - 1, players):
            for challenger in self._challengers:
                lineup = tuple(sorted((challenger, *others)))
                if self.authors.may_share(lineup):
                    yield lineup, repeat
