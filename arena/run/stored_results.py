"""The stored results of a tournament and its ratings: results are stored as they arrive, and folded in schedule order."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from time import monotonic
from typing import Final

from msgspec.structs import replace

from arena.entries.stored_tournament import ExistingTournament, make_schedule, stored_spec, whole_spec
from arena.run.prepare import PreparedRun
from arena.run.status import contents, recompute_standings
from engine.records import MatchResult
from leaderboard.ratings.fold import Entry, Fold, Folded, Rated, Total
from leaderboard.storage.store import StoredTournament

SAVE_SECONDS: Final = 1.0
"""The greatest age, in seconds, of the stored standings."""


class StoredResults:
    """The results of a tournament: ``stored`` counts those in the database, ``played`` those of this run.

    ``tournament`` and ``spec`` include bots that have joined and orders in effect. ``table`` has the rating of each bot when the standings
    were last saved.
    """

    def __init__(self, run: PreparedRun) -> None:
        self.store = run.store
        self.schedule = run.schedule
        self.spec = run.spec
        self.tournament = run.tournament
        self.stored = self.store.count_matches(self.tournament)
        self.played = 0
        self.table: tuple[Rated, ...] = ()
        self._fold = Fold(contents(self.tournament), self.spec.rating.parameters)
        self._added = 0
        self._rated, _ = self.store.standings(self.tournament)
        self._saved: tuple[Total, ...] = ()
        self._last_save = monotonic()

    def extend(self, tournament: StoredTournament) -> None:
        """Reload the tournament after bots have joined it or orders have taken effect."""
        known = contents(self.tournament)
        self.tournament = tournament
        self.spec = whole_spec(self.spec, ExistingTournament(tournament, stored_spec(tournament)))
        before = self.schedule.orders
        self.schedule.obey(tournament.orders)
        now = self.schedule.orders
        if now.uncounted != before.uncounted:
            self._fold_again()
            return
        for bot, digest in contents(tournament).items():
            if bot not in known:
                self._fold.enter(bot, digest)

    def add(self, index: int, entry: Entry | None) -> None:
        """Fold a stored result, if it counts; None for a match that is void."""
        if entry is not None:
            self._added += 1
            entry = entry if self.schedule.orders.count(entry.bots) else None
        self._fold.add(index, entry)

    def store_results(self, results: Sequence[tuple[int, MatchResult, Entry]]) -> None:
        """Store results, each with its place in the schedule and its entry, and fold those without a gap before them.

        New standings are stored as well if the stored ones are old, unless those of an earlier run cover more results.
        """
        for index, _, entry in results:
            self.add(index, entry)
        folded: Folded | None = None
        if monotonic() - self._last_save >= SAVE_SECONDS:
            self._last_save = monotonic()
            folded = self._fold.take()
            self.table = folded.table
            if folded.matches < self._rated:
                folded = replace(folded, matches=self._rated, totals=())
        self.store.add_results(self.tournament, [result for _, result, _ in results], folded, self._saved)
        if folded is not None:
            self._saved = folded.totals
        self.stored += len(results)
        self.played += len(results)

    def _fold_again(self) -> None:
        """Fold all results again after a change in which of them count."""
        self.store.drop_standings(self.tournament)
        self._rated = self._added = 0
        self._saved = ()
        self._fold = Fold(contents(self.tournament), self.spec.rating.parameters)
        schedule = make_schedule(self.spec, self.tournament)
        for index, (_, entry) in enumerate(schedule.walk(partial(self.store.entries, self.tournament))):
            if entry is not None:
                self.add(index, entry)

    def finish(self) -> Folded:
        """Return the final fold of all stored results; none may be added to it."""
        self.stored = self.store.count_matches(self.tournament)
        self._fold.close_gaps()
        folded = self._fold.take()
        if self._added != self.stored:  # a stopped run did not reach later results that another run had stored
            folded = recompute_standings(self.spec, self.store, self.tournament)
        return folded
