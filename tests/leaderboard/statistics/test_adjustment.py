"""Results less luck: the same mean, shorter intervals where luck is known, and no harm where it tells nothing."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from benchmarks.adjusted import simulate, simulate_lineups
from leaderboard.ratings.sprt import Hypotheses, RunningAdjustment, SequentialTest
from leaderboard.statistics.adjustment import SeatLuck, adjust
from tests.leaderboard.made import Match, blocks_of, results


def lucky_blocks(number: int, seed: int = 1) -> Iterator[tuple[list[Match], list[SeatLuck]]]:
    """Blocks of two matches between equal bots, decided by luck that is known but for a quarter."""
    rng = np.random.default_rng(seed)
    for block in range(number):
        matches, lucks = [], []
        for rotation, seats in enumerate((("one", "other"), ("other", "one"))):
            luck = rng.choice((-0.4, 0.4))
            is_won = rng.random() < 0.5 + luck
            matches.append(Match(block, rotation, seats, (1, 2) if is_won else (2, 1)))
            lucks.append(SeatLuck((luck, -luck), ((0, luck), (-luck, 0))))
        yield matches, lucks


def test_intervals_are_shorter_and_hold_the_truth() -> None:
    blocks = list(lucky_blocks(60))
    data = results(("one", "other"), [match for matches, _ in blocks for match in matches])
    ids = [str(number) for number in range(len(data.players))]
    luck = dict(zip(ids, [each for _, lucks in blocks for each in lucks], strict=True))
    found = adjust(blocks_of(data), ids, luck)
    (pair,) = found.pairs
    assert pair.above.gain is not None
    assert pair.above.gain > 2
    assert pair.above.adjusted_high - pair.above.adjusted_low < 0.75 * (pair.above.high - pair.above.low)
    assert pair.above.adjusted_low < 0.5 < pair.above.adjusted_high
    assert found.wins[0].wins.adjusted == pytest.approx(pair.above.adjusted)
    one, other = sorted(found.strengths, key=lambda line: line.bot)
    assert one.elo is not None
    assert other.elo is not None
    assert one.elo + other.elo == pytest.approx(3000)
    assert (one.elo > other.elo) == (pair.above.adjusted > 0.5)
    assert found.without == 0


def test_a_line_up_of_one_block_says_as_much_of_luck_as_one_of_many() -> None:
    learned, gain, possible = simulate_lineups(12, 1, 40)
    assert learned == pytest.approx(1, abs=0.06)
    assert gain > 0.95 * possible


@pytest.mark.parametrize(("value", "least"), [("good", 1.7), ("rough", 1.0), ("wrong", 0.9)])
def test_estimates_are_unbiased_and_intervals_hold_in_simulation(value: str, least: float) -> None:
    kept = simulate(value, blocks=60, tournaments=300, skill=0.05, seed=3)
    assert abs(kept.bias) < 3
    assert 0.92 <= kept.coverage <= 0.98
    assert kept.gain > least


@pytest.mark.parametrize("value", ["good", "rough"])
def test_after_few_blocks_an_interval_is_not_much_wider_than_the_raw_one(value: str) -> None:
    kept = simulate(value, blocks=3, tournaments=200, skill=0.05, seed=3)
    assert kept.width < 1.02
    assert kept.widest < 1.2


class TestRunningAdjustment:
    def test_it_is_learned_from_earlier_scores_alone(self) -> None:
        one, other = RunningAdjustment(), RunningAdjustment()
        for adjustment in (one, other):
            for luck in (0.3, -0.3, 0.2, -0.2) * 20:
                adjustment.adjusted(0.5 + luck / 2, luck)
        assert one.coefficient == pytest.approx(0.53, abs=0.05)
        assert one.adjusted(1.0, 0.1) - other.adjusted(0.0, 0.1) == pytest.approx(1)

    def test_the_coefficient_is_the_slope_of_scores_by_luck_with_five_imagined_scores_of_slope_1(self) -> None:
        adjustment = RunningAdjustment()
        scores, lucks = (0.75, 0.25, 0.25), (0.25, -0.5, 0.125)
        assert adjustment.adjusted(scores[0], lucks[0]) == 0.5
        for score, luck in zip(scores[1:], lucks[1:], strict=True):
            adjustment.adjusted(score, luck)
        others = [(sum(scores) - score + 0.5) / 3 for score in scores]
        squares = sum(luck**2 for luck in lucks)
        slope = sum((score - mean) * luck for score, mean, luck in zip(scores, others, lucks, strict=True)) / squares
        assert adjustment.coefficient == pytest.approx((3 * slope + 5) / (3 + 5))

    def test_no_more_than_all_of_the_luck_is_subtracted(self) -> None:
        adjustment = RunningAdjustment()
        for luck in (0.2, -0.2) * 50:
            adjustment.adjusted(0.5 + 2 * luck, luck)
        assert adjustment.coefficient == 1


class TestBounds:
    def test_scores_less_luck_may_lie_outside_0_to_1(self) -> None:
        test = SequentialTest(Hypotheses(), -1.0, 2.0)
        test.extend([1.3, -0.2, 0.6])
        assert (test.interval().low, test.interval().high) == (0, 1)
        with pytest.raises(ValueError, match="between -1 and 2, not 3"):
            test.add(3)

    def test_with_the_unadjusted_scores_the_interval_is_little_wider_than_theirs_from_the_start(self) -> None:
        raw, both = SequentialTest(Hypotheses()), SequentialTest(Hypotheses(), -1.0, 2.0)
        for score, less in [(1.0, 1.4), (0.5, 0.2), (1.0, 0.8)] * 5:
            raw.add(score)
            both.add(less, score)
        assert raw.interval().high - raw.interval().low < 0.6
        assert both.interval().high - both.interval().low < 1.2 * (raw.interval().high - raw.interval().low)
        assert both.interval().low < 0.8 < both.interval().high
