"""What tests of bots share: writing a bot's file, playing a table, and leaving no module behind."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from bots.host.player_pool import PlayerPool
from bots.limits import Level

WriteBot = Callable[..., Path]


@pytest.fixture
def write_bot(tmp_path: Path) -> WriteBot:
    """Write a bot's source to a file in a folder of this test's own."""

    def write(source: str, name: str = "my_bot.py") -> Path:
        path = tmp_path / name
        path.write_text(dedent(source), encoding="utf-8")
        return path

    return write


@pytest.fixture(scope="session")
def own_process() -> Iterator[PlayerPool]:
    """A pool for all tests whose bots only need processes of their own: starting one takes longer than most of these tests."""
    with PlayerPool(Level.L0) as pool:
        pool.start()
        if pool._claim is not None:
            pool._claim.release()  # or this thread would run on one core for the rest of the tests
        yield pool


@pytest.fixture(autouse=True)
def no_module_left() -> Iterator[None]:
    """Modules that a test has made of bots' files don't reach the next one."""
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name.startswith(("bot_", "contestant_")):
            del sys.modules[name]
