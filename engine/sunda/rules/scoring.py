"""Scores of tokens and markers on the table (RULES 6), and of a solo table (RULES 8)."""

from __future__ import annotations

from engine.sunda.board.board import SundaBoard
from engine.sunda.board.claims import Claims
from engine.sunda.board.tiles import LAND
from engine.sunda.board.trigrid import SPAN


def points(board: SundaBoard, claims: Claims, *, level: int) -> tuple[int, ...]:
    """Return the points of each seat as of now."""
    totals = [0] * len(claims.tokens)
    name = board.islands.name
    n_open = board.islands.open
    strength: dict[int, list[int]] = {}  # island: tokens of each seat there
    for vertex, tribe in claims.tribes.items():
        island = name[vertex]
        worth = (len(tribe) if level >= 2 else 1) * (1 if n_open[island] else 2)
        on_island = strength.setdefault(island, [0] * len(totals))
        for seat in tribe:
            totals[seat] += worth
            on_island[seat] += 1
    for lake, seat in claims.lakes.items():
        island = name[lake - SPAN]
        totals[seat] += 5 * board.islands.size[name[lake]] * (1 if n_open[island] else 2)
        strength.setdefault(island, [0] * len(totals))[seat] += 1
    values: dict[int, int] = {}
    for value, vertex in claims.markers:
        island = claims.island_of(board, vertex)
        values[island] = values.get(island, 0) + value
    for island, value in values.items():
        if island not in strength:
            continue
        on_island = strength[island]
        most = max(on_island)
        share = value * (2 if n_open[island] else 4) // on_island.count(most)
        for seat, tokens in enumerate(on_island):
            if tokens == most:
                totals[seat] += share
    return tuple(totals)


def nodes_score(nodes: int, *, complete: bool, level: int) -> int:
    """Return the solo score of an island with that many land nodes: below level 2, one each; above, as if grouped in tribes of five."""
    worth = nodes if level < 2 else 25 * (nodes // 5) + (nodes % 5) ** 2
    return 2 * worth if complete else worth


def solo_points(board: SundaBoard, *, level: int) -> int:
    """Return the solo score of a table."""
    total = 0
    for island, still_open in board.islands.open.items():
        if board.types[island] == LAND:
            total += nodes_score(board.islands.size[island] - still_open, complete=still_open == 0, level=level)
    return total
