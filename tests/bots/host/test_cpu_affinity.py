"""A worker and its bots share one core, and no two workers the same."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator

import pytest

from bots.host.player_pool import PlayerPool
from bots.limits import Level
from bots.protocol import ClockSpec
from bots.sandbox.spawn import CoreClaim, claim_core
from tests.bots.playing import play, written

ALLOWED = os.sched_getaffinity(0) if sys.platform == "linux" else set()
pytestmark = pytest.mark.skipif(len(ALLOWED) < 2, reason="there are no two cores to choose from")

TELLS_ITS_CORES = """
import os

class Bot:
    def choose(self, view, clock):
        print(sorted(os.sched_getaffinity(0)))
        return view.legal_moves[0]
"""


@pytest.fixture
def claims() -> Iterator[Callable[[], CoreClaim | None]]:
    """Claims that are given back at the end."""
    made: list[CoreClaim] = []

    def claim() -> CoreClaim | None:
        found = claim_core()
        if found is not None:
            made.append(found)
            os.sched_setaffinity(0, ALLOWED)  # as another worker would find it
        return found

    yield claim
    for each in made:
        each.release()


def test_each_claim_is_another_core_until_there_is_none(claims: Callable[[], CoreClaim | None]) -> None:
    found = []
    while (claim := claims()) is not None:
        found.append(claim.core)
    assert len(found) == len(set(found)) <= len(ALLOWED)
    assert set(found) <= ALLOWED


def test_a_worker_and_its_bots_share_a_core_and_the_worker_is_free_again_afterwards() -> None:
    version = written(TELLS_ITS_CORES)
    with PlayerPool(Level.L0) as pool:
        players = [pool.seat(version), pool.seat(version)]
        cores = os.sched_getaffinity(0)
        result = play(players, clock=ClockSpec())
    assert {seat.log.splitlines()[-1] for seat in result.seats} == {str(sorted(cores))}
    assert os.sched_getaffinity(0) == ALLOWED
