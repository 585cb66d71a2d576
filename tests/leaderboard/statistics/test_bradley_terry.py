"""Strengths: worked by hand where that can be done, and properties of fit, intervals and ranks elsewhere."""

from __future__ import annotations

from math import log10

import numpy as np
import pytest

from leaderboard.statistics.blocks import Blocks
from leaderboard.statistics.bradley_terry import Strength, comparisons, strengths
from tests.leaderboard.made import Match, blocks_of, pair_block, played, results, shuffled

BOTS = ("ann", "bob", "cid", "dan")


def pairs(*blocks: tuple[str, str, str]) -> Blocks:
    """Blocks of two bots each, on seeds of their own."""
    return blocks_of(results(BOTS, [match for seed, block in enumerate(blocks) for match in pair_block(seed, *block)]))


def by_name(blocks: Blocks, replicates: int = 400) -> dict[str, Strength]:
    return {line.bot: line for line in strengths(blocks, replicates)}


class TestComparisons:
    def test_a_block_counts_once_for_each_of_its_bots_and_ties_half(self) -> None:
        matrix = comparisons(pairs(("ann", "bob", "1="), ("ann", "bob", "11")))
        assert matrix[0, 1] == pytest.approx(1.75)
        assert matrix[1, 0] == pytest.approx(0.25)
        assert matrix.sum() == pytest.approx(2)

    def test_a_table_of_three_is_three_pairs_of_half_the_weight(self) -> None:
        matches = [Match(1, number, BOTS[:3], (1, 2, 3)) for number in range(3)]
        matrix = comparisons(blocks_of(results(BOTS[:3], matches)))
        assert matrix.tolist() == [[0, 0.5, 0.5], [0, 0, 0.5], [0, 0, 0]]

    def test_a_forfeit_loses_by_its_rank_whatever_its_score(self) -> None:
        matches = [Match(1, number, BOTS[:2], (2, 1), (99, 1), faulty=("ann",)) for number in range(2)]
        assert comparisons(blocks_of(results(BOTS[:2], matches))).tolist() == [[0, 0], [1, 0]]


class TestFit:
    def test_two_bots_worked_by_hand(self) -> None:
        # 3 blocks of 4 won, and one virtual tied block: the odds are 3.5 to 1.5
        found = by_name(pairs(*[("ann", "bob", "11")] * 3, ("ann", "bob", "22")))
        gap = 400 * log10(3.5 / 1.5)
        assert found["ann"].elo == pytest.approx(1500 + gap / 2)
        assert found["bob"].elo == pytest.approx(1500 - gap / 2)
        assert (found["ann"].rank, found["bob"].rank) == (1, 2)

    def test_ten_to_one_is_400_points(self) -> None:
        rng = np.random.default_rng(5)
        found = by_name(played((np.log(10), 0), 2, 4000, rng), replicates=100)
        strong, weak = found["bot0"].elo, found["bot1"].elo
        assert strong is not None
        assert weak is not None
        assert strong - weak == pytest.approx(400, abs=25)

    @pytest.mark.parametrize("players", [2, 3, 5])
    def test_true_strengths_are_found_whatever_the_size_of_the_tables(self, players: int) -> None:
        true = np.array([0.8, 0.4, 0.0, -0.4, -0.8])
        found = by_name(played(true, players, 2500, np.random.default_rng(players)), replicates=100)
        estimates = np.array([found[f"bot{number}"].elo or 0 for number in range(5)])
        assert estimates - estimates.mean() == pytest.approx(true * 400 / np.log(10), abs=15)

    def test_the_order_of_results_makes_no_difference_at_all(self) -> None:
        rng = np.random.default_rng(3)
        lineups = [rng.permutation(BOTS)[:2] for _ in range(30)]
        data = results(BOTS, [match for seed, (one, two) in enumerate(lineups) for match in pair_block(seed, one, two, "1=")])
        assert strengths(blocks_of(shuffled(data, 1)), 100) == strengths(blocks_of(data), 100)

    def test_a_bot_without_a_complete_block_has_no_strength(self) -> None:
        assert strengths(pairs(("ann", "bob", "12")))[2:] == (Strength("cid", 0), Strength("dan", 0))


class TestWithoutFaults:
    def test_who_is_only_above_those_that_fail_is_below_without_their_failures(self) -> None:
        clean = [Match(seed, turn, BOTS[:3], (1, 2, 3)) for seed in range(4) for turn in range(3)]
        failed = [Match(seed, turn, BOTS[:3], (3, 2, 1), faulty=("ann",)) for seed in range(4, 12) for turn in range(3)]
        found = by_name(blocks_of(results(BOTS[:3], clean + failed)))

        assert [found[bot].rank for bot in BOTS[:3]] == [3, 2, 1]
        without = [found[bot].without_faults or 0 for bot in BOTS[:3]]
        assert without == sorted(without, reverse=True)
        alone = by_name(blocks_of(results(BOTS[:3], clean)))
        assert without == pytest.approx([alone[bot].elo for bot in BOTS[:3]])


class TestIntervals:
    def test_more_blocks_narrow_them(self) -> None:
        def width(number: int) -> float:
            line = by_name(played((0.3, 0, -0.3), 3, number, np.random.default_rng(1)))["bot1"]
            assert line.low is not None
            assert line.high is not None
            return line.high - line.low

        assert width(400) < 0.6 * width(100) < 0.36 * width(25)

    def test_who_has_won_everything_is_not_known_for_certain(self) -> None:
        found = by_name(pairs(*[("ann", "bob", "11")] * 5))
        line = found["ann"]
        assert line.low is not None
        assert line.high is not None
        assert line.high - line.low > 100
        assert line.group != found["bob"].group

    def test_bots_that_never_met_are_of_two_groups(self) -> None:
        found = by_name(pairs(("ann", "bob", "12"), ("cid", "dan", "12")))
        assert found["ann"].group == found["bob"].group != found["cid"].group == found["dan"].group


class TestRanks:
    def test_twins_may_both_be_first_and_a_giant_is(self) -> None:
        found = by_name(played((3, 0, 0), 2, 120, np.random.default_rng(1)))
        assert [(found[bot].best_rank, found[bot].worst_rank) for bot in ("bot0", "bot1", "bot2")] == [(1, 1), (2, 3), (2, 3)]


@pytest.mark.slow
@pytest.mark.parametrize(("players", "number"), [(2, 60), (4, 40)])
def test_intervals_and_ranks_hold_the_truth_as_often_as_they_say(players: int, number: int) -> None:
    true = np.array([0.5, 0.0, 0.0, -0.5])
    rng = np.random.default_rng(players)
    gaps, ranks = [], []
    for _ in range(120):
        found = by_name(played(true, players, number, rng), replicates=400)
        lines = [found[f"bot{bot}"] for bot in range(4)]
        middle = sum((line.elo or 0) for line in lines) / 4
        for line, value in zip(lines, true * 400 / np.log(10), strict=True):
            assert line.low is not None
            assert line.high is not None
            gaps.append(line.low - middle <= value <= line.high - middle)
            ranks.append((line.best_rank or 9) <= 1 + (true > value * np.log(10) / 400 + 1e-9).sum() <= (line.worst_rank or 0))
    assert 0.91 < np.mean(gaps) < 0.995
    assert np.mean(ranks) >= 0.95
