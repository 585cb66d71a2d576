"""Dividing bots into tables so that the total cost of the pairs at the tables is low.

Tables of two are optimal (networkx, Galil's algorithm for a maximum-weight matching); larger tables are improved by exchanges.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

Cost: TypeAlias = Callable[[int, int], int]
"""The cost, not negative, of two bots at one table, which are given in the order of the line."""
ALL_PAIRS: Final = 32
"""Up to this many bots every pair is considered; with more, at first only bots near each other in the line."""
NEAR: Final = 10
PASSES: Final = 6
RESTARTS: Final = 8
_SPREAD: Final = 1 << 24


def divide(line: Sequence[int], players: int, cost: Cost, seed: int, acceptable: int | None = None) -> list[list[int]]:
    """Divide the line into tables of ``players`` bots; its length is a multiple of that, and neighbours in it should suit each other.

    The same line, costs and seed always give the same tables; the seed breaks ties. With many bots only neighbours are considered at
    first, and all pairs only if the tables then cost more than ``acceptable``.
    """
    rng = random.Random(seed)
    if len(line) == players:
        return [list(line)]
    if players > 2:
        return _exchange_all(line, players, cost, rng, acceptable)
    reach = len(line) if len(line) <= ALL_PAIRS else NEAR
    tables = _match(line, cost, rng, reach)
    if reach < len(line) and acceptable is not None and sum(cost(*table) for table in tables) > acceptable:
        tables = _match(line, cost, rng, len(line))
    return tables


def _match(line: Sequence[int], cost: Cost, rng: random.Random, reach: int) -> list[list[int]]:
    """Return the matching of least cost. A small random term makes it unique, however the library breaks ties."""
    costs = {
        (place, other): cost(line[place], line[other]) * _SPREAD * len(line) + rng.randrange(_SPREAD)
        for place in range(len(line))
        for other in range(place + 1, min(len(line), place + reach + 1))
    }
    most = max(costs.values()) + 1
    import networkx as nx  # noqa: PLC0415  # it takes a fifth of a second, and few tournaments need it

    graph = nx.Graph()
    graph.add_weighted_edges_from((place, other, most - each) for (place, other), each in costs.items())
    pairs = nx.max_weight_matching(graph, maxcardinality=True)
    return [[line[place], line[other]] for place, other in sorted(sorted(pair) for pair in pairs)]


def _exchange_all(line: Sequence[int], players: int, cost: Cost, rng: random.Random, acceptable: int | None) -> list[list[int]]:
    """Seat neighbours together, then exchange bots while that lowers the cost; if it stays too high, start again from a shuffled line."""
    start = list(line)
    best: tuple[int, list[list[int]]] | None = None
    for _ in range(RESTARTS if acceptable is not None else 1):
        tables = [start[place : place + players] for place in range(0, len(start), players)]
        _improve(tables, cost, len(line))
        total = sum(_table_cost(table, cost) for table in tables)
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
    """Exchange two bots if that makes the two tables cheaper; return whether it did."""
    here, there = table[seat], other[chair]
    before = sum(cost(here, name) for name in table if name != here) + sum(cost(there, name) for name in other if name != there)
    after = sum(cost(there, name) for name in table if name != here) + sum(cost(here, name) for name in other if name != there)
    if after >= before:
        return False
    table[seat], other[chair] = there, here
    return True


def _table_cost(table: Sequence[int], cost: Cost) -> int:
    return sum(cost(one, other) for place, one in enumerate(table) for other in table[place + 1 :])
