"""Running a tournament: the one flow from schedule to ratings, with one writer. It shows nothing; listeners do.

Results come in any order and are stored at once; ratings are folded in schedule order, beside the play.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import monotonic
from typing import Final

from arena.changes import make_schedule, open_tournament, whole_spec
from arena.executor import PAUSE, Executor, HostError, Job, Played, Tickets
from arena.formats.base import Outcome, Place
from arena.plan import LadderPlan
from arena.schedule import chunked, outcome_of
from arena.spec import BotEntry, Spec
from bots.loading import BotVersion
from bots.sandbox import Level
from engine.records import MatchResult, SeatResult, Ticket, VoidMatch
from leaderboard.ratings import Rated, RatedResult, RatingFold, ratings_digest
from leaderboard.store import Store, StoredMatch, StoredTournament

COMMIT_MATCHES: Final = 100
COMMIT_SECONDS: Final = 0.1


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is. ``stored`` counts all matches in the database, ``played`` those of this run, ``void`` those that failed in it.

    ``total`` is None while it is not known; ``round`` counts from 0.
    """

    total: int | None
    round: int
    stored: int
    played: int
    void: int
    table: tuple[Rated, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """How a run ended: ``is_complete`` when every match of the schedule is stored; ``void`` has those the machine failed in this run.

    ``blocked`` is the round after which nothing could be paired, because a match of it is void; ``places`` is the format's own standing.
    """

    tournament: StoredTournament
    stored: int
    played: int
    void: tuple[VoidMatch, ...]
    blocked: int | None
    is_complete: bool
    results_digest: str
    ratings_digest: str
    table: tuple[Rated, ...]
    places: tuple[Place, ...]


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

    def enter(self, bot: str) -> None:
        """A bot has joined."""
        self._fold.enter(bot)

    @property
    def table(self) -> tuple[Rated, ...]:
        """The ratings after all results without a gap before them."""
        return self._fold.table()


def run_tournament(
    spec: Spec,
    versions: Mapping[str, BotVersion],
    store: Store,
    executor: Executor,
    *,
    level: Level = Level.NONE,
    find_newcomer: Callable[[BotEntry], BotVersion] | None = None,
    is_stopping: Callable[[], bool] = lambda: False,
    on_progress: Callable[[Progress], None] = lambda _progress: None,
) -> Summary:
    """Play what is not stored yet, store it, rate it. Once ``is_stopping`` says so, no new match begins.

    With ``find_newcomer``, which gives the version of a bot that has entered, those who enter a ladder join while it runs. Raises
    ChangedError, StoreError and HostError; what was stored stays stored.
    """
    tournament = open_tournament(store, spec, versions)
    bots = dict(versions)
    job = Job(spec.game, spec.make_game().options, bots, spec.clock.limits, level)
    run = _Run(whole_spec(spec, tournament), store, tournament, on_progress)
    try:
        for results in executor.run(job, run.tickets(is_stopping, partial(run.admit, bots, find_newcomer))):
            run.take(results)
    except HostError:
        run.commit()
        raise
    return run.finish()


class _Run:
    """The driver's state during a run."""

    def __init__(self, spec: Spec, store: Store, tournament: StoredTournament, on_progress: Callable[[Progress], None]) -> None:
        self._spec = spec
        self._schedule = make_schedule(spec, tournament)
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
        self._round = 0
        self._outcomes: dict[str, Outcome | None] = {}  # of the round in hand, if the next is paired by it
        self._open = 0  # how many of those are still to come
        self._lost = 0  # how many of those are void
        self._is_walked = False

    def tickets(self, is_stopping: Callable[[], bool], admit: Callable[[int], None]) -> Tickets:
        """The tickets still to be played; those stored go straight to the fold. ``admit`` is called before each round that is new.

        Where the next round is paired by results, it pauses until those of the round in hand have come; if one of them is void, it ends.
        """
        begun = self._store.last_round(self._tournament)
        index, number = 0, 0
        rounds = self._schedule.rounds()
        outcomes: list[Outcome] | None = None
        while True:
            if number > begun:
                admit(number)
            try:
                round_ = next(rounds) if outcomes is None else rounds.send(outcomes)
            except StopIteration:
                self._is_walked = True
                return
            self._round, number = round_.number, round_.number + 1
            for chunk in chunked(round_.tickets):
                known = self._store.matches(ticket.id for ticket in chunk)
                for ticket in chunk:
                    if ticket.id in known:
                        self._pass(index, ticket, known[ticket.id])
                    elif is_stopping():
                        return
                    else:
                        self._begin(index, ticket)
                        yield ticket
                    index += 1
            while self._open > self._lost:
                yield PAUSE
            if self._lost:
                return
            outcomes = [outcome for outcome in self._outcomes.values() if outcome is not None]
            self._outcomes.clear()

    def _pass(self, index: int, ticket: Ticket, match: StoredMatch) -> None:
        """A match has been played by an earlier run."""
        self._fold.add(index, rated_result(ticket.id, ticket.block, match.seats))
        if self._schedule.needs_results:
            self._outcomes[ticket.id] = outcome_of(ticket, match.seats)

    def _begin(self, index: int, ticket: Ticket) -> None:
        """A match is handed out."""
        self._index[ticket.id] = index
        if self._schedule.needs_results:
            self._outcomes[ticket.id] = None
            self._open += 1

    def admit(self, bots: dict[str, BotVersion], find: Callable[[BotEntry], BotVersion] | None, number: int) -> None:
        """Let those who have entered a ladder join before the round of that number; they are added to ``bots``."""
        if not isinstance(self._spec.schedule, LadderPlan):
            return
        waiting = self._store.waiting(self._tournament)
        if not waiting or (find is None and not set(waiting) <= set(bots)):
            return
        self._tournament = self._store.admit_waiting(self._tournament, max(1, number))  # 0 is for those there from the start
        self._spec = whole_spec(self._spec, self._tournament)
        entries = {bot.name: bot for bot in self._spec.bots}
        for name in waiting:
            if name not in bots and find is not None:
                bots[name] = find(entries[name])
                self._fold.enter(name)
            self._schedule.join(name, max(1, number))

    def take(self, played: Sequence[Played]) -> None:
        """Results have come: keep them, and commit when there are enough or it is time."""
        for each in played:
            if isinstance(each, VoidMatch):
                self._give_up(each)
            else:
                self._unstored.append(each)
                if self._schedule.needs_results:
                    self._outcomes[each.ticket.id] = outcome_of(each.ticket, each.seats)
                    self._open -= 1
        if len(self._unstored) >= COMMIT_MATCHES or monotonic() - self._last_commit >= COMMIT_SECONDS:
            self.commit()

    def _give_up(self, void: VoidMatch) -> None:
        """A match could not be played; a later run tries it again."""
        self._void.append(void)
        self._lost += self._schedule.needs_results
        self._store.add_void(self._tournament, void)
        self._fold.add(self._index.pop(void.ticket.id), None)

    def commit(self) -> None:
        """Store what has come, and rate what has no gap before it."""
        results, self._unstored = self._unstored, []
        new = self._store.add_results(self._tournament, results)
        self._stored += new
        self._played += new
        for result in results:
            self._fold.add(self._index.pop(result.ticket.id), rated_result(result.ticket.id, result.ticket.block, result.seats))
        self._store.add_ratings(self._tournament, self._fold.take_fresh())
        self._last_commit = monotonic()
        self._on_progress(Progress(self._tournament.total, self._round, self._stored, self._played, len(self._void), self._fold.table))

    def finish(self) -> Summary:
        """Commit the rest, and take the digests."""
        self.commit()
        is_complete = not self._void and (self._is_walked or self._stored == self._tournament.total)
        if is_complete and self._tournament.total is None:
            self._store.complete_tournament(self._tournament, self._stored)
            self._tournament = replace(self._tournament, total=self._stored)
        results, table = digest_results(self._spec, self._store, self._tournament, self._fold.table if is_complete else None)
        return Summary(
            tournament=self._tournament,
            stored=self._stored,
            played=self._played,
            void=tuple(self._void),
            blocked=self._round if self._lost else None,
            is_complete=is_complete,
            results_digest=results,
            ratings_digest=ratings_digest(table, _contents(self._tournament)),
            table=table,
            places=self._schedule.places(),
        )


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
    """The stored matches of a tournament in schedule order, as far as its rounds are known by the stored results."""
    tournament = store.tournament(spec.name)
    if tournament is not None:
        walk = make_schedule(whole_spec(spec, tournament), tournament).walk(store.matches)
        yield from (match for _, match in walk if match is not None)


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
        seats = [
            (contents[seat.bot], seat.score, seat.rank, (seat.fault.kind.value, seat.fault.index) if seat.fault else None)
            for seat in match.seats
        ]
        digest.update(json.dumps([match.id, seats, match.end, match.digest], separators=(",", ":")).encode() + b"\n")
        if table is None:
            fold.add(index, rated_result(match.id, match.block, match.seats))
    return f"sha256:{digest.hexdigest()}", fold.table if table is None else table


def _contents(tournament: StoredTournament) -> dict[str, str]:
    return {entrant.name: entrant.digest for entrant in tournament.entrants}
