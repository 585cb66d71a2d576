"""What it costs to have to decide: decisions of a match change the chances of their seats by nothing on average, whoever plays."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from math import exp, log
from random import Random

import pytest

from arena.analysis.baseline import ENOUGH, PRIOR, Step, Valued, costs_of, question_of, with_cost
from arena.analysis.position_value import judge_of
from arena.analysis.skill_and_luck import Split, split_match
from engine.registry import find_game
from engine.replay.verifier import ReplayTimeline, timeline_of
from tests.arena.analysis.test_match_luck import random_match
from tests.arena.web.replays import timeline_of_vector

MATCHES = ("tongiaki/r2-70", "tongiaki/r4-16", "sunda/turns-L0-2p-34", "sunda/turns-L2-4p-37", "sunda/simultaneous-L2-3p-35")
STEP = 0.07
"""What a decision of the made-up match wins or loses."""


@cache
def split(name: str) -> tuple[ReplayTimeline, Split]:
    """A match of the test vectors with what its decisions changed; once, since choices in secret take two seconds."""
    timeline = timeline_of_vector(name)
    return timeline, split_match(timeline, judge_of(timeline.states[0].game, timeline.replay.players, name), lambda: False)


def stated(chance: float, seat: int, error: float) -> Valued:
    """The position of a match of two in which seat 0 has that chance; the value says ``error`` too much, in logarithms, for who decides."""
    odds = chance / (1 - chance) * exp(error if seat == 0 else -error)
    return Valued((odds / (1 + odds), 1 / (1 + odds)), seat, "move")


def made_up(decisions: int, *, error: float, lost: float = 0.0) -> list[Step]:
    """A match in which seats decide in turn, each decision loses ``lost``, and chance then gives or takes ``STEP`` with equal shares."""
    rng = Random(1)
    steps, chance = [], 0.5
    for number in range(decisions):
        seat = number % 2
        then = chance + (-lost if seat == 0 else lost)
        after = [then - STEP, then + STEP]
        steps.append(Step(stated(chance, seat, error), [(0.5, stated(each, 1 - seat, error)) for each in after]))
        chance = min(max(rng.choice(after), 0.3), 0.7)
    return steps


def changes(steps: list[Step], costs: dict[str, float]) -> list[float]:
    """What each decision changes for its seat."""
    return [
        sum(share * with_cost(after, costs)[step.before.seat] for share, after in step.after)
        - with_cost(step.before, costs)[step.before.seat]
        for step in steps
    ]


@pytest.mark.parametrize("error", [0.0, 0.4, -0.7])
def test_what_a_value_says_too_much_for_who_has_to_decide_is_the_cost_to_the_digit(error: float) -> None:
    steps = made_up(200, error=error)

    costs = costs_of(steps)

    assert costs == {"move": pytest.approx(-error, abs=0.002)}
    assert changes(steps, costs) == pytest.approx([0.0] * len(steps), abs=0.001)


def test_what_all_seats_lose_alike_is_no_seats_loss() -> None:
    steps = made_up(200, error=0.0, lost=0.05)

    costs = costs_of(steps)

    assert sum(changes(steps, {})) == pytest.approx(-0.05 * len(steps))
    assert sum(changes(steps, costs)) == pytest.approx(0.0, abs=0.01)
    assert costs["move"] < 0


def test_what_is_answered_in_secret_has_no_cost_and_counts_as_a_decision() -> None:
    secret = [step._replace(before=step.before._replace(question="choose")) for step in made_up(ENOUGH, error=0.4)]

    assert costs_of(secret, {"choose"}) == {}
    assert set(costs_of([*secret, *made_up(5, error=0.4)], {"choose"})) == {"move"}


def test_chances_with_a_cost_add_up_to_what_they_did_and_results_stay() -> None:
    valued = Valued((0.5, 0.25, 0.25), 1, "move")

    costly = with_cost(valued, {"move": -log(2)})

    assert costly == pytest.approx((4 / 7, 1 / 7, 2 / 7))
    assert with_cost(valued, {"other": 1.0}) == valued.chances
    for chances in ((1.0, 0.0), (0.0, 1.0)):
        assert with_cost(Valued(chances, 0, "move"), {"move": -0.5}) == chances


def by_kind(timeline: ReplayTimeline, figures: Split) -> dict[str, float]:
    """What decisions of each kind changed for their own seats."""
    changed: dict[str, float] = defaultdict(float)
    for at, decision in enumerate(timeline.replay.decisions):
        changed[question_of(timeline.states[at])] += figures.skill[at][decision.seat]
    return changed


@pytest.mark.slow  # an analysis with every step
def test_choices_in_secret_are_zero_by_their_kinds_too() -> None:
    game = find_game("sunda", {"mode": "simultaneous"})
    timeline = timeline_of(random_match(game, 1, 3))
    changed = by_kind(timeline, split_match(timeline, judge_of(game, 3, "x"), lambda: False))
    assert [changed[kind] for kind in ("place raid wait", "place wait")] == pytest.approx([0.0, 0.0], abs=1e-9)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", MATCHES)
def test_decisions_of_a_kind_change_the_chances_of_their_seats_by_nothing_on_average(name: str) -> None:
    timeline, figures = split(name)

    for kind, change in by_kind(timeline, figures).items():
        is_secret = kind.endswith("wait")  # all seats choose at the same time
        assert change == pytest.approx(0.0, abs=1e-9 if is_secret else 2 * PRIOR), kind


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", MATCHES)
def test_every_change_is_from_some_seats_to_others_and_they_lead_from_the_first_chances_to_the_result(name: str) -> None:
    timeline, figures = split(name)

    for chances in figures.chances:
        assert sum(chances) == pytest.approx(1.0)
        assert min(chances) >= 0
    for change in (*figures.skill, *figures.luck):
        assert sum(change) == pytest.approx(0.0, abs=1e-9)
    total = [sum(each) for each in zip(figures.chances[0], *figures.skill, *figures.luck, strict=True)]
    assert total == pytest.approx(figures.chances[-1])
    assert sorted(figures.chances[-1]) == [0.0] * (timeline.replay.players - 1) + [1.0]
