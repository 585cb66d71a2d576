"""RULES 1: the tiles, against the data of the rules and the totals printed with the game."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from engine.tongiaki.board.board import DELTA, ORIGIN, cell_of, coordinates
from engine.tongiaki.board.tiles import (
    ALL_PIERS,
    BEACH_OF_PIER,
    BERTHS,
    FIRST_BEACH,
    ISLAND_OF_BEACH,
    ISLANDS,
    N_BEACHES,
    N_ISLANDS,
    N_TILES,
    PIERS,
    POINTS,
    ROUTE_COLORS,
    ROUTE_EXIT,
    TOTAL_BERTHS,
    WATERS,
)
from tests.engine.tongiaki.helpers import ROOT

PRINTED = json.loads((ROOT / "docs/rules/tongiaki-tiles.json").read_text(encoding="utf-8"))


def test_islands_are_those_of_the_rules_in_their_order() -> None:
    said = [
        (island["name"].replace(" ", "_"), island["points"], [(beach["berths"], tuple(beach["piers"])) for beach in island["beaches"]])
        for island in PRINTED["islands"]
    ]
    assert [(island.name, island.points, [tuple(beach) for beach in island.beaches]) for island in ISLANDS] == said


def test_waters_are_those_of_the_rules_in_their_order() -> None:
    said = [(water["id"], [(tuple(route["sides"]), route["colors"]) for route in water["routes"]]) for water in PRINTED["waters"]]
    assert [(water.name, [(route.sides, route.colors) for route in water.routes]) for water in WATERS] == said


def test_totals_are_those_of_the_printed_game() -> None:
    assert (N_ISLANDS, N_TILES, len(WATERS)) == (16, 32, 16)
    assert Counter(POINTS) == {0: 1, 2: 3, 3: 4, 4: 5, 5: 3}
    assert sum(POINTS) == 53
    assert (len(BERTHS), sum(BERTHS)) == (47, 152)
    assert Counter(route.colors for water in WATERS for route in water.routes) == {1: 12, 2: 12, 3: 12, 4: 12}


def test_the_flat_tables_say_what_the_tiles_say() -> None:
    for number, island in enumerate(ISLANDS):
        beaches = range(FIRST_BEACH[number], FIRST_BEACH[number] + N_BEACHES[number])
        assert [(BERTHS[beach], PIERS[beach]) for beach in beaches] == list(island.beaches)
        assert {ISLAND_OF_BEACH[beach] for beach in beaches} == {number}
        assert TOTAL_BERTHS[number] == sum(beach.berths for beach in island.beaches)
        piers = {side: FIRST_BEACH[number] + beach for beach, (_, sides) in enumerate(island.beaches) for side in sides}
        assert [BEACH_OF_PIER[6 * number + side] for side in range(6)] == [piers.get(side, -1) for side in range(6)]
        assert ALL_PIERS[number] == tuple(sorted(piers))
    for number, water in enumerate(WATERS, start=N_ISLANDS):
        for (one, other), colors in water.routes:
            assert (ROUTE_EXIT[6 * number + one], ROUTE_EXIT[6 * number + other]) == (other, one)
            assert ROUTE_COLORS[6 * number + one] == ROUTE_COLORS[6 * number + other] == colors


@pytest.mark.parametrize(("direction", "neighbour"), list(enumerate([(0, -1), (1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0)])))
def test_directions_run_clockwise_from_north(direction: int, neighbour: tuple[int, int]) -> None:
    assert coordinates(ORIGIN + DELTA[direction]) == neighbour
    assert DELTA[(direction + 3) % 6] == -DELTA[direction]


def test_cells_sort_as_their_coordinates_do() -> None:
    everywhere = [(q, r) for q in range(-31, 32) for r in range(-31, 32)]
    assert sorted(everywhere, key=lambda cell: cell_of(*cell)) == sorted(everywhere)
    assert [coordinates(cell_of(*cell)) for cell in everywhere] == everywhere
