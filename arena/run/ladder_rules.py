"""The rules by which a ladder gives orders itself: slow bots play fewer rounds, and bots that fail in most matches are taken out.

They use only the records of the matches by which the next round is paired, so their decisions depend neither on the number of workers nor
on the order in which matches end. Each decision is stored as an order, and is then part of the schedule like an order of the host.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Mapping
from statistics import median
from typing import Final

from arena.formats.orders import BENCH_RULE, SLOW_RULE, SLOWEST, Leaving, Orders, Pacing, make_order
from arena.spec.authors import fill_table
from arena.spec.plans import LadderPlan
from leaderboard.ratings.results_fold import Entry
from leaderboard.records.stored import Order, OrderKind

LATEST: Final = 4
"""The number of latest matches whose median time sets a bot's pace, once there are at least two."""
LEAST_SECONDS: Final = 0.01
"""The least number of seconds taken as the median bot's time for a match, so that no bot is slow where all are quick."""


class LadderRules:
    """The rules of one ladder. Add what is recorded of each match, in the order of the schedule."""

    def __init__(self, plan: LadderPlan) -> None:
        self._plan = plan
        self._seconds: dict[str, deque[float]] = {}
        self._faults: dict[str, deque[str | None]] = {}

    def add(self, entry: Entry) -> None:
        """Count a match."""
        for bot, charged, fault in zip(entry.bots, entry.charged, entry.faults, strict=True):
            self._seconds.setdefault(bot, deque(maxlen=LATEST)).append(charged)
            self._faults.setdefault(bot, deque(maxlen=self._plan.bench or 1)).append(fault and fault[0])

    def judge(self, orders: Orders, bots: Mapping[str, str | None], number: int, expected: Mapping[str, float]) -> tuple[Order, ...]:
        """Return the orders that hold from round ``number`` on; ``bots`` are those in the ladder, with their authors.

        Bots that have left by ``orders`` may be among them. ``expected`` has the seconds per match of bots that join, estimated from their
        checks.
        """
        here = [bot for bot in bots if not orders.is_out(bot, number)]
        for bot in self._faults.keys() - set(here):
            self._faults[bot].clear()  # one that is entered again starts from zero
        return (*self._bench(here, bots, number), *self._pace(here, orders, number, expected))

    def _bench(self, here: list[str], authors: Mapping[str, str | None], number: int) -> Iterator[Order]:
        if not self._plan.bench:
            return
        left = list(here)
        for bot in sorted(here):
            faults = self._faults.get(bot, ())
            if len(faults) < self._plan.bench or not any(faults):
                continue
            failed = Counter(fault for fault in faults if fault is not None)
            if 2 * failed.total() <= len(faults):
                continue
            others = [each for each in left if each != bot]
            if not fill_table(authors, others, self._plan.players):
                continue
            left = others
            kinds = ", ".join(f"{times} x {kind}" for kind, times in failed.most_common())
            why = f"it failed in {failed.total()} of its latest {len(faults)} matches ({kinds})"
            yield make_order(OrderKind.LEAVE, bot, Leaving(counts=True), why, BENCH_RULE, held=number)

    def _pace(self, here: list[str], orders: Orders, number: int, expected: Mapping[str, float]) -> Iterator[Order]:
        if not self._plan.slow:
            return
        seconds = {bot: median(self._seconds[bot]) for bot in sorted(here) if len(self._seconds.get(bot, ())) > 1}
        typical = max(LEAST_SECONDS, median((seconds or expected).values())) if seconds or expected else LEAST_SECONDS
        for bot, each in (*seconds.items(), *sorted(expected.items())):
            if bot in orders.paced:
                continue
            times = each / typical
            wanted = min(SLOWEST, 1 << (round(times) - 1).bit_length()) if times > self._plan.slow else 1
            now = orders.every(bot, number)
            is_slower = wanted > now and (now == 1 or times > 2 * now)
            is_quicker = wanted < now and (8 * wanted <= now or (wanted == 1 and 4 * times <= now))
            if is_slower or is_quicker:  # not to and fro, as the median moves
                why = f"a match takes {each:.3g} s of its time, and {typical:.3g} s of the median bot's"
                why = f"as its check says, {why}" if bot in expected else why
                yield make_order(OrderKind.PACE, bot, Pacing(wanted, at_once=bot in expected), why, SLOW_RULE, held=number)
