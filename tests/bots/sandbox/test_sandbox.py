"""The sandbox as a host uses it: starting, talking, stopping, counting and ending bots, at every level the machine offers."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from bots.errors import NotOfferedError
from bots.limits import Level
from bots.sandbox import remediation as advice
from bots.sandbox import zygote_host
from bots.sandbox.child import Exit, ExitKind
from bots.sandbox.probe import Stage, _probe_level, best_level, probe
from bots.sandbox.spawn import Sandbox
from tests.bots.sandbox.stage import LEVELS, are_gone_within, descendants, read_line, read_some, started

BOTS = "tests.bots.sandbox.sandboxed"
BETWEEN = [pytest.param(level, marks=pytest.mark.slow) for level in (Level.L2, Level.L1)]


@pytest.fixture(scope="module", params=[Level.L3, *BETWEEN, Level.L0], ids=str)
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    with started(request.param, preload=(BOTS, "engine.registry")) as sandbox:
        yield sandbox


def ask(sandbox: Sandbox, function: str, payload: bytes = b"") -> bytes:
    with sandbox.spawn(f"{BOTS}:{function}", payload) as child:
        answer = read_line(child)
        assert child.wait(60) is not None
        return answer.rstrip(b"\n")


def test_a_bot_gets_its_payload_and_talks_over_pipes(sandbox: Sandbox) -> None:
    with sandbox.spawn(f"{BOTS}:echo", b"hello") as child:
        assert read_line(child) == b"hello\n"
        for line in (b"one\n", b"two\n"):
            os.write(child.stdin_fd, line)
            assert read_line(child) == line
        child.close_stdin()
        ended = child.wait(60)
    assert ended is not None
    assert (ended.kind, ended.number) == (ExitKind.EXITED, 0)


def test_the_host_s_ends_neither_block_nor_leak_into_other_programs(sandbox: Sandbox) -> None:
    with sandbox.spawn(f"{BOTS}:echo", b"") as child:
        for descriptor in (child.stdin_fd, child.stdout_fd, child.stderr_fd):
            assert not os.get_blocking(descriptor)
            assert not os.get_inheritable(descriptor)


def test_bots_are_never_root_and_lead_a_group_of_their_own(sandbox: Sandbox) -> None:
    told = json.loads(ask(sandbox, "draw"))
    assert told["uid"] != 0
    assert told["group"]
    assert told["cwd"] == "/"


def test_how_a_bot_ended_is_told_apart(sandbox: Sandbox) -> None:
    ends = {}
    for payload in (b"memory", b"raise", b"0", b"7"):
        with sandbox.spawn(f"{BOTS}:leave", payload) as child:
            ended = child.wait(60)
            assert ended is not None
            ends[payload] = (ended.kind, ended.number)
            if payload == b"raise":
                assert b"what its author has to read" in (read_some(child.stderr_fd, 1) or b"")
    assert ends[b"memory"][0] is ExitKind.OUT_OF_MEMORY
    assert ends[b"raise"] == (ExitKind.EXITED, 1)
    assert ends[b"0"] == (ExitKind.EXITED, 0)
    assert ends[b"7"] == (ExitKind.EXITED, 7)


def test_time_and_memory_are_counted(sandbox: Sandbox) -> None:
    with sandbox.spawn(f"{BOTS}:echo", b"") as child:
        read_line(child)
        alive = child.cpu_seconds()
        peak = child.peak_memory()
        child.close()
        ended = child.exit_reason()
    assert 0 < alive < 1
    assert peak is not None
    assert peak > 1 << 20
    assert ended is not None
    assert ended.cpu_seconds > 0
    assert child.cpu_seconds() == ended.cpu_seconds
    assert child.peak_memory() == ended.peak_memory


def test_bots_go_first_when_memory_runs_out(sandbox: Sandbox) -> None:
    with sandbox.spawn(f"{BOTS}:echo", b"") as child:
        read_line(child)
        assert int(Path(f"/proc/{child.pid}/oom_score_adj").read_text()) >= 700


def pid_of(pidfd: int) -> int:
    return next(int(line.split()[1]) for line in Path(f"/proc/self/fdinfo/{pidfd}").read_text().splitlines() if line.startswith("Pid:"))


def test_a_zygote_that_is_stopped_can_be_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zygote_host, "_END_SECONDS", 0.2)
    for level in (Level.L3, Level.L0):
        sandbox = started(level, preload=(BOTS,))
        zygote = sandbox._host
        assert zygote is not None
        root = zygote._process.pid
        with sandbox.spawn(f"{BOTS}:echo", b"") as child:
            read_line(child)
        processes = {root, *descendants(root)}
        for pid in {root, pid_of(zygote._watch[0])}:
            os.kill(pid, signal.SIGSTOP)
        sandbox.close()
        assert are_gone_within(60, processes)


def test_the_standard_library_and_preloaded_packages_can_be_imported_and_nothing_else(sandbox: Sandbox) -> None:
    wanted = "csv wave engine.records engine.replay.format pytest"
    failed = json.loads(ask(sandbox, "import_them", wanted.encode()))
    if sandbox.level is Level.L0:
        return
    assert "csv" not in failed
    assert "pytest" in failed
    if sandbox.level is Level.L3:
        assert failed == ["pytest"]


def test_a_zygote_that_was_lost_is_replaced(sandbox: Sandbox) -> None:
    assert sandbox._host is not None
    lost = sandbox._host._process
    child = sandbox.spawn(f"{BOTS}:echo", b"")
    read_line(child)
    pid = child.pid
    for process in (*descendants(lost.pid), lost.pid):
        with suppress(ProcessLookupError):  # the kernel may have been quicker
            os.kill(process, signal.SIGKILL)
    lost.wait(60)
    ended = child.kill()
    assert ended.kind in {ExitKind.HOST, ExitKind.SIGNALLED}
    child.close()
    assert ask(sandbox, "measure", b"four") == b"4"
    assert are_gone_within(60, [pid])


WORKER = """
import os, sys, time
from bots.sandbox.spawn import Sandbox
from bots.limits import Level
with Sandbox(Level.parse(sys.argv[1]), preload=("tests.bots.sandbox.sandboxed", "tests.hostile.harness")) as sandbox:
    children = [sandbox.spawn("tests.bots.sandbox.sandboxed:echo", b"") for _ in range(2)]
    time.sleep(0.05)
    if sandbox.level is not Level.L1:
        children.append(sandbox.spawn_command(["sh", "-c", "pwd; read line"], {"a.txt": b""}))
        os.set_blocking(children[-1].stdout_fd, True)
        print(os.read(children[-1].stdout_fd, 1000).decode().strip())
    else:
        print("/no/folder")
    if len(sys.argv) > 2 and os.fork() == 0:
        time.sleep(600)
        os._exit(0)
    print(*(child.pid for child in children), flush=True)
    time.sleep(1000)
"""


def is_fork_of(pid: int, other: int) -> bool:
    """Whether it still is the program that the other is."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes() == Path(f"/proc/{other}/cmdline").read_bytes()
    return False


@pytest.mark.slow
@pytest.mark.parametrize("forks", [False, True], ids=["", "forked"])
def test_when_the_worker_is_killed_every_bot_and_the_zygote_end(sandbox: Sandbox, forks: bool) -> None:
    command = [sys.executable, "-c", WORKER, str(sandbox.level), *(["forks"] if forks else [])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as worker:
        try:
            assert worker.stdout is not None
            folder = Path(worker.stdout.readline().decode().strip())
            pids = {int(word) for word in worker.stdout.readline().split()}
            below = descendants(worker.pid)
            assert pids <= below
            forked = {pid for pid in below if is_fork_of(pid, worker.pid)}
            assert len(forked) == forks
        finally:
            worker.kill()
    try:
        assert are_gone_within(60, below - forked)  # a fork of the worker lives on, and ten minutes longer than this waits
        assert not folder.exists()
        assert not folder.parent.exists()
    finally:
        for pid in forked:
            os.kill(pid, signal.SIGKILL)


def test_an_exit_reads_as_words() -> None:
    assert str(Exit(ExitKind.EXITED, 3, 0.0, None)) == "ended with exit code 3"
    assert str(Exit(ExitKind.SIGNALLED, 11, 0.0, None)).startswith("was ended by signal SIGSEGV: it accessed invalid memory")
    assert str(Exit(ExitKind.SIGNALLED, 15, 0.0, None)) == "was ended by signal SIGTERM"
    assert str(Exit(ExitKind.OUT_OF_MEMORY, 86, 0.0, None)) == "ran out of memory"


@pytest.mark.slow
def test_the_probe_claims_only_what_was_refused() -> None:
    report = probe()

    assert [found.level for found in report.levels] == list(LEVELS)
    for found in report.levels:
        if found.is_offered:
            assert found.attacks
        if found.is_offered and found.level >= Level.L1:
            assert set(found.not_blocked) <= {"take the threads of another bot"}
        if found.is_offered and found.level is Level.L3:
            assert found.not_blocked == ()
    assert report.best.level is best_level()
    assert str(report).startswith(f"{report.best.level}, the best this machine offers")


def test_a_level_that_lacks_something_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bots.sandbox.bubblewrap.find_bubblewrap", lambda: None)
    monkeypatch.setattr(advice, "find_bubblewrap", lambda: None)
    monkeypatch.setattr(zygote_host, "abi", lambda: 0)
    monkeypatch.setattr(advice, "abi", lambda: 0)
    with Sandbox(Level.L2, preload=(BOTS,)) as sandbox, pytest.raises(NotOfferedError, match="no Landlock; to fix it: boot a kernel"):
        sandbox.start()
    monkeypatch.setattr(zygote_host, "abi", lambda: 6)
    with Sandbox(Level.L3, preload=(BOTS,)) as sandbox, pytest.raises(NotOfferedError, match="apt-get install bubblewrap"):
        sandbox.start()
    with Stage() as stage:
        report = _probe_level(Level.L3, stage)
    assert not report.is_offered
    assert "apt-get install bubblewrap" in report.fix
