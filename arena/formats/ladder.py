"""Ladder: rounds that go on, in which bots meet those who are about as good; bots may join while it runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations, count
from typing import Final

from arena.formats.base import Format, Outcome, Round, Rounds
from arena.formats.grouping import divide
from arena.plan import LadderPlan
from arena.spec import Spec
from engine.records import Ticket
from leaderboard.ratings import RatedResult, RatingFold

_UNIT: Final = 1_000_000
"""Match quality is compared in millionths, so that the last bit of a float decides nothing."""


class Ladder(Format[LadderPlan]):
    """Line-ups of best match quality (TrueSkill's, of each pair at the table); a pair that has just met counts a quarter less.

    Everyone sits in every round but those who have sat most, if the number of bots does not fit. While a bot is more than
    ``behind`` matches behind, such as one that has just joined, only bots behind play, with opponents who have sat less than the most if
    there are any: so it catches up, unless nearly everyone is needed to fill its table.
    """

    def __init__(self, spec: Spec, plan: LadderPlan, joined: Mapping[str, int]) -> None:
        super().__init__(spec, plan, joined)
        self._begin()

    def _begin(self) -> None:
        self._fold = RatingFold(self.names, self.spec.rating.parameters)
        self._sat = dict.fromkeys(self.names, 0)
        self._last_met: dict[tuple[str, ...], int] = {}

    @property
    def blocks(self) -> Mapping[int, int] | None:
        """Known while nobody has joined late and the plan has an end: rounds by tables by seeds."""
        if self.plan.rounds is None or any(self.joined.values()):
            return None
        return {self.plan.players: self.plan.rounds * (len(self.names) // self.plan.players) * self.plan.blocks}

    def join(self, bot: str, before: int) -> None:
        """A bot has entered before the round of that number."""
        if bot not in self.names:
            self.names = sorted((*self.names, bot))
            self._fold.enter(bot)
            self._sat[bot] = 0
        self.joined[bot] = before

    def rounds(self) -> Rounds:
        """One after the other; each needs the outcomes of the one before it."""
        self._begin()
        for number in count() if self.plan.rounds is None else range(self.plan.rounds):
            tables = self._pair(number)
            outcomes = yield Round(number, self._tickets(tables, number))
            self._take(tables, number, outcomes)

    def _tickets(self, tables: Sequence[tuple[str, ...]], number: int) -> Iterator[Ticket]:
        for block in range(self.plan.blocks):
            for lineup in tables:
                yield from self.block(lineup, len(lineup), block, "ladder", number, number=number)

    def _take(self, tables: Sequence[tuple[str, ...]], number: int, outcomes: Sequence[Outcome]) -> None:
        for outcome in outcomes:
            self._fold.add(RatedResult(outcome.ticket.id, outcome.ticket.seats, outcome.ranks))
        for lineup in tables:
            self._last_met.update(dict.fromkeys(combinations(lineup, 2), number))
            for name in lineup:
                self._sat[name] += 1

    def _pair(self, number: int) -> list[tuple[str, ...]]:
        """The line-ups of a round, sorted."""
        draw = {name: self.seed("ladder", number, name) for name in self.names if 0 <= self.joined.get(name, 0) <= number}
        most = max(self._sat[name] for name in draw)
        late = [name for name in draw if most - self._sat[name] > self.plan.tables_behind]
        behind = sorted(late, key=lambda name: (self._sat[name], draw[name]))
        if behind:
            tables = self._seat_first(behind, draw, most, number)
        else:
            here = sorted(draw, key=lambda name: (self._sat[name], draw[name]))
            here = here[: len(here) - len(here) % self.plan.players]
            means = {each.bot: each.mu for each in self._fold.table()}
            here.sort(key=lambda name: (-means[name], draw[name]))
            cost = cache(lambda one, other: _UNIT - self._value(one, other, number))
            tables = divide(here, self.plan.players, cost, self.seed("ladder", number))
        return sorted(tuple(sorted(table)) for table in tables)

    def _seat_first(self, behind: Sequence[str], draw: Mapping[str, int], most: int, number: int) -> list[list[str]]:
        """Tables for those who are behind, one after the other, with the best opponents left that have not sat the most."""
        free = list(draw)
        tables: list[list[str]] = []
        for name in behind:
            if name not in free or len(free) < self.plan.players:
                continue
            free.remove(name)
            free.sort(key=lambda other: (self._sat[other] == most, -self._value(name, other, number), draw[other]))
            tables.append([name, *free[: self.plan.players - 1]])
            del free[: self.plan.players - 1]
        return tables

    def _value(self, one: str, other: str, number: int) -> int:
        """Match quality in millionths, less the nearer the last meeting: by a quarter after one round, an eighth after two, and so on."""
        pair = (one, other) if one < other else (other, one)
        value = round(self._fold.quality(one, other) * _UNIT)
        last = self._last_met.get(pair)
        return value if last is None else value - (value >> min(number - last + 1, 30))
