"""What a bot's worst decisions have in common: a planted habit is named, equal players are not, and luck of the seat order is no habit."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from random import Random

import pytest

from arena.analysis.match_analysis import MatchAnalysis, MoveWorth
from arena.analysis.traits.base import Traits
from arena.analysis.weak_points import LEAST_MATCHES, WeakPoint, weak_point_words, weak_points
from tests.arena.analysis.test_match_analysis import split

HABIT = "passing up a royal island"


@cache
def match(number: int, seat: int, extra: float) -> MatchAnalysis:
    """A match of two in which a fifth of all moves have the habit, and in which that of one seat costs ``extra`` more."""
    analysis = split("tongiaki/r2-70")
    rng = Random(number)
    decisions = []
    for each in analysis.decisions:
        has_habit = rng.random() < 0.2
        habits = (HABIT,) if has_habit else ("sailing",)
        loss = rng.choice((0.0, 0.0, 0.01, 0.05)) + (extra if has_habit and each.seat == seat else 0.0)
        traits = Traits(rng.choice(("landings", "voyages")), "", habits)
        played = replace(each.played, traits=traits)
        decisions.append(replace(each, loss=loss, played=played, best=MoveWorth("other", "other", 0.0, traits), legal=12))
    return replace(analysis, decisions=tuple(decisions))


def matches_of(number: int, extra: float, first: int = 0) -> list[tuple[MatchAnalysis, list[int]]]:
    """Matches in which the bot sits in turn in both seats."""
    return [(match(first + at, at % 2, extra), [at % 2]) for at in range(number)]


def test_a_habit_that_costs_the_bot_more_than_its_rivals_is_named_first_with_its_shares() -> None:
    point, *others = weak_points(matches_of(12, 0.06))

    assert not others
    assert point.words == f"from {HABIT}"
    assert point.decisions == pytest.approx(0.2, abs=0.03)
    assert point.lost > 2 * point.rivals
    assert point.p < 0.01


def test_of_equal_players_hardly_ever_anything_is_named() -> None:
    named = [weak_points(matches_of(12, 0.0, first)) for first in range(0, 96, 12)]

    assert sum(bool(points) for points in named) <= 1


def test_a_habit_that_costs_everybody_as_much_is_not_named() -> None:
    both = []
    for number in range(12):
        one, other = match(number, 0, 0.06), match(number, 1, 0.06)
        decisions = tuple(mine if mine.seat == 0 else theirs for mine, theirs in zip(one.decisions, other.decisions, strict=True))
        both.append((replace(one, decisions=decisions), [number % 2]))

    assert weak_points(both) == ()


def test_large_losses_of_one_match_are_no_weak_point() -> None:
    analysed = matches_of(12, 0.0)
    analysis, seats = analysed[0]
    decisions = tuple(replace(each, loss=0.9) if HABIT in each.played.traits.habits else each for each in analysis.decisions)
    analysed[0] = (replace(analysis, decisions=decisions), seats)

    assert weak_points(analysed) == ()


def test_few_matches_and_matches_without_rivals_say_nothing() -> None:
    assert weak_points(matches_of(LEAST_MATCHES - 1, 0.06)) == ()
    assert weak_points([(analysis, [0, 1]) for analysis, _ in matches_of(12, 0.06)]) == ()
    assert weak_points([(replace(analysis, decisions=()), seats) for analysis, seats in matches_of(12, 0.06)]) == ()


def test_decisions_of_substitutes_and_forced_ones_are_nobodys() -> None:
    forced = [
        (replace(analysis, decisions=tuple(replace(each, legal=1) for each in analysis.decisions)), seats)
        for analysis, seats in matches_of(12, 0.06)
    ]

    assert weak_points(forced) == ()


def test_a_weak_point_is_a_sentence() -> None:
    assert weak_point_words(WeakPoint("from landing on a full island", 0.61, 0.12, 0.1, 0.001)) == (
        "61 % of what it gave away came from landing on a full island (12 % of its decisions; 10 % of what its rivals gave away)."
    )
