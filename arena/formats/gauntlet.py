"""Gauntlet: every line-up with exactly one challenger, against a field whose bots don't meet without one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from math import comb
from typing import ClassVar

from arena.formats.base import Format, Round, Rounds
from arena.formats.sampling import balanced_sample
from arena.plan import GauntletPlan
from engine.records import Ticket


class Gauntlet(Format[GauntletPlan]):
    """One lazy round, blocks first. A sample takes so many line-ups of the field, the same ones for every challenger.

    Tickets keep their ids when blocks, tables, challengers or bots of the field are added, or line-ups to a sample; a gauntlet's line-ups
    have the ids that they have in a round-robin.
    """

    needs_results: ClassVar[bool] = False

    @property
    def blocks(self) -> Mapping[int, int]:
        """Seeds by challengers by line-ups of the field."""
        each = self.plan.blocks * len(self.plan.challengers)
        return {players: each * self._count_lineups(players) for players in self.plan.tables}

    def rounds(self) -> Rounds:
        """The one round."""
        yield Round(0, self._tickets())

    @property
    def _field(self) -> list[str]:
        return [name for name in self.names if name not in self.plan.challengers]

    def _tickets(self) -> Iterator[Ticket]:
        for block in range(self.plan.blocks):
            for players in self.plan.tables:
                for others, repeat in self._lineups(players):
                    for challenger in sorted(self.plan.challengers):
                        lineup = tuple(sorted((challenger, *others)))
                        yield from self.block(lineup, players, block, *((repeat,) if repeat else ()))

    def _count_lineups(self, players: int) -> int:
        every = comb(len(self._field), players - 1)
        return every if self.plan.lineups == "all" else min(self.plan.lineups, every)

    def _lineups(self, players: int) -> Iterator[tuple[tuple[str, ...], int]]:
        """Line-ups of the field, each with how often it has come before."""
        count = self._count_lineups(players)
        if count == comb(len(self._field), players - 1):
            return ((lineup, 0) for lineup in combinations(self._field, players - 1))
        return balanced_sample(self._field, players - 1, count, self.seed("line-ups", players))
