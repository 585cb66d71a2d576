"""A better move is named as far as it proves better by other positions than those that it was found by."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from arena.analysis.match_analysis import INACCURACY, MISTAKE
from arena.analysis.move_quality import TURNS, MoveQuality, MoveSearch
from arena.analysis.position_value import judge_of
from engine.core import Move, State
from engine.replay.format import read_replay
from engine.replay.verifier import timeline_of

VECTORS = Path(__file__).parents[2] / "vectors"
DECISIONS = range(60, 90)
"""Decisions of a match in which much was given away."""


def qualities() -> list[MoveQuality]:
    """The qualities of these decisions."""
    replay = read_replay((VECTORS / "tongiaki/r2-70.json").read_text(encoding="utf-8"))
    timeline = timeline_of(replay)
    search = MoveSearch(timeline, judge_of(timeline.states[0].game, replay.players, ""), None, 0)
    return [search.compare(at) for at in DECISIONS if replay.decisions[at].legal > 1]


def measure(monkeypatch: pytest.MonkeyPatch, quick: float, careful: float) -> None:
    """Let the second measurement find this gain by quick moves, and the third this by careful ones."""

    def gain(self: MoveSearch, at: int, best: Move, rng: Random, turns: int, choose: Callable[[State, Random], Move]) -> float:
        return quick if turns == TURNS else careful

    monkeypatch.setattr(MoveSearch, "_gain", gain)


def test_a_move_that_does_not_prove_better_is_not_named(monkeypatch: pytest.MonkeyPatch) -> None:
    measure(monkeypatch, quick=-0.01, careful=1.0)

    assert max(each.loss for each in qualities()) < INACCURACY


@pytest.mark.parametrize(
    ("quick", "careful", "loss"), [(0.05, -1.0, 0.05), (0.2, 0.3, 0.2), (0.2, 0.1, 0.1), (MISTAKE, 0.0, 0.0), (0.2, -0.1, 0.0)]
)
def test_a_loss_is_what_it_proves_to_be_and_the_smaller_of_two_measurements_if_it_is_large(
    monkeypatch: pytest.MonkeyPatch, quick: float, careful: float, loss: float
) -> None:
    measure(monkeypatch, quick, careful)

    checked = [each for each in qualities() if not 0 < each.loss < INACCURACY or each.loss == pytest.approx(loss)]

    assert {round(each.loss, 9) for each in checked} <= {0.0, loss}
    assert not loss or any(each.loss for each in checked)
    assert all((each.best is None) == (each.loss == 0) for each in checked)


def test_a_match_is_always_measured_the_same_way() -> None:
    assert qualities() == qualities()
