"""Bots with a plan beat those without: the share of the points that each wins, over seeds played from both seats."""

from __future__ import annotations

from typing import Any

import pytest

from arena.bots import plays
from engine.registry import find_game, single_games
from tests.bots.playing import match, share

pytestmark = pytest.mark.slow  # whole matches of bots that think

PLANNING = [(bot, game) for bot in ("greedy", "spoiler", "expert", "mcts") for game in single_games() if plays(bot, game)]
PAIRS: list[tuple[str, str, str, dict[str, Any], int, int | None, float]] = [
    *(
        (bot, "random", game, {}, 6, 8, 0.75)
        for bot in ("greedy", "spoiler", "expert", "mcts")
        for game in single_games()
        if plays(bot, game)
    ),
    ("greedy", "random", "sunda", {"level": 5}, 10, None, 0.85),
    ("flat", "random", "tongiaki", {}, 2, 40, 0.75),
    *(("mcts", "greedy", game, {}, 3, 48, 0.75) for game in single_games()),
    ("expert", "greedy", "tongiaki", {}, 10, None, 0.75),  # greedy against itself reaches that in one try of fifty
    *(("expert", "greedy", "sunda", options, 5, None, 0.65) for options in ({}, {"level": 2}, {"level": 5}, {"mode": "simultaneous"})),
]
"""A bot, its rival, the game and its options, the number of seeds, the nodes for each decision, and the least share."""


@pytest.mark.parametrize(("bot", "rival", "game", "options", "blocks", "nodes", "least"), PAIRS, ids=str)
def test_a_bot_beats_another(
    bot: str, rival: str, game: str, options: dict[str, Any], blocks: int, nodes: int | None, least: float
) -> None:
    assert share(bot, rival, find_game(game, options), blocks, nodes) >= least


def test_the_expert_wins_twice_its_share_at_a_table_of_four() -> None:
    won = 0
    for seed in range(4):
        for seat in range(4):
            names = ["greedy", "spoiler", "random"]
            names.insert(seat, "expert")
            won += match(names, seed=seed).seats[seat].rank == 1
    assert won >= 8  # of 16; four are its share
