"""Processes of this machine play the same tournament as one process does, also when they die; a long run is handed over to Ray."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Event, current_thread
from time import sleep
from types import FunctionType
from typing import Any

import pytest

from arena.formats.schedule import Schedule
from arena.play.executors import base, process_executor
from arena.play.executors.base import Executor, HostError, InlineExecutor, Job, Played, Task, Tickets
from arena.play.executors.cancellation import Cancellation, CancelledError
from arena.play.executors.handover import HandoverExecutor
from arena.play.executors.process_executor import ProcessExecutor
from arena.run.runner import Summary, run_tournament
from arena.spec.spec import Spec, make_spec
from bots.host.player_pool import PlayerPool
from bots.loader.version import BotVersion
from bots.sandbox.levels import Level
from bots.sandbox.probe import best_level
from engine.records import MatchResult
from leaderboard.storage.store import Store
from tests.arena.conftest import MakeSpec
from tests.arena.play.executors.nodes import command
from tests.arena.running import digests, versions_of
from tests.bots.sandbox.stage import are_gone_within, descendants
from tests.waiting import wait_for

BOTS = [{"name": "ann", "source": "random"}, {"name": "bob", "source": "greedy"}, {"name": "cid", "source": "random"}]
PLAN = make_spec({"name": "plan", "game": "tongiaki", "seed": 7, "bots": BOTS, "schedule": {"tables": [2, 3]}}, "plan")


def workers(parent: int | None = None) -> list[int]:
    """The worker processes of that process, or of this one."""
    return [each for each in descendants(parent or os.getpid()) if command(each).endswith(" arena-worker ")]


def zygotes() -> list[int]:
    """The processes that make the workers' bots, and those of bots; a worker's fork that reads modules has the worker's name."""
    return [each for worker in workers() for each in descendants(worker) if not command(each).endswith(" arena-worker ")]


def bot(path: Path, body: str) -> Path:
    """A bot's file with this in choose, before it plays the first legal move."""
    path.write_text(
        f"import os, time\n\nclass Bot:\n    def choose(self, view, clock):\n        {body}\n        return view.legal_moves[0]\n"
    )
    return path


def run_on(executor: Executor, plan: Spec, path: Path, versions: dict[str, BotVersion], **more: Any) -> Summary:
    """A run on that executor, which is closed then."""
    try:
        with Store.create(path) as store:
            return run_tournament(plan, versions, store, executor, **more)
    finally:
        executor.close()


@pytest.fixture(scope="module")
def inline(tmp_path_factory: pytest.TempPathFactory) -> Summary:
    """The plan, played in this process."""
    return run_on(InlineExecutor(), PLAN, tmp_path_factory.mktemp("inline") / "inline.db", versions_of(PLAN))


BEST = max(Level.L0, best_level())
SLOW = pytest.mark.slow


def test_processes_start_the_sandbox_of_a_job_whose_bots_are_not_known_yet() -> None:
    executor = ProcessExecutor(1)
    job = Job(PLAN.game, PLAN.make_game().options, {}, level=Level.L0)
    try:
        executor.start(job)
        wait_for(zygotes)
        zygote = min(zygotes())
        played = [
            each for batch in executor.run(replace(job, bots=versions_of(PLAN)), iter([next(iter(Schedule(PLAN)))])) for each in batch
        ]
        assert [type(each) for each in played] == [MatchResult]
        assert zygote in zygotes()  # which has made the bots
    finally:
        executor.close()


@pytest.mark.parametrize(
    ("number", "level"),
    [(2, Level.NONE), pytest.param(1, Level.NONE, marks=SLOW), pytest.param(5, BEST, marks=SLOW)],
)
def test_any_number_of_processes_gives_the_digests_of_this_one(tmp_path: Path, inline: Summary, number: int, level: Level) -> None:
    executor = ProcessExecutor(number)
    assert executor.description == f"{number} process{'es' if number > 1 else ''} of this machine"

    summary = run_on(executor, PLAN, tmp_path / "t.db", versions_of(PLAN), level=level)

    assert summary.is_complete
    assert digests(summary) == digests(inline)
    assert not workers()
    assert sum(each.answers for each in executor.workers) == summary.stored
    assert 0 < len(executor.workers) <= number


@pytest.mark.parametrize("level", [Level.NONE, pytest.param(BEST, marks=pytest.mark.slow)], ids=str)
@pytest.mark.slow  # it waits for new processes
def test_a_process_killed_in_the_middle_changes_nothing(spec: MakeSpec, tmp_path: Path, level: Level) -> None:
    slow = bot(tmp_path / "slow.py", "time.sleep(0.001)")
    plan = spec(
        f'bots = [{{name = "ann", source = "random"}}, {{name = "slow", source = "{slow}"}}]\nschedule = {{tables = [2], blocks = 8}}'
    )
    versions = versions_of(plan)
    inline = run_on(InlineExecutor(), plan, tmp_path / "inline.db", versions)

    killed: list[int] = []

    class Killing(ProcessExecutor):
        def run(self, job: Job, tickets: Tickets) -> Iterator[list[Played]]:
            for played in super().run(job, tickets):
                if played and not killed:
                    killed.append(int(self.workers[0].name.rpartition(":")[2]))  # one that has played; another may still be starting
                    os.kill(killed[0], signal.SIGKILL)
                yield played

    sentences: list[str] = []
    summary = run_on(Killing(2, sentences.append), plan, tmp_path / "t.db", versions, level=level)

    assert killed
    assert len(sentences) == 1
    assert sentences[0].startswith(
        "a worker was lost (it was killed by SIGKILL, as the system does when memory runs out; the machine had a"
    )
    assert sentences[0].endswith("), and its matches are played again")
    assert summary.is_complete
    assert digests(summary) == digests(inline)
    with Store.read(tmp_path / "t.db") as store:
        assert all(total.faults == 0 for total in store.standings(summary.tournament)[1])
    assert not workers()


# each of its matches takes three workers
@pytest.mark.slow  # starts processes
def test_matches_of_a_bot_that_kills_its_process_are_void_and_the_others_are_played(spec: MakeSpec, tmp_path: Path) -> None:
    killer = bot(tmp_path / "killer.py", "os.kill(os.getpid(), 9)")
    plan = spec(f"""
        bots = [{{name = "ann", source = "random"}}, {{name = "bob", source = "random"}}, {{name = "killer", source = "{killer}"}}]
        schedule = {{tables = [2]}}
    """)

    summary = run_on(ProcessExecutor(2), plan, tmp_path / "t.db", versions_of(plan))

    with Store.read(tmp_path / "t.db") as store:
        stored = {match.id for match in store.recent_matches(summary.tournament)}
    assert stored == {ticket.id for ticket in Schedule(plan) if "killer" not in ticket.seats}
    assert {void.ticket.id for void in summary.void} == {ticket.id for ticket in Schedule(plan)} - stored
    assert {void.reason for void in summary.void} == {
        "its worker was lost 3 times (it was killed by SIGKILL, as the system does when memory runs out)"
    }


def test_a_process_that_can_t_start_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_executor, "_PROGRAM", "raise SystemExit(4)")

    with pytest.raises(HostError, match=r"^a worker process could not be started: it ended with code 4; 'arena doctor'"):
        run_on(ProcessExecutor(2), PLAN, tmp_path / "t.db", versions_of(PLAN))


class Halves(Task[int, int]):
    """Even numbers are halved; the program fails at odd ones."""

    def do(self, items: Sequence[int], pool: PlayerPool | None) -> list[int]:
        if any(item % 2 for item in items):
            raise ValueError("an odd number\nwithout a half")
        return [item // 2 for item in items]

    def lost(self, item: int, reason: str) -> int:
        raise AssertionError(reason)


@pytest.mark.slow  # starts processes
def test_an_error_of_the_program_in_a_process_is_told_once_what_is_in_hand_has_come_back() -> None:
    executor = ProcessExecutor(2)
    answers: list[int] = []

    with pytest.raises(HostError, match=r"^a worker failed with an error that no bot should be able to cause: an odd number$"):
        answers.extend(each for batch in executor.work(Halves(), iter([2, 4, 7])) for each in batch)
    executor.close()

    assert sorted(answers) == [1, 2]


DRIVER = """
import sys
from pathlib import Path
from arena.play.executors.process_executor import ProcessExecutor
from arena.run.runner import run_tournament
from arena.spec.spec import make_spec

spec = make_spec({"name": "t", "game": "tongiaki", "seed": 1, "bots": ["random", sys.argv[1]], "schedule": {"tables": [2], "blocks": 50}})
run_tournament(spec, executor=ProcessExecutor(2), on_progress=lambda progress: print(progress.stored, flush=True))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="it looks for processes in /proc")
def test_processes_end_with_a_driver_that_is_killed(tmp_path: Path) -> None:
    slow = bot(tmp_path / "slow.py", "time.sleep(0.01)")
    with subprocess.Popen([sys.executable, "-c", DRIVER, str(slow)], stdout=subprocess.PIPE) as driver:
        assert driver.stdout is not None
        driver.stdout.readline()
        wait_for(lambda: len(workers(driver.pid)) == 2)  # one may have played before the other has started
        theirs = workers(driver.pid)
        driver.kill()
    assert are_gone_within(60, theirs)


class Other(ProcessExecutor):
    """Stands for Ray."""

    description = "the other"

    def __init__(self) -> None:
        super().__init__(1)
        self.played = 0
        self.starter = current_thread()
        self.lasted = False

    def run(self, *given: Any) -> Iterator[list[Any]]:
        for results in super().run(*given):
            self.played += len(results)
            yield results

    def close(self) -> None:
        super().close()
        self.lasted = self.starter.is_alive()


@pytest.fixture
def one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches of one ticket, so that the run is not over before Ray has started."""
    monkeypatch.setattr(base, "BATCH_SECONDS", 1e-6)


def until_started(executor: HandoverExecutor) -> Callable[[object], None]:
    """What a run calls at each step: it waits for Ray once that is being started, so that the run is not over before."""

    def wait(_progress: object) -> None:
        if executor._start.has_begun:
            assert executor._start._has_ended.wait(120)

    return wait


@pytest.mark.usefixtures("one_by_one")
def test_a_long_run_is_handed_over_and_ends_with_the_same_digests(tmp_path: Path, inline: Summary) -> None:
    others: list[Other] = []
    told: list[str] = []
    executor = HandoverExecutor(1, patience=0.0, worth=0.0, notify=told.append, make_ray=lambda _: others.append(Other()) or others[0])
    assert executor.description == "1 process of this machine (on Ray if it takes long)"

    summary = run_on(executor, PLAN, tmp_path / "t.db", versions_of(PLAN), on_progress=until_started(executor))

    assert told == ["playing on the other from now on"]
    [other] = others
    assert 0 < other.played < summary.stored
    assert (other.lasted, other.starter.is_alive()) == (True, False)  # Linux kills Ray's processes when the thread that started them ends
    assert digests(summary) == digests(inline)
    assert not workers()


@pytest.mark.slow
@pytest.mark.usefixtures("one_by_one")
def test_rounds_that_wait_for_results_are_handed_over_too(spec: MakeSpec, tmp_path: Path) -> None:
    plan = spec("""
        bots = [{name = "ann", source = "random"}, {name = "bob", source = "greedy"}, {name = "cid", source = "random"}]
        schedule = {format = "swiss", tables = [2], rounds = 4, blocks = 1}
    """)
    inline = run_on(InlineExecutor(), plan, tmp_path / "inline.db", versions_of(plan))
    other = Other()
    executor = HandoverExecutor(1, patience=0.0, worth=0.0, make_ray=lambda _: other)

    summary = run_on(executor, plan, tmp_path / "t.db", versions_of(plan), on_progress=until_started(executor))

    assert summary.is_complete
    assert other.played
    assert digests(summary) == digests(inline)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("patience", "worth", "left"), [(6000.0, 0.0, None), (0.0, 6000.0, None), (0.0, 6000.0, 6)])
def test_ray_is_not_started_for_a_short_run(tmp_path: Path, patience: float, worth: float, left: int | None) -> None:
    def fail(_: Cancellation) -> Any:
        pytest.fail("Ray was started")

    executor = HandoverExecutor(1, patience=patience, worth=worth, left=left, make_ray=fail)

    assert run_on(executor, PLAN, tmp_path / "t.db", versions_of(PLAN)).is_complete
    assert not executor._start.has_begun


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("error", "said"),
    [
        (HostError("Ray did not start on this machine: no memory"), "Ray did not start on this machine: no memory"),
        (ImportError("no module named ray"), "Ray can't be used on this machine: no module named ray"),
    ],
)
def test_where_ray_does_not_start_processes_go_on(tmp_path: Path, inline: Summary, error: Exception, said: str) -> None:
    def fail(_: Cancellation) -> Any:
        raise error

    told: list[str] = []
    executor = HandoverExecutor(1, patience=0.0, worth=0.0, notify=told.append, make_ray=fail)

    summary = run_on(executor, PLAN, tmp_path / "t.db", versions_of(PLAN), on_progress=until_started(executor))

    assert told == [f"{said}; playing goes on in 1 process of this machine"]
    executor._start._thread.join(60)
    assert not executor._start._thread.is_alive()  # with it ends what has started of Ray, long before the run does
    assert summary.results_digest == inline.results_digest


@pytest.mark.slow
@pytest.mark.usefixtures("one_by_one")
def test_a_ray_that_is_there_near_the_end_of_a_run_does_not_take_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = Other()
    told: list[str] = []
    is_near = Event()

    def start(_: Cancellation) -> Other:
        assert is_near.wait(60)
        return other

    executor = HandoverExecutor(1, patience=0.0, worth=0.0, notify=told.append, make_ray=start)

    def near_the_end(progress: object) -> None:
        if executor._start.has_begun:
            monkeypatch.setattr(executor, "_worth", 6000.0)
            is_near.set()
            until_started(executor)(progress)

    assert run_on(executor, PLAN, tmp_path / "t.db", versions_of(PLAN), on_progress=near_the_end).is_complete
    assert is_near.is_set()
    assert (other.played, told) == (0, [])
    assert not workers()


@pytest.mark.usefixtures("one_by_one")
def test_a_run_that_ends_while_ray_starts_cancels_the_start(tmp_path: Path) -> None:
    ended: list[str] = []
    wait = FunctionType((lambda: sleep(0.01)).__code__, {"__name__": "ray.node", "sleep": sleep})  # as if it were a function of Ray's

    def start(cancellation: Cancellation) -> Any:
        try:
            with cancellation.cancels():
                while True:  # a start that takes for ever
                    wait()
        except CancelledError:
            ended.append("cancelled")
            raise

    executor = HandoverExecutor(1, patience=0.0, worth=0.0, make_ray=start)

    assert run_on(executor, PLAN, tmp_path / "t.db", versions_of(PLAN)).is_complete
    assert ended == ["cancelled"]
    assert not executor._start._thread.is_alive()
