"""Dividing a line of bots into tables of two: the least cost among the pairs that are considered."""

from __future__ import annotations

import random

import networkx as nx
import pytest

from arena.formats.table_pairing import REACH, divide


def least(costs: dict[tuple[int, int], int]) -> int:
    """The least cost of a division by these pairs, as networkx finds it."""
    graph = nx.Graph()
    graph.add_weighted_edges_from((one, other, -cost) for (one, other), cost in costs.items())
    return sum(costs[min(pair), max(pair)] for pair in nx.max_weight_matching(graph, maxcardinality=True))


@pytest.mark.parametrize("seed", range(10))
def test_near_bots_are_divided_at_the_least_cost_there_is(seed: int) -> None:
    rng = random.Random(seed)
    bots = 14 + 2 * seed
    costs = {(one, other): rng.randrange(1000) for other in range(bots) for one in range(max(0, other - REACH), other)}
    tables = divide(range(bots), 2, lambda one, other: costs[one, other], seed)
    assert sorted(bot for table in tables for bot in table) == list(range(bots))
    assert sum(costs[one, other] for one, other in tables) == least(costs)


def test_the_seed_decides_between_equal_costs_and_nothing_else_does() -> None:
    def divided(seed: int) -> list[list[int]]:
        return divide(range(40), 2, lambda _one, _other: 7, seed)

    assert divided(1) == divided(1)
    assert len({str(divided(seed)) for seed in range(5)}) == 5
