"""Round-robin: for each block and each number of seats, every line-up, or a balanced sample, in all seatings of the block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import ClassVar

from arena.formats.base import Format, Lineup, Round, Rounds
from arena.formats.sampling import balanced_sample
from arena.spec.plans import RoundRobinPlan
from engine.records import Ticket


class RoundRobin(Format[RoundRobinPlan]):
    """A single lazy round: however long it is, only one line-up is held in memory.

    Every line-up plays a block before any plays the next, so a run that is stopped early has played about as much of each. Tickets keep
    their ids when blocks, numbers of seats or bots are added, or when a sample grows. Line-ups of a sample have the same ids as without
    sampling.
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

    def _count_lineups(self, players: int) -> int:
        every = self._count_all(players)
        return every if self.plan.lineups == "all" else min(self.plan.lineups, every)

    def _count_all(self, players: int) -> int:
        return 1 if players == 1 else self.authors.count_lineups(self.bots, players)

    def _lineups(self, players: int) -> Iterator[tuple[Lineup, int]]:
        """Yield line-ups, each with how often it has come before: a sample may repeat one, which then plays with other seeds."""
        if players == 1:
            return iter([(tuple(self.bots), 0)])
        count = self._count_lineups(players)
        if count == self._count_all(players):
            return ((lineup, 0) for lineup in combinations(self.bots, players) if self.authors.may_share(lineup))
        return balanced_sample(self.bots, players, count, self.derivation.draw("line-ups", players), self.authors)
