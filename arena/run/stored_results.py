"""The stored results of a tournament and its ratings: results are stored as they arrive, and folded in schedule order."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from time import monotonic
from typing import Final

from msgspec.structs import replace

from arena.tournament import Tournament, contents
from engine.records import MatchResult
from leaderboard.ratings.fold import Entry, Fold, Folded, Rated, Total
from leaderboard.storage.store import Store, StoredTournament

SAVE_SECONDS: Final = 1.0
"""The greatest age, in seconds, of the stored standings."""


class StoredResults:
    """The results of a tournament: ``stored`` counts those in the database, ``played`` those of this run.

    ``table`` has the rating of each bot when the standings were last saved.
    """

    def __init__(self, tournament: Tournament, store: Store) -> None:
        """Read and store with this ``store``."""
        self.tournament = tournament
        self.store = store
        self.stored = store.count_matches(tournament.stored)
        self.played = 0
        self.table: tuple[Rated, ...] = ()
        self._fold = _new_fold(tournament)
        self._added = 0
        self._rated, _ = store.standings(tournament.stored)
        self._saved: tuple[Total, ...] = ()
        self._last_save = monotonic()

    def extend(self, stored: StoredTournament) -> None:
        """Take the tournament as it is stored after bots have joined it or orders have taken effect."""
        known, uncounted = contents(self.tournament.stored), self.tournament.schedule.uncounted
        self.tournament.extend(stored)
        if self.tournament.schedule.uncounted != uncounted:
            self._fold_again()
            return
        for bot, digest in contents(stored).items():
            if bot not in known:
                self._fold.enter(bot, digest)

    def add(self, index: int, entry: Entry | None) -> None:
        """Fold a stored result, if it counts; None for a match that is void."""
        if entry is not None:
            self._added += 1
            entry = entry if self.tournament.schedule.counts(entry.bots) else None
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
        self.store.add_results(self.tournament.stored, [result for _, result, _ in results], folded, self._saved)
        if folded is not None:
            self._saved = folded.totals
        self.stored += len(results)
        self.played += len(results)

    def _fold_again(self) -> None:
        """Fold all results again after a change in which of them count."""
        self.store.drop_standings(self.tournament.stored)
        self._rated = self._added = 0
        self._saved = ()
        self._fold = _new_fold(self.tournament)
        again = Tournament(self.store, self.tournament.stored, self.tournament.spec)
        for index, (_, entry) in enumerate(again.schedule.walk(partial(self.store.entries, again.stored))):
            if entry is not None:
                self.add(index, entry)

    def finish(self) -> Folded:
        """Return the final fold of all stored results; none may be added to it."""
        self.stored = self.store.count_matches(self.tournament.stored)
        self._fold.close_gaps()
        folded = self._fold.take()
        if self._added != self.stored:  # a stopped run did not reach later results that another run had stored
            folded = recompute_standings(Tournament(self.store, self.tournament.stored))
        return folded


def _new_fold(tournament: Tournament) -> Fold:
    return Fold(contents(tournament.stored), tournament.spec.rating.parameters)


def recompute_standings(tournament: Tournament) -> Folded:
    """Fold the stored results in schedule order, ignoring the stored standings. It takes a fraction of a millisecond per match."""
    fold, schedule = _new_fold(tournament), tournament.schedule
    entries = (entry for _, entry in schedule.walk(partial(tournament.store.entries, tournament.stored)))
    for index, entry in enumerate(entry for entry in entries if entry is not None and schedule.counts(entry.bots)):
        fold.add(index, entry)
    return fold.take()
