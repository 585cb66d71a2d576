"""Standings over several tournaments: equal weight, bots in common only, and fields in which bots beat each other in a circle."""

from __future__ import annotations

import numpy as np
import pytest

from leaderboard.statistics.blocks import Blocks
from leaderboard.statistics.bradley_terry import comparisons, strengths
from leaderboard.statistics.over_games import common_blocks, field_ranks
from tests.leaderboard.made import Match, blocks_of, pair_block, results


def pairs(bots: str, *blocks: str, of: int = 1) -> Blocks:
    """Blocks of two, each ``of`` times: "ab1=" is a against b, of which a won the first match and the second was tied."""
    matches = [pair_block(seed, block[0], block[1], block[2:]) for seed, block in enumerate(blocks * of)]
    return blocks_of(results(tuple(bots), [match for block in matches for match in block]))


def test_each_tournament_has_the_same_weight_however_many_blocks_it_has() -> None:
    one_sided = pairs("ab", "ab11", of=30), pairs("ba", "ab22", of=3)
    both = strengths(common_blocks(one_sided), 50)
    assert both[0].strength == pytest.approx(both[1].strength, abs=0.01)
    assert [line.blocks for line in both] == [33, 33]
    assert comparisons(common_blocks(one_sided)).tolist() == [[0, pytest.approx(16.5)], [pytest.approx(16.5), 0]]


def test_a_bot_that_is_not_in_all_is_left_out_of_tables_too() -> None:
    three = blocks_of(results(("x", "a", "b"), [Match(1, number, ("b", "x", "a"), (3, 1, 2)) for number in range(3)]))
    blocks = common_blocks([three, pairs("ab", "ab11")])
    assert blocks.bots == ("a", "b")
    assert comparisons(blocks).tolist() == [[0, 2], [0, 0]]


def test_tournaments_with_fewer_than_two_bots_in_common_are_refused() -> None:
    with pytest.raises(ValueError, match="fewer than two bots have a complete block in each"):
        common_blocks([pairs("abc", "ab11"), pairs("abc", "bc11")])


def test_a_tournament_in_which_none_of_the_bots_in_common_met_is_refused() -> None:
    with pytest.raises(ValueError, match="in one of these tournaments no two of the bots that have a complete block in each have met"):
        common_blocks([pairs("ab", "ab11"), pairs("abc", "ac11", "bc11")])


class TestFields:
    pytestmark = pytest.mark.usefixtures("_openspiel")

    @pytest.fixture
    def _openspiel(self) -> None:
        pytest.importorskip("pyspiel")

    def test_a_circle_has_no_best_bot_and_each_beats_one(self) -> None:
        circle = pairs("abc", "ab11", "bc11", "ca11", "ab12", of=5)
        for line in field_ranks(common_blocks([circle, circle]), 50):
            assert line.alpha_rank == pytest.approx(1 / 3, abs=1e-6)
            assert (line.beaten_low, line.beaten, line.beaten_high) == (1, 1, 1)

    def test_intervals_say_when_it_is_not_known_who_is_best(self) -> None:
        even, clear = pairs("abc", "ab12", "ac11", "bc11", of=9), pairs("abc", "ab11", "ac11", "bc11", of=9)
        best = {line.bot: line for line in field_ranks(common_blocks([clear, clear]), 50)}
        assert best["a"].alpha_low > 0.99
        assert all(0 <= bound <= 1 for line in best.values() for bound in (line.alpha_low, line.alpha_rank, line.alpha_high))
        assert best["b"].beaten == 1
        unsure = {line.bot: line for line in field_ranks(common_blocks([even, pairs("abc", "ab1=", "ab2=", "ac11", "bc11", of=4)]), 50)}
        assert unsure["a"].alpha_low < 0.1
        assert unsure["a"].alpha_high > 0.9
        assert unsure["c"].alpha_high < 0.01
        assert np.isclose(sum(line.alpha_rank for line in unsure.values()), 1)
