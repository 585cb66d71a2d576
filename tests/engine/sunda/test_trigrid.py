from __future__ import annotations

from itertools import product

import pytest

from engine.sunda.board import trigrid
from tests.engine.sunda.helpers import as_pair, as_triple
from tests.engine.sunda.plain import Vertex, corners, triangles

PLACES = list(product((-3, 0, 2), (-1, 0, 5), range(6)))


def placement(x: int, y: int, d: int) -> int:
    return 6 * trigrid.vertex_at(x, y) + d


def triangle_pairs(triangle: int) -> frozenset[Vertex]:
    return frozenset(map(as_pair, trigrid.corners_of_triangle(triangle)))


def test_a_vertex_keeps_its_coordinates_and_sorts_by_them() -> None:
    far = trigrid.REACH
    for x, y in product((-far, -7, -1, 0, 1, 250, far), (-far, -1, 0, 3, far)):
        assert as_pair(trigrid.vertex_at(x, y)) == (x, y)
        assert trigrid.vertex_at(x, y) < trigrid.vertex_at(x, y + 1) < trigrid.vertex_at(x + 1, y)


@pytest.mark.parametrize("place", PLACES)
def test_a_lozenge_has_the_corners_and_triangles_of_its_placement(place: tuple[int, int, int]) -> None:
    code = placement(*place)
    assert as_triple(code) == place
    lozenge = trigrid.lozenge_of(code)
    vertices = [as_pair(v) for v in trigrid.corners_of(lozenge)]
    assert vertices in (corners(place), corners(place)[2:] + corners(place)[:2])
    assert {triangle_pairs(t) for t in trigrid.triangles_of(lozenge)} == set(triangles(place))
    assert as_pair(trigrid.half_turned(lozenge) // 6) == vertices[2]
    assert trigrid.lozenge_of(trigrid.half_turned(lozenge)) == lozenge
    assert code in {lozenge, trigrid.half_turned(lozenge)}


@pytest.mark.parametrize(("vertices", "width"), trigrid.WINDOWS)
def test_within_a_window_numbers_are_told_apart_by_their_last_bits(vertices: int, width: int) -> None:
    for factor, names in ((1, 1), (2, 2), (6, 3)):  # vertices, triangles, lozenges: number times factor plus a name below names
        size = {1: 1, 2: 2, 6: 4}[factor] * vertices
        for difference in range(1 - names, names):
            for dx in range(width):
                # factor * (dx * SPAN + dy) + difference is a multiple of size: which dy nearest to 0 solve that?
                rest = factor * dx * trigrid.SPAN + difference
                common = 2 if factor == 6 else factor
                if rest % common:
                    continue
                step = size // common
                dy = -(rest // common) * pow(factor // common, -1, step) % step
                near = [y for y in (dy - step, dy, dy + step) if (dx, y, difference) != (0, 0, 0)]
                assert min(map(abs, near)) >= width
