"""The two scores of the game alone (RULES 8). Puzzles are in ``puzzles``."""

from __future__ import annotations

from engine.sunda.board.board import SundaBoard
from engine.sunda.board.tiles import LAND


def nodes_score(nodes: int, *, complete: bool, level: int) -> int:
    """What an island with that many land nodes scores alone: each for itself below level 2, from there on as tribes of five."""
    worth = nodes if level < 2 else 25 * (nodes // 5) + (nodes % 5) ** 2
    return 2 * worth if complete else worth


def solo_points(board: SundaBoard, *, level: int) -> int:
    """The solo score of a table."""
    total = 0
    for island, still_open in board.islands.open.items():
        if board.types[island] == LAND:
            total += nodes_score(board.islands.size[island] - still_open, complete=still_open == 0, level=level)
    return total
