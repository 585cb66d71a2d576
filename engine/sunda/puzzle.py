"""Puzzles (RULES 8), in which the outline of an island must be filled with tiles, and how solutions are checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, final

from mypy_extensions import mypyc_attr

from engine.core import EngineError
from engine.sunda.board.tiles import HALF_TURN, IDS, PATTERN_OF_TILE, TYPE_NAMES, corner_type, side_kind
from engine.sunda.board.trigrid import corners_of, corners_of_triangle, lozenge_of, triangles_of, vertex_at, x_of, y_of
from engine.sunda.notation.moves import write_placement, write_vertex

Laid = tuple[int, int]
"""A tile and its placement."""


@mypyc_attr(native_class=False)
class PuzzleError(EngineError):
    """Raised for a region or vertex types that don't form a valid puzzle."""


@final
class Puzzle:
    """A region of unit triangles, and the types of all or some of its vertices, as the integers of ``board.trigrid`` and ``board.tiles``.

    Raises PuzzleError for a region that is empty or has an odd number of triangles, and for a type of a vertex outside the region.
    """

    def __init__(self, region: Iterable[int], types: Mapping[int, int]) -> None:
        self.region: Final = frozenset(region)
        self.types: Final = dict(types)
        if not self.region or len(self.region) % 2:
            raise PuzzleError(f"a puzzle must have an even number of triangles, at least two, not {len(self.region)}")
        vertices = {vertex for triangle in self.region for vertex in corners_of_triangle(triangle)}
        for vertex in sorted(self.types):
            if vertex not in vertices:
                raise PuzzleError(f"the puzzle gives a type for {write_vertex(vertex)}, but that vertex is outside its region")

    def fault(self, solution: Sequence[Laid]) -> str | None:
        """Return a sentence that says what is wrong with a solution, or None if it solves the puzzle."""
        covered: set[int] = set()
        used: set[int] = set()
        types: dict[int, int] = {}
        sides: dict[tuple[int, int], int] = {}
        for tile, placement in solution:
            where = f"{IDS[tile]} at {write_placement(placement)}"
            triangles = triangles_of(lozenge_of(placement))
            if tile in used:
                return f"{where} is laid twice"
            if not self.region.issuperset(triangles):
                return f"{where} leaves the region"
            if not covered.isdisjoint(triangles):
                return f"{where} overlaps another tile"
            used.add(tile)
            covered.update(triangles)
            fault = self._mismatch(tile, placement, types, sides)
            if fault is not None:
                return f"{where} {fault}"
        if covered != self.region:
            return f"{len(self.region) - len(covered)} triangles of the region are left uncovered"
        return None

    def _mismatch(self, tile: int, placement: int, types: dict[int, int], sides: dict[tuple[int, int], int]) -> str | None:
        """Return how a tile contradicts the region or the previous tiles, or None if it fits; add it to ``types`` and ``sides``."""
        corners, pattern = _as_laid(tile, placement)
        for corner, vertex in enumerate(corners):
            kind = corner_type(pattern, corner)
            if kind != self.types.get(vertex, kind):
                return f"shows {TYPE_NAMES[kind]} at {write_vertex(vertex)}, which the puzzle gives as {TYPE_NAMES[1 - kind]}"
            if types.setdefault(vertex, kind) != kind:
                return f"shows {TYPE_NAMES[kind]} at {write_vertex(vertex)}, where another tile shows {TYPE_NAMES[1 - kind]}"
        for side in range(4):
            a, b = corners[side], corners[(side + 1) % 4]
            edge = (min(a, b), max(a, b))
            kind = side_kind(pattern, side)
            if edge in sides and sides[edge] == kind:
                return f"has a {'blank' if kind else 'tab'} that meets another {'blank' if kind else 'tab'}"
            sides[edge] = kind
        return None


def read_puzzle(region: Iterable[tuple[int, int, str]], types: Mapping[tuple[int, int], str]) -> Puzzle:
    """Return the puzzle with these triangles, ``(x, y, "u")`` or ``(x, y, "d")``, and types, ``"L"`` or ``"W"``, as in RULES 8.

    Raises PuzzleError if the puzzle is invalid.
    """
    triangles: list[int] = []
    for x, y, way in region:
        if way not in {"u", "d"}:
            raise PuzzleError(f"the direction of a triangle must be 'u' or 'd', not {way!r}")
        triangles.append(2 * vertex_at(x, y) + "ud".index(way))
    for kind in types.values():
        if kind not in {"L", "W"}:
            raise PuzzleError(f"the type of a vertex must be 'L' or 'W', not {kind!r}")
    return Puzzle(triangles, {vertex_at(x, y): "LW".index(kind) for (x, y), kind in types.items()})


def write_region(puzzle: Puzzle) -> list[tuple[int, int, str]]:
    """Return the triangles of a puzzle's region, ascending, in the form that ``read_puzzle`` accepts."""
    return [(x_of(triangle // 2), y_of(triangle // 2), "ud"[triangle % 2]) for triangle in sorted(puzzle.region)]


def _as_laid(tile: int, placement: int) -> tuple[tuple[int, int, int, int], int]:
    lozenge = lozenge_of(placement)
    pattern = PATTERN_OF_TILE[tile]
    return corners_of(lozenge), pattern if placement == lozenge else HALF_TURN[pattern]
