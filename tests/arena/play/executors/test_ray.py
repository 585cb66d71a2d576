"""Matches on Ray: the digests of one process, what happens when it is lost, its folders, and when it is chosen."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from socket import create_server
from types import SimpleNamespace
from typing import Any

import pytest
from ray._private import worker

from arena.cli.options import LONG_RUN, ExecutorName
from arena.cli.run.run import choose_executor
from arena.play.executors import batch_executor, ray_executor
from arena.play.executors.base import HostError, InlineExecutor, Job, Played, Tickets
from arena.play.executors.ray_executor import RayExecutor
from arena.verification.verifier import verify_store
from bots.limits import Level
from bots.sandbox.probe import best_level
from leaderboard.storage.raw_queries import read_tournaments
from leaderboard.storage.store import Store
from tests.arena.conftest import MakeSpec
from tests.arena.play.executors.nodes import command
from tests.arena.play.executors.test_processes import bot, run_on
from tests.arena.running import digests, versions_of, write_cup
from tests.arena.verification.evidence import make_database
from tests.bots.sandbox.stage import are_gone_within, descendants
from tests.world import wait_for

pytestmark = [
    # Ray's own: sockets and processes that it leaves to the garbage collector
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning", "ignore::FutureWarning"),
]

PLAN = """
    bots = [{name = "ann", source = "random"}, {name = "bob", source = "greedy"}, {name = "cid", source = "random"}]
    schedule = {tables = [2, 3], blocks = 2}
"""


def workers() -> list[int]:
    """Ray's workers that are playing now."""
    return [each for each in descendants(os.getpid()) if command(each).startswith("ray::work_batch")]


@pytest.mark.parametrize("before", [None, "of another run"])
def test_nobody_else_reads_the_token_of_a_cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str | None) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    token = tmp_path / ".ray" / "auth_token"
    if before is not None:
        token.parent.mkdir()
        token.write_text(before)

    ray_executor._make_token_private()

    assert token.stat().st_mode & 0o777 == 0o600
    assert token.read_text() == before or (before is None and len(token.read_text()) == 64)


def test_matches_go_to_ray_and_come_back_with_the_digests_of_this_process(
    spec: MakeSpec, tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With Ray's calls answered in this process, since Ray itself takes five seconds to start."""
    sent: list[partial[Any]] = []

    def send(*arguments: Any) -> partial[Any]:
        sent.append(partial(batch_executor.work_batch, *arguments))
        return sent[-1]

    monkeypatch.setattr("ray.init", lambda **_options: None)
    monkeypatch.setattr("ray.remote", lambda **_options: lambda _work: SimpleNamespace(remote=send))
    monkeypatch.setattr("ray.put", lambda shared: shared)
    monkeypatch.setattr("ray.wait", lambda handles, **_options: (handles[-1:], handles[:-1]))
    monkeypatch.setattr("ray.get", lambda handle: handle())
    monkeypatch.setattr(worker.global_worker, "node", SimpleNamespace(all_processes={}))
    plan = spec(PLAN)
    inline = run_on(InlineExecutor(), plan, tmp_path / "inline.db", versions_of(plan))
    executor = RayExecutor(2, temp_dir=folder)
    assert executor.description == "2 Ray workers on this machine"
    summary = run_on(executor, plan, tmp_path / "ray.db", versions_of(plan))
    assert summary.is_complete
    assert len(sent) > 1
    assert digests(summary) == digests(inline)
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
                verdicts, general = verify_store(store, store.fetch(read_tournaments), executor)
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
    versions = versions_of(plan)
    inline = run_on(InlineExecutor(), plan, tmp_path / "inline.db", versions)
    slow.unlink()
    killed: list[int] = []
    before = descendants(os.getpid())

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
    assert digests(summary) == digests(inline)
    wait_for(lambda: not descendants(os.getpid()) - before)  # no bot survives its worker


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
        with pytest.raises(HostError, match=r"answers, but this run can't join it: Failed to .*; if the cluster requires a token, put"):
            RayExecutor(address=address)


DRIVER = """
import sys
from arena.cli import main
sys.argv = ["arena", "run", "cup.toml", "--db", "cup.db", "--isolation", "none", "--executor", sys.argv[1]]
main()
"""


def kinds(driver: int) -> dict[int, str]:
    """The processes of a run by number, and what each is."""
    found = {}
    for pid in descendants(driver):
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            continue
        found[pid] = (
            "raylet" if b"/raylet\0" in words[:300] else "gcs" if b"gcs_server" in words[:300] else words[:300].decode(errors="replace")
        )
    return found


def wait_until(condition: Callable[[], object], process: subprocess.Popen[str]) -> None:
    def is_so() -> object:
        assert process.poll() is None, process.communicate()
        return condition()

    wait_for(is_so, 120)


def start(folder: Path, executor: str, nap: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", DRIVER, executor],
        cwd=folder,
        env=os.environ | {"NAP": nap},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )


def stored_digests(folder: Path) -> list[str]:
    """Play what is left in one process, and return the stored_digests of results and ratings."""
    out, err = start(folder, "inline", "0").communicate(timeout=100)
    found = re.findall(r"^(?:results|ratings) sha256:\w+", out, re.MULTILINE)
    assert len(found) == 2, out + err
    return found


@pytest.fixture
def cup(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a tournament, and beside it one in which it was played at once."""
    monkeypatch.setenv("RAY_TMPDIR", str(folder))
    for each in (tmp_path / "cup", tmp_path / "whole"):
        each.mkdir()
        write_cup(each, nap='float(os.environ["NAP"])', schedule="tables = [2]\nblocks = 40")
    return tmp_path / "cup"


def test_a_ray_that_does_not_start_leaves_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*, _temp_dir: str, **_options: object) -> None:
        (Path(_temp_dir) / "session_1").mkdir()
        raise RuntimeError("the raylet did not start")

    monkeypatch.setattr("ray.init", fail)
    with pytest.raises(HostError, match=r"^Ray did not start on this machine: the raylet did not start; "):
        RayExecutor(1, temp_dir=tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_a_run_whose_ray_is_killed_says_how_to_go_on_and_does(cup: Path, folder: Path) -> None:
    driver = start(cup, "ray", "0.005")
    processes: dict[int, str] = {}
    wait_until(lambda: any("ray::work_batch" in kind for kind in processes.values()) or processes.update(kinds(driver.pid)), driver)
    time.sleep(1)
    os.kill(next(pid for pid, kind in processes.items() if kind == "raylet"), signal.SIGKILL)
    out, err = driver.communicate(timeout=150)
    assert driver.returncode == 1
    assert "raylet" not in out  # Ray prints its log where results go, unless it is kept from it
    assert "its process 'raylet' was killed by signal 9; run the same command again, and it goes on where it stopped" in err
    assert "Traceback" not in err
    assert not list(folder.iterdir())
    assert are_gone_within(70, processes)
    assert stored_digests(cup) == stored_digests(cup.with_name("whole"))


@pytest.mark.slow
def test_a_driver_killed_while_ray_starts_leaves_no_process_and_the_run_goes_on(cup: Path) -> None:
    driver = start(cup, "ray", "0.05")
    processes: dict[int, str] = {}
    wait_until(lambda: "raylet" in processes.values() or processes.update(kinds(driver.pid)), driver)
    driver.kill()
    driver.communicate()
    assert are_gone_within(60, [pid for pid, kind in processes.items() if kind in {"raylet", "gcs"}])
    assert stored_digests(cup) == stored_digests(cup.with_name("whole"))


@pytest.mark.slow
def test_sigterm_finishes_the_matches_in_hand(cup: Path, folder: Path) -> None:
    driver = start(cup, "ray", "0.02")
    processes: dict[int, str] = {}
    wait_until(lambda: any("ray::work_batch" in kind for kind in processes.values()) or processes.update(kinds(driver.pid)), driver)
    driver.terminate()
    out, err = driver.communicate(timeout=150)
    assert driver.returncode == 130
    assert re.search(r"^Stopped with \d+ of 80 matches left; continue with: arena run cup.toml --db cup.db$", out, re.MULTILINE)
    assert err == ""
    assert not list(folder.iterdir())
    assert are_gone_within(70, processes)
    assert stored_digests(cup) == stored_digests(cup.with_name("whole"))


AUTO, PROCESSES, RAY, INLINE = ExecutorName.AUTO, ExecutorName.PROCESSES, ExecutorName.RAY, ExecutorName.INLINE


@pytest.mark.parametrize(
    ("name", "address", "matches", "where", "why"),
    [
        (AUTO, None, 6, PROCESSES, "Ray is for more than 20,000 matches"),
        (AUTO, None, LONG_RUN, PROCESSES, "Ray is for more than 20,000 matches"),
        (AUTO, None, LONG_RUN + 1, RAY, "since more than 20,000 matches are left"),
        (AUTO, None, None, PROCESSES, "since the run has no end"),
        (AUTO, "10.0.0.1:6379", 6, RAY, "because of --address"),
        (RAY, None, 6, RAY, "because of --executor"),
        (PROCESSES, None, LONG_RUN + 1, PROCESSES, "because of --executor"),
        (INLINE, None, LONG_RUN + 1, INLINE, "because of --executor"),
    ],
)
def test_a_run_is_played_in_processes_unless_it_is_long_or_told_otherwise(
    name: ExecutorName, address: str | None, matches: int | None, where: ExecutorName, why: str
) -> None:
    assert choose_executor(name, address, matches) == (where, why)
