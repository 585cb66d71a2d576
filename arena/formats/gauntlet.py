"""Gauntlet: every line-up has exactly one challenger, so bots of the field meet each other only at a challenger's table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import ClassVar

from arena.formats.base import Format, Lineup, Round, Rounds
from arena.formats.sampling import balanced_sample
from arena.spec.plans import GauntletPlan
from engine.records import Ticket


class Gauntlet(Format[GauntletPlan]):
    """A single lazy round, in the order of blocks. A sample consists of line-ups of the field, the same ones for every challenger.

    Tickets keep their ids when blocks, numbers of seats, challengers or bots of the field are added, or when a sample grows. A line-up has
    the same ids as in a round-robin.
    """

    needs_results: ClassVar[bool] = False

    @property
    def blocks(self) -> Mapping[int, int]:
        """The blocks of each line-up times the number of line-ups."""
        return {players: self.plan.blocks * self._count_tables(players) for players in self.plan.tables}

    def rounds(self) -> Rounds:
        """Yield the only round."""
        yield Round(0, self._tickets())

    @property
    def _challengers(self) -> list[int]:
        return [bot for bot in self.bots if self.names[bot] in self.plan.challengers]

    @property
    def _field(self) -> list[int]:
        return [bot for bot in self.bots if self.names[bot] not in self.plan.challengers]

    def _tickets(self) -> Iterator[Ticket]:
        for block in range(self.plan.blocks):
            for players in self.plan.tables:
                for lineup, repeat in self._lineups(players):
                    yield from self.block(lineup, players, block, *((repeat,) if repeat else ()))

    def _count_tables(self, players: int) -> int:
        if not self.authors.clashes:
            return self._count_groups(players) * len(self._challengers)
        if self._count_groups(players) == self.authors.count_lineups(self._field, players - 1):
            return sum(self.authors.count_lineups(self._without(challenger), players - 1) for challenger in self._challengers)
        return sum(1 for _ in self._lineups(players))

    def _without(self, challenger: int) -> list[int]:
        """Return the bots of the field that may sit with the challenger."""
        return [bot for bot in self._field if not self.authors.are_apart(bot, challenger)]

    def _count_groups(self, players: int) -> int:
        every = self.authors.count_lineups(self._field, players - 1)
        return every if self.plan.lineups == "all" else min(self.plan.lineups, every)

    def _lineups(self, players: int) -> Iterator[tuple[Lineup, int]]:
        """Yield each group of the field with each challenger that may join it, and how often the group has come before."""
        for others, repeat in self._groups(players):
            for challenger in self._challengers:
                lineup = tuple(sorted((challenger, *others)))
                if self.authors.may_share(lineup):
                    yield lineup, repeat

    def _groups(self, players: int) -> Iterator[tuple[Lineup, int]]:
        count = self._count_groups(players)
        if count == self.authors.count_lineups(self._field, players - 1):
            return ((group, 0) for group in combinations(self._field, players - 1) if self.authors.may_share(group))
        return balanced_sample(self._field, players - 1, count, self.derivation.draw("line-ups", players), self.authors)
