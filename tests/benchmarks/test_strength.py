"""The ladder of strength asks for tournaments that can be played."""

from __future__ import annotations

import pytest

from arena.run.calibration import make_specs
from benchmarks.strength import GAMES, configs_of


@pytest.mark.parametrize("quick", [True, False])
def test_every_games_ladder_can_be_played(*, quick: bool) -> None:
    configs = configs_of(quick=quick)

    names = [spec.name for config in configs for spec in make_specs(config)]

    assert [config.game for config in configs] == list(GAMES)
    assert len(names) == len(set(names)) >= 6 * len(GAMES) - 1
    assert {"learned", "mcts", "expert"} < set(configs[0].bots)


def test_quick_means_fewer_blocks_and_nodes() -> None:
    for quick, whole in zip(configs_of(quick=True), configs_of(quick=False), strict=True):
        assert quick.blocks < whole.blocks
        assert quick.search_blocks < whole.search_blocks
        assert quick.nodes is not None
        assert whole.nodes is None
