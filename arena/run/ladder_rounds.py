"""Prepares each round of a ladder: adds bots that have entered, and puts orders of the host and of the ladder's rules into effect.

A ladder's rules also give orders: slow bots play fewer rounds, and bots that fail in most matches are removed. The rules use only the
records of the matches from which the next round is paired, so their decisions depend neither on the number of workers nor on the order in
which matches end. Each decision is stored as an order and is then part of the schedule, like an order of the host.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from statistics import median
from time import monotonic
from typing import Final

from arena.formats.orders import BENCH_RULE, SLOW_RULE, SLOWEST, Leaving, Orders, Pacing, make_order
from arena.play.executors.base import Job, Pause
from arena.run.results import StoredResults
from arena.spec.lineups import fill_table
from arena.spec.spec import BotEntry
from arena.spec.tables import LadderPlan
from arena.tournament import contents, keep_bots
from bots.loader.version import BotVersion
from leaderboard.ratings.fold import Entry
from leaderboard.records import WAITING, Order, OrderKind

FRESH_SECONDS: Final = 0.1
"""The seconds between a query that finds no bots or orders waiting and the next one; a query can take longer than a short round."""
LATEST: Final = 4
"""A bot's pace depends on the median time of its latest matches: at most this many, and at least two."""
LEAST_SECONDS: Final = 0.01
"""The lower bound on the median bot's seconds per match, so that no bot counts as slow if all bots are quick."""


class LadderRules:
    """The rules of one ladder. Call ``add`` with the record of each match, in the order of the schedule."""

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
        """Return the rules' new orders, which take effect in round ``number``.

        ``bots`` maps the ladder's bots, which may include bots that have left, to their authors. ``expected`` has the seconds per match of
        bots that are joining, estimated from their checks.
        """
        here = [bot for bot in bots if not orders.is_out(bot, number)]
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
            times = each / typical
            wanted = min(SLOWEST, 1 << (round(times) - 1).bit_length()) if times > self._plan.slow else 1
            now = orders.every(bot, number)
            is_slower = wanted > now and (now == 1 or times > 2 * now)
            is_quicker = wanted < now and (8 * wanted <= now or (wanted == 1 and 4 * times <= now))
            if is_slower or is_quicker:  # so that paces don't alternate as the median moves
                why = f"a match takes {each:.3g} s of its time, and {typical:.3g} s of the median bot's"
                why = f"according to its check, {why}" if bot in expected else why
                yield make_order(OrderKind.PACE, bot, Pacing(wanted, at_once=bot in expected), why, SLOW_RULE, held=number)


class LadderRounds:
    """Prepares the rounds of one ladder.

    ``job`` is updated with the bots that join, the slow bots, and the new bots: those that are in no match given to ``judge`` so far.
    ``bots`` are the bots of the job. ``commit`` stores the matches played so far; it is called before a change takes effect. ``wait`` waits
    for a moment. ``find_newcomer``, ``may_begin`` and ``notify`` are as in ``run_prepared``.
    """

    def __init__(
        self,
        results: StoredResults,
        job: Job,
        bots: dict[str, BotVersion],
        *,
        commit: Callable[[], None],
        wait: Callable[[], Iterator[Pause]],
        find_newcomer: Callable[[BotEntry], BotVersion] | None,
        may_begin: Callable[[int], bool] | None,
        notify: Callable[[str], None],
    ) -> None:
        plan = results.tournament.spec.schedule
        assert isinstance(plan, LadderPlan)
        self._plan = plan
        self._results = results
        self._schedule = results.tournament.schedule.ladder
        self._job = job
        self._bots = bots
        self._commit = commit
        self._wait = wait
        self._find_newcomer = find_newcomer
        self._may_begin = may_begin
        self._notify = notify
        self._rules = LadderRules(plan)
        self._unjudged: dict[str, Entry] = {}
        self._authors = self._find_authors()
        self._fresh_until = 0.0
        self._first: int | None = None
        """The first round from which a waiting order may take effect."""
        self._job.new.update(bots)

    def note(self, entry: Entry) -> None:
        """Keep the record of a match until ``judge`` passes it to the ladder's rules."""
        self._unjudged[entry.match] = entry

    def judge(self, due: Iterable[str]) -> None:
        """Pass the records that ``note`` kept of these matches to the ladder's rules. Matches must come in the order of the schedule."""
        for match in due:
            entry = self._unjudged.pop(match)
            self._rules.add(entry)
            self._job.new.difference_update(entry.bots)

    def await_round(self, number: int, is_stopping: Callable[[], bool]) -> Iterator[Pause]:
        """Wait until a new round may begin; then admit waiting bots, apply orders, and wait while the ladder is paused."""
        while self._may_begin is not None and not self._may_begin(number):
            if is_stopping():
                return
            yield from self._wait()
        self.begin(number, anew=self._may_begin is not None)
        if self._is_paused(number):
            self._notify(
                f"the host has paused the ladder before round {number + 1}; 'arena status' says why, 'arena ladder resume' ends the pause"
            )
        while self._is_paused(number) and not is_stopping():
            yield from self._wait()
            self.begin(number, anew=True)

    def _is_paused(self, number: int) -> bool:
        orders = self._schedule.orders
        return orders.is_paused and not orders.is_over(number) and self._has_round(number)

    def _has_round(self, number: int) -> bool:
        return self._plan.rounds is None or number < self._plan.rounds

    def _find_waiting(self, number: int, *, anew: bool) -> tuple[tuple[str, ...], bool]:
        """Return the bots that wait to join, and whether an order may take effect from this round on."""
        if anew or monotonic() >= self._fresh_until or (self._first is not None and self._first <= number):
            names, self._first = self._results.store.find_waiting(self._results.tournament.stored, number)
            is_ordered = self._first is not None and self._first <= number
            self._fresh_until = 0.0 if names or is_ordered else monotonic() + FRESH_SECONDS
            return names, is_ordered
        return (), False

    def begin(self, number: int, *, anew: bool = False) -> None:
        """Add the bots that have entered, and put orders into effect from this round on, including those of the ladder's own rules.

        Very recent entries and orders may wait for the next query, unless ``anew`` forces one now. After the last round, no order
        takes effect: it could only change the results of matches already played.
        """
        results, bots, find = self._results, self._bots, self._find_newcomer
        store, before, orders = results.store, results.tournament.stored, self._schedule.orders
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
            entries = {bot.name: bot for bot in results.tournament.spec.bots}
            now = {entrant.name for entrant in results.tournament.stored.entrants if entrant.joined != WAITING}
            for name in sorted(now - here, key=list(entries).index):  # the set may have changed since the query
                self._job.new.add(name)
                if name not in bots and find is not None:
                    bots[name] = find(entries[name])
                    keep_bots(store, {name: bots[name]})
                self._schedule.join(name, max(1, number), entries[name].author)
        self.find_slow(number)

    def _find_authors(self) -> dict[str, str | None]:
        rated = contents(self._results.tournament.stored)
        return {bot.name: bot.author for bot in self._results.tournament.spec.bots if bot.name in rated}

    def find_slow(self, number: int) -> None:
        """Update the set of slow bots according to the orders that take effect from this round on."""
        self._job.slow.clear()
        self._job.slow.update(bot for bot in self._bots if self._schedule.orders.every(bot, number) > 1)
