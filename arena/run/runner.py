"""Runs a tournament: plays its matches, stores their results and rates the bots.

Results arrive in any order. Only this process stores them, as they arrive, and rates the bots from them, in schedule order.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from typing import Final

from arena.formats.base import Place
from arena.formats.ladder import NoTableError
from arena.play.executors.base import PAUSE, Executor, HostError, InlineExecutor, Job, Pause, Played, Tickets
from arena.run.ladder_rounds import LadderRounds
from arena.run.results import StoredResults
from arena.run.watch import Health, Heartbeat, PausedError
from arena.spec.spec import BotEntry, Spec
from arena.spec.tables import LadderPlan
from arena.tournament import Tournament, contents, prepare
from bots.limits import Level
from bots.loader.version import BotVersion
from engine.records import MatchResult, VoidMatch
from leaderboard.ratings.fold import Entry, Rated, entry_of, rating_table, ratings_digest
from leaderboard.records import Ending, chunks
from leaderboard.storage.database import Patience, patient
from leaderboard.storage.store import Store, StoredTournament

COMMIT_MATCHES: Final = 100
COMMIT_SECONDS: Final = 1.0
"""Results are stored when there are ``COMMIT_MATCHES``, or after this many seconds (twice that if results have just arrived)."""
POLL_SECONDS: Final = 0.5
"""The seconds between two checks of whether a ladder's next round may begin."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a run.

    ``stored`` is the number of matches in the database; ``played`` is the number that this run has played, and ``void`` is the number that
    it could not play. ``total`` is None while it is not known. ``round`` counts from 0. ``table`` has the rating of each bot.
    """

    total: int | None
    round: int
    stored: int
    played: int
    void: int
    table: tuple[Rated, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """How a run ended.

    - ``void``: the matches that this run could not play
    - ``blocked``: the first round with a void match, if that stopped the next round from being paired
    - ``is_complete``: whether every match of the schedule is stored
    - ``seal``: the digest of the newest seal
    - ``table``: the rating of each bot
    - ``places``, ``conclusion``: the places according to the format's own rules, and how certain they are
    """

    tournament: StoredTournament
    stored: int
    played: int
    void: tuple[VoidMatch, ...]
    blocked: int | None
    is_complete: bool
    results_digest: str
    ratings_digest: str
    seal: str
    table: tuple[Rated, ...]
    places: tuple[Place, ...]
    conclusion: str


def run_tournament(
    spec: Spec,
    versions: Mapping[str, BotVersion] | None = None,
    store: Store | None = None,
    executor: Executor | None = None,
    *,
    level: Level = Level.NONE,
    base: Path = Path(),
    find_newcomer: Callable[[BotEntry], BotVersion] | None = None,
    is_stopping: Callable[[], bool] = lambda: False,
    on_progress: Callable[[Progress], None] = lambda _progress: None,
    notify: Callable[[str], None] = lambda _sentence: None,
    go_on_anyway: bool = False,
) -> Summary:
    """Play a tournament, or the rest of it, and return a summary.

    If ``versions`` is None, bots are found as the spec names them, with files relative to ``base``. Without a ``store``, results are kept
    only until the run ends; without an ``executor``, all matches are played in this process. Bots play at a ``level`` of isolation; use
    ``NONE`` only for bots that you trust. The callbacks and ``go_on_anyway`` are as in ``run_prepared``.

    Raises BotError, SpecError, SecretError, ChangedError, StoreError and HostError.

    >>> from arena.spec.spec import make_spec
    >>> spec = make_spec({"name": "tiny", "game": "tongiaki", "seed": 1, "bots": ["random", "greedy"], "schedule": {"tables": [2]}}, "tiny")
    >>> summary = run_tournament(spec)
    >>> summary.stored, sorted(rated.bot for rated in summary.table)
    (2, ['greedy', 'random'])
    """
    with ExitStack() as stack:
        if store is None:
            folder = stack.enter_context(TemporaryDirectory(prefix="arena-"))
            store = stack.enter_context(Store.create(Path(folder) / "tournament.db"))
        if executor is None:
            executor = stack.enter_context(closing(InlineExecutor()))
        tournament = prepare(spec, store, versions, base=base, level=level, allow_open_seed=versions is not None)
        return find_finished(tournament) or run_prepared(
            tournament,
            executor,
            find_newcomer=find_newcomer,
            is_stopping=is_stopping,
            on_progress=on_progress,
            notify=notify,
            go_on_anyway=go_on_anyway,
        )


def run_prepared(
    tournament: Tournament,
    executor: Executor,
    *,
    find_newcomer: Callable[[BotEntry], BotVersion] | None = None,
    is_stopping: Callable[[], bool] = lambda: False,
    on_progress: Callable[[Progress], None] = lambda _progress: None,
    notify: Callable[[str], None] = lambda _sentence: None,
    go_on_anyway: bool = False,
    may_begin: Callable[[int], bool] | None = None,
) -> Summary:
    """Play, store and rate the matches that are not stored yet. Once ``is_stopping`` returns True, no new match begins.

    Before each round of a ladder, ``may_begin`` is called with the round's number (from 0) until it returns True; it may enter bots and
    give orders. ``find_newcomer`` returns the version of a bot that has entered; without it, bots can't join a ladder while it runs. If the
    database is locked or unreachable, the run waits and calls ``notify``. If most bots fail or become slow, the run pauses by raising
    PausedError (a HostError), unless ``go_on_anyway`` is set. Raises StoreError and HostError; results stored before an error are kept.
    """
    patience = Patience(notify, reconnect=tournament.store.reconnect)
    store = patient(tournament.store, patience)
    if find_newcomer is not None:
        find_newcomer = partial(patience, find_newcomer)
    spec = tournament.spec
    bots = dict(tournament.bots)
    job = Job(spec.game, spec.make_game().options, bots, spec.clock.limits, tournament.level, spec.runtime.runtime)
    heartbeat = Heartbeat(store, tournament.stored, executor)

    def progress(now: Progress) -> None:
        heartbeat.note(now.played)
        on_progress(now)

    results = StoredResults(tournament, store)
    state = _Run(results, None if go_on_anyway else Health(), is_stopping, progress)
    if isinstance(spec.schedule, LadderPlan):
        state.ladder = LadderRounds(
            results, job, bots, commit=state.commit, wait=state.wait, find_newcomer=find_newcomer, may_begin=may_begin, notify=notify
        )
    gc.freeze()  # otherwise garbage collections traverse all modules, which takes a twelfth of the driver's CPU time
    try:
        for played in executor.run(job, state.tickets()):
            state.take(played)
    except PausedError as error:
        state.commit()
        heartbeat.end(Ending.PAUSED, str(error))
        raise
    except HostError as error:
        state.release()
        state.commit()
        heartbeat.end(Ending.FAILED, str(error))
        raise
    except KeyboardInterrupt:  # the second Ctrl-C
        heartbeat.end(Ending.STOPPED)
        raise
    finally:
        gc.unfreeze()
    summary = state.finish()
    if state.problem:
        heartbeat.end(Ending.PAUSED, state.problem)
        raise PausedError(state.problem)
    heartbeat.end(Ending.COMPLETE if summary.is_complete else Ending.STOPPED)
    return summary


class _Run:
    def __init__(
        self, results: StoredResults, health: Health | None, is_stopping: Callable[[], bool], on_progress: Callable[[Progress], None]
    ) -> None:
        self._results = results
        self._health = health
        self._is_stopping = is_stopping
        self._on_progress = on_progress
        self.ladder: LadderRounds | None = None
        self._driver = results.tournament.schedule.drive()
        self._in_play = 0
        self._index: dict[str, int] = {}
        self._unstored: list[tuple[int, MatchResult, Entry]] = []
        self._void: list[VoidMatch] = []
        self._last_commit = monotonic()
        self._round = 0
        self.problem = ""
        """Why no more rounds are played although the schedule is not over."""

    def tickets(self) -> Tickets:
        """Yield the tickets still to be played; the results of stored matches are folded at once.

        If the next round is paired according to results, yield PAUSE until they have arrived; stop if one of these matches is void.
        """
        results = self._results
        last_round = results.store.last_round(results.tournament.stored)
        if self.ladder is not None:
            self.ladder.find_slow(last_round + 1)  # from orders of earlier runs
        index, number = 0, 0
        left = results.stored  # stored results that the schedule has not reached; only this run adds to them
        while not self._driver.is_blocked:
            if self.ladder is not None:
                self.ladder.judge(self._driver.due)
                if number > last_round:
                    yield from self.ladder.await_round(number, self._is_stopping)
            try:
                round_ = self._driver.next()
            except NoTableError as error:
                self.problem = str(error)
                return
            if round_ is None:
                return
            self._round, number, first = round_.number, round_.number + 1, index
            for chunk in chunks(round_.tickets):
                known = results.store.entries(results.tournament.stored, (ticket.id for ticket in chunk)) if left else {}
                left -= len(known)
                for ticket in chunk:
                    entry = known.get(ticket.id)
                    if entry is None and self._is_stopping():
                        return
                    self._driver.expect(ticket)
                    if entry is None:
                        self._index[ticket.id] = index
                        self._in_play += 1
                        yield ticket
                    else:  # played by an earlier run
                        results.add(index, entry)
                        self._settle(entry)
                    index += 1
            if index == first and self._is_stopping():  # a round without tables
                return
            while self._driver.is_waiting:
                if not self._in_play or (self._health is not None and self._health.holds(self._driver.missing)):
                    self.release()  # the next round's pairing needs them now; it doesn't wait for slow bots' matches in progress
                if self._driver.is_waiting:
                    yield PAUSE

    def wait(self) -> Iterator[Pause]:
        """Wait a moment before a round."""
        if self._in_play:
            yield PAUSE
            return
        self.release()
        self.commit()
        sleep(POLL_SECONDS)

    def _settle(self, entry: Entry) -> None:
        if self.ladder is not None:
            self.ladder.note(entry)
        self._driver.settle(entry.match, entry.ranks)

    def take(self, played: Sequence[Played]) -> None:
        """Take the results that have arrived, possibly none; commit if there are enough of them or the last commit is old."""
        for each in played:
            self._in_play -= 1
            if isinstance(each, VoidMatch):
                self._give_up(each)
            else:
                self._keep([each] if self._health is None else self._health.take(each))
        seconds = monotonic() - self._last_commit
        if len(self._unstored) >= COMMIT_MATCHES or seconds >= (2 * COMMIT_SECONDS if played else COMMIT_SECONDS):
            self.commit()

    def _keep(self, results: Sequence[MatchResult]) -> None:
        for each in results:
            entry = entry_of(each)
            self._unstored.append((self._index[entry.match], each, entry))
            self._settle(entry)

    def release(self) -> None:
        """Release the results held back: no further match can show that the machine is at fault."""
        if self._health is not None:
            self._keep(self._health.release())

    def _give_up(self, void: VoidMatch) -> None:
        self._void.append(void)
        self._driver.settle(void.ticket.id, None)
        self._results.store.add_void(self._results.tournament.stored, void)
        self._results.add(self._index.pop(void.ticket.id), None)

    def commit(self) -> None:
        """Store the results so far, and rate those that have no gap before them in the schedule."""
        results = self._results
        unstored, self._unstored = self._unstored, []
        results.store_results(unstored)
        for _, _, entry in unstored:
            del self._index[entry.match]
        self._last_commit = monotonic()
        total = results.tournament.stored.total
        self._on_progress(Progress(total, self._round, results.stored, results.played, len(self._void), results.table))

    def finish(self) -> Summary:
        """Commit the rest, seal it, and return how the run ended."""
        self.release()
        self.commit()
        results = self._results
        folded = results.finish()
        tournament, schedule = results.tournament.stored, results.tournament.schedule
        is_complete = not self._void and (self._driver.is_over or results.stored == tournament.total)
        ratings = ratings_digest(folded.table, contents(tournament))
        conclusion = schedule.conclusion()
        seal = results.store.seal(tournament, folded, ratings, is_final=is_complete, conclusion=conclusion if is_complete else "")
        if is_complete and tournament.total is None:
            tournament = replace(tournament, total=results.stored)
        return Summary(
            tournament=tournament,
            stored=results.stored,
            played=results.played,
            void=tuple(self._void),
            blocked=min(each.ticket.round for each in self._void) if self._driver.is_blocked else None,
            is_complete=is_complete,
            results_digest=folded.results_digest,
            ratings_digest=ratings,
            seal=seal,
            table=folded.table,
            places=schedule.places(),
            conclusion=conclusion,
        )


def find_finished(run: Tournament) -> Summary | None:
    """Return the summary of a tournament whose newest seal is final and still valid, or None if anything is left to play or seal.

    Matches are read only if the format has its own rules for places.
    """
    store, tournament, schedule = run.store, run.stored, run.schedule
    link = store.sealed(tournament.id)
    sealed = None if link is None else link.body.run
    if link is None or sealed is None or not sealed.final or store.waiting(tournament) or schedule.uncounted:
        return None
    rated, totals = store.standings(tournament)
    stored = store.count_matches(tournament)
    hashes = contents(tournament)
    table = rating_table(totals)
    if not stored == rated == tournament.total or {each.bot for each in totals} != set(hashes):
        return None
    if ratings_digest(table, hashes) != sealed.ratings:
        return None
    if schedule.has_places and any(entry is None for _, entry in schedule.walk(partial(store.entries, tournament))):
        return None
    return Summary(
        tournament=tournament,
        stored=stored,
        played=0,
        void=(),
        blocked=None,
        is_complete=True,
        results_digest=sealed.results,
        ratings_digest=sealed.ratings,
        seal=link.digest,
        table=table,
        places=schedule.places(),
        conclusion=sealed.conclusion,
    )
