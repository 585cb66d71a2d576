"""Swiss: everyone plays in every round, against bots that stand about equal and have not been met yet while that can be had."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import ClassVar, Final

from arena.formats.base import Format, Outcome, Place, Round, Rounds, add_points
from arena.formats.grouping import divide
from arena.plan import SwissPlan
from arena.spec import Spec
from engine.core import shared_ranks
from engine.records import Ticket

_BYE: Final = ""
"""The opponent of a bot that has a bye at tables of two; no bot has this name."""


class Swiss(Format[SwissPlan]):
    """Rounds of line-ups that minimise, in this order: repeats of a pair, then squares of differences in points, then a draw by the seed.

    At tables of two a round has the fewest repeats that there can be after the rounds before it, and none in the first half as many
    rounds as there are bots. Larger tables are found by exchanges, which avoid repeats well but not provably. Byes go to those who
    have had fewest, of them to the last in the standing; a bye counts like a table at which everything is tied. More rounds leave
    those that were there as they are.
    """

    has_places: ClassVar[bool] = True

    def __init__(self, spec: Spec, plan: SwissPlan, joined: Mapping[str, int]) -> None:
        super().__init__(spec, plan, joined)
        self._begin()

    def _begin(self) -> None:
        self._points = dict.fromkeys(self.names, 0)
        self._byes = dict.fromkeys(self.names, 0)
        self._met: Counter[tuple[str, ...]] = Counter()

    @property
    def blocks(self) -> Mapping[int, int]:
        """Rounds by tables by seeds."""
        return {self.plan.players: self.plan.rounds * (len(self.names) // self.plan.players) * self.plan.blocks}

    def rounds(self) -> Rounds:
        """As many as the plan says."""
        self._begin()
        for number in range(self.plan.rounds):
            tables = self._pair(number)
            outcomes = yield Round(number, self._tickets(tables, number))
            self._take(tables, outcomes)

    def places(self) -> tuple[Place, ...]:
        """By points; of equal points, by those of the opponents that were met, added up."""
        met = {name: sum(self._points[other] * self._times(name, other) for other in self.names) for name in self.names}
        ordered = sorted(self.names, key=lambda name: (-self._points[name], -met[name], name))
        places = shared_ranks([(self._points[name], met[name]) for name in ordered])
        return tuple(
            Place(place, name, f"{self._points[name]} points, opponents {met[name]}") for place, name in zip(places, ordered, strict=True)
        )

    def _times(self, one: str, other: str) -> int:
        """How often they have met."""
        return self._met[one, other] + self._met[other, one]

    def _tickets(self, tables: Sequence[tuple[str, ...]], number: int) -> Iterator[Ticket]:
        for block in range(self.plan.blocks):
            for lineup in tables:
                yield from self.block(lineup, len(lineup), block, "swiss", number, number=number)

    def _take(self, tables: Sequence[tuple[str, ...]], outcomes: Sequence[Outcome]) -> None:
        for name, scored in add_points(outcomes).items():
            self._points[name] += scored
        for lineup in tables:
            self._met.update(combinations(lineup, 2))
        seated = {name for lineup in tables for name in lineup}
        for name in self.names:
            if name not in seated:
                self._byes[name] += 1
                self._points[name] += self.plan.table_matches * (self.plan.players - 1)

    def _pair(self, number: int) -> list[tuple[str, ...]]:
        """The line-ups of a round, sorted."""
        players = self.plan.players
        draw = {name: self.seed("swiss", number, name) for name in self.names}
        line = sorted(self.names, key=lambda name: (-self._points[name], draw[name]))
        spare = len(line) % players
        out = sorted(line, key=lambda name: (self._byes[name], self._points[name], draw[name]))[:spare]
        if out and players == 2:  # who has the bye is part of the matching, so that it need not force a repeat
            line.insert(line.index(out[0]) + 1, _BYE)
        else:
            line = [name for name in line if name not in out]
        repeat = len(line) * players * (1 + max(self._points.values()) - min(self._points.values())) ** 2  # more than all else together
        one_bye_too_many = repeat * len(line) * (number + 1) ** 2
        fewest, least = min(self._byes.values()), min(self._points.values())

        def cost(one: str, other: str) -> int:
            if _BYE in {one, other}:
                name = one or other
                return (self._byes[name] - fewest) * one_bye_too_many + self._points[name] - least
            return self._times(one, other) ** 2 * repeat + (self._points[one] - self._points[other]) ** 2

        tables = divide(line, players, cost, self.seed("swiss", number), acceptable=repeat - 1)
        return sorted(tuple(sorted(table)) for table in tables if _BYE not in table)
