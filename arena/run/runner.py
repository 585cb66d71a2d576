"""Running a tournament, from a prepared run to its ratings. ``on_progress`` tells a listener how far it is.

Results come in any order; they are stored at once and folded into ratings in schedule order, by this process alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from typing import Final

from arena.entries.roster import find_roster, make_roster
from arena.entries.stored_tournament import ExistingTournament, make_schedule, stored_spec, whole_spec
from arena.formats.base import Place
from arena.formats.ladder import NoTableError
from arena.play.executors.base import PAUSE, Executor, HostError, InlineExecutor, Job, Pause, Played, Tickets
from arena.run.health import Health, PausedError
from arena.run.heartbeat import Heartbeat
from arena.run.ladder_rules import LadderRules
from arena.run.prepare import PreparedRun, keep_bots, prepare
from arena.run.status import contents, recompute_standings
from arena.spec.plans import LadderPlan
from arena.spec.spec import BotEntry, Spec
from bots.loader.version import BotVersion
from bots.sandbox.levels import Level
from engine.records import MatchResult, VoidMatch
from leaderboard.chunks import chunks
from leaderboard.ratings.rating_fold import Rated, ratings_digest
from leaderboard.ratings.results_fold import Entry, Fold, count_milestones, entry_of, rating_table
from leaderboard.records.running import Ending
from leaderboard.storage.patience import Patience, patient
from leaderboard.storage.store import Store, StoredTournament

COMMIT_MATCHES: Final = 100
COMMIT_SECONDS: Final = 0.1
SAVE_SECONDS: Final = 0.5
"""How old the stored standings may become."""
POLL_SECONDS: Final = 0.5
"""How often a run that the host has paused looks for new orders."""


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
    """How a run ended: ``is_complete`` if every match of the schedule is stored; ``void`` has those that the machine failed in this run.

    ``table`` has the rating of each bot. ``seal`` is the digest of the newest link of the chain of seals. ``blocked`` is the first round
    with a void match, if that kept another round from being paired, and ``places`` is where everyone stands by the format's own rules.
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

    Bots that are not given as ``versions`` are found as the spec names them, with files relative to ``base``. Without a ``store`` the
    results are kept until the end of the run only; without an ``executor`` all matches are played in this process. Bots play at a
    ``level`` of isolation; ``NONE`` is for bots that you trust. The callbacks and ``go_on_anyway`` are those of ``run_prepared``.

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
        roster = find_roster(spec, store, base=base, level=level) if versions is None else make_roster(spec, versions, store, level=level)
        run = prepare(roster, store, base=base, allow_open_seed=versions is not None)
        return find_finished(run) or run_prepared(
            run,
            executor,
            find_newcomer=find_newcomer,
            is_stopping=is_stopping,
            on_progress=on_progress,
            notify=notify,
            go_on_anyway=go_on_anyway,
        )


def run_prepared(
    run: PreparedRun,
    executor: Executor,
    *,
    find_newcomer: Callable[[BotEntry], BotVersion] | None = None,
    is_stopping: Callable[[], bool] = lambda: False,
    on_progress: Callable[[Progress], None] = lambda _progress: None,
    notify: Callable[[str], None] = lambda _sentence: None,
    go_on_anyway: bool = False,
) -> Summary:
    """Play, store and rate the matches that are not stored yet. Once ``is_stopping`` returns True, no new match begins.

    ``find_newcomer`` returns the version of a bot that has entered: with it, those who enter a ladder join while it runs. If the database
    is locked or unreachable, the run waits and calls ``notify``. A run in which most bots fail, or become slow, pauses unless it is to
    ``go_on_anyway``: it raises PausedError, a HostError. Raises StoreError and HostError; what was stored stays stored.
    """
    patience = Patience(notify, reconnect=run.store.reconnect)
    run = replace(run, store=patient(run.store, patience))
    if find_newcomer is not None:
        find_newcomer = partial(patience, find_newcomer)
    spec, orders = run.spec, run.schedule.orders
    bots = dict(run.bots)
    job = Job(spec.game, spec.make_game().options, bots, spec.clock.limits, run.level, spec.runtime.runtime, dict(orders.clocks))
    heartbeat = Heartbeat(run.store, run.tournament, executor)
    state = _Run(run, job, bots, find_newcomer, is_stopping, heartbeat.beats_with(on_progress), notify, None if go_on_anyway else Health())
    try:
        for results in executor.run(job, state.tickets()):
            state.take(results)
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
    summary = state.finish()
    if state.problem:
        heartbeat.end(Ending.PAUSED, state.problem)
        raise PausedError(state.problem)
    heartbeat.end(Ending.COMPLETE if summary.is_complete else Ending.STOPPED)
    return summary


class _Run:
    def __init__(
        self,
        run: PreparedRun,
        job: Job,
        bots: dict[str, BotVersion],
        find_newcomer: Callable[[BotEntry], BotVersion] | None,
        is_stopping: Callable[[], bool],
        on_progress: Callable[[Progress], None],
        notify: Callable[[str], None],
        health: Health | None,
    ) -> None:
        self._job = job
        self._bots = bots
        self._find_newcomer = find_newcomer
        self._is_stopping = is_stopping
        self._on_progress = on_progress
        self._notify = notify
        self._health = health
        self._in_play = 0
        self._spec = run.spec
        self._schedule = run.schedule
        self._driver = run.schedule.drive()
        self._store = store = run.store
        self._tournament = tournament = run.tournament
        plan = run.spec.schedule
        self._rules = LadderRules(plan) if isinstance(plan, LadderPlan) else None
        self._facts: dict[str, Entry] = {}
        """What the rules have still to be told of, by match."""
        self._fold = Fold(contents(tournament), run.spec.rating.parameters)
        self._added = 0
        self._table: tuple[Rated, ...] = ()
        self._index: dict[str, int] = {}
        self._unstored: list[MatchResult] = []
        self._void: list[VoidMatch] = []
        self._last_commit = monotonic()
        self._stored = self._stored_before = store.count_matches(tournament)
        self._rated, _ = store.standings(tournament)
        self._last_save = monotonic()
        self._played = 0
        self._round = 0
        self.problem = ""
        """Why there are no more rounds, although the schedule is not over."""

    def tickets(self) -> Tickets:
        """Yield the tickets still to be played; stored matches go straight to the fold.

        If the next round is paired by results, it pauses until those are in; if one of them is void, it ends.
        """
        last_round = self._store.last_round(self._tournament)
        self._find_slow(last_round + 1)  # by orders of earlier runs
        index, number = 0, 0
        left = self._stored_before  # of those, the ones the schedule has not come to; only this run adds to them
        while not self._driver.is_blocked:
            if self._rules is not None:
                for match in self._driver.due:
                    self._rules.add(self._facts.pop(match))
            if number > last_round:
                yield from self._begin_round(number)
            try:
                round_ = self._driver.next()
            except NoTableError as error:
                self.problem = str(error)
                return
            if round_ is None:
                return
            self._round, number, first = round_.number, round_.number + 1, index
            for chunk in chunks(round_.tickets):
                known = self._store.entries(self._tournament, (ticket.id for ticket in chunk)) if left else {}
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
                        self._add(index, entry)
                        self._note(entry)
                        self._driver.settle(ticket.id, entry.ranks)
                    index += 1
            if index == first and self._is_stopping():  # a round without tables
                return
            while self._driver.is_waiting:
                if not self._in_play:
                    self.release()  # the next round is paired by them
                if self._driver.is_waiting:
                    yield PAUSE

    def _begin_round(self, number: int) -> Iterator[Pause]:
        """Before a new round of a ladder, let in who waits and take in orders; while the host has paused it, wait."""
        if self._rules is None:
            return
        self._take_orders(number)
        if self._is_paused(number):
            self._notify(
                f"the host has paused the ladder before round {number + 1}; 'arena orders' says why, 'arena ladder go-on' ends that"
            )
        while self._is_paused(number) and not self._is_stopping():
            if self._in_play:
                yield PAUSE
            else:
                self.release()
                self.commit()
                sleep(POLL_SECONDS)
            self._take_orders(number)

    def _is_paused(self, number: int) -> bool:
        """Whether the host has paused the ladder before that round, and it is to have one."""
        orders = self._schedule.orders
        return orders.is_paused and not orders.is_over(number) and self._is_round(number)

    def _is_round(self, number: int) -> bool:
        """Whether the ladder's file has that round."""
        plan = self._spec.schedule
        assert isinstance(plan, LadderPlan)
        return plan.rounds is None or number < plan.rounds

    def _take_orders(self, number: int) -> None:
        """Let bots that have entered join before this round, and let orders hold from it, those of the ladder's own rules as well.

        After the last round there is nothing for an order to hold from: what it says would change results alone.
        """
        assert self._rules is not None
        waiting = self._store.waiting(self._tournament)
        bots, find = self._bots, self._find_newcomer
        orders = self._schedule.orders
        hashes = contents(self._tournament)
        authors = {bot.name: bot.author for bot in self._spec.bots if bot.name in hashes}
        takes = self._is_round(number)
        rules = self._rules.judge(orders, authors, number) if takes else ()
        joins = bool(waiting) and (find is not None or set(waiting) <= set(bots))
        before = self._tournament
        self._tournament = self._store.begin_round(before, number, rules, joins=joins, takes=takes)
        if self._tournament is before:
            return
        self._spec = whole_spec(self._spec, ExistingTournament(self._tournament, stored_spec(self._tournament)))
        if joins:
            entries = {bot.name: bot for bot in self._spec.bots}
            for name in sorted(waiting, key=list(entries).index):
                if name not in bots and find is not None:
                    bots[name] = find(entries[name])
                    keep_bots(self._store, {name: bots[name]})
                self._fold.enter(name, bots[name].digest)
                self._schedule.join(name, max(1, number), entries[name].author)
        self._schedule.obey(self._tournament.orders)
        now = self._schedule.orders
        self._job.clocks.update(now.clocks)
        self._find_slow(number)
        if (now.uncounted, now.replaced) != (orders.uncounted, orders.replaced):
            self._fold_again()

    def _find_slow(self, number: int) -> None:
        """Note which bots are slow, by the orders that hold from this round on."""
        self._job.slow.clear()
        self._job.slow.update(bot for bot in self._bots if self._schedule.orders.every(bot, number) > 1)

    def _fold_again(self) -> None:
        """Fold all results so far once more, since other ones count now."""
        self.commit()
        self._store.drop_standings(self._tournament)
        self._rated = self._added = 0
        self._fold = Fold(contents(self._tournament), self._spec.rating.parameters)
        schedule = make_schedule(self._spec, self._tournament)
        for index, (_, entry) in enumerate(schedule.walk(partial(self._store.entries, self._tournament))):
            if entry is not None:
                self._add(index, entry)

    def _add(self, index: int, entry: Entry) -> None:
        """Fold a result, if it counts."""
        self._added += 1
        self._fold.add(index, entry if self._schedule.orders.counts(entry.match, entry.bots) else None)

    def _note(self, entry: Entry) -> None:
        if self._rules is not None:
            self._facts[entry.match] = entry

    def take(self, played: Sequence[Played]) -> None:
        """Take results that have come, and commit when there are enough or it is time."""
        for each in played:
            self._in_play -= 1
            if isinstance(each, VoidMatch):
                self._give_up(each)
            else:
                self._keep([each] if self._health is None else self._health.take(each))
        if len(self._unstored) >= COMMIT_MATCHES or monotonic() - self._last_commit >= COMMIT_SECONDS:
            self.commit()

    def _keep(self, results: Sequence[MatchResult]) -> None:
        for each in results:
            self._unstored.append(each)
            self._note(entry_of(each))
            self._driver.settle(each.ticket.id, tuple(seat.rank for seat in each.seats))

    def release(self) -> None:
        """Release the results held back, since no more matches will come that could show the machine to be at fault."""
        if self._health is not None:
            self._keep(self._health.release())

    def _give_up(self, void: VoidMatch) -> None:
        """Take note of a match that could not be played; a later run tries it again."""
        self._void.append(void)
        self._driver.settle(void.ticket.id, None)
        self._store.add_void(self._tournament, void)
        self._fold.add(self._index.pop(void.ticket.id), None)

    def commit(self) -> None:
        """Store the results so far, and rate those without a gap before them."""
        results, self._unstored = self._unstored, []
        self._store.add_results(self._tournament, results)
        self._stored += len(results)
        self._played += len(results)
        for result in results:
            self._add(self._index.pop(result.ticket.id), entry_of(result))
        self._last_commit = monotonic()
        if self._last_commit - self._last_save >= SAVE_SECONDS:
            self._save()
        self._on_progress(Progress(self._tournament.total, self._round, self._stored, self._played, len(self._void), self._table))

    def _save(self) -> None:
        """Store the newest standings, unless those of an earlier run cover more."""
        self._last_save = monotonic()
        folded = self._fold.take()
        self._table = folded.table
        if folded.matches >= self._rated:
            self._store.save_standings(self._tournament, folded)
        else:
            self._store.add_points(self._tournament, folded.points)

    def finish(self) -> Summary:
        """Commit the rest, seal it, and return how the run ended."""
        self.release()
        self.commit()
        self._stored = self._store.count_matches(self._tournament)
        is_complete = not self._void and (self._driver.is_over or self._stored == self._tournament.total)
        self._fold.close_gaps()
        folded = self._fold.take()
        if self._added != self._stored:  # a run that was stopped did not come to those that another had stored behind it
            folded = recompute_standings(self._spec, self._store, self._tournament)
        ratings = ratings_digest(folded.table, contents(self._tournament))
        seal = self._store.seal(self._tournament, folded, ratings, is_final=is_complete)
        if is_complete and self._tournament.total is None:
            self._tournament = replace(self._tournament, total=self._stored)
        return Summary(
            tournament=self._tournament,
            stored=self._stored,
            played=self._played,
            void=tuple(self._void),
            blocked=min(each.ticket.round for each in self._void) if self._driver.is_blocked else None,
            is_complete=is_complete,
            results_digest=folded.results_digest,
            ratings_digest=ratings,
            seal=seal,
            table=folded.table,
            places=self._schedule.places(),
        )


def find_finished(run: PreparedRun) -> Summary | None:
    """Return how a tournament ended whose newest seal is a final one and still holds; None if anything is still to be done or sealed.

    No match is read, unless the format has places of its own.
    """
    store, tournament, schedule = run.store, run.tournament, run.schedule
    link = store.sealed(tournament.id)
    sealed = None if link is None else link.body.run
    if link is None or sealed is None or not sealed.final or store.waiting(tournament) or schedule.orders.leave_out:
        return None
    rated, totals = store.standings(tournament)
    stored = store.count_matches(tournament)
    hashes = contents(tournament)
    table = rating_table(totals)
    if not stored == rated == tournament.total or {each.bot for each in totals} != set(hashes):
        return None
    if ratings_digest(table, hashes) != sealed.ratings:
        return None
    if store.count_points(tournament) != sum(count_milestones(each.matches) for each in totals):
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
    )
