"""Divides a line of bots into tables so that the total cost of the pairs at the tables is low.

Tables of two are optimal, either among all pairs (using Galil's algorithm for maximum-weight matching in networkx) or among pairs that are
close to each other in the line (using dynamic programming, in a twentieth of the time). Larger tables are improved with exchanges.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Final, TypeAlias

Cost: TypeAlias = Callable[[int, int], int]
"""Returns the cost (at least 0) of seating two bots at one table. The first argument is the one that is earlier in ``divide``'s line."""
ALL_PAIRS: Final = 32
"""The largest number of bots for which all pairs are considered at once if the acceptable cost is limited; see ``divide``."""
NEAR: Final = 10
"""A table exchanges bots only with this many tables before and after it."""
REACH: Final = 6
"""The largest distance between opponents, in positions in the line of bots, when only close pairs are considered."""
PASSES: Final = 6
RESTARTS: Final = 8
_SPREAD: Final = 1 << 24
_Path: TypeAlias = "tuple[int, int, _Path] | None"
"""The positions of the newest pair in the line, and the previous path."""


def divide(line: Sequence[int], players: int, cost: Cost, seed: int, acceptable: int | None = None) -> list[list[int]]:
    """Divide bots, whose number must be a multiple of ``players``, into tables. Order ``line`` so that neighbours in it are cheap pairs.

    The same line, costs and seed always give the same tables; the seed breaks ties. With many bots, close pairs are tried first, and all
    pairs only if the tables cost more than ``acceptable`` (None accepts any cost).
    """
    rng = random.Random(seed)
    if len(line) == players:
        return [list(line)]
    if players > 2:
        return _exchange_all(line, players, cost, rng, acceptable)
    if len(line) <= (2 * REACH if acceptable is None else ALL_PAIRS):
        return _match(line, cost, rng)
    tables = _match_near(line, cost, rng)
    if acceptable is not None and sum(cost(*table) for table in tables) > acceptable:
        tables = _match(line, cost, rng)
    return tables


def _costs(line: Sequence[int], cost: Cost, rng: random.Random, reach: int) -> dict[tuple[int, int], int]:
    """Return the costs by positions in the line. A small random term makes the cheapest matching unique."""
    return {
        (place, other): cost(line[place], line[other]) * _SPREAD * len(line) + rng.randrange(_SPREAD)
        for place in range(len(line))
        for other in range(place + 1, min(len(line), place + reach + 1))
    }


def _match_near(line: Sequence[int], cost: Cost, rng: random.Random) -> list[list[int]]:
    """Return the cheapest matching in which opponents are at most ``REACH`` positions apart.

    At each position, ``best`` has the lowest cost for each set (as bits) of later positions that already have opponents.
    """
    costs = _costs(line, cost, rng, REACH)
    best: dict[int, tuple[int, _Path]] = {0: (0, None)}
    for place in range(len(line)):
        steps = [(1 << other - place, costs[place, other], other) for other in range(place + 1, min(len(line), place + REACH + 1))]
        after: dict[int, tuple[int, _Path]] = {}
        for taken, (total, path) in best.items():
            if taken & 1:
                if (known := after.get(taken >> 1)) is None or total < known[0]:
                    after[taken >> 1] = total, path
                continue
            for bit, each, other in steps:
                if not taken & bit:
                    key, least = (taken | bit) >> 1, total + each
                    if (known := after.get(key)) is None or least < known[0]:
                        after[key] = least, (place, other, path)
        best = after
    _, path = best[0]
    tables = []
    while path is not None:
        tables.append([line[path[0]], line[path[1]]])
        path = path[2]
    return tables[::-1]


def _match(line: Sequence[int], cost: Cost, rng: random.Random) -> list[list[int]]:
    costs = _costs(line, cost, rng, len(line))
    most = max(costs.values()) + 1
    import networkx as nx  # noqa: PLC0415  # slow to import, and needed in few tournaments

    graph = nx.Graph()
    graph.add_weighted_edges_from((place, other, most - each) for (place, other), each in costs.items())
    pairs = nx.max_weight_matching(graph, maxcardinality=True)
    return [[line[place], line[other]] for place, other in sorted(sorted(pair) for pair in pairs)]


def _exchange_all(line: Sequence[int], players: int, cost: Cost, rng: random.Random, acceptable: int | None) -> list[list[int]]:
    """Seat neighbours together and exchange bots while this lowers the cost; if it stays too high, restart with a shuffled line."""
    start = list(line)
    best: tuple[int, list[list[int]]] | None = None
    for _ in range(RESTARTS if acceptable is not None else 1):
        tables = [start[place : place + players] for place in range(0, len(start), players)]
        _improve(tables, cost, len(line))
        total = sum(cost(one, other) for table in tables for one, other in combinations(table, 2))
        if best is None or total < best[0]:
            best = total, tables
        if acceptable is None or best[0] <= acceptable:
            break
        rng.shuffle(start)
    assert best is not None
    return best[1]


def _improve(tables: list[list[int]], cost: Cost, bots: int) -> None:
    near = len(tables) if bots <= ALL_PAIRS else NEAR
    for _ in range(PASSES):
        changed = False
        for number, table in enumerate(tables):
            for other in tables[number + 1 : number + 1 + near]:
                for seat in range(len(table)):
                    for chair in range(len(other)):
                        changed |= _exchange(table, seat, other, chair, cost)
        if not changed:
            return


def _exchange(table: list[int], seat: int, other: list[int], chair: int, cost: Cost) -> bool:
    here, there = table[seat], other[chair]
    before = sum(cost(here, name) for name in table if name != here) + sum(cost(there, name) for name in other if name != there)
    after = sum(cost(there, name) for name in table if name != here) + sum(cost(here, name) for name in other if name != there)
    if after >= before:
        return False
    table[seat], other[chair] = there, here
    return True
