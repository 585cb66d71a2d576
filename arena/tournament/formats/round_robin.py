"""Round-robin: for each block, for each size of table, every line-up or a balanced sample of them, in every seating."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import ClassVar

from arena.tournament.formats.base import Format, Lineup, Round, Rounds
from arena.tournament.formats.sampling import balanced_sample
from arena.tournament.schedule_config import RoundRobinPlan
from engine.records import Ticket


class RoundRobin(Format[RoundRobinPlan]):
    """One lazy round: it costs memory for one line-up, however long it is.

    Blocks come first, so a run that is stopped early has played about as much of everything. Tickets keep their ids when blocks, tables
    or bots are added, or line-ups to a sample; a sample's line-ups have the ids that they have among all.
    """

    needs_results: ClassVar[bool] = False

    @property
    def blocks(self) -> Mapping[int, int]:
        """Blocks of each line-up by line-ups."""
        return {players: self.plan.blocks * self._count_lineups(players) for players in self.plan.tables}

    def rounds(self) -> Rounds:
        """The one round."""
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
        """Line-ups, each with how often it has come before: in a sample it may come again, and then plays other seeds."""
        if players == 1:
            return iter([(tuple(self.bots), 0)])
        count = self._count_lineups(players)
        if count == self._count_all(players):
            return ((lineup, 0) for lineup in combinations(self.bots, players) if self.authors.may_share(lineup))
        return balanced_sample(self.bots, players, count, self.derivation.draw("line-ups", players), self.authors)
