"""The parts that contestants build on, inside a bot's own process: imports, weights, and the limits of the clock."""

from __future__ import annotations

import pytest

from bots.host.player_pool import PlayerPool
from bots.protocol import ClockMode, ClockSpec
from engine.registry import find_game
from tests.bots.playing import play_random, written

BUILT = """
from random import Random

from bots import evaluate
from bots.search import search
from bots.values import rank_chances, score_moves, utilities


class Bot:
    def start(self, info):
        self.rng = Random(info.seed)

    def choose(self, view, clock):
        assert len(rank_chances(view)) == len(evaluate(view)) == view.players
        result = search(view, clock, self.rng, value=utilities, prior=score_moves, nodes=None if clock.nodes else 10)
        self.nodes = result.nodes
        assert self.nodes == clock.nodes or not clock.nodes
        return result.move
"""
CLOCKS = [ClockSpec(), ClockSpec(mode=ClockMode.BUDGET, nodes=5)]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("clock", CLOCKS, ids=lambda clock: clock.mode)
@pytest.mark.parametrize("name", ["tongiaki", "sunda"])
def test_a_bot_of_parts_plays_in_its_own_process(name: str, clock: ClockSpec, box: PlayerPool) -> None:
    result = play_random(box, written(BUILT), find_game(name), clock)

    assert [seat.fault for seat in result.seats] == [None, None]
    assert result.seats[0].rank == 1
