"""What happens before each round of a ladder: bots that have entered join, and orders of the host and of the ladder's rules hold."""

from __future__ import annotations

from collections.abc import Callable

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


class LadderRounds:
    """The steps between the rounds of one ladder. ``find_newcomer`` returns the version of a bot that has entered.

    ``job`` gets the bots that join, the limits that hold, and which bots are slow, or new: without a result by which a round is paired.
    ``commit`` stores what has been played; it is called before anything new holds.
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
        self._job.new.update(bots)

    def judge(self, entry: Entry) -> None:
        """Have the ladder's rules judge by this match, too; give the matches in the order of the schedule."""
        self._rules.add(entry)
        self._job.new.difference_update(entry.bots)

    def is_paused(self, number: int) -> bool:
        """Return whether the host has paused the ladder before that round, and it is to have one."""
        orders = self._results.schedule.orders
        return orders.is_paused and not orders.is_over(number) and self._has_round(number)

    def _has_round(self, number: int) -> bool:
        """Return whether the ladder's file has that round."""
        return self._plan.rounds is None or number < self._plan.rounds

    def begin(self, number: int) -> None:
        """Let bots that have entered join before this round, and let orders hold from it, those of the ladder's own rules as well.

        After the last round there is nothing for an order to hold from: what it says would change results alone.
        """
        results, bots, find = self._results, self._bots, self._find_newcomer
        store, before, orders = results.store, results.tournament, results.schedule.orders
        takes = self._has_round(number)
        names, is_ordered = store.find_waiting(before, number)
        here = {entrant.name for entrant in before.entrants if entrant.joined != WAITING}
        waiting = [name for name in names if name not in here]
        rules = self._rules.judge(orders, self._authors, number) if takes else ()
        joins = bool(waiting) and (find is not None or set(waiting) <= set(bots))
        if not (joins or rules or (takes and is_ordered)):
            return
        self._commit()
        results.extend(store.begin_round(before, number, rules, joins=joins, takes=takes))
        self._authors = self._find_authors()
        if joins:
            entries = {bot.name: bot for bot in results.spec.bots}
            for name in sorted(waiting, key=list(entries).index):
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
        """Note which bots are slow, by the orders that hold from this round on."""
        self._job.slow.clear()
        self._job.slow.update(bot for bot in self._bots if self._results.schedule.orders.every(bot, number) > 1)
