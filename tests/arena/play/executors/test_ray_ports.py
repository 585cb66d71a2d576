"""A run on this machine's own workers listens to nobody but this machine; and what Ray can't do is told in a sentence."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from arena.cli.app import app
from arena.play.executors.base import HostError, Task
from arena.play.executors.ray_executor import RayExecutor
from tests.bots.sandbox.stage import descendants

pytestmark = [
    pytest.mark.slow,  # each test starts Ray
    # Ray's own: sockets and processes that it leaves to the garbage collector
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning", "ignore::FutureWarning"),
]
LOOPBACK = {"0100007F", "00000000000000000000000001000000", "0000000000000000FFFF00000100007F"}
"""127.0.0.1, ::1, and the first written as an address of IPv6, as /proc/net/tcp and tcp6 have them."""
SPEC = """
name = "cup"
game = "tongiaki"
seed = 1
bots = ["random", "greedy"]
schedule = {tables = [2], blocks = 1}
"""
TIMED_OUT = (
    "The current node timed out during startup. This could happen because the raylet failed to startup or the GCS has become overloaded."
)


class Double(Task[int, int]):
    """Some work."""

    def do(self, items: list[int], pool: object) -> list[int]:  # type: ignore[override]
        return [2 * item for item in items]

    def lost(self, item: int, reason: str) -> int:
        raise AssertionError(reason)


def listening(processes: list[int]) -> dict[str, str]:
    """Where these processes listen: addresses with ports, and by whom."""
    sockets = {}
    for process in processes:
        try:
            name = Path(f"/proc/{process}/comm").read_text().strip()
            for entry in Path(f"/proc/{process}/fd").iterdir():
                if found := re.fullmatch(r"socket:\[(\d+)\]", os.readlink(entry)):  # noqa: PTH115
                    sockets[found[1]] = name
        except OSError:
            continue
    listening: dict[str, str] = {}
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in Path(table).read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in sockets:
                listening[fields[1]] = sockets[fields[9]]
    return listening


def test_every_port_of_a_local_run_is_on_loopback(folder: Path) -> None:
    executor = RayExecutor(2, temp_dir=folder)
    try:
        answers = [answer for batch in executor.work(Double(), iter(range(50))) for answer in batch]
        found = listening([os.getpid(), *descendants(os.getpid())])
    finally:
        executor.close()

    assert sorted(answers) == list(range(0, 100, 2))
    assert {"raylet", "gcs_server"} <= set(found.values())
    assert {where: who for where, who in found.items() if where.rpartition(":")[0] not in LOOPBACK} == {}


@pytest.mark.parametrize(
    "error", [Exception(TIMED_OUT), TimeoutError("timed out"), AssertionError(), KeyError("x"), OSError(12, "no memory")]
)
def test_whatever_ray_raises_at_the_start_is_a_host_error(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    monkeypatch.setattr("ray.init", _raising(error))
    with pytest.raises(HostError, match=r"Ray did not start on this machine: .*; '--executor processes' plays without it"):
        RayExecutor(1)


def test_a_timeout_at_the_start_is_one_sentence_of_a_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("ray.init", _raising(Exception(TIMED_OUT)))
    (tmp_path / "cup.toml").write_text(SPEC)

    done = CliRunner().invoke(
        app, ["run", str(tmp_path / "cup.toml"), "--db", str(tmp_path / "cup.db"), "--trust-bots", "--executor", "ray"]
    )

    assert done.exit_code == 1
    assert [line for line in done.stderr.splitlines() if "timed out during startup" in line] != []
    assert "Traceback" not in done.output + done.stderr
    assert isinstance(done.exception, SystemExit)


def _raising(error: Exception) -> Callable[..., object]:
    def call(*_args: object, **_options: object) -> object:
        raise error

    return call
