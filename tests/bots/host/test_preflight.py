"""Bots that can't be made are told of before anything is played, in the host's process and in one of their own alike."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arena.bots import rehearse
from bots.errors import BotError
from bots.host.player_pool import PlayerPool
from bots.limits import Level
from bots.loader.version import BotVersion
from engine.registry import find_game

CHOOSE = "    def choose(self, view, clock): return view.legal_moves[0]\n"


def version_of(code: str) -> BotVersion:
    return BotVersion("mine", "1" * 64, "mine.py", "Mine", code)


@pytest.fixture(scope="module", params=[Level.NONE, Level.L0], ids=str)
def pool(request: pytest.FixtureRequest) -> Iterator[PlayerPool]:
    if request.param is Level.L0:
        yield request.getfixturevalue("own_process")
        return
    with PlayerPool(request.param) as pool:
        yield pool


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("import no_such_module\n", "can't be imported"),
        (f"class Other:\n{CHOOSE}", "has no class 'Mine'"),
        (f"class Mine:\n    def __init__(self): raise OSError('no')\n{CHOOSE}", r"Mine\(\) raised OSError: no"),
    ],
)
def test_a_bot_that_cannot_be_made_is_refused_before_the_match(pool: PlayerPool, code: str, told: str) -> None:
    with pytest.raises(BotError, match=told):
        rehearse([version_of(code)], find_game("tongiaki"), pool)
