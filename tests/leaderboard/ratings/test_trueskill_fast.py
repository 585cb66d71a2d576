"""What is computed without the package ``trueskill`` is what the package computes, to the last bit."""

from __future__ import annotations

from random import Random

import pytest
import trueskill

from leaderboard.ratings.fold import RatedResult, RatingFold, RatingParameters
from leaderboard.ratings.trueskill import Skill, rate_players

BOTS = tuple(f"bot{number:02}" for number in range(12))
PARAMETERS = (
    RatingParameters(),
    RatingParameters(mu=0.0),
    RatingParameters(tau=0.0),
    RatingParameters(mu=10, sigma=2, beta=1, tau=0.5, draw_probability=0.3),
    RatingParameters(mu=1500, sigma=500, beta=250, tau=5, draw_probability=0.02),
    RatingParameters(tau=0.3, draw_probability=0.0001),
    RatingParameters(sigma=3, draw_probability=0.9),
)


def package(parameters: RatingParameters) -> trueskill.TrueSkill:
    """The package with these parameters, and with no others by accident."""
    return trueskill.TrueSkill(parameters.mu, parameters.sigma, parameters.beta, parameters.tau, parameters.draw_probability, backend=None)


def line_ups(rng: Random, number: int) -> list[tuple[tuple[str, ...], tuple[int, ...]]]:
    """Tables of two to six, and now and then of all, with ranks by strength and luck; ties of two and of many among them."""
    strength = {bot: rng.gauss(0, rng.choice([0.1, 1, 5])) for bot in BOTS}
    found = []
    for _ in range(number):
        bots = rng.sample(BOTS, rng.choice([2, 2, 2, 3, 4, 5, 6, len(BOTS)]))
        digits = rng.choice([0, 1, 3])
        keys = [round(strength[bot] + rng.gauss(0, 1), digits) for bot in bots]
        found.append((tuple(bots), tuple(1 + sum(other > key for other in keys) for key in keys)))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("parameters", PARAMETERS)
@pytest.mark.parametrize("seed", range(3))
def test_a_long_fold_is_the_packages_own_in_every_bit(parameters: RatingParameters, seed: int) -> None:
    environment = package(parameters)
    plain = {bot: environment.create_rating() for bot in BOTS}
    fold = RatingFold(BOTS, parameters)
    rated = 0
    for number, (bots, ranks) in enumerate(line_ups(Random(seed), 250)):
        try:
            groups = environment.rate([(plain[bot],) for bot in bots], ranks=ranks)
        except FloatingPointError:  # the package itself gives up, and the fold takes the limit
            for each in fold.add(RatedResult(f"m{number}", bots, ranks)):
                plain[each.bot].pi, plain[each.bot].tau = fold._skills[each.bot]
            continue
        plain |= {bot: rating for bot, (rating,) in zip(bots, groups, strict=True)}
        found = fold.add(RatedResult(f"m{number}", bots, ranks))
        assert [(each.bot, repr(each.mu), repr(each.sigma)) for each in found] == [
            (bot, repr(plain[bot].mu), repr(plain[bot].sigma)) for bot in bots
        ]
        rated += 1
    assert rated > 150


def test_a_result_that_was_impossible_moves_both_to_where_it_is_possible() -> None:
    rated = rate_players([Skill.make(1000.0, 1.0), Skill.make(0.0, 1.0)], (2, 1), beta=1.0, tau=0.0, margin=1.0)
    assert [skill.mu for skill in rated] == pytest.approx([749.75, 250.25])
    assert [skill.sigma for skill in rated] == pytest.approx([0.75**0.5] * 2, abs=1e-5)
    with pytest.raises(FloatingPointError):
        package(RatingParameters(beta=1)).rate([(trueskill.Rating(1000.0, 1.0),), (trueskill.Rating(0.0, 1.0),)], ranks=(2, 1))


def test_a_result_that_was_certain_says_nothing() -> None:
    sure = [Skill.make(1000.0, 1.0), Skill.make(0.0, 1.0)]
    rated = rate_players(sure, (1, 2), beta=1.0, tau=0.0, margin=1.0)
    assert [(skill.mu, skill.sigma) for skill in rated] == [(1000.0, 1.0), (0.0, 1.0)]
