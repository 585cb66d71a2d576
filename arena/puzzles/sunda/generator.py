"""Generates puzzles of Sunda to Sahul: from a seed and a difficulty, an island without holes that can be filled with tiles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from random import Random
from typing import Final

from arena.puzzles.sunda.difficulty import BOUND, RECIPES, Difficulty
from arena.puzzles.sunda.solver import Answer, Count, count_borders, count_solutions, solve
from engine.sunda.board.board import CLOSED
from engine.sunda.board.tiles import KIND_OF_CORNERS, LAND, N_OF_KIND, PATTERN_OF_TILE, WATER
from engine.sunda.board.trigrid import ACROSS, WEDGES, corners_of, corners_of_triangle, triangles_of
from engine.sunda.puzzle import Puzzle, PuzzleError

_ATTEMPTS: Final = 50
"""The number of islands that are tried before the generator gives up."""

_FLIPS: Final = 40
"""How many vertices are flipped for each tile to make the supply of tiles tight or loose."""

_CHECKING: Final = 10.0
"""The solver's effort when checking whether an island can be filled."""


@dataclass(frozen=True, slots=True)
class Measures:
    """Measurements of a puzzle.

    - ``tiles``, ``given``, ``vertices``: the numbers of tiles, of vertices whose type is given, and of all vertices
    - ``tightness``: how much of each kind of tile the solution found uses up: 1 if it uses all tiles of its kinds; 0 without a solution
    - ``solutions``, ``borders``: how many solutions and inner borders were counted
    - ``branches``: how often the solver branched before the first solution
    """

    tiles: int
    given: int
    vertices: int
    tightness: float
    solutions: Count
    borders: Count
    branches: int

    def record(self) -> dict[str, str | int | float]:
        """Return the measurements as stored in a puzzle file."""
        return {
            "tiles": self.tiles,
            "given": self.given,
            "tightness": round(self.tightness, 3),
            "solutions": str(self.solutions),
            "borders": str(self.borders),
            "branches": self.branches,
        }


def make(seed: int, difficulty: Difficulty) -> Puzzle:
    """Return the puzzle for a seed and a difficulty; it always has a solution. Raises PuzzleError if no attempt succeeds."""
    recipe = RECIPES[difficulty]
    rng = Random(f"sunda-puzzle {difficulty} {seed}")
    for _ in range(_ATTEMPTS):
        lozenges = _grow(rng, recipe.tiles)
        types = _types(rng, lozenges, is_tight=recipe.is_tight)
        if LAND not in types.values():
            continue
        whole = Puzzle([triangle for lozenge in lozenges for triangle in triangles_of(lozenge)], types)
        if solve(whole, effort=_CHECKING).solution is not None:
            given = rng.sample(sorted(types), round(recipe.given * len(types)))
            return Puzzle(whole.region, {vertex: types[vertex] for vertex in sorted(given)})
    raise PuzzleError(f"seed {seed} gives no puzzle at difficulty {difficulty}; try another seed")


def measure(puzzle: Puzzle, answer: Answer, *, bound: int = BOUND) -> Measures:
    """Measure a puzzle, given the answer of ``solve``; solutions and inner borders are counted up to ``bound``."""
    vertices = {vertex for triangle in puzzle.region for vertex in corners_of_triangle(triangle)}
    known = answer.solution or ()
    solutions = count_solutions(puzzle, bound)
    if known and solutions.number == 0:  # the search found none in time, but there is one
        solutions = Count(1, is_exact=False)
    return Measures(
        tiles=len(puzzle.region) // 2,
        given=len(puzzle.types),
        vertices=len(vertices),
        tightness=_tightness([KIND_OF_CORNERS[PATTERN_OF_TILE[tile] >> 4] for tile, _ in known]),
        solutions=solutions,
        borders=count_borders(puzzle, bound, known=known),
        branches=answer.branches,
    )


def _tightness(kinds: Iterable[int]) -> float:
    """Return the fraction of all tiles with the same corners that the solution uses, averaged over the tiles of the solution."""
    used = Counter(kinds)
    return sum(number * number / N_OF_KIND[kind] for kind, number in used.items()) / max(1, used.total())


def _grow(rng: Random, tiles: int) -> list[int]:
    lozenges = [rng.randrange(3)]
    covered = set(triangles_of(lozenges[0]))
    while len(lozenges) < tiles:
        near: Counter[int] = Counter()
        for lozenge in lozenges:
            for side in ACROSS[lozenge % 6]:
                for offset in side[::2]:
                    if covered.isdisjoint(triangles_of(lozenge + offset)):
                        near[lozenge + offset] += 1
        # A place that touches more tiles is more likely (Efraimidis and Spirakis' draw with weights).
        order = sorted(sorted(near), key=lambda lozenge: -(rng.random() ** (1 / near[lozenge] ** 4)))
        for lozenge in order:
            grown = covered.union(triangles_of(lozenge))
            if _is_whole(grown):
                lozenges.append(lozenge)
                covered = grown
                break
    return lozenges


def _is_whole(covered: set[int]) -> bool:
    """Return whether connected triangles leave no hole, not even one closed at a point, using Euler's formula."""
    vertices = {vertex for triangle in covered for vertex in corners_of_triangle(triangle)}
    sides = {frozenset(pair) for triangle in covered for pair in combinations(corners_of_triangle(triangle), 2)}
    return len(vertices) - len(sides) + len(covered) == 1


def _types(rng: Random, lozenges: list[int], *, is_tight: bool) -> dict[int, int]:
    """Return a type for each vertex, for a tight or loose supply: water along the edge, and land at half of the inner vertices or more."""
    wedges: Counter[int] = Counter()
    at: dict[int, list[int]] = {}
    for lozenge in lozenges:
        for vertex, added in zip(corners_of(lozenge), WEDGES, strict=True):
            wedges[vertex] += added
            at.setdefault(vertex, []).append(lozenge)
    types = {vertex: LAND if angle == CLOSED and rng.random() < 0.75 else WATER for vertex, angle in wedges.items()}
    inner = sorted(vertex for vertex, angle in wedges.items() if angle == CLOSED)
    if not inner:
        return types
    used = Counter(_kind(lozenge, types) for lozenge in lozenges)
    land = sum(types[vertex] == LAND for vertex in inner)
    least = (len(inner) + 1) // 2
    cost = _cost(used, is_tight=is_tight) + 1000 * max(0, least - land)
    for _ in range(_FLIPS * len(lozenges)):
        vertex = rng.choice(inner)
        before = used.copy()
        used.subtract(_kind(lozenge, types) for lozenge in at[vertex])
        types[vertex] = 1 - types[vertex]
        used.update(_kind(lozenge, types) for lozenge in at[vertex])
        change = 1 if types[vertex] == LAND else -1
        after = _cost(used, is_tight=is_tight) + 1000 * max(0, least - land - change)
        if after <= cost:
            cost = after
            land += change
        else:
            types[vertex] = 1 - types[vertex]
            used = before
    return types


def _kind(lozenge: int, types: dict[int, int]) -> int:
    c0, c1, c2, c3 = corners_of(lozenge)
    return KIND_OF_CORNERS[types[c0] << 3 | types[c1] << 2 | types[c2] << 1 | types[c3]]


def _cost(used: Counter[int], *, is_tight: bool) -> float:
    """Return the cost of using tiles: mainly for tiles that don't exist, then for few (if tight) or many (if loose) with equal corners."""
    missing = sum(max(0, number - N_OF_KIND[kind]) for kind, number in used.items())
    worth = sum(number * number / N_OF_KIND[kind] for kind, number in used.items())
    return 1000 * missing + (-worth if is_tight else worth)
