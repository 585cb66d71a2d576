"""What a format is: rounds of tickets that may wait for results. It owns tickets, blocks and points, not who meets whom."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import ClassVar, Generic, TypeAlias, TypeVar

from arena.plan import GauntletPlan, KnockoutPlan, LadderPlan, RoundRobinPlan, SwissPlan
from arena.seeds import derive_id, derive_seed
from arena.spec import Spec
from engine.records import Ticket

P = TypeVar("P", bound=RoundRobinPlan | GauntletPlan | SwissPlan | LadderPlan | KnockoutPlan)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A match that has been played: its ticket, and the rank of each seat (1 is best; ties share the better one)."""

    ticket: Ticket
    ranks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Round:
    """Matches that can be played in any order. ``number`` counts from 0; a round that plays on after ties has its number again."""

    number: int
    tickets: Iterable[Ticket]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a bot stands by the format's own rules; ``note`` says what its place is worth, such as points or how far it came."""

    place: int
    bot: str
    note: str


Rounds: TypeAlias = Generator[Round, Sequence[Outcome], None]
"""Yields a round, is sent its outcomes in the order of its tickets, and yields the next."""


class Format(ABC, Generic[P]):
    """The scheduler of one tournament. The same spec, joinings and outcomes always give the same tickets."""

    needs_results: ClassVar[bool] = True
    """Whether a round is paired by the outcomes of those before it; if not, there is one, lazy round, and nothing need be sent."""

    has_places: ClassVar[bool] = False
    """Whether ``places`` says where everyone stands."""

    def __init__(self, spec: Spec, plan: P, joined: Mapping[str, int]) -> None:
        self.spec = spec
        self.plan = plan
        self.names = sorted(bot.name for bot in spec.bots)
        self.joined = dict(joined)
        self._labels = (spec.name, spec.seed, spec.game, dict(spec.make_game().options))

    @property
    @abstractmethod
    def blocks(self) -> Mapping[int, int] | None:
        """How many blocks there are of each number of seats; None when it depends on results or there is no end."""

    @property
    def total(self) -> int | None:
        """How many matches there are; None as with ``blocks``."""
        blocks = self.blocks
        return None if blocks is None else sum(number * self.count_seatings(players) for players, number in blocks.items())

    @abstractmethod
    def rounds(self) -> Rounds:
        """The rounds, one after the other."""

    def join(self, bot: str, before: int) -> None:
        """A bot has entered before the round of that number, which has not been yielded yet. Only a ladder can have this."""
        raise TypeError(f"nobody can join a {self.plan.format} that has begun: {bot}, round {before}")

    def places(self) -> tuple[Place, ...]:
        """Where everyone stands after the outcomes sent so far, best first; empty where the rating is all that counts."""
        return ()

    def count_seatings(self, players: int) -> int:
        """The matches of a block."""
        return len(self.names) if players == 1 else self.plan.count_seatings(players)

    def seed(self, *labels: str | int) -> int:
        """A seed for the format's own draws."""
        return derive_seed(*self._labels[:3], *labels)

    def block(self, lineup: tuple[str, ...], players: int, block: int, *more: str | int, number: int = 0) -> Iterator[Ticket]:
        """One line-up (sorted) in every seating: the unit of intervals, in which the advantage of seats cancels, but not luck of tiles.

        ``more`` tells apart blocks of the same number that the line-up plays, in other rounds for one; ``number`` is the round's. Solo,
        for one player, every bot of the line-up plays the same seed, whoever else has entered.
        """
        same = () if players == 1 else lineup
        seed = derive_seed(*self._labels[:3], "game", players, block, *same, *more)
        for rotation, seats in enumerate(self._seatings(lineup, players)):
            yield Ticket(derive_id(*self._labels, same, block, seats, *more), lineup, block, rotation, seats, seed, number)

    def _seatings(self, lineup: tuple[str, ...], players: int) -> Iterator[tuple[str, ...]]:
        if players == 1:
            return ((name,) for name in lineup)
        if self.plan.seats == "permutations":
            return permutations(lineup)
        return (lineup[shift:] + lineup[:shift] for shift in range(players))


def points(ranks: Sequence[int]) -> tuple[int, ...]:
    """What each seat of a match scores: 2 for each opponent that it beats, 1 for each that it ties with."""
    return tuple(sum(2 * (rank < other) + (rank == other) for other in ranks) - 1 for rank in ranks)


def add_points(outcomes: Iterable[Outcome]) -> dict[str, int]:
    """The points of each bot over some matches."""
    total: dict[str, int] = {}
    for outcome in outcomes:
        for bot, scored in zip(outcome.ticket.seats, points(outcome.ranks), strict=True):
            total[bot] = total.get(bot, 0) + scored
    return total
