"""The steps before each round of a ladder: bots that have entered join, and orders of the host and of the ladder's rules take effect."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Final

from arena.play.executors.base import Job
from arena.run.ladder_rules import LadderRules
from arena.run.prepare import keep_bots
from arena.run.status import contents
from arena.run.stored_results import StoredResults
from arena.spec.plans import LadderPlan
from arena.spec.spec import BotEntry
from bots.loader.version import BotVersion
from leaderboard.ratings.results_fold import Entry
from leaderboard.records.stored import WAITING

FRESH_SECONDS: Final = 0.1
"""How long, in seconds, a look at waiting bots and orders stays valid: looking before every short round would take longer than playing
it."""


class LadderRounds:
    """The steps between the rounds of one ladder. ``find_newcomer`` returns the version of a bot that has entered.

    ``job`` is updated with the bots that join, the limits in force, and which bots are slow or new (a new bot has no result yet by which a
    round is paired). ``commit`` stores the matches played so far; it is called before a change takes effect.
    """

    def __init__(
        self,
        plan: LadderPlan,
        results: StoredResults,
        job: Job,
        bots: dict[str, BotVersion],
        find_newcomer: Callable[[BotEntry], BotVersion] | None,
        commit: Callable[[], None],
    ) -> None:
        self._plan = plan
        self._results = results
        self._job = job
        self._bots = bots
        self._find_newcomer = find_newcomer
        self._commit = commit
        self._rules = LadderRules(plan)
        self._authors = self._find_authors()
        self._fresh_until = 0.0
        self._first: int | None = None
        """The first round from which a waiting order may take effect."""
        self._job.new.update(bots)

    def judge(self, entry: Entry) -> None:
        """Add a match to those by which the ladder's rules judge; call this in the order of the schedule."""
        self._rules.add(entry)
        self._job.new.difference_update(entry.bots)

    def is_paused(self, number: int) -> bool:
        """Return whether the host has paused the ladder before that round, provided that the ladder has such a round."""
        orders = self._results.schedule.orders
        return orders.is_paused and not orders.is_over(number) and self._has_round(number)

    def _has_round(self, number: int) -> bool:
        """Return whether the ladder's file has that round."""
        return self._plan.rounds is None or number < self._plan.rounds

    def _find_waiting(self, number: int, *, anew: bool) -> tuple[tuple[str, ...], bool]:
        """Return the bots that wait to join, and whether an order may take effect from this round on."""
        if anew or monotonic() >= self._fresh_until or (self._first is not None and self._first <= number):
            names, self._first = self._results.store.find_waiting(self._results.tournament, number)
            is_ordered = self._first is not None and self._first <= number
            self._fresh_until = 0.0 if names or is_ordered else monotonic() + FRESH_SECONDS
            return names, is_ordered
        return (), False

    def begin(self, number: int, *, anew: bool = False) -> None:
        """Add the bots that have entered, and put orders into effect from this round on, including those of the ladder's own rules.

        Recent entries and orders may wait until the next look, unless ``anew`` forces one. After the last round no order takes effect,
        since it would change nothing but results.
        """
        results, bots, find = self._results, self._bots, self._find_newcomer
        store, before, orders = results.store, results.tournament, results.schedule.orders
        takes = self._has_round(number)
        names, is_ordered = self._find_waiting(number, anew=anew)
        here = {entrant.name for entrant in before.entrants if entrant.joined != WAITING}
        waiting = [name for name in names if name not in here]
        joins = bool(waiting) and (find is not None or set(waiting) <= set(bots))
        new = set(names) if joins else here.intersection(names)
        expected = {bot: seconds for bot, seconds in store.speeds(before).items() if bot in new} if new else {}
        rules = self._rules.judge(orders, self._authors, number, expected) if takes else ()
        if not (joins or rules or (takes and is_ordered)):
            return
        self._commit()
        results.extend(store.begin_round(before, number, rules, joins=joins, takes=takes))
        self._authors = self._find_authors()
        if joins:
            entries = {bot.name: bot for bot in results.spec.bots}
            now = {entrant.name for entrant in results.tournament.entrants if entrant.joined != WAITING}
            for name in sorted(now - here, key=list(entries).index):  # one may just have come
                self._job.new.add(name)
                if name not in bots and find is not None:
                    bots[name] = find(entries[name])
                    keep_bots(store, {name: bots[name]})
                results.schedule.join(name, max(1, number), entries[name].author)
        self._job.clocks.update(results.schedule.orders.clocks)
        self.find_slow(number)

    def _find_authors(self) -> dict[str, str | None]:
        """Return the bots that are rated, with their authors."""
        rated = contents(self._results.tournament)
        return {bot.name: bot.author for bot in self._results.spec.bots if bot.name in rated}

    def find_slow(self, number: int) -> None:
        """Set which bots are slow, from the orders in effect from this round on."""
        self._job.slow.clear()
        self._job.slow.update(bot for bot in self._bots if self._results.schedule.orders.every(bot, number) > 1)
