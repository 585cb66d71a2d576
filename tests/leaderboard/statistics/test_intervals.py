"""Intervals of averages, against what is known in closed form."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from leaderboard.statistics.intervals import Estimate, evenness, mean, share


@pytest.mark.parametrize(("won", "number"), [(3, 10), (5, 10), (1, 2), (40, 100)])
def test_the_share_of_wins_has_the_interval_of_jeffreys(won: int, number: int) -> None:
    found = share([1] * won + [0] * (number - won))
    low, high = stats.beta.interval(0.95, won + 0.5, number - won + 0.5)
    assert found.value == pytest.approx(won / number)
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))


def test_ten_wins_of_ten_are_no_certainty() -> None:
    found = share([1] * 10)
    assert found.low is not None
    assert 0.7 < found.low < 0.9
    assert found.high == 1


def test_the_mean_has_students_interval_and_one_value_has_none() -> None:
    values = [3.0, 5.0, 10.0]
    low, high = stats.t.interval(0.95, 2, loc=6, scale=stats.sem(values))
    found = mean(values)
    assert (found.value, found.low, found.high) == (pytest.approx(6), pytest.approx(low), pytest.approx(high))
    assert mean([3.0]) == Estimate(3.0, None, None)


def test_two_columns_are_compared_by_the_paired_t_test() -> None:
    values = np.random.default_rng(1).normal(size=(20, 2)) + np.array([0.3, 0])
    assert evenness(values) == pytest.approx(stats.ttest_rel(values[:, 0], values[:, 1]).pvalue)


def test_unlike_columns_are_told_apart_and_like_ones_are_not() -> None:
    rng = np.random.default_rng(2)
    noise = rng.normal(size=(60, 4))
    unlike = evenness(noise + np.array([0, 0, 0, 1.5]))
    like = [evenness(rng.normal(size=(30, 4))) for _ in range(200)]
    assert unlike is not None
    assert unlike < 0.001
    assert 0.01 < np.mean([value is not None and value < 0.05 for value in like]) < 0.1
