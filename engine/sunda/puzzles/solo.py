"""The score of solo play (RULES 8)."""

from __future__ import annotations

from engine.sunda.board.board import SundaBoard
from engine.sunda.board.tiles import LAND


def nodes_score(nodes: int, *, complete: bool, level: int) -> int:
    """Return the solo score of an island with that many land nodes: one each below level 2, from there on as tribes of five."""
    worth = nodes if level < 2 else 25 * (nodes // 5) + (nodes % 5) ** 2
    return 2 * worth if complete else worth


def solo_points(board: SundaBoard, *, level: int) -> int:
    """Return the solo score of a table."""
    total = 0
    for island, still_open in board.islands.open.items():
        if board.types[island] == LAND:
            total += nodes_score(board.islands.size[island] - still_open, complete=still_open == 0, level=level)
    return total
