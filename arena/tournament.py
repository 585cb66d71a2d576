"""Running a tournament: the one flow from schedule to ratings, with one writer. It shows nothing; listeners do.

Results come in any order and are stored at once; ratings are folded in schedule order, beside the play.
"""

from __future__ import annotations

import hashlib
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
from engine.records import MatchResult, SeatResult, Ticket, VoidMatch
from leaderboard.ratings import Rated, RatedResult, RatingFold, ratings_digest
from leaderboard.seals import RATINGS, RESULTS, entry_digests, seal, trim_ratings, unseal
from leaderboard.store import CHUNK, Entrant, Store, StoredMatch, StoredTournament

COMMIT_MATCHES: Final = 100
COMMIT_SECONDS: Final = 0.1


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


class OrderedFold:
    """The rating fold, fed in any order: a result waits until all before it have come."""

    def __init__(self, fold: RatingFold) -> None:
        self._fold = fold
        self._waiting: dict[int, RatedResult | None] = {}
        self._next = 0
        self._fresh: list[Rated] = []

    def add(self, index: int, result: RatedResult | None) -> None:
        """The result of the schedule's match number ``index``; None if it is void, which rates nobody."""
        self._waiting[index] = result
        while self._next in self._waiting:
            ready = self._waiting.pop(self._next)
            if ready is not None:
                self._fresh += self._fold.add(ready)
            self._next += 1

    def take_fresh(self) -> list[Rated]:
        """The ratings that have come about since it was last asked."""
        fresh, self._fresh = self._fresh, []
        return fresh

    @property
    def table(self) -> tuple[Rated, ...]:
        """The ratings after all results without a gap before them."""
        return self._fold.table()


def open_tournament(store: Store, spec: Spec, versions: Mapping[str, BotVersion]) -> StoredTournament:
    """The tournament in the database, stored now if it is new. Raises ChangedError if it was begun otherwise."""
    stored = store.tournament(spec.name)
    text = spec.canonical()
    entrants = tuple(Entrant(name, version.digest, version.origin) for name, version in sorted(versions.items()))
    if stored is None:
        stored = store.add_tournament(spec.name, spec.game, spec.seed, text, len(Schedule(spec)), entrants)
        seal(store, stored, entry_digests(text, entrants))
        return stored
    advice = "give the new one another name, or another database with --db"
    if stored.spec != text:
        raise ChangedError(
            f"the tournament '{spec.name}' in {store.path} was begun with another {_difference(stored.spec, text)}; {advice}"
        )
    for old, new in zip(stored.entrants, entrants, strict=True):
        if old.digest != new.digest:
            raise ChangedError(
                f"the bot '{new.name}' has changed since the tournament '{spec.name}' in {store.path} was begun "
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
    run = _Run(spec, store, tournament, on_progress)
    job = Job(spec.game, spec.make_game().options, versions, spec.clock.limits, level)
    try:
        for results in executor.run(job, run.tickets(is_stopping)):
            run.take(results)
    except HostError:
        run.commit()
        raise
    return run.finish()


class _Run:
    """The driver's state during a run."""

    def __init__(self, spec: Spec, store: Store, tournament: StoredTournament, on_progress: Callable[[Progress], None]) -> None:
        self._spec = spec
        self._schedule = Schedule(spec)
        self._store = store
        self._tournament = tournament
        self._on_progress = on_progress
        self._fold = new_fold(spec)
        self._index: dict[str, int] = {}
        self._unstored: list[MatchResult] = []
        self._void: list[VoidMatch] = []
        self._last_commit = monotonic()
        self._stored = store.count_matches(tournament)
        self._played = 0
        self._is_sealed = True

    def tickets(self, is_stopping: Callable[[], bool]) -> Iterator[Ticket]:
        """The tickets still to be played; those stored go straight to the fold."""
        for first, chunk in _chunks(self._schedule):
            known = self._store.matches(ticket.id for ticket in chunk)
            for index, ticket in enumerate(chunk, start=first):
                if ticket.id in known:
                    self._fold.add(index, rated_result(ticket.id, ticket.block, known[ticket.id].seats))
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
        if results and self._is_sealed:
            unseal(self._store, self._tournament)
            self._is_sealed = False
        new = self._store.add_results(self._tournament, results)
        self._stored += new
        self._played += new
        for result in results:
            self._fold.add(self._index.pop(result.ticket.id), rated_result(result.ticket.id, result.ticket.block, result.seats))
        self._store.add_ratings(self._tournament, self._fold.take_fresh())
        self._last_commit = monotonic()
        self._on_progress(Progress(self._tournament.total, self._stored, self._played, len(self._void), self._fold.table))

    def finish(self) -> Summary:
        """Commit the rest, and take the digests."""
        self.commit()
        is_complete = self._stored == self._tournament.total
        results, table = digest_results(self._spec, self._store, self._tournament, self._fold.table if is_complete else None)
        digest = ratings_digest(table, _contents(self._tournament))
        trim_ratings(self._store, self._tournament, self._fold.table)
        entry = entry_digests(self._tournament.spec, self._tournament.entrants)
        seal(self._store, self._tournament, entry | {RESULTS: results, RATINGS: digest})
        return Summary(self._tournament, self._stored, self._played, tuple(self._void), is_complete, results, digest, table)


def new_fold(spec: Spec) -> OrderedFold:
    """A fold over the results of the spec's tournament, with nothing in it yet."""
    return OrderedFold(RatingFold((bot.name for bot in spec.bots), spec.rating.parameters))


def rated_result(match: str, block: int, seats: tuple[SeatResult, ...]) -> RatedResult:
    """What the fold needs of a match. Alone on a set-up, a bot that forfeited is worse than any that did not."""
    return RatedResult(
        match=match,
        bots=tuple(seat.bot for seat in seats),
        ranks=tuple(seat.rank for seat in seats),
        keys=tuple((int(seat.fault is None), seat.score) for seat in seats),
        block=block,
    )


def stored_in_order(spec: Spec, store: Store) -> Iterator[StoredMatch]:
    """The stored matches of a tournament in schedule order."""
    for _, chunk in _chunks(Schedule(spec)):
        known = store.matches(ticket.id for ticket in chunk)
        yield from (known[ticket.id] for ticket in chunk if ticket.id in known)


def digest_results(
    spec: Spec, store: Store, tournament: StoredTournament, table: tuple[Rated, ...] | None = None
) -> tuple[str, tuple[Rated, ...]]:
    """The digest of the stored results in schedule order, and the rating table that follows from them.

    The digest covers all that a bot's play decides (bots by content hash, scores, ranks, endings, forfeits, every move), and no clock.
    Give the ``table`` if it has been folded already.
    """
    contents = _contents(tournament)
    digest = hashlib.sha256()
    fold = new_fold(spec)
    for index, match in enumerate(stored_in_order(spec, store)):
        digest.update(digest_line(match.id, match.seats, contents, match.end, match.digest))
        if table is None:
            fold.add(index, rated_result(match.id, match.block, match.seats))
    return f"sha256:{digest.hexdigest()}", fold.table if table is None else table


def digest_line(match: str, seats: Sequence[SeatResult], contents: Mapping[str, str], end: str, replay: str) -> bytes:
    """What a match adds to the digest of all results; ``contents`` has the bots' content hashes, ``replay`` is the digest of its replay."""
    told = [
        (contents[seat.bot], seat.score, seat.rank, (seat.fault.kind.value, seat.fault.index) if seat.fault else None) for seat in seats
    ]
    return json.dumps([match, told, end, replay], separators=(",", ":")).encode() + b"\n"


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
