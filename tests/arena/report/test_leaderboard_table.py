"""The notes below a leaderboard."""

from __future__ import annotations

import pytest

from arena.report.leaderboard_table import ties_line, wins_line
from arena.run.results import Standing
from engine.records import SeatResult


def line(rank: int, win_share: float, matches: int = 10) -> Standing:
    return Standing(rank, f"bot{rank}", "", 20.0 - rank, 25.0, 1.0, matches, win_share, 1.5, 20.0, 0, rank, rank)


def test_why_score_and_wins_differ_is_said_only_where_they_order_bots_differently() -> None:
    assert wins_line([line(1, 0.6), line(2, 0.6), line(3, 0.1)]) is None
    assert wins_line([]) is None
    assert wins_line([line(1, 0.6), line(2, 0.4), line(3, 0.5, matches=0)]) is None
    note = wins_line([line(1, 0.4), line(2, 0.6)])
    assert note is not None
    assert "every place" in note


@pytest.mark.parametrize(
    ("game", "seats", "line"),
    [
        ("tongiaki", [(15, 1), (15, 2), (8, 3)], "Equal points are ranked by more islands held, then fewer ships on the board."),
        ("tongiaki", [(15, 1), (15, 1), (8, 3)], ""),
        ("tongiaki", [(15, 1), (14, 2)], ""),
        ("a game that is not installed", [(15, 1), (15, 2)], ""),
    ],
)
def test_a_match_names_what_broke_a_tie(game: str, seats: list[tuple[int, int]], line: str) -> None:
    assert ties_line(game, [SeatResult("bot", score, rank, None, 5, 0.1) for score, rank in seats]) == line
