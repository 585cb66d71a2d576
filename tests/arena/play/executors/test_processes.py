"""Processes of this machine play the same tournament as one process does, also when they die."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from arena.formats.schedule import Schedule
from arena.play.executors import process_executor
from arena.play.executors.base import Executor, HostError, InlineExecutor, Job, Played, Task, Tickets
from arena.play.executors.process_executor import ProcessExecutor
from arena.run.runner import Summary, run_tournament
from arena.spec.spec import Spec, make_spec
from bots.host.player_pool import PlayerPool
from bots.limits import Level
from bots.loader.version import BotVersion
from bots.sandbox.probe import best_level
from leaderboard.storage.store import Store
from tests.arena.conftest import MakeSpec
from tests.arena.play.executors.nodes import command
from tests.arena.running import digests, versions_of
from tests.bots.sandbox.stage import are_gone_within, descendants
from tests.world import wait_for

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
                    killed.append(workers()[0])
                    os.kill(killed[0], signal.SIGKILL)
                yield played

    sentences: list[str] = []
    summary = run_on(Killing(2, sentences.append), plan, tmp_path / "t.db", versions, level=level)

    assert killed
    assert len(sentences) == 1
    assert sentences[0].startswith("a worker was lost (it was killed by SIGKILL, as happens when memory runs out; the machine had a")
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
        "its worker was lost 3 times (it was killed by SIGKILL, as happens when memory runs out)"
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
