"""The ladder of strength asks for tournaments that can be played."""

from __future__ import annotations

import pytest

from benchmarks.strength import GAMES, QUICK, Length, make_specs


@pytest.mark.parametrize("length", [QUICK, Length()])
@pytest.mark.parametrize("game", GAMES)
def test_every_games_ladder_can_be_played(game: str, length: Length) -> None:
    specs = make_specs(game, length)
    names = [spec.name for spec in specs]
    assert len(names) == len(set(names)) >= 5
    assert {"learned", "mcts", "expert"} < {bot.name for bot in specs[-1].bots}


def test_quick_means_fewer_blocks_and_nodes() -> None:
    assert QUICK.blocks < Length().blocks
    assert QUICK.search_blocks < Length().search_blocks
    assert QUICK.nodes is not None
    assert Length().nodes is None
