"""Separation by bets: what is said is said rarely by mistake, whenever one looks; and what it takes to say it."""

from __future__ import annotations

import random

import pytest

from leaderboard.ratings.separation import Separation


def rows(number: int, *means: float, seed: int = 1) -> list[dict[int, float]]:
    """So many rows, in which each bot has 1 with its mean as the chance, else 0."""
    rng = random.Random(seed)
    return [{bot: float(rng.random() < mean) for bot, mean in enumerate(means)} for _ in range(number)]


def after(scores: list[dict[int, float]], bots: int, confidence: float = 0.95) -> Separation:
    """What is known after these rows."""
    separation = Separation(bots, confidence)
    for each in scores:
        separation.add(each)
    return separation


def test_at_first_everyone_shares_every_place_and_everyone_is_contested() -> None:
    separation = Separation(4, 0.95)
    assert separation.groups() == ((0, 1, 2, 3),)
    assert separation.contested(1) == frozenset(range(4))
    assert (separation.rows(2), separation.mean(2)) == (0, 0.5)


def test_clear_differences_separate_and_equal_bots_stay_together_in_order_of_their_means() -> None:
    separation = after(rows(400, 0.9, 0.5, 0.5, 0.1), 4)
    first, second = sorted((1, 2), key=lambda bot: -separation.mean(bot))
    assert separation.groups() == ((0,), (first, second), (3,))
    assert separation.contested(1) == frozenset()
    assert separation.contested(2) == separation.contested(4) == frozenset({1, 2})


def test_bots_that_have_lost_to_enough_others_are_contested_no_more() -> None:
    separation = Separation(4, 0.95)
    for _ in range(100):
        separation.add({0: 1.0, 3: 0.0})
    assert separation.groups() == ((0, 3, 1, 2),) or len(separation.groups()) == 1
    assert separation.contested(1) == frozenset({0, 1, 2, 3})  # 3 is out, but who is first has to be above it, too
    for _ in range(100):
        separation.add({1: 1.0, 2: 1.0, 3: 0.0})
    assert separation.contested(1) == frozenset({0, 1, 2})
    assert separation.groups()[-1] == (3,)


@pytest.mark.parametrize("bots", [2, 5])
def test_equal_bots_are_separated_as_seldom_as_promised_however_often_one_looks(bots: int) -> None:
    confidence, finals = 0.8, 60
    wrong = sum(
        len(after(rows(200, *[0.5] * bots, seed=seed), bots, confidence).groups()) > 1  # once separated, always separated
        for seed in range(finals)
    )
    assert wrong <= finals * (1 - confidence) + 3 * (finals * confidence * (1 - confidence)) ** 0.5


def test_capitals_are_fair() -> None:
    """The mean capital of a bet against an equal stays 1: it is what the whole argument rests on."""
    capitals = []
    for seed in range(3000):
        separation = Separation(2, 1 - 1e-12)
        for scores in rows(8, 0.5, 0.5, seed=seed):
            separation.add(scores)
        capitals += separation._wagers[0, 1].capital
    assert abs(sum(capitals) / len(capitals) - 1) < 0.05
