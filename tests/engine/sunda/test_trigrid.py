from __future__ import annotations

from itertools import product

import pytest

from engine.sunda.board import trigrid
from tests.engine.sunda.helpers import as_pair, as_triple
from tests.engine.sunda.plain import Vertex, corners, neighbours, plus, triangles

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


@pytest.mark.parametrize("place", [place for place in PLACES if place[2] < 3])
def test_what_lies_across_a_side_shares_that_side(place: tuple[int, int, int]) -> None:
    lozenge = placement(*place)
    c = corners(place)
    for side in range(4):
        ends = frozenset((c[side], c[(side + 1) % 4]))
        across, one, other = trigrid.OUTER[place[2]][side]
        base = lozenge // 6 * 2
        assert ends < triangle_pairs(base + across)
        assert triangle_pairs(base + across) not in triangles(place)
        assert {triangle_pairs(base + t) for t in (one, other)} | set(triangles(place)) > set(neighbours(triangle_pairs(base + across)))
        first, first_side, second, second_side = trigrid.ACROSS[place[2]][side]
        assert first != second
        for offset, number in ((first, first_side), (second, second_side)):
            d = corners(as_triple(lozenge + offset))
            assert frozenset((d[number], d[(number + 1) % 4])) == ends
            assert triangle_pairs(base + across) in triangles(as_triple(lozenge + offset))
            assert not set(triangles(as_triple(lozenge + offset))) & set(triangles(place))


@pytest.mark.parametrize("d", range(3))
def test_touching_lozenges_are_those_with_a_corner_in_common(d: int) -> None:
    mine = set(corners((0, 0, d)))
    near = {(x, y, e) for x in range(-5, 6) for y in range(-5, 6) for e in range(3) if set(corners((x, y, e))) & mine}
    assert {as_triple(d + offset) for offset in trigrid.TOUCHING[d]} == near


def test_six_triangles_lie_around_a_vertex_in_order() -> None:
    for k in range(6):
        triangle = triangle_pairs(trigrid.WEDGE_TRIANGLES[k])
        assert triangle == {(0, 0), plus((0, 0), k), plus((0, 0), k + 1)}
        assert as_pair(trigrid.UNITS[k]) == plus((0, 0), k)
        for beside in trigrid.triangles_beside(trigrid.WEDGE_TRIANGLES[k]):
            assert triangle_pairs(beside) in neighbours(triangle)


def test_twelve_lozenges_have_a_vertex_as_a_corner() -> None:
    assert len({lozenge for lozenge, _ in trigrid.VERTEX_LOZENGES}) == 12
    for lozenge, corner in trigrid.VERTEX_LOZENGES:
        assert corners(as_triple(lozenge))[corner] == (0, 0)


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
