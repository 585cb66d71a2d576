"""Formats whose line-ups are known from the start: round-robin and gauntlet."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import ClassVar, TypeVar

from arena.formats.base import Format, Lineup, Round, Rounds
from arena.formats.sampling import balanced_sample
from arena.spec.tables import GauntletPlan, RoundRobinPlan
from engine.records import Ticket

P = TypeVar("P", bound=RoundRobinPlan | GauntletPlan)


class _FixedLineups(Format[P]):
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
