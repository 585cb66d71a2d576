"""A run whose Ray is killed, or which is stopped or killed while Ray starts or plays: what it says, what it leaves, and that it goes on."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from ray._private import worker

from arena.play.executors import ray_executor
from arena.play.executors.base import HostError
from arena.play.executors.ray_executor import RayExecutor
from tests.arena.running import write_cup
from tests.bots.sandbox.stage import are_gone_within, descendants
from tests.waiting import wait_for

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


def digests(folder: Path) -> list[str]:
    """Play what is left in one process, and return the digests of results and ratings."""
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


@pytest.mark.parametrize(
    ("kind", "code", "how"), [("raylet", -9, "'raylet' was killed by signal 9"), ("gcs_server", 1, "'gcs_server' ended with code 1")]
)
def test_a_process_of_ray_that_has_ended_is_told_in_a_sentence(kind: str, code: int, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    processes = {each: [SimpleNamespace(process=SimpleNamespace(poll=lambda: None))] for each in ("raylet", "gcs_server", "log_monitor")}
    monkeypatch.setattr(worker.global_worker, "node", SimpleNamespace(all_processes=processes))
    ray_executor._check_processes()
    processes["log_monitor"] = [SimpleNamespace(process=SimpleNamespace(poll=lambda: 1))]
    ray_executor._check_processes()  # it only copies what workers print
    processes[kind] = [SimpleNamespace(process=SimpleNamespace(poll=lambda: code))]
    with pytest.raises(HostError, match=how) as raised:
        ray_executor._check_processes()
    assert "run the same command again" in str(raised.value)


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
    wait_until(lambda: any("ray::_work_batch" in kind for kind in processes.values()) or processes.update(kinds(driver.pid)), driver)
    time.sleep(1)
    os.kill(next(pid for pid, kind in processes.items() if kind == "raylet"), signal.SIGKILL)
    out, err = driver.communicate(timeout=150)
    assert driver.returncode == 1
    assert "raylet" not in out  # Ray prints its log where results go, unless it is kept from it
    assert "its process 'raylet' was killed by signal 9; run the same command again, and it goes on where it stopped" in err
    assert "Traceback" not in err
    assert not list(folder.iterdir())
    assert are_gone_within(70, processes)
    assert digests(cup) == digests(cup.with_name("whole"))


@pytest.mark.slow
def test_a_driver_killed_while_ray_starts_leaves_no_process_and_the_run_goes_on(cup: Path) -> None:
    driver = start(cup, "ray", "0.05")
    processes: dict[int, str] = {}
    wait_until(lambda: "raylet" in processes.values() or processes.update(kinds(driver.pid)), driver)
    driver.kill()
    driver.communicate()
    assert are_gone_within(60, [pid for pid, kind in processes.items() if kind in {"raylet", "gcs"}])
    assert digests(cup) == digests(cup.with_name("whole"))


@pytest.mark.slow
def test_sigterm_finishes_the_matches_in_hand(cup: Path, folder: Path) -> None:
    driver = start(cup, "ray", "0.02")
    processes: dict[int, str] = {}
    wait_until(lambda: any("ray::_work_batch" in kind for kind in processes.values()) or processes.update(kinds(driver.pid)), driver)
    driver.terminate()
    out, err = driver.communicate(timeout=150)
    assert driver.returncode == 130
    assert re.search(r"^Stopped with \d+ of 80 matches left; continue with: arena run cup.toml --db cup.db$", out, re.MULTILINE)
    assert err == ""
    assert not list(folder.iterdir())
    assert are_gone_within(70, processes)
    assert digests(cup) == digests(cup.with_name("whole"))
