"""What tests of builds share: a place for their folders, and that nothing is left there or among the processes."""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bots.building.probe import LEVELS, offer_of
from bots.sandbox.levels import Level


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for temporary folders, which every user can get to, as /tmp; it has to be empty afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="arena-test-"))
    folder.chmod(0o1777)
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    left = sorted(folder.iterdir())
    shutil.rmtree(folder)
    assert left == []


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder outside of that, which every user can get to, too."""
    with tempfile.TemporaryDirectory(prefix="arena-test-", dir="/tmp") as folder:
        Path(folder).chmod(0o777)
        yield Path(folder)


@pytest.fixture(params=[pytest.param(each, marks=[] if each is LEVELS[0] else [pytest.mark.slow]) for each in LEVELS], ids=str)
def level(request: pytest.FixtureRequest) -> Level:
    """A level at which this machine builds bots."""
    if sys.platform != "linux":
        pytest.skip("builds are isolated on Linux only")
    if not (offer := offer_of(request.param)).is_offered:
        pytest.skip(f"{request.param} is not offered: {offer.lacking}")
    chosen: Level = request.param
    return chosen


def running(token: str) -> list[str]:
    """Return the processes that have a word in their command line which no other has, once they had time to end."""
    until = time.monotonic() + 60
    while True:
        found: list[str] = []
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                if token.encode() in path.read_bytes():
                    found.append(path.parent.name)
            except OSError:
                continue
        if not found or time.monotonic() > until:
            return found
        time.sleep(0.05)
