"""A bot keeps nothing from one match to the next, at any level, nor shares anything with another seat of its own kind."""

from __future__ import annotations

import pytest

from arena.play.match import play_match
from bots.host.player_pool import InProcessPlayer, PlayerPool
from bots.limits import Level
from bots.loader.loading import identify, resolve
from bots.sandbox.probe import best_level
from engine.registry import find_game
from tests.bots.conftest import WriteBot
from tests.bots.playing import ticket

REMEMBERS = """
    import functools
    import sys

    MATCHES = []

    @functools.cache
    def remembered():
        return []

    class Bot:
        matches = []

        def __init__(self, default=[]):
            places = MATCHES, self.matches, default, remembered(), vars(sys.modules[__name__]).setdefault("left", [])
            if any(places):
                raise RuntimeError("it has played before")
            for each in places:
                each.append("here")

        def choose(self, view, clock):
            return view.legal_moves[0]
"""


def check(pool: PlayerPool, write_bot: WriteBot) -> None:
    version = identify(str(write_bot(REMEMBERS)))
    for _ in range(3):
        result = play_match(find_game("tongiaki"), ticket(3), [pool.seat(version), pool.seat(version), InProcessPlayer(resolve("random"))])
        assert [seat.fault for seat in result.seats] == [None] * 3


def test_no_match_and_no_other_seat_has_left_anything_in_a_bots_module(box: PlayerPool, write_bot: WriteBot) -> None:
    check(box, write_bot)


@pytest.mark.parametrize("level", [Level.NONE, *(pytest.param(level, marks=pytest.mark.slow) for level in (Level.L1, Level.L2))], ids=str)
def test_nor_has_it_at_other_levels(level: Level, write_bot: WriteBot) -> None:
    if level > best_level():
        pytest.skip(f"this machine does not offer {level}")
    with PlayerPool(level) as pool:
        check(pool, write_bot)
