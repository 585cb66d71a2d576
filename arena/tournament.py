"""Running a tournament: the one flow from schedule to ratings, with one writer. It shows nothing; listeners do.

Results come in any order and are stored at once; they are folded in schedule order, beside the play.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Final

from arena.executor import Executor, HostError, Job, Played
from arena.schedule import Schedule
from arena.spec import Spec
from bots.loading import BotVersion
from bots.sandbox import Level
from engine.records import MatchResult, Ticket, VoidMatch
from leaderboard.fold_process import FoldBeside
from leaderboard.folding import Fold, Folded, entry_of
from leaderboard.ratings import Rated, ratings_digest
from leaderboard.store import CHUNK, Entrant, Store, StoredTournament

COMMIT_MATCHES: Final = 100
COMMIT_SECONDS: Final = 0.1
SAVE_SECONDS: Final = 0.5
"""How old the stored standings may become, but for those results that the fold has yet to come to."""


class ChangedError(ValueError):
    """The database has a tournament of this name that was begun with another spec or other bots."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is. ``stored`` counts all matches in the database, ``played`` those of this run, ``void`` those that failed in it."""

    total: int
    stored: int
    played: int
    void: int
    table: tuple[Rated, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """How a run ended: ``is_complete`` when every match of the schedule is stored; ``void`` has those the machine failed in this run."""

    tournament: StoredTournament
    stored: int
    played: int
    void: tuple[VoidMatch, ...]
    is_complete: bool
    results_digest: str
    ratings_digest: str
    table: tuple[Rated, ...]


def open_tournament(store: Store, spec: Spec, versions: Mapping[str, BotVersion]) -> StoredTournament:
    """The tournament in the database, stored now if it is new. Raises ChangedError if it was begun otherwise."""
    stored = store.tournament(spec.name)
    text = spec.canonical()
    entrants = tuple(Entrant(name, version.digest, version.origin) for name, version in sorted(versions.items()))
    if stored is None:
        return store.add_tournament(spec.name, spec.game, spec.seed, text, len(Schedule(spec)), entrants)
    advice = "give the new one another name, or another database with --db"
    if stored.spec != text:
        raise ChangedError(
            f"the tournament '{spec.name}' in {store.name} was begun with another {_difference(stored.spec, text)}; {advice}"
        )
    for old, new in zip(stored.entrants, entrants, strict=True):
        if old.digest != new.digest:
            raise ChangedError(
                f"the bot '{new.name}' has changed since the tournament '{spec.name}' in {store.name} was begun "
                f"(version {old.digest[:8]} then, {new.digest[:8]} now); {advice}"
            )
    return stored


def _difference(old: str, new: str) -> str:
    """The first part of two canonical specs that differs, with both values."""
    before, after = _flat(json.loads(old)), _flat(json.loads(new))
    for key in [*before, *(key for key in after if key not in before)]:
        if before.get(key) != after.get(key):
            return f"'{key}' ({json.dumps(before.get(key))} then, {json.dumps(after.get(key))} now)"
    return "spec"


def _flat(data: object, key: str = "") -> dict[str, object]:
    if isinstance(data, dict):
        return {k: v for name, value in data.items() for k, v in _flat(value, f"{key}.{name}" if key else name).items()}
    return {key: data}


def run_tournament(
    spec: Spec,
    versions: Mapping[str, BotVersion],
    store: Store,
    executor: Executor,
    *,
    level: Level = Level.NONE,
    is_stopping: Callable[[], bool] = lambda: False,
    on_progress: Callable[[Progress], None] = lambda _progress: None,
) -> Summary:
    """Play what is not stored yet, store it, rate it. Once ``is_stopping`` says so, no new match begins.

    Raises ChangedError, StoreError and HostError; what was stored stays stored.
    """
    tournament = open_tournament(store, spec, versions)
    job = Job(spec.game, spec.make_game().options, versions, spec.clock.limits, level)
    with FoldBeside(_contents(tournament), spec.rating.parameters) as fold:
        run = _Run(spec, store, tournament, fold, on_progress)
        try:
            for results in executor.run(job, run.tickets(is_stopping)):
                run.take(results)
        except HostError:
            run.commit()
            raise
        return run.finish()


class _Run:
    """The driver's state during a run."""

    def __init__(
        self, spec: Spec, store: Store, tournament: StoredTournament, fold: FoldBeside, on_progress: Callable[[Progress], None]
    ) -> None:
        self._spec = spec
        self._schedule = Schedule(spec)
        self._store = store
        self._tournament = tournament
        self._on_progress = on_progress
        self._fold = fold
        self._folded: Folded | None = None
        self._index: dict[str, int] = {}
        self._unstored: list[MatchResult] = []
        self._void: list[VoidMatch] = []
        self._last_commit = monotonic()
        self._stored = store.count_matches(tournament)
        self._rated, _ = store.standings(tournament)
        self._last_save = monotonic()
        self._played = 0

    def tickets(self, is_stopping: Callable[[], bool]) -> Iterator[Ticket]:
        """The tickets still to be played; those stored go straight to the fold."""
        for first, chunk in _chunks(self._schedule):
            known = self._store.entries(self._tournament, (ticket.id for ticket in chunk))
            for index, ticket in enumerate(chunk, start=first):
                if ticket.id in known:
                    self._fold.add(index, known[ticket.id])
                    continue
                if is_stopping():
                    return
                self._index[ticket.id] = index
                yield ticket

    def take(self, played: Sequence[Played]) -> None:
        """Results have come: keep them, and commit when there are enough or it is time."""
        for each in played:
            if isinstance(each, VoidMatch):
                self._give_up(each)
            else:
                self._unstored.append(each)
        if len(self._unstored) >= COMMIT_MATCHES or monotonic() - self._last_commit >= COMMIT_SECONDS:
            self.commit()

    def _give_up(self, void: VoidMatch) -> None:
        """A match could not be played; a later run tries it again."""
        self._void.append(void)
        self._store.add_void(self._tournament, void)
        self._fold.add(self._index.pop(void.ticket.id), None)

    def commit(self) -> None:
        """Store what has come, and rate what has no gap before it."""
        results, self._unstored = self._unstored, []
        new = self._store.add_results(self._tournament, results)
        self._stored += new
        self._played += new
        for result in results:
            self._fold.add(self._index.pop(result.ticket.id), entry_of(result))
        self._last_commit = monotonic()
        if self._last_commit - self._last_save >= SAVE_SECONDS:
            self._save(self._fold.take())
        table = () if self._folded is None else self._folded.table
        self._on_progress(Progress(self._tournament.total, self._stored, self._played, len(self._void), table))

    def _save(self, folded: Folded | None) -> None:
        """Store the newest standings, unless those of an earlier run cover more."""
        self._last_save = monotonic()
        if folded is None:
            return
        self._folded = folded
        self._store.add_points(self._tournament, folded.points)
        if folded.matches >= self._rated:
            self._store.save_standings(self._tournament, folded)

    def finish(self) -> Summary:
        """Commit the rest, and take the digests."""
        self.commit()
        is_complete = self._stored == self._tournament.total
        folded = self._fold.finish()
        if folded.matches != self._stored:  # a run that was stopped did not come to those that another had stored behind it
            folded = fold_stored(self._spec, self._store, self._tournament)
        self._store.add_points(self._tournament, folded.points)
        self._store.save_standings(self._tournament, folded)
        table = folded.table
        digest = ratings_digest(table, _contents(self._tournament))
        void = tuple(self._void)
        return Summary(self._tournament, self._stored, self._played, void, is_complete, folded.results_digest, digest, table)


def fold_stored(spec: Spec, store: Store, tournament: StoredTournament) -> Folded:
    """What the stored results come to, computed from them alone, in schedule order; it takes about half a millisecond a match."""
    fold = Fold(_contents(tournament), spec.rating.parameters)
    index = 0
    for _, chunk in _chunks(Schedule(spec)):
        known = store.entries(tournament, (ticket.id for ticket in chunk))
        for ticket in chunk:
            if ticket.id in known:
                fold.add(index, known[ticket.id])
                index += 1
    return fold.take()


def _contents(tournament: StoredTournament) -> dict[str, str]:
    return {entrant.name: entrant.digest for entrant in tournament.entrants}


def _chunks(schedule: Schedule) -> Iterator[tuple[int, list[Ticket]]]:
    """The schedule in pieces of ``CHUNK`` tickets, each with the index of its first."""
    chunk: list[Ticket] = []
    first = 0
    for index, ticket in enumerate(schedule):
        chunk.append(ticket)
        if len(chunk) == CHUNK:
            yield first, chunk
            chunk, first = [], index + 1
    if chunk:
        yield first, chunk
