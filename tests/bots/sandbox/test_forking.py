"""How the zygote forks: a child is told of it, and alone."""

from __future__ import annotations

import subprocess
import sys

import pytest

from bots.limits import Level
from tests.bots.sandbox.stage import LEVELS, read_line, started

HOOKED = "tests.bots.sandbox.hooked"
FORKS = """
import os, sys
from bots.sandbox.forking import can_be_alone, fork_alone
if not can_be_alone():
    sys.exit("this host lets ordinary processes make no namespaces")
told = []
os.register_at_fork(after_in_child=lambda: told.append(True))
read, write = os.pipe()
pid = fork_alone()
if pid == 0:
    os.write(write, repr((os.getpid(), bool(told))).encode())
    os._exit(0)
os.waitpid(pid, 0)
print(os.read(read, 100).decode(), end="")
"""


def test_a_child_is_alone_and_told_of_its_fork() -> None:
    alone = [sys.executable, "-c", FORKS]  # the tests' own process has several threads
    told = subprocess.run(alone, check=False, capture_output=True, text=True, timeout=60)
    if "make no namespaces" in told.stderr:
        pytest.skip(told.stderr)
    assert told.stdout == repr((1, True))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("level", LEVELS, ids=str)
def test_a_preloaded_module_that_asks_is_told_of_every_fork(level: Level) -> None:
    with started(level, preload=(HOOKED,)) as sandbox:
        for _ in range(2):
            with sandbox.spawn(f"{HOOKED}:tell", b"") as child:
                assert read_line(child) == b"1\n"
