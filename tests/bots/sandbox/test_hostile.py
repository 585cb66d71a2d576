"""Every hostile bot, at every level the machine offers: nothing of the host is read or changed, nothing outlives it, play goes on."""

from __future__ import annotations

import platform
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bots.limits import Level, Limits
from bots.sandbox.child import ExitKind
from bots.sandbox.spawn import Sandbox
from tests.bots.sandbox.stage import (
    HARNESS,
    HOSTILE,
    LEVELS,
    Host,
    attack,
    descendants,
    is_alive,
    is_stopped,
    order,
    read_line,
    read_some,
    started,
)
from tests.world import wait_for

pytestmark = pytest.mark.slow  # every attack at every level of isolation

MIB = 1 << 20

LIMITS = Limits(memory=256 * MIB, cpu_seconds=3)  # a slow machine takes a second to hand out that much memory

REFUSED_EVERYWHERE = (
    "s06_shared_memory_bomb",
    "s07_fork_bomb",
    "s08_thread_bomb",
    "s09_daemon",
    "s27_descriptors",
    "s38_leftovers",
    "s39_raises_limits",
    "s40_sets_clock",
)

REFUSED_ABOVE_L0 = (
    "s10_shell",
    "s23_reads_secrets",
    "s24_erases_database",
    "s25_stats_database",
    "s26_environment",
    "s28_proc_mem",
    "s32_tcp",
    "s33_udp",
    "s34_other_sockets",
    "s35_shared_places",
    "s36_kernel",
    "s37_fills_disk",
    "s41_searches_heap",
    "s46_unbinds_itself",
    "s48_page_cache",
    "s49_growing_memory",
    "s50_common_numbers",
    "s51_searches_remains",
    "s52_uses_packages",
    "s53_more_threads",
    "s54_what_forks_inherit",
)

# At L0, which claims nothing, these would kill, trace or slow down the very process that runs the tests.
NEVER_AT_L0 = ("s29_ptrace", "s30_kills", "s31_limits_parent")

LINGERS = ("s02_never_reads", "s04_ignores_signals", "s11_giant_line", "s12_newline_flood", "s13_log_flood", "s22_closes_stdout")

ENDS = {
    "s05_memory_bomb": {ExitKind.OUT_OF_MEMORY},
    "s01_loop": {ExitKind.CPU_LIMIT},
    "s20_exits": {ExitKind.EXITED},
    "s20_segfaults": {ExitKind.SIGNALLED},
    "s20_aborts": {ExitKind.SIGNALLED},
    "s21_recursion": {ExitKind.SIGNALLED, ExitKind.OUT_OF_MEMORY, ExitKind.EXITED},
}

PONDERS = ("s42_ponders",)

OTHER_ARCHITECTURE = "s47_other_architecture"


class Table:
    """A sandbox at a level with a host around it."""

    def __init__(self, sandbox: Sandbox, host: Host) -> None:
        self.sandbox = sandbox
        self.host = host
        assert sandbox._host is not None
        self.root = sandbox._host._process.pid

    def assert_that_play_goes_on(self) -> None:
        """The next bot starts, and of the last one nothing is left but the zygote."""
        told = attack(self.sandbox, "s20_exits", self.host.targets)
        assert told.ended is not None
        assert (told.ended.kind, told.ended.number) == (ExitKind.EXITED, 3)
        assert len(descendants(self.root)) <= 1


@contextmanager
def around(sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    """A host around a sandbox, of which nothing is left afterwards."""
    folder = tmp_path_factory.mktemp("host")
    for parent in folder.parents[:2]:
        parent.chmod(0o755)  # pytest's folders are its user's own, which is not what shall keep a bot out
    host = Host(folder)
    table = Table(sandbox, host)
    yield table
    left = descendants(table.root)
    sandbox.close()
    host.close()
    assert not any(map(is_alive, left))


@pytest.fixture(scope="module", params=LEVELS, ids=str)
def table(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    with around(started(request.param, limits=LIMITS), tmp_path_factory) as table:
        yield table


def test_every_hostile_bot_is_in_a_list() -> None:
    listed = {*REFUSED_EVERYWHERE, *REFUSED_ABOVE_L0, *NEVER_AT_L0, *LINGERS, *ENDS, *PONDERS, OTHER_ARCHITECTURE}
    assert {path.stem for path in HOSTILE.glob("s[0-9]*.py")} == listed


CLAIMED = [
    (level, name) for level in LEVELS for name in (*REFUSED_EVERYWHERE, *(() if level is Level.L0 else (*REFUSED_ABOVE_L0, *NEVER_AT_L0)))
]


@pytest.mark.parametrize(("table", "name"), CLAIMED, indirect=["table"], ids=str)
def test_what_a_level_claims_is_refused(table: Table, name: str) -> None:
    first, again = attack(table.sandbox, name, table.host.targets), attack(table.sandbox, name, table.host.targets)

    for told in (first, again):
        assert told.attempts, told.log
        assert told.ended is not None
        assert told.got == []
    assert table.host.harm() == []
    table.assert_that_play_goes_on()


@pytest.mark.parametrize("name", LINGERS)
def test_a_bot_that_lingers_is_gone_when_killed(table: Table, name: str) -> None:
    with table.sandbox.spawn(f"{HARNESS}:play", order(name, table.host.targets)) as child:
        assert read_some(child.stdout_fd, 60)
        assert child.wait(0.05) is None
        pid = child.pid
        assert is_alive(pid)

        ended = child.kill()

        assert (ended.kind, ended.number) == (ExitKind.SIGNALLED, 9)
        assert not is_alive(pid)
    table.assert_that_play_goes_on()


@pytest.mark.parametrize("name", ENDS)
def test_a_limit_or_its_own_crash_ends_only_the_bot(table: Table, name: str) -> None:
    told = attack(table.sandbox, name, table.host.targets)

    assert told.ended is not None, "a limit should have ended it"
    assert told.ended.kind in ENDS[name], told.log
    if told.ended.peak_memory is not None:
        assert told.ended.peak_memory < LIMITS.memory + 64 * MIB
    table.assert_that_play_goes_on()


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the program is written for x86-64")
def test_another_architectures_system_calls_end_the_bot(table: Table) -> None:
    told = attack(table.sandbox, OTHER_ARCHITECTURE, table.host.targets)

    assert told.ended is not None
    if table.sandbox.level > Level.L0:
        assert told.got == []
        assert (told.ended.kind, told.ended.number) == (ExitKind.SIGNALLED, signal.SIGSYS)
    table.assert_that_play_goes_on()


def test_a_frozen_bot_does_not_ponder(table: Table) -> None:
    def used(seconds: float) -> float:
        before = child.cpu_seconds()
        time.sleep(seconds)
        return child.cpu_seconds() - before

    with table.sandbox.spawn(f"{HARNESS}:play", order("s42_ponders", table.host.targets), cpu_seconds=600) as child:
        read_line(child)
        begun = child.cpu_seconds()
        wait_for(lambda: child.cpu_seconds() > begun + 0.05)  # it ponders
        child.freeze()
        wait_for(lambda: is_stopped(child.pid))
        wait_for(lambda: used(0.02) == 0)  # a thread that has stopped may have a few instructions of the kernel's left
        assert used(0.1) == 0
        assert is_stopped(child.pid)
        stopped = child.cpu_seconds()
        child.thaw()
        wait_for(lambda: child.cpu_seconds() > stopped + 0.05)
        child.freeze()
        assert child.kill().number == 9


def test_a_bot_finds_nothing_of_another_that_still_plays(table: Table) -> None:
    source = f"# {table.host.other_source}\nimport time\ntime.sleep(1000)\n"
    payload = order("s02_never_reads", table.host.targets | {"another bot's source": source})
    with table.sandbox.spawn(f"{HARNESS}:play", payload) as other:
        read_line(other)

        told = attack(table.sandbox, "s41_searches_heap", table.host.targets)

    assert told.attempts
    assert told.got == []


def test_the_programs_say_what_they_try() -> None:
    for path in HOSTILE.glob("s[0-9]*.py"):
        assert Path(path).read_text().startswith('"""'), path
