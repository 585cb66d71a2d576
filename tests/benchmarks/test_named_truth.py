"""Moves that analyses name are better, where it is known exactly which are."""

from __future__ import annotations

import pytest

from arena.analysis.match_analysis import INACCURACY, Grade
from benchmarks.named_truth import named_moves
from tests.small_games import add_three_in_a_row


@pytest.mark.slow  # hundreds of games
def test_moves_named_by_random_games_are_better_by_exact_chances(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.analysis.position_value.RANDOM_GAMES", 8)
    named = [each for each in named_moves(add_three_in_a_row(monkeypatch), 6) if each.grade is not Grade.FINE]

    assert len(named) > 12
    assert all(each.true > 0 for each in named)
    assert sum(each.true >= INACCURACY for each in named) > 0.9 * len(named)
