"""How the zygote forks: whom it tells of a fork, what a spare rehearses, and that a child is alone."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

from bots.limits import Level
from bots.sandbox.forking import ForkHooks
from bots.sandbox.spawn import Sandbox
from tests.bots.sandbox.stage import LEVELS, read_line, started, stop_unless_offered
from tests.waiting import wait_for

HOOKED = "tests.bots.sandbox.hooked"
REHEARSING = "tests.bots.sandbox.rehearsing"
FORKS = """
import os, sys
from bots.sandbox.forking import can_be_alone, fork_alone
if not can_be_alone():
    sys.exit("this host lets ordinary processes make no namespaces")
told = []
os.register_at_fork(after_in_child=lambda: told.append(True))
read, write = os.pipe()
pid = fork_alone(runs_hooks={runs})
if pid == 0:
    os.write(write, repr((os.getpid(), bool(told))).encode())
    os._exit(0)
os.waitpid(pid, 0)
print(os.read(read, 100).decode(), end="")
"""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What is really registered."""
    found: list[dict[str, Any]] = []
    monkeypatch.setattr(os, "register_at_fork", lambda **hooks: found.append(hooks))
    return found


def register(module: str, hook: Callable[[], None]) -> None:
    """Register as code of that module does."""
    exec("import os; os.register_at_fork(before=hook)", {"__name__": module, "hook": hook})  # noqa: S102  # the caller's name is the point


@pytest.mark.parametrize(
    ("module", "needed"),
    [
        ("random", False),
        ("concurrent.futures.thread", False),
        ("numpy.random", True),
        ("importlib._bootstrap", True),  # a compiled module, while it is loaded
        ("", True),
    ],
)
def test_only_modules_outside_the_standard_library_need_to_be_told_of_forks(module: str, needed: bool, asked: list[dict[str, Any]]) -> None:
    before = os.register_at_fork
    hooks = ForkHooks()
    register(module, hook := lambda: None)
    hooks.close()
    assert hooks.are_needed is needed
    assert asked == [{"before": hook}]  # in either case it is registered
    assert os.register_at_fork is before


@pytest.mark.parametrize("runs_hooks", [True, False])
def test_a_child_is_alone_and_told_of_its_fork_only_if_that_is_asked_for(runs_hooks: bool) -> None:
    alone = [sys.executable, "-c", FORKS.format(runs=runs_hooks)]  # the tests' own process has several threads
    told = subprocess.run(alone, check=False, capture_output=True, text=True, timeout=60)
    if "make no namespaces" in told.stderr:
        pytest.skip(told.stderr)
    assert told.stdout == repr((1, runs_hooks))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("level", LEVELS, ids=str)
def test_a_preloaded_module_that_asks_is_told_of_every_fork(level: Level) -> None:
    with started(level, preload=(HOOKED,)) as sandbox:
        for _ in range(3):  # a child made for its bot, and spares
            with sandbox.spawn(f"{HOOKED}:tell", b"") as child:
                assert read_line(child) == b"1\n"
            time.sleep(0.05)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("level", LEVELS, ids=str)
def test_a_spare_rehearses_what_was_played_last_when_it_was_made(level: Level) -> None:
    with Sandbox(level, preload=(REHEARSING,), rehearsal=f"{REHEARSING}:rehearse") as sandbox:
        stop_unless_offered(sandbox)

        def heard(topic: str) -> bytes:
            """What the next process had rehearsed when it was told to play this."""
            with sandbox.spawn(f"{REHEARSING}:tell", b"", topic=topic) as child:
                return read_line(child).rstrip()

        assert heard("one") == b""  # nothing was played before, so there was no spare
        told: list[bytes] = []

        def hears_two() -> bool:
            told.append(heard("two"))
            return told[-1] == b"two"

        wait_for(hears_two, 120, pause=0.1)  # a moment in which spares are made, unless the machine is busy
        assert {*told} <= {b"", b"one", b"two"}
