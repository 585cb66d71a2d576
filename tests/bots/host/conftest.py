"""A pool of players for all tests that only seat bots in it: starting one takes longer than most of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bots.host.player_pool import PlayerPool
from bots.limits import Level, Runtime
from bots.sandbox.probe import best_level
from tests.bots.host.levels import OWN_PROCESS
from tests.bots.playing import TONGIAKI

BEST = best_level()


@pytest.fixture(scope="session", params=[BEST, *([pytest.param(Level.L0, marks=pytest.mark.slow)] if BEST > Level.L0 else [])], ids=str)
def box(request: pytest.FixtureRequest) -> Iterator[PlayerPool]:
    """A pool in which bots have processes of their own."""
    if request.param is Level.L0:
        yield request.getfixturevalue("own_process")
        return
    with PlayerPool(request.param) as pool:
        pool.start()
        if pool._claim is not None:
            pool._claim.release()  # or this thread would run on one core for the rest of the tests
        yield pool


@pytest.fixture(scope="module", params=OWN_PROCESS)
def with_numpy(request: pytest.FixtureRequest) -> Iterator[PlayerPool]:
    """A pool whose bots may import numpy."""
    with PlayerPool(request.param, game=TONGIAKI, runtime=Runtime(("numpy",))) as pool:
        yield pool
