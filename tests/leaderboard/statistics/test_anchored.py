"""The strength of a bot against bots of known strengths: by hand, and in simulations whose truth is known."""

from __future__ import annotations

from math import log10

import numpy as np
import pytest

from leaderboard.statistics.anchored import anchored_strength, expected_share
from leaderboard.statistics.bradley_terry import CENTER, POINTS, _information, comparisons, fit_strengths
from leaderboard.statistics.columns import Floats, Ints
from tests.leaderboard.made import played

KNOWN = np.array([1700.0, 1500.0, 1300.0])
NONE = np.zeros((3, 3))


def blocks_against(strength: float, known: Floats, opponents: Ints, rng: np.random.Generator) -> Floats:
    """The shares of blocks that a bot of this strength plays, in all seatings, every match ordered as Plackett and Luce's model has it."""
    table = np.column_stack([np.full(len(opponents), strength), known[opponents]]) / POINTS
    values = table[:, None, :] + rng.gumbel(size=(len(table), table.shape[1], table.shape[1]))
    return np.asarray((values[:, :, :1] > values[:, :, 1:]).mean(axis=1))


class TestByHand:
    def test_one_opponent_known_for_certain(self) -> None:
        # 3 blocks of 4 won, and one virtual tied block: the odds are 3.5 to 1.5
        found = anchored_strength(np.array([1600.0]), np.zeros((1, 1)), np.zeros((4, 1), int), np.array([[1.0], [1.0], [1.0], [0.0]]))
        assert found.strength == pytest.approx(1600 + 400 * log10(3.5 / 1.5))

    def test_two_opponents_at_a_table_count_half_each(self) -> None:
        shares = np.tile([[1.0, 0.5]], (6, 1))
        at_a_table = anchored_strength(KNOWN[:2], NONE[:2, :2], np.tile([[0, 1]], (6, 1)), shares)
        opponents, apart = np.array([[0]] * 3 + [[1]] * 3), np.array([[1.0]] * 3 + [[0.5]] * 3)
        assert at_a_table.strength == pytest.approx(anchored_strength(KNOWN[:2], NONE[:2, :2], opponents, apart).strength)

    def test_a_bot_that_loses_everything_has_a_strength_and_is_below_all(self) -> None:
        found = anchored_strength(KNOWN, NONE, np.arange(30)[:, None] % 3, np.zeros((30, 1)))
        assert found.low < found.strength < found.high < 1300
        assert max(found.chance_above) < 0.025

    def test_what_is_not_known_of_the_anchors_widens_the_interval(self) -> None:
        opponents, shares = np.arange(60)[:, None] % 3, ((np.arange(60)[:, None] // 3) % 2).astype(np.float64)
        sure = anchored_strength(KNOWN, NONE, opponents, shares)
        unsure = anchored_strength(KNOWN, NONE + 900.0, opponents, shares)  # all are shifted together, by a deviation of 30 points
        assert unsure.strength == sure.strength
        widths = [(each.high - each.low) / (2 * 1.96) for each in (sure, unsure)]
        assert widths[1] == pytest.approx(np.hypot(widths[0], 30), rel=0.1)

    def test_expected_share(self) -> None:
        assert expected_share(1900, 1500) == pytest.approx(10 / 11)


@pytest.mark.slow  # three seconds each
@pytest.mark.parametrize("players", [2, 3])
def test_intervals_contain_the_truth(players: int) -> None:
    """200 bots, 5 at each of 40 calibrations of five anchors with errors of their own."""
    rng = np.random.default_rng(11)
    inside = []
    for _ in range(40):
        truth = np.sort(rng.normal(0, 1.2, 5))
        calibration = played(truth, players, 150, rng)
        fit = fit_strengths(calibration, replicates=150)
        by_bot = {line.bot: line.strength for line in fit.strengths if line.strength is not None}
        known = np.array([by_bot[bot] for bot in fit.bots])
        weights = _information(np.maximum(comparisons(calibration), 0.01), (known - CENTER) / POINTS)
        true_points = CENTER + POINTS * (truth - truth @ weights)  # on the scale of this calibration
        for strength in CENTER + POINTS * rng.normal(0, 1.2, 5):
            opponents = rng.permuted(np.tile(np.arange(5), (80, 1)), axis=1)[:, : players - 1]
            shares = blocks_against(strength, true_points, opponents, rng)
            found = anchored_strength(known, fit.covariance, opponents, shares, replicates=300)
            inside.append(found.low <= strength <= found.high)
    assert 0.9 <= np.mean(inside) <= 0.99
