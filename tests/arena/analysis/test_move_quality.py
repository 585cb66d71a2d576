"""A better move is named as far as it proves better by other positions than those that it was found by."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from random import Random

import pytest

from arena.analysis.match_analysis import BLUNDER, MISTAKE, Grade, grade_of
from arena.analysis.move_quality import CHECKS, FIRST_CHECKS, MoveQuality, MoveSearch
from arena.analysis.position_value import judge_of
from engine.core import Move, State
from tests.arena.web.replays import timeline_of_vector

DECISIONS = range(60, 90)
"""Decisions of a match in which much was given away."""


def qualities(decisions: range = DECISIONS) -> dict[int, MoveQuality]:
    """Return the qualities of these decisions."""
    timeline = timeline_of_vector("tongiaki/r2-70")
    search = MoveSearch(timeline, judge_of(timeline.states[0].game, 2, ""), None)
    return {at: search.compare(at) for at in decisions if timeline.replay.decisions[at].legal > 1}


Gains = tuple[float, ...]


def measure(
    monkeypatch: pytest.MonkeyPatch, *worlds: Gains, careful: tuple[float, float] = (1.0, 1.0)
) -> tuple[list[MoveQuality], set[int]]:
    """Return the qualities if worlds bring these gains in turn, and in how many worlds losses were measured again."""
    number: dict[int, int] = defaultdict(int)

    def gains(
        self: MoveSearch, at: int, played: Move, best: Move, rng: Random, turns: Sequence[int], choose: Callable[[State, Random], Move]
    ) -> list[float]:
        if choose == self._careful:
            return [careful[turns != [1]]]
        number[at] += 1
        return list(worlds[number[at] % len(worlds)])[: len(turns)]

    monkeypatch.setattr(MoveSearch, "_gains", gains)
    found = qualities()
    assert number, "some losses were measured again"
    return [each for at, each in found.items() if at in number], set(number.values())


@pytest.mark.parametrize(("gains", "worlds"), [((-0.01, 0.2, 0.2), FIRST_CHECKS), ((0.2, 0.2, -0.01), 2 * FIRST_CHECKS)])
def test_a_move_that_is_not_better_after_some_turns_is_not_named(monkeypatch: pytest.MonkeyPatch, gains: Gains, worlds: int) -> None:
    checked, measured = measure(monkeypatch, gains)

    assert all(each.best is None and each.loss == 0 for each in checked)
    assert measured == {worlds}


def test_the_loss_is_the_smallest_that_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    checked, measured = measure(monkeypatch, (0.3, 0.1, 0.2))

    assert [each.loss for each in checked] == pytest.approx([0.1] * len(checked))
    assert measured == {2 * FIRST_CHECKS + CHECKS}


@pytest.mark.parametrize(
    ("gains", "loss", "grade"),
    [
        ((0.04, 0.06), 0.05, Grade.INACCURACY),
        ((0.0, 0.16), MISTAKE, Grade.INACCURACY),
        ((0.04, 0.2), 0.12, Grade.MISTAKE),
        ((0.0, 0.36), BLUNDER, Grade.MISTAKE),
        ((0.3, 0.32), 0.31, Grade.BLUNDER),
    ],
)
def test_the_grade_is_that_of_the_lower_end_of_an_interval(
    monkeypatch: pytest.MonkeyPatch, gains: tuple[float, float], loss: float, grade: Grade
) -> None:
    checked, _ = measure(monkeypatch, *((each,) * 3 for each in gains))

    assert [each.loss for each in checked] == pytest.approx([loss] * len(checked), abs=1e-5)
    assert {grade_of(each.loss) for each in checked} == {grade}


@pytest.mark.parametrize(("careful", "loss"), [((-0.1, 1.0), 0.0), ((0.1, -1.0), 0.1), ((0.3, 0.1), 0.1), ((0.3, 0.3), 0.2)])
def test_a_mistake_is_one_by_careful_moves_too_and_a_blunder_after_more_turns_of_them(
    monkeypatch: pytest.MonkeyPatch, careful: tuple[float, float], loss: float
) -> None:
    checked, _ = measure(monkeypatch, (0.2, 0.2, 0.2), careful=careful)

    assert [each.loss for each in checked] == pytest.approx([loss] * len(checked))


def test_a_match_is_always_measured_the_same_way() -> None:
    assert qualities(DECISIONS[:8]) == qualities(DECISIONS[:8])
