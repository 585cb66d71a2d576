"""A run stores every match once and in any order, stops, pauses where most bots fail, goes on, and gives signs of life."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import islice
from math import inf
from pathlib import Path

import pytest
from typer.testing import CliRunner

import arena.run.results
import arena.run.runner
from arena.changes import ChangedError
from arena.cli.app import app
from arena.cli.output import Exit
from arena.formats.schedule import Schedule
from arena.play.executors.base import HostError, InlineExecutor, Job, Played, Tickets
from arena.run import watch as module
from arena.run.results import recompute_standings, standings
from arena.run.runner import Progress, Summary, run_tournament
from arena.run.watch import BEAT_SECONDS, PACE_SECONDS, WINDOW, Health, Heartbeat, PausedError
from arena.spec.spec import Spec
from arena.tournament import Tournament, prepare
from bots.loader.version import BotVersion
from engine.records import Fault, FaultKind, MatchResult, SeatResult, Ticket, pack_replay
from engine.replay.format import read_replay
from engine.replay.verifier import verify_replay
from leaderboard.errors import DatabaseUnavailableError, DiskFullError, StoreError
from leaderboard.records import Ending
from leaderboard.storage import sqlite
from leaderboard.storage.store import Store
from leaderboard.storage.tournaments import Run, runs
from tests.arena.conftest import MakeSpec
from tests.arena.fakes import FakeExecutor, without_pauses
from tests.arena.format_plans import plan
from tests.arena.running import Hasty, digests, made_up, run, stop_after, versions_of
from tests.world import StoredTournaments, changed, tournament_of

Versions = Callable[[Spec], dict[str, BotVersion]]

THREE = """
    bots = [{name = "ann", source = "random"}, {name = "bob", source = "random"}, {name = "cid", source = "random"}]
    schedule = {tables = [2, 3], blocks = 2, seats = "rotations"}
"""


class Fake(FakeExecutor):
    """An executor that plays nothing: results follow from the tickets alone, and come in an order of its own."""

    def __init__(self, shuffled: int | None = None, batch: int = 1) -> None:
        self.taken = 0
        self.shuffled = shuffled
        self.batch = batch

    def run(self, job: Job, tickets: Tickets) -> Iterator[list[Played]]:
        rng = random.Random(self.shuffled)
        waiting = without_pauses(tickets)
        while found := list(islice(waiting, self.batch)):
            self.taken += len(found)
            if self.shuffled is not None:
                rng.shuffle(found)
            yield [made_up(ticket) for ticket in found]


def run_fake(
    spec: Spec, path: Path, executor: Fake | None = None, *, bots: Mapping[str, BotVersion] | None = None, **more: object
) -> Summary:
    """A run that plays nothing."""
    with Store.create(path) as store:
        return run_tournament(spec, bots or versions_of(spec), store, executor or Fake(), **more)  # type: ignore[arg-type]


class TestAWholeRun:
    def test_every_match_of_the_schedule_is_stored_once(self, spec: MakeSpec, tmp_path: Path) -> None:
        plan = spec(THREE)
        with Store.create(tmp_path / "t.db") as store:
            summary = run_tournament(plan, versions_of(plan), store, InlineExecutor())
            stored = store.matches(ticket.id for ticket in Schedule(plan))
            assert list(stored) == sorted(ticket.id for ticket in Schedule(plan))
            for ticket in Schedule(plan):
                replay = read_replay(store.replay(ticket.id))
                verify_replay(replay)
                assert (replay.names, replay.seed) == (ticket.seats, ticket.seed)
                assert stored[ticket.id].block == ticket.block
        assert (summary.stored, summary.played, summary.is_complete) == (len(stored), len(stored), True)

    def test_bots_faults_are_stored_and_rated(self, spec: MakeSpec, tmp_path: Path) -> None:
        broken = tmp_path / "broken.py"
        broken.write_text("class Bot:\n    def choose(self, view, clock):\n        raise ValueError('\\udcff \\x00')\n")
        plan = spec(f'bots = [{{name = "ann", source = "random"}}, {{name = "bad", source = "{broken}"}}]')
        with Store.create(tmp_path / "t.db") as store:
            summary = run_tournament(plan, versions_of(plan), store, InlineExecutor())
            assert [(line.bot, line.faults) for line in standings(store, summary.tournament)] == [("ann", 0), ("bad", 4)]
            for match in store.recent_matches(summary.tournament):
                verify_replay(read_replay(store.replay(match.id)))


class TestAnyOrder:
    def test_standings_can_be_computed_again(self, spec: MakeSpec, tmp_path: Path) -> None:
        plan, path = spec(THREE), tmp_path / "t.db"
        summary = run_fake(plan, path)
        with Store.read(path) as store:
            before = standings(store, summary.tournament)
            kept = store.standings(summary.tournament)
            found = recompute_standings(Tournament(store, summary.tournament))
        assert (found.results_digest, found.table) == (summary.results_digest, summary.table)
        assert kept == (18, found.totals)
        connection = sqlite3.connect(path)
        assert connection.execute("DELETE FROM standing").rowcount > 0
        connection.commit()
        connection.close()
        with Store.read(path) as store:
            assert standings(store, summary.tournament) == before
        again = run_fake(plan, path)
        assert again.ratings_digest == summary.ratings_digest
        with Store.read(path) as store:
            assert store.standings(summary.tournament) == kept

    @pytest.mark.slow  # plays a tournament twice
    @pytest.mark.sampled(1)
    @pytest.mark.parametrize("commits", [3, 1, 6])
    def test_a_run_that_is_lost_after_a_commit_is_rated_by_the_next_as_if_it_had_not_been(
        self, spec: MakeSpec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, commits: int
    ) -> None:
        class LostError(Exception):
            """Nothing of the run is left but what it has stored."""

        def lose(progress: Progress) -> None:
            if progress.stored >= 100 * commits:
                raise LostError

        monkeypatch.setattr(arena.run.results, "SAVE_SECONDS", 0)
        monkeypatch.setattr(arena.run.runner, "COMMIT_SECONDS", inf)
        plan, path = spec("schedule = {tables = [2], blocks = 300}"), tmp_path / "t.db"
        whole = run_fake(plan, tmp_path / "whole.db")
        with pytest.raises(LostError):
            run_fake(plan, path, Fake(shuffled=1, batch=50), on_progress=lose, go_on_anyway=True)  # nothing is held back
        with Store.read(path) as store:
            tournament = tournament_of(store)
            expected = recompute_standings(Tournament(store, tournament))
            assert store.standings(tournament) == (expected.matches, expected.totals)
            assert expected.matches == 100 * commits
        resumed = run_fake(plan, path, Fake(shuffled=2, batch=50))
        assert (resumed.results_digest, resumed.ratings_digest, resumed.table) == (whole.results_digest, whole.ratings_digest, whole.table)
        with Store.read(path) as store:
            found = recompute_standings(Tournament(store, resumed.tournament))
            assert store.standings(resumed.tournament) == (600, found.totals)

    def test_standings_never_fall_behind_while_a_run_goes_on_that_had_come_further(self, spec: MakeSpec, tmp_path: Path) -> None:
        plan, path = spec("schedule = {tables = [2], blocks = 300}"), tmp_path / "t.db"
        run_fake(plan, path, is_stopping=stop_after(500))
        seen = []

        def look(_progress: Progress) -> None:
            with Store.read(path) as store:
                tournament = tournament_of(store)
                seen.append(store.standings(tournament)[0])

        run_fake(plan, path, on_progress=look)
        assert seen
        assert min(seen) >= 500


class TestStopping:
    def test_a_gap_in_the_middle_is_filled(self, spec: MakeSpec, tmp_path: Path) -> None:
        plan = spec(THREE)
        whole = run_fake(plan, tmp_path / "whole.db")
        with Store.create(tmp_path / "t.db") as store:
            tournament = prepare(plan, store, versions_of(plan)).stored
            store.add_results(tournament, [made_up(ticket) for ticket in list(Schedule(plan))[5:9]])
        rest = Fake()
        second = run_fake(plan, tmp_path / "t.db", rest)
        assert rest.taken == 14
        assert digests(second) == digests(whole)

    def test_what_has_come_is_stored_when_the_host_fails(self, spec: MakeSpec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        class Failing(Fake):
            def run(self, job: Job, tickets: Tickets) -> Iterator[list[Played]]:
                yield from islice(super().run(job, tickets), 5)
                raise HostError("the machine is on fire")

        monkeypatch.setattr(arena.run.runner, "COMMIT_SECONDS", 1000)
        plan = spec(THREE)
        with Store.create(tmp_path / "t.db") as store:
            with pytest.raises(HostError, match="on fire"):
                run_tournament(plan, versions_of(plan), store, Failing())
            tournament = tournament_of(store)
            assert store.count_matches(tournament) == 5
        assert run_fake(plan, tmp_path / "t.db").is_complete


class TestWhatHasChanged:
    def test_a_bot_that_has_changed_is_refused(self, spec: MakeSpec, tmp_path: Path) -> None:
        plan = spec()
        before = versions_of(plan)
        run_fake(plan, tmp_path / "t.db", bots=before, is_stopping=stop_after(2))
        after = before | {"bob": BotVersion("bob", "f" * 64, "bob.py", "Bot")}
        with pytest.raises(ChangedError, match=r"the bot 'bob' has changed since .* \(version [0-9a-f]{8} then, ffffffff now\); start"):
            run_fake(plan, tmp_path / "t.db", bots=after)


class TestADatabaseThatIsAway:
    """A run waits for it, and plays as it would have played."""

    @pytest.fixture(autouse=True)
    def impatient(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Every match is committed, and SQLite gives up soon."""
        monkeypatch.setattr(arena.run.runner, "COMMIT_MATCHES", 1)
        monkeypatch.setattr(sqlite, "_TO_WRITE", (*sqlite._TO_WRITE, "busy_timeout=20"))

    @staticmethod
    def play(plan: Spec, place: str | Path, leave: Callable[[], object], come_back: Callable[[], object]) -> list[str]:
        """Play with a database that leaves after the second commit, and comes back when the run waits; return what is told."""
        told: list[str] = []

        def on_progress(progress: Progress) -> None:
            if progress.played == 2:
                leave()

        def notify(sentence: str) -> None:
            if not told:
                come_back()
            told.append(sentence)

        with Store.create(place) as store:
            summary = run_tournament(plan, versions_of(plan), store, Fake(), on_progress=on_progress, notify=notify)
            assert (summary.is_complete, summary.stored, summary.played) == (True, len(Schedule(plan)), len(Schedule(plan)))
            assert recompute_standings(Tournament(store, summary.tournament)).results_digest == summary.results_digest
        return told

    def test_one_that_another_program_locks(self, spec: MakeSpec, tmp_path: Path) -> None:
        path = tmp_path / "t.db"
        Store.create(path).close()
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            told = self.play(spec(THREE), path, lambda: other.execute("BEGIN IMMEDIATE"), lambda: other.execute("ROLLBACK"))
        assert told == [
            f"the database is unavailable, retrying in 0.5 s: another program has locked the database {path}; stop it, or try again later",
            "the database is available again",
        ]


FOUR = """
    bots = [{name = "ann", source = "random"}, {name = "bob", source = "random"},
            {name = "cid", source = "random"}, {name = "dan", source = "random"}]
    schedule = {tables = [2], blocks = 10}
"""

SWISS = FOUR.replace("schedule = {tables = [2], blocks = 10}", 'schedule = {format = "swiss", tables = [2], rounds = 4, blocks = 3}')


def result(number: int, seats: Sequence[str], failing: Sequence[str] = (), seconds: float = 1.0) -> MatchResult:
    ticket = Ticket(f"{number:016x}", tuple(seats), 0, 0, tuple(seats), number)
    return of(ticket, failing, seconds)


def of(ticket: Ticket, failing: Sequence[str], seconds: float = 1.0) -> MatchResult:
    fault = Fault(FaultKind.INIT_TIMEOUT, 0, "it had not answered")
    return MatchResult(
        ticket,
        tuple(
            SeatResult(bot, 1, place, fault if bot in failing else None, 10, 10 * seconds)
            for place, bot in enumerate(ticket.seats, start=1)
        ),
        "waters", 40, 1.0, pack_replay(f"replay of {ticket.id}"),
    )  # fmt: skip


PAIRS = [("ann", "bob"), ("ann", "cid"), ("ann", "dan"), ("bob", "cid"), ("bob", "dan"), ("cid", "dan")]


def feed(health: Health, failing: Sequence[str], matches: int, first: int = 0) -> list[str]:
    """Take so many matches of all pairs; return the ids of what may be stored."""
    return [
        each.ticket.id
        for number in range(first, first + matches)
        for each in health.take(result(number, PAIRS[number % len(PAIRS)], failing))
    ]


@pytest.mark.parametrize("failing", [["ann", "bob", "cid"], ["ann", "bob", "cid", "dan"]])
def test_a_run_in_which_most_bots_fail_pauses_and_nothing_of_it_may_be_stored(failing: list[str]) -> None:
    health = Health()
    assert feed(health, failing, WINDOW - 1) == []
    with pytest.raises(PausedError, match=rf"{len(failing)} of 4 bots failed in most of the last {WINDOW} matches \(\d+ x init timeout;"):
        feed(health, failing, 1, WINDOW - 1)


def test_it_pauses_before_the_first_match_that_failed_is_stored_when_the_machine_fails_in_mid_run() -> None:
    health = Health()
    assert len(feed(health, [], 50)) == 50
    with pytest.raises(PausedError):
        assert feed(health, ["ann", "bob", "cid", "dan"], WINDOW, 50) == []


@pytest.mark.parametrize("failing", [["ann"], ["ann", "bob"]])
def test_half_of_the_bots_may_fail_for_ever_and_what_they_play_is_stored(failing: list[str]) -> None:
    health = Health()
    stored = feed(health, failing, 200)
    held = [each.ticket.id for each in health.release()]
    assert sorted(stored + held) == [f"{number:016x}" for number in range(200)]
    assert len(held) < WINDOW


class Times:
    """A clock that the test sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def pace(health: Health, times: Times, seconds: Callable[[str], float], bots: Sequence[Sequence[str]] = PAIRS) -> None:
    """Have a minute and a window of matches pass in which each bot takes so long for a decision."""
    for number in range(WINDOW):
        times.now += 2 * PACE_SECONDS / WINDOW
        seats = bots[number % len(bots)]
        match = result(number, seats)
        slow = [SeatResult(seat.bot, 1, seat.rank, None, 10, 10 * seconds(seat.bot)) for seat in match.seats]
        health.take(MatchResult(match.ticket, tuple(slow), "waters", 40, 1.0, match.replay))


def test_a_run_that_has_come_to_a_tenth_of_its_pace_pauses() -> None:
    times = Times()
    health = Health(clock=times)
    pace(health, times, lambda _bot: 0.1)
    pace(health, times, lambda _bot: 0.5)
    with pytest.raises(PausedError, match="4 of 4 bots took more than 10 times as long for a decision"):
        pace(health, times, lambda _bot: 4.0)


class Failing(FakeExecutor):
    """An executor on whose machine all bots fail in the matches numbered ``first`` to ``last``."""

    def __init__(self, first: int, last: int = 10**9) -> None:
        self.first, self.last = first, last
        self.played = 0

    def run(self, job: Job, tickets: Tickets) -> Iterator[list[Played]]:
        for ticket in without_pauses(tickets):
            failing = ticket.seats if self.first <= self.played < self.last else ()
            self.played += 1
            yield [of(ticket, failing)]


@pytest.mark.parametrize("more", [FOUR, SWISS], ids=["blocks", "swiss"])
def test_what_a_paused_run_has_not_stored_is_played_again_with_the_same_digests(
    more: str, spec: MakeSpec, versions: Versions, tmp_path: Path
) -> None:
    plan = spec(more)
    with Store.create(tmp_path / "whole.db") as store:
        whole = run_tournament(plan, versions(plan), store, Failing(10**9))
    with Store.create(tmp_path / "paused.db") as store:
        with pytest.raises(PausedError):
            run_tournament(plan, versions(plan), store, Failing(whole.stored // 4))
        stored = store.count_matches(store.tournament(plan.name))  # type: ignore[arg-type]  # it is there
        assert stored < whole.stored
        again = run_tournament(plan, versions(plan), store, Failing(10**9))
    assert again.played == whole.stored - stored
    assert (again.results_digest, again.ratings_digest) == (whole.results_digest, whole.ratings_digest)
    assert again.is_complete


def test_bots_that_fail_for_a_moment_change_no_digest_and_store_all(spec: MakeSpec, versions: Versions, tmp_path: Path) -> None:
    plan = spec(SWISS)
    digests = set()
    for name, is_sure in (("a", True), ("b", False)):
        with Store.create(tmp_path / f"{name}.db") as store:
            digests.add(run_tournament(plan, versions(plan), store, Failing(5, 12), go_on_anyway=is_sure).results_digest)
    assert len(digests) == 1


def test_the_command_pauses_with_a_code_of_its_own_and_goes_on_with_an_option(tmp_path: Path) -> None:
    (tmp_path / "crash.py").write_text("class Crash:\n    def choose(self, view, clock):\n        raise ValueError('no')\n")
    bots = ", ".join(f'{{name = "{name}", source = "crash.py"}}' for name in ("ann", "bob", "cid"))
    spec = f'name = "cup"\ngame = "tongiaki"\nseed = 1\nbots = [{bots}]\n[schedule]\ntables = [2]\nblocks = 4\n'
    (tmp_path / "cup.toml").write_text(spec)
    command = ["run", str(tmp_path / "cup.toml"), "--db", str(tmp_path / "cup.db"), "--executor", "inline", "--isolation", "none"]

    paused = CliRunner().invoke(app, command)

    assert paused.exit_code == Exit.PAUSED == 6
    assert "the run has paused, since 3 of 3 bots failed" in " ".join(paused.stderr.split())
    with Store.read(tmp_path / "cup.db") as store:
        assert store.count_matches(store.tournament("cup")) == 0  # type: ignore[arg-type]  # it is there
    assert CliRunner().invoke(app, [*command, "--go-on-anyway"]).exit_code == Exit.DONE


BEGAN = datetime(2026, 3, 1, 12, tzinfo=UTC)


@dataclass
class Clocks:
    """A clock that goes evenly, and one on the wall."""

    passed: float = 0.0
    wall: datetime = BEGAN
    written: list[Run] = field(default_factory=list)

    def go(self, seconds: float) -> None:
        self.passed += seconds
        self.wall += timedelta(seconds=seconds)


@pytest.fixture
def clocks() -> Clocks:
    return Clocks()


@pytest.fixture
def beating(stored: StoredTournaments, clocks: Clocks, monkeypatch: pytest.MonkeyPatch) -> Heartbeat:
    """A heartbeat that writes into ``clocks.written``."""
    with Store.read(stored.shared("ladder")) as store:
        monkeypatch.setattr(module, "write_run", lambda _store, run: clocks.written.append(changed(run)))
        return Heartbeat(store, tournament_of(store), FakeExecutor(), clock=lambda: clocks.passed, now=lambda: clocks.wall)


class TestBeats:
    def test_a_sign_is_stored_every_few_seconds(self, beating: Heartbeat, clocks: Clocks) -> None:
        heartbeat = beating
        for number in range(1, 31):
            clocks.go(0.5)
            heartbeat.note(number)
        assert [each.matches for each in clocks.written] == [0, 10, 20, 30]
        assert [each.seen for each in clocks.written] == [BEGAN + timedelta(seconds=BEAT_SECONDS * at) for at in range(4)]
        assert all(each.began == BEGAN and each.ending is Ending.OPEN for each in clocks.written)

    @pytest.mark.parametrize("error", [DatabaseUnavailableError, DiskFullError])
    def test_no_run_ends_because_one_can_not_be_stored(
        self, beating: Heartbeat, monkeypatch: pytest.MonkeyPatch, error: type[StoreError]
    ) -> None:
        def refuse(*_arguments: object) -> None:
            raise error("no")

        monkeypatch.setattr(module, "write_run", refuse)
        beating.end(Ending.STOPPED)


class TestRuns:
    def test_of_a_run_that_was_stopped_and_then_completed(self, tmp_path: Path) -> None:
        path = tmp_path / "t.db"
        run(plan(4), path, is_stopping=stop_after(5))
        assert self.ending(path) == ("plan", 5, Ending.STOPPED, "")
        run(plan(4), path)
        assert self.ending(path) == ("plan", 7, Ending.COMPLETE, "")

    def test_of_a_run_whose_machine_failed(self, tmp_path: Path) -> None:
        def fail(_ticket: object) -> bool:
            raise HostError("no cluster")

        with pytest.raises(HostError):
            run(plan(4), tmp_path / "t.db", Hasty(spoil=fail))
        assert self.ending(tmp_path / "t.db") == ("plan", 0, Ending.FAILED, "no cluster")

    @staticmethod
    def ending(path: Path) -> tuple[str, int, Ending, str]:
        with Store.read(path) as store:
            [(name, found)] = runs(store).items()
        return name, found.matches, found.ending, found.reason
