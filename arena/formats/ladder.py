"""Ladder: in each round, bots of similar strength meet. Bots can join while it runs, and the host controls it with orders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations, count
from math import exp
from random import Random
from statistics import median_high
from typing import Final

from arena.formats.base import Derivation, Format, Lineup, Round, Rounds
from arena.formats.orders import SLOWEST, Orders
from arena.formats.table_pairing import divide
from arena.spec.spec import Spec, SpecError
from arena.spec.tables import LadderPlan
from engine.records import Ticket
from leaderboard.ratings.fold import RatedResult, RatingFold
from leaderboard.records import Order

EXTRA_TABLES: Final = 3
"""The most extra tables that a bot gets in one round to catch up."""
MOST_IDLE: Final = 2 * SLOWEST
"""A ladder that has had no table for this many rounds will never have one."""
_APART: Final = 1 << 40
_UNIT: Final = 1_000_000
"""Costs of pairings are integers, in millionths, so that rounding errors never matter."""
_UNIFORM: Final = 12
"""The sum of this many uniform draws has a variance of 1, is almost normal, and is identical on every machine."""


class NoTableError(SpecError):
    """The bots in a ladder can't fill a table."""

    def __init__(self, bots: Sequence[str]) -> None:
        super().__init__(
            f"the bots in the ladder ({', '.join(bots) or 'none'}) can't fill a table, because others have left or some have the "
            "same author; submit more bots, or end the ladder with 'arena ladder end'"
        )


class Ladder(Format[LadderPlan]):
    """Sorts the bots into a line for each round. Neighbours in the line meet, but bots that have just met are less likely to.

    A bot's position in the line depends on the mean of its rating plus a random draw with a deviation of twice beta. Without the draw, the
    best bots would play only each other, and luck in early matches would never be corrected (docs/ratings.md).

    All bots play in every round, except bots at a slower pace, bots whose table would have two bots by the same author and, if the number
    of bots does not fit, bots that have played most. A bot that is more than ``behind`` matches behind, such as a new bot, plays at up to
    ``EXTRA_TABLES`` extra tables in the same round, without delaying others. With two players, its extra opponents are those that give the
    most information about its skill (counted a quarter lower if the two have just met). An opponent sits at only one extra table in a
    round; bots that are far ahead of the median number of matches (by more than half of ``behind``) are chosen last.

    Each round is paired using only results at least ``lag`` rounds old. The results of a slow bot's table are due only halfway to the
    bot's next round, so they don't delay rounds. In its first round, a bot has one table, whose results are due before the next round, so
    that a slow new bot doesn't play a second round before its pace is known.
    """

    def __init__(self, spec: Spec, plan: LadderPlan, joined: Mapping[str, int], derivation: Derivation) -> None:
        super().__init__(spec, plan, joined, derivation)
        self.orders = Orders()
        """The orders of the host and of the ladder's rules."""
        self._begin()

    def _begin(self) -> None:
        self._fold = RatingFold(self.names, self.spec.rating.parameters)
        self._sat = dict.fromkeys(self.bots, 0)
        self._first: dict[str, int] = {}  # the round in which a bot first played
        self._stood: Counter[int] = Counter()  # rounds in which a bot's table was dropped for having two bots by one author
        self._last_met: dict[Lineup, int] = {}

    @property
    def blocks(self) -> Mapping[int, int] | None:
        """The number of blocks, or None if the ladder has no end, a bot joined later or has left, or an author has two bots."""
        if self.plan.rounds is None or any(self.joined.values()) or self.authors.clashes or self.orders.change_schedule:
            return None
        return {self.plan.players: self.plan.rounds * (len(self.names) // self.plan.players) * self.plan.blocks}

    def obey(self, orders: Sequence[Order]) -> None:
        """Set all orders; new orders must not affect rounds that are already scheduled. Raises DamagedOrderError."""
        super().obey(orders)
        self.orders = Orders(orders)

    def join(self, bot: str, before: int, author: str | None = None) -> None:
        """Add a bot before round ``before``, which must not have been yielded yet."""
        if bot not in self.names:
            self.names.append(bot)
            self.authors.add(self.number(bot), author)
            self._fold.enter(bot)
            self._sat[self.number(bot)] = 0
        self.joined[self.number(bot)] = before

    def delay(self, ticket: Ticket) -> int:
        """Return the number of rounds from the ticket's own round to the round for which its outcome is due."""
        slowest = max(self.orders.every(bot, ticket.round) for bot in ticket.seats)
        if slowest == 1 and any(self._first.get(bot) == ticket.round for bot in ticket.seats):
            return 1
        return max(self.plan.lag, slowest // 2)

    def rounds(self) -> Rounds:
        """Yield the rounds, each paired according to the outcomes that are due."""
        self._begin()
        idle = 0
        for number in count() if self.plan.rounds is None else range(self.plan.rounds):
            if self.orders.is_over(number):
                return
            tables = self._pair(number)
            idle = 0 if tables else idle + 1
            if idle > MOST_IDLE:
                raise NoTableError([self.names[bot] for bot in self.bots if self._is_in(bot, number)])
            for lineup in tables:
                self._last_met.update(dict.fromkeys(combinations(lineup, 2), number))
                for bot in lineup:
                    if not self._sat[bot]:
                        self._first[self.names[bot]] = number
                    self._sat[bot] += 1
            for outcome in (yield Round(number, self.paired(tables, number))):
                self._fold.add(RatedResult(outcome.ticket.id, outcome.ticket.seats, outcome.ranks))

    def _pair(self, number: int) -> list[Lineup]:
        present = [bot for bot in self.bots if self._is_in(bot, number)]
        if len(present) < self.plan.players:
            return []
        on_turn = [bot for bot in present if self.orders.plays(self.names[bot], number)]
        playing = on_turn if len(on_turn) >= self.plan.players else present
        draw = {bot: self.derivation.draw("ladder", number, bot) for bot in playing}
        most = max(self._sat[bot] for bot in draw)
        known = [bot for bot in draw if self._sat[bot]]
        late = [bot for bot in known if most - self._sat[bot] > self.plan.tables_behind and self.orders.every(self.names[bot], number) == 1]
        behind = sorted(late, key=lambda bot: (self._sat[bot], draw[bot]))
        here = sorted(draw, key=lambda bot: (self._sat[bot] + self._stood[bot], draw[bot]))
        here = here[: len(here) - len(here) % self.plan.players]
        means = {each.bot: each.mu for each in self._fold.table()}
        forms = {bot: means[self.names[bot]] / (2 * self.spec.rating.beta) + self._luck(bot, number) for bot in here}
        here.sort(key=lambda bot: (-forms[bot], draw[bot]))
        cost = cache(lambda one, other: self._cost(one, other, forms[one] - forms[other], number))
        tables = divide(here, self.plan.players, cost, self.derivation.draw("ladder", number))
        divided = [tuple(sorted(table)) for table in tables]
        lineups = [lineup for lineup in divided if self.authors.may_share(lineup)]
        self._stood.update(bot for lineup in divided if not self.authors.may_share(lineup) for bot in lineup)
        return sorted((*lineups, *self._extra(behind, lineups, draw, number)))

    def _is_in(self, bot: int, number: int) -> bool:
        return 0 <= self.joined.get(bot, 0) <= number and not self.orders.is_out(self.names[bot], number)

    def _luck(self, bot: int, number: int) -> float:
        rng = Random(self.derivation.draw("form", number, bot))
        return sum(rng.random() for _ in range(_UNIFORM)) - _UNIFORM / 2

    def _cost(self, one: int, other: int, lead: float, number: int) -> int:
        """Return the cost of pairing two bots whose positions in the line differ by ``lead``, in units of twice beta."""
        return _APART if self.authors.are_apart(one, other) else _UNIT - self._less(exp(-(lead**2)), one, other, number)

    def _extra(self, behind: Sequence[int], lineups: Sequence[Lineup], draw: Mapping[int, int], number: int) -> Iterator[Lineup]:
        """Yield extra tables for bots that are behind, with new opponents who give the most information about them.

        With more than two players, choosing opponents like this gains nothing, so bots that have played least come first.
        """
        met = {bot: {bot} | {mate for lineup in lineups if bot in lineup for mate in lineup} for bot in behind}
        usual = median_high(self._sat[bot] for bot in draw) + self.plan.tables_behind // 2 if self.plan.players == 2 else 0
        most = max(self._sat[bot] for bot in draw)
        busy: set[int] = set()
        for extra in range(EXTRA_TABLES):
            for bot in [each for each in behind if self._sat[each] + extra < most]:
                free = [other for other in draw if self._sat[other] and other not in busy and other not in met[bot]]
                free.sort(key=lambda other: (max(0, self._sat[other] - usual), -self._worth(bot, other, number), draw[other]))
                table = [bot]
                for other in free:
                    if len(table) < self.plan.players and self.authors.may_share((*table, other)):
                        table.append(other)
                if len(table) == self.plan.players:
                    busy.update(table[1:])
                    for each in table:
                        met.get(each, set()).update(table)
                    yield tuple(sorted(table))

    def _worth(self, bot: int, other: int, number: int) -> int:
        """Return how much information a match is expected to give about ``bot``, in millionths, reduced if the two have just met."""
        return self._less(self._fold.information(self.names[bot], self.names[other]), bot, other, number)

    def _less(self, value: float, one: int, other: int, number: int) -> int:
        """Return the value in millionths, reduced by a quarter one round after the two met, by an eighth two rounds after, and so on."""
        last = self._last_met.get((one, other) if one < other else (other, one))
        whole = round(value * _UNIT)
        return whole if last is None else whole - (whole >> min(number - last + 1, 30))
