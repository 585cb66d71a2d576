"""Swiss: every bot plays in every round, against bots with about the same points and, if possible, bots it has not met before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import ClassVar, Final

from arena.formats.base import Derivation, Format, Lineup, Outcome, Place, Round, Rounds, Stage, add_points
from arena.formats.table_pairing import divide
from arena.spec.spec import Spec
from arena.spec.tables import SwissPlan
from engine.core import shared_ranks

_BYE: Final = -1
"""The opponent of a bot that has a bye in two-player matches; no bot has this number."""


class Swiss(Format[SwissPlan]):
    """The line-ups of each round minimise repeated pairings, then squared differences in points; the seed breaks remaining ties.

    With two players, a round has as few repeats as the previous rounds allow, and with n bots, there are none in the first n / 2 rounds.
    Larger tables are found by exchanging bots, which usually avoids repeats. Byes go to the bots that have had the fewest byes, lowest in
    the standings first; a bye scores like matches in which all bots tie. Bots by the same author don't meet; if a table can't avoid it, all
    its bots get a bye. Adding rounds does not change earlier rounds.
    """

    has_places: ClassVar[bool] = True

    def __init__(self, spec: Spec, plan: SwissPlan, joined: Mapping[str, int], derivation: Derivation) -> None:
        super().__init__(spec, plan, joined, derivation)
        self._begin()

    def _begin(self) -> None:
        self._points = dict.fromkeys(self.bots, 0)
        self._byes = dict.fromkeys(self.bots, 0)
        self._met: Counter[Lineup] = Counter()
        self.stages.clear()

    @property
    def blocks(self) -> Mapping[int, int] | None:
        """The number of blocks for the only number of seats, or None if bots by the same author may force byes."""
        if self.authors.clashes:
            return None
        return {self.plan.players: self.plan.rounds * (len(self.names) // self.plan.players) * self.plan.blocks}

    def rounds(self) -> Rounds:
        """Yield the rounds of the plan."""
        self._begin()
        for number in range(self.plan.rounds):
            tables = self._pair(number)
            self.stages.append(self._stage(number, tables))
            outcomes = yield Round(number, self.paired(tables, number))
            self._take(tables, outcomes)
            self.stages[-1] = replace(self.stages[-1], after=self._named_points())

    def places(self) -> tuple[Place, ...]:
        """Return the places in order of points; ties are broken by the sum of the opponents' points."""
        met = {bot: sum(self._points[other] * self._times(bot, other) for other in self.bots) for bot in self.bots}
        ordered = sorted(self.bots, key=lambda bot: (-self._points[bot], -met[bot], bot))
        places = shared_ranks([(self._points[bot], met[bot]) for bot in ordered])
        return tuple(
            Place(place, self.names[bot], f"{self._points[bot]} points, opponents {met[bot]}")
            for place, bot in zip(places, ordered, strict=True)
        )

    def _stage(self, number: int, tables: Sequence[Lineup]) -> Stage:
        seated = {bot for table in tables for bot in table}
        ordered = sorted(tables, key=lambda table: (-sum(self._points[bot] for bot in table), table))
        return Stage(
            number,
            tuple(tuple(self.names[bot] for bot in sorted(table, key=lambda bot: (-self._points[bot], bot))) for table in ordered),
            tuple(self.names[bot] for bot in self.bots if bot not in seated),
            before=self._named_points(),
        )

    def _named_points(self) -> dict[str, int]:
        return {self.names[bot]: points for bot, points in self._points.items()}

    def _times(self, one: int, other: int) -> int:
        return self._met[one, other] + self._met[other, one]

    def _take(self, tables: Sequence[Lineup], outcomes: Sequence[Outcome]) -> None:
        for bot, scored in add_points(outcomes, self.numbers).items():
            self._points[bot] += scored
        for lineup in tables:
            self._met.update(combinations(lineup, 2))
        seated = {bot for lineup in tables for bot in lineup}
        for bot in self.bots:
            if bot not in seated:
                self._byes[bot] += 1
                self._points[bot] += self.plan.table_matches * (self.plan.players - 1)

    def _pair(self, number: int) -> list[Lineup]:
        players = self.plan.players
        draw = {bot: self.derivation.draw("swiss", number, bot) for bot in self.bots}
        line = sorted(self.bots, key=lambda bot: (-self._points[bot], draw[bot]))
        spare = len(line) % players
        out = sorted(line, key=lambda bot: (self._byes[bot], self._points[bot], draw[bot]))[:spare]
        if out and players == 2:  # the matching includes the bye, so that it doesn't force a repeat
            line.insert(line.index(out[0]) + 1, _BYE)
        else:
            line = [bot for bot in line if bot not in out]
        repeat = len(line) * players * (1 + max(self._points.values()) - min(self._points.values())) ** 2  # outweighs all differences
        one_bye_too_many = repeat * len(line) * (number + 1) ** 2
        never = one_bye_too_many * len(line) * (number + 1)
        fewest, least = min(self._byes.values()), min(self._points.values())

        def cost(one: int, other: int) -> int:
            if _BYE in {one, other}:
                bot = max(one, other)
                return (self._byes[bot] - fewest) * one_bye_too_many + self._points[bot] - least
            if self.authors.are_apart(one, other):
                return never
            return self._times(one, other) ** 2 * repeat + (self._points[one] - self._points[other]) ** 2

        tables = divide(line, players, cost, self.derivation.draw("swiss", number), acceptable=repeat - 1)
        lineups = sorted(tuple(sorted(table)) for table in tables if _BYE not in table)
        return [lineup for lineup in lineups if self.authors.may_share(lineup)]
