"""The base class of formats, which make rounds of tickets that may wait for results. Formats know bots by number, never by name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeAlias, TypeVar

from arena.tournament.formats.authors import Authors
from arena.tournament.schedule_config import GauntletPlan, KnockoutPlan, LadderPlan, RoundRobinPlan, SwissPlan
from arena.tournament.seeds.derivation import Derivation
from arena.tournament.spec import Spec
from engine.records import Ticket

Lineup: TypeAlias = tuple[int, ...]
"""Bots that share a table, by number, sorted."""
P = TypeVar("P", bound=RoundRobinPlan | GauntletPlan | SwissPlan | LadderPlan | KnockoutPlan)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A match that has been played: its ticket, and the rank of each seat (1 is best; ties share the better rank)."""

    ticket: Ticket
    ranks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Round:
    """Matches that can be played in any order. ``number`` counts from 0; a round that plays on after ties has its number again."""

    number: int
    tickets: Iterable[Ticket]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a bot stands by the format's own rules; ``note`` says why, such as its points or how far it came."""

    place: int
    bot: str
    note: str


Rounds: TypeAlias = Generator[Round, Sequence[Outcome], None]
"""Yields a round, is sent its outcomes in the order of its tickets, and yields the next."""


class Format(ABC, Generic[P]):
    """The scheduler of one tournament. The same spec, joinings and outcomes always give the same tickets."""

    needs_results: ClassVar[bool] = True
    """Whether a round is paired by the outcomes of those before it; if not, there is one lazy round, which needs none."""

    has_places: ClassVar[bool] = False
    """Whether ``places`` returns any."""

    def __init__(self, spec: Spec, plan: P, joined: Mapping[str, int], derivation: Derivation) -> None:
        self.spec = spec
        self.plan = plan
        self.derivation = derivation
        self.names = derivation.numbered([bot.name for bot in spec.bots])
        self.authors = Authors({bot.name: bot.author for bot in spec.bots}, self.names)
        self.joined = {self.number(name): before for name, before in joined.items() if name in self.names}

    @property
    def bots(self) -> range:
        """The numbers of all bots, which formats know them by."""
        return range(len(self.names))

    def number(self, name: str) -> int:
        """A bot's number."""
        return self.names.index(name)

    @property
    @abstractmethod
    def blocks(self) -> Mapping[int, int] | None:
        """How many blocks there are of each number of seats; None if that depends on results, or there is no end."""

    @property
    def total(self) -> int | None:
        """How many matches there are; None under the same conditions as ``blocks``."""
        blocks = self.blocks
        return None if blocks is None else sum(number * self.count_seatings(players) for players, number in blocks.items())

    @abstractmethod
    def rounds(self) -> Rounds:
        """Yield the rounds, one after the other, from the first."""

    def join(self, bot: str, before: int, author: str | None = None) -> None:
        """Let a bot in before the round of that number, which has not been yielded yet. Raises TypeError unless the format is a ladder."""
        raise TypeError(f"nobody can join a {self.plan.format} that has begun: {bot}, by {author}, round {before}")

    @property
    def numbers(self) -> dict[str, int]:
        """The bots' numbers by name."""
        return {name: number for number, name in enumerate(self.names)}

    def places(self) -> tuple[Place, ...]:
        """Return where everyone stands after the outcomes sent so far, best first; empty if only the rating counts."""
        return ()

    def count_seatings(self, players: int) -> int:
        """Return how many matches a block has."""
        return len(self.names) if players == 1 else self.plan.count_seatings(players)

    def block(self, lineup: Lineup, players: int, block: int, *more: str | int, number: int = 0) -> Iterator[Ticket]:
        """Yield the tickets of one sorted line-up in every seating of its block; see ``Derivation.block``."""
        return self.derivation.block(lineup, self.names, players, block, more, number)

    def paired(self, tables: Iterable[Lineup], number: int, blocks: Iterable[int] | None = None) -> Iterator[Ticket]:
        """Yield the tickets of the line-ups that a round has paired, block by block; by default these are the blocks of the plan."""
        for block in range(self.plan.blocks) if blocks is None else blocks:
            for lineup in tables:
                yield from self.block(lineup, len(lineup), block, self.plan.format, number, number=number)


def points(ranks: Sequence[int]) -> tuple[int, ...]:
    """Return what each seat of a match scores: 2 for each opponent that it beats, 1 for each that it ties with."""
    return tuple(sum(2 * (rank < other) + (rank == other) for other in ranks) - 1 for rank in ranks)


def add_points(outcomes: Iterable[Outcome], numbers: Mapping[str, int]) -> dict[int, int]:
    """Return the points of each bot, by number, over some matches."""
    total: dict[int, int] = {}
    for outcome in outcomes:
        for name, scored in zip(outcome.ticket.seats, points(outcome.ranks), strict=True):
            total[numbers[name]] = total.get(numbers[name], 0) + scored
    return total
