"""The base class of formats, which yield rounds of tickets; the derivation of tickets: who sits where, on which seeds, under which ids;
and the formats whose line-ups are known from the start, round-robin and gauntlet.

A round may depend on earlier results. Formats know bots by number; nothing depends on a name.
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
    """Return the derivation of a spec; without its secret, matches can only be counted."""
    if spec.seed is not None:
        return Derivation(spec, open_root(spec.seed))
    return Derivation(spec, None if secret is None else secret.root)


class Derivation:
    """Everything is derived by HMAC from a root and numbers, so renaming a bot changes nothing else. Bots are numbered from 0."""

    def __init__(self, spec: Spec, root: bytes | None) -> None:
        self._keys = None if root is None else Keys.of(root, spec.name, spec.game, dict(spec.make_game().options))
        self._schedule = spec.schedule

    @property
    def keys(self) -> Keys:
        """The tournament's keys. Raises ValueError if its secret is not known."""
        if self._keys is None:
            raise ValueError("the matches of this tournament follow from its secret, which is not known here")
        return self._keys

    def draw(self, *labels: str | int) -> int:
        """Return a seed for a draw."""
        return self.keys.draw(*labels)

    def block(
        self, lineup: Sequence[int], names: Sequence[str], players: int, block: int, more: Sequence[str | int], number: int
    ) -> Iterator[Ticket]:
        """Yield the tickets of a block: one line-up, by number, in all its seatings; solo, every bot of the line-up alone.

        Seatings balance seats and neighbours, and each match has a deck of its own unless the spec shares it. ``more`` distinguishes blocks
        of the same number played by the same line-up, for instance in other rounds; ``number`` is the round's.
        """
        same = [] if players == 1 else list(lineup)  # in solo play, a bot's matches do not depend on the other entrants
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
"""The numbers of the bots that share a table, sorted."""
P = TypeVar("P", bound=RoundRobinPlan | GauntletPlan | SwissPlan | LadderPlan | KnockoutPlan | FinalPlan)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A played match: its ticket, and the rank of each seat (1 is the best; tied seats share the better rank)."""

    ticket: Ticket
    ranks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Round:
    """Matches that can be played in any order. ``number`` counts from 0; when ties are played off, the same number is used again."""

    number: int
    tickets: Iterable[Ticket]


@dataclass(frozen=True, slots=True)
class Place:
    """A bot's place by the format's own rules; ``note`` gives the reason, such as its points or the stage that it reached.

    If results leave several places possible, ``place`` is the best of them and ``last`` the worst.
    """

    place: int
    bot: str
    note: str
    last: int | None = None


@dataclass(frozen=True, slots=True)
class Stage:
    """The pairings of a round of a Swiss or a knockout, and their results; bots by name.

    ``tables`` are in the order of the bracket, if there is one. ``ranked`` has the bots of each table, best first, and is empty until the
    round is over; the first ``kept`` of each table advance. ``bracket`` has the bots of a bracket from its top down, None for a bye;
    ``title`` is what a knockout calls the stage. ``before`` and ``after`` are everyone's points in a Swiss; ``after`` is empty until the
    round is over.
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
"""A generator that yields a round, receives the outcomes due by then, oldest first, and yields the next round."""


class Format(ABC, Generic[P]):
    """The scheduler of one tournament: the same spec, late entries and outcomes always give the same tickets."""

    needs_results: ClassVar[bool] = True
    """Whether rounds are paired by the outcomes of earlier ones. If not, there is a single round, whose tickets are made lazily."""

    has_places: ClassVar[bool] = False
    """Whether ``places`` returns anything."""

    def __init__(self, spec: Spec, plan: P, joined: Mapping[str, int], derivation: Derivation) -> None:
        self.spec = spec
        self.plan = plan
        self.derivation = derivation
        self.names = [bot.name for bot in spec.bots]
        self.authors = Authors({bot.name: bot.author for bot in spec.bots}, self.names)
        self.stages: list[Stage] = []
        self.uncounted: frozenset[str] = frozenset()
        """The bots whose results don't count, by the orders."""
        self.joined = {self.number(name): before for name, before in joined.items() if name in self.names}

    def obey(self, orders: Sequence[Order]) -> None:
        """Set all orders of the host; only the rounds of a ladder follow from them. Raises DamagedOrderError."""
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
        """The number of blocks for each number of seats; None if it depends on results, or the tournament has no end."""

    @property
    def total(self) -> int | None:
        """The number of matches; None whenever ``blocks`` is."""
        blocks = self.blocks
        return None if blocks is None else sum(number * self.count_seatings(players) for players, number in blocks.items())

    @abstractmethod
    def rounds(self) -> Rounds:
        """Yield the rounds from the first on."""

    @property
    def numbers(self) -> dict[str, int]:
        """The number of each bot, by name."""
        return {name: number for number, name in enumerate(self.names)}

    def delay(self, ticket: Ticket) -> int:
        """Return how many rounds after a ticket's round its outcome is due: 1 if the next round is paired by it."""
        return 1

    def places(self) -> tuple[Place, ...]:
        """Return the place of each bot after the outcomes sent so far, best first; empty if only ratings count."""
        return ()

    def conclusion(self) -> str:
        """Return how certain the places are, in a sentence; empty where the format does not say."""
        return ""

    def count_seatings(self, players: int) -> int:
        """Return the number of matches in a block."""
        return len(self.names) if players == 1 else self.plan.count_seatings(players)

    def block(self, lineup: Lineup, players: int, block: int, *more: str | int, number: int = 0) -> Iterator[Ticket]:
        """Yield a ticket for each seating of a block of one line-up, which is sorted; see ``Derivation.block``."""
        return self.derivation.block(lineup, self.names, players, block, more, number)

    def paired(self, tables: Iterable[Lineup], number: int, blocks: Iterable[int] | None = None) -> Iterator[Ticket]:
        """Yield the tickets of the line-ups that a round has paired, block by block; by default these are the blocks of the plan."""
        for block in range(self.plan.blocks) if blocks is None else blocks:
            for lineup in tables:
                yield from self.block(lineup, len(lineup), block, self.plan.format, number, number=number)


def points(ranks: Sequence[int]) -> tuple[int, ...]:
    """Return the points of each seat of a match: 2 for each opponent it beats, 1 for each it ties with."""
    return tuple(sum(2 * (rank < other) + (rank == other) for other in ranks) - 1 for rank in ranks)


def add_points(outcomes: Iterable[Outcome], numbers: Mapping[str, int]) -> dict[int, int]:
    """Return the total points of each bot, by its number, over these matches."""
    total: dict[int, int] = {}
    for outcome in outcomes:
        for name, scored in zip(outcome.ticket.seats, points(outcome.ranks), strict=True):
            total[numbers[name]] = total.get(numbers[name], 0) + scored
    return total


_Fixed = TypeVar("_Fixed", bound=RoundRobinPlan | GauntletPlan)


class _FixedLineups(Format[_Fixed]):
    """A single lazy round: however long it is, only one line-up is held in memory.

    Every line-up plays a block before any plays its next one, so a run that stops early has played all about equally often. Tickets keep
    their ids when blocks, numbers of seats or bots are added, or when a sample grows. Line-ups of a sample have the same ids as without
    sampling, and the same in both formats.
    """

    needs_results: ClassVar[bool] = False

    @property
    def blocks(self) -> Mapping[int, int]:
        """The blocks of each line-up times the number of line-ups."""
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
        """Yield line-ups, each with the number of its earlier occurrences: a sample may repeat one, which then plays with other seeds."""

    def _count_groups(self, bots: Sequence[int], players: int) -> int:
        every = self.authors.count_lineups(bots, players)
        return every if self.plan.lineups == "all" else min(self.plan.lineups, every)

    def _groups(self, bots: Sequence[int], players: int, table: int) -> Iterator[tuple[Lineup, int]]:
        """Yield groups of bots for tables of that size: all groups, or a balanced sample."""
        count = self._count_groups(bots, players)
        if count == self.authors.count_lineups(bots, players):
            return ((group, 0) for group in combinations(bots, players) if self.authors.may_share(group))
        return balanced_sample(bots, players, count, self.derivation.draw("line-ups", table), self.authors)


class RoundRobin(_FixedLineups[RoundRobinPlan]):
    """For each block and each number of seats, every line-up, or a balanced sample, in all seatings of the block."""

    def _count_lineups(self, players: int) -> int:
        return 1 if players == 1 else self._count_groups(self.bots, players)

    def _lineups(self, players: int) -> Iterator[tuple[Lineup, int]]:
        return iter([(tuple(self.bots), 0)]) if players == 1 else self._groups(self.bots, players, players)


class Gauntlet(_FixedLineups[GauntletPlan]):
    """Every line-up has exactly one challenger, so bots of the field meet each other only at a challenger's table.

    A sample consists of line-ups of the field, the same ones for every challenger. Challengers can be added, too.
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
