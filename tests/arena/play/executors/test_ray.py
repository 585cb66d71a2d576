"""Ray plays the same tournament as this process does, also when its workers die."""

from __future__ import annotations

import os
import signal
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from socket import create_server
from time import sleep

import pytest

from arena.formats.schedule import Schedule
from arena.play.executors import base
from arena.play.executors.base import HostError, InlineExecutor, Job, Played, Tickets
from arena.play.executors.handover import HandoverExecutor, _Start
from arena.play.executors.ray_executor import RayExecutor
from arena.spec.spec import Spec
from arena.verification.store_source import StoreSource
from arena.verification.verifier import verify_source
from bots.loader.loading import resolve
from bots.loader.version import BotVersion
from bots.sandbox.levels import Level
from bots.sandbox.probe import best_level
from leaderboard.storage.store import Store
from tests.arena.play.executors.test_processes import bot, run_on, until_started
from tests.arena.verification.evidence import make_database
from tests.waiting import wait_for

MakeSpec = Callable[..., Spec]
pytestmark = [
    # Ray's own: sockets and processes that it leaves to the garbage collector
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning", "ignore::FutureWarning"),
]

PLAN = """
    bots = [{name = "ann", source = "random"}, {name = "bob", source = "greedy"}, {name = "cid", source = "random"}]
    schedule = {tables = [2, 3], blocks = 2}
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder for Ray with a path short enough for its sockets."""
    with tempfile.TemporaryDirectory(prefix="ray") as name:
        yield Path(name)


def descendants() -> list[int]:
    """The processes that this one has started, and those that they have."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except (OSError, IndexError):
                continue
    found = {os.getpid()}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return sorted(found - {os.getpid()})


def workers() -> list[int]:
    """Ray's workers that are playing now."""
    found = []
    for process in descendants():
        try:
            if Path(f"/proc/{process}/cmdline").read_bytes().startswith(b"ray::_work_batch"):
                found.append(process)
        except OSError:
            continue
    return found


def found(plan: Spec) -> dict[str, BotVersion]:
    """The versions of the plan's bots."""
    return {each.name: resolve(each.source, name=each.name) for each in plan.bots}


# Ray takes five seconds to start; the only everyday test that plays on it
@pytest.mark.parametrize("number", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_any_number_of_workers_gives_the_digests_of_this_process(
    spec: MakeSpec, tmp_path: Path, folder: Path, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = spec(PLAN)
    for module in ("arena", "numpy"):  # a stranger's files in the working folder, which Ray would have its workers import
        (tmp_path / f"{module}.py").write_text("raise SystemExit")
    monkeypatch.chdir(tmp_path)
    inline = run_on(InlineExecutor(), plan, tmp_path / "inline.db", found(plan))
    before = set(descendants())
    executor = RayExecutor(number, temp_dir=folder)
    assert executor.description == f"{number} Ray worker{'s' if number > 1 else ''} on this machine"
    summary = run_on(executor, plan, tmp_path / "ray.db", found(plan))
    assert summary.is_complete
    assert (summary.results_digest, summary.ratings_digest) == (inline.results_digest, inline.ratings_digest)
    wait_for(lambda: not set(descendants()) - before)  # no process is left behind
    assert not list(folder.iterdir())  # nor a folder


@pytest.mark.slow
def test_processes_hand_over_to_ray_in_the_middle(spec: MakeSpec, tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "BATCH_SECONDS", 1e-6)
    slow = bot(tmp_path / "slow.py", "time.sleep(0.001)")
    plan = spec(
        f'bots = [{{name = "ann", source = "random"}}, {{name = "slow", source = "{slow}"}}]\nschedule = {{tables = [2], blocks = 12}}'
    )
    versions = found(plan)
    before = set(descendants())
    told: list[str] = []
    executor = HandoverExecutor(
        2,
        patience=0.0,
        worth=0.0,
        notify=told.append,
        make_ray=lambda cancellation: RayExecutor(2, temp_dir=folder, cancellation=cancellation),
    )

    summary = run_on(executor, plan, tmp_path / "t.db", versions, on_progress=until_started(executor))

    assert told == ["playing on 2 Ray workers on this machine from now on"]
    assert summary.is_complete
    inline = run_on(InlineExecutor(), plan, tmp_path / "inline.db", versions)
    assert (summary.results_digest, summary.ratings_digest) == (inline.results_digest, inline.ratings_digest)
    wait_for(lambda: not set(descendants()) - before)
    assert not list(folder.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [0.3, 1.0, 2.0, 4.0])
def test_a_start_that_is_cancelled_leaves_nothing_and_ray_can_be_started_again(folder: Path, seconds: float) -> None:
    before = set(descendants())
    start = _Start(lambda cancellation: RayExecutor(2, temp_dir=folder, cancellation=cancellation))
    start.begin()
    sleep(seconds)
    if (ray := start.cancel()) is not None:  # it was there already
        ray.close()
    start.release()
    wait_for(lambda: not set(descendants()) - before)
    assert not list(folder.iterdir())


@pytest.mark.slow
def test_a_verification_finds_the_same_on_ray_as_in_this_process(tmp_path: Path, folder: Path) -> None:
    path, _ = make_database(tmp_path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE seat SET score = score + 1 WHERE rowid IN (1, 4)")
    found = []
    for make in (InlineExecutor, lambda: RayExecutor(2, temp_dir=folder)):
        executor = make()
        try:
            with Store.read(path) as store:
                source = StoreSource(store)
                verdicts, general = verify_source(source, source.tournaments(), executor)
        finally:
            executor.close()
        assert general == []
        found.append([(each.results, each.ratings, each.decisions, set(each.disagreements)) for each in verdicts])
    assert found[0] == found[1]
    assert sum(disagreement.field.startswith("score") for each in found[0] for disagreement in each[3]) == 2


@pytest.mark.slow
def test_a_worker_killed_in_the_middle_changes_nothing_and_bots_travel_by_their_code(spec: MakeSpec, tmp_path: Path, folder: Path) -> None:
    slow = bot(tmp_path / "slow.py", "time.sleep(0.004)")
    plan = spec(
        f'bots = [{{name = "ann", source = "random"}}, {{name = "slow", source = "{slow}"}}]\nschedule = {{tables = [2], blocks = 8}}'
    )
    versions = found(plan)
    inline = run_on(InlineExecutor(), plan, tmp_path / "inline.db", versions)
    slow.unlink()
    killed: list[int] = []
    before = set(descendants())

    class Killing(RayExecutor):
        def run(self, job: Job, tickets: Tickets) -> Iterator[list[Played]]:
            for played in super().run(job, tickets):
                if played and not killed:
                    killed.append(workers()[0])
                    os.kill(killed[0], signal.SIGKILL)
                yield played

    summary = run_on(Killing(2, temp_dir=folder), plan, tmp_path / "ray.db", versions, level=max(Level.L0, best_level()))
    assert killed
    with Store.read(tmp_path / "ray.db") as store:
        assert all(total.faults == 0 for total in store.standings(summary.tournament)[1])
    assert summary.is_complete
    assert (summary.results_digest, summary.ratings_digest) == (inline.results_digest, inline.ratings_digest)
    wait_for(lambda: not set(descendants()) - before)  # no bot survives its worker


@pytest.mark.slow
def test_matches_of_a_bot_that_kills_its_worker_are_void_and_the_others_are_played(spec: MakeSpec, tmp_path: Path, folder: Path) -> None:
    killer = bot(tmp_path / "killer.py", "os.kill(os.getpid(), 9)")
    plan = spec(f"""
        bots = [{{name = "ann", source = "random"}}, {{name = "bob", source = "random"}}, {{name = "killer", source = "{killer}"}}]
        schedule = {{tables = [2]}}
    """)
    summary = run_on(RayExecutor(2, temp_dir=folder), plan, tmp_path / "t.db", found(plan))
    with Store.read(tmp_path / "t.db") as store:
        stored = {match.id for match in store.recent_matches(summary.tournament)}
    assert stored == {ticket.id for ticket in Schedule(plan) if "killer" not in ticket.seats}
    assert {void.ticket.id for void in summary.void} == {ticket.id for ticket in Schedule(plan)} - stored
    assert all("its worker was lost 3 times" in void.reason for void in summary.void)
    assert not summary.is_complete


@pytest.mark.slow
@pytest.mark.parametrize("address", ["127.0.0.1:1", "127.0.0.1:99999"])
def test_a_cluster_that_is_not_there_is_told_before_ray_would_wait_for_it(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ray.init", lambda **_: pytest.fail("Ray was asked"))
    with pytest.raises(HostError, match=f"^the cluster at {address} can't be reached: .*; '--executor processes' plays without it$"):
        RayExecutor(address=address)


def test_a_cluster_that_answers_but_lets_nobody_join_may_want_a_token(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_options: object) -> None:
        raise ConnectionError("Failed to connect to Ray cluster")

    monkeypatch.setattr("ray.init", refuse)
    with create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(HostError, match=r"answers, but this run can't join it: Failed to .*; where the cluster asks for a token, give"):
            RayExecutor(address=address)
