"""Puzzles of Sunda: what the maker makes can be solved, the solver finds what there is, and files are read as they are written."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator

import pytest

from arena.puzzles.sunda.codec import parse_puzzle, parse_solution, puzzle_text, solution_text
from arena.puzzles.sunda.difficulty import RECIPES, Difficulty
from arena.puzzles.sunda.generator import make
from arena.puzzles.sunda.solver import Count, count_borders, count_solutions, lozenges_in, patterns_on, solve
from engine.sunda.board.tiles import IS_TURNED, LAND, TILE_OF_PATTERN, WATER
from engine.sunda.board.trigrid import corners_of_triangle, half_turned, lozenge_of, triangles_of, vertex_at
from engine.sunda.puzzle import Laid, Puzzle, PuzzleError

pytestmark = pytest.mark.slow  # OR-Tools comes with the extra dev

MANY = [*((Difficulty.EASY, seed) for seed in range(12)), *((Difficulty.MEDIUM, seed) for seed in range(8)), (Difficulty.HARD, 1)]


def of_lozenges(*lozenges: int, types: dict[int, int] | None = None) -> Puzzle:
    return Puzzle([triangle for lozenge in lozenges for triangle in triangles_of(lozenge)], types or {})


def strip(tiles: int, kind: int) -> Puzzle:
    """A row of tiles with one type at all of their vertices."""
    bare = of_lozenges(*(6 * vertex_at(x, 0) for x in range(tiles)))
    return Puzzle(bare.region, {vertex: kind for triangle in bare.region for vertex in corners_of_triangle(triangle)})


def hexagon(center: int) -> Puzzle:
    """Three tiles around a vertex; land at it alone if ``center`` is LAND, otherwise nothing but water."""
    bare = of_lozenges(*(lozenge_of(6 * vertex_at(x, y) + d) for x, y, d in [(-1, 0, 0), (1, -1, 2), (0, 1, 4)]))
    types = {vertex: WATER for triangle in bare.region for vertex in corners_of_triangle(triangle)}
    return Puzzle(bare.region, types | {vertex_at(0, 0): center})


def by_force(puzzle: Puzzle) -> Iterator[list[Laid]]:
    """Every solution, by laying everything everywhere and asking the judge."""
    for chosen in itertools.combinations(lozenges_in(puzzle.region), len(puzzle.region) // 2):
        if len({triangle for lozenge in chosen for triangle in triangles_of(lozenge)}) < len(puzzle.region):
            continue
        for patterns in itertools.product(*(patterns_on(puzzle, lozenge) for lozenge in chosen)):
            laid = [
                (TILE_OF_PATTERN[pattern], half_turned(lozenge) if IS_TURNED[pattern] else lozenge)
                for lozenge, pattern in zip(chosen, patterns, strict=True)
            ]
            if puzzle.fault(laid) is None:
                yield laid


class TestMaker:
    @pytest.mark.parametrize(("difficulty", "seed"), MANY)
    def test_what_it_makes_has_a_solution(self, difficulty: Difficulty, seed: int) -> None:
        puzzle = make(seed, difficulty)
        answer = solve(puzzle)
        assert answer.solution is not None
        assert puzzle.fault(answer.solution) is None
        assert len(answer.solution) == RECIPES[difficulty].tiles
        assert LAND in puzzle.types.values()

    @pytest.mark.slow
    def test_an_expert_puzzle_gives_half_of_the_types_and_has_a_solution(self) -> None:
        puzzle = make(3, Difficulty.EXPERT)
        vertices = {vertex for triangle in puzzle.region for vertex in corners_of_triangle(triangle)}
        assert len(puzzle.types) == round(len(vertices) / 2)
        answer = solve(puzzle)
        assert answer.solution is not None
        assert puzzle.fault(answer.solution) is None

    def test_a_seed_and_a_difficulty_are_one_puzzle(self) -> None:
        texts = {puzzle_text(make(seed, Difficulty.MEDIUM)) for seed in (1, 1, 2, 3)}
        assert len(texts) == 3


class TestSolver:
    @pytest.mark.parametrize("center", [LAND, WATER])
    def test_it_finds_as_many_solutions_as_brute_force(self, center: int) -> None:
        puzzle = hexagon(center)
        everything = [frozenset(laid) for laid in by_force(puzzle)]
        assert len(everything) == len(set(everything))
        assert count_solutions(puzzle, 100_000) == Count(len(everything), is_exact=True)
        borders = {frozenset(lozenge_of(placement) for _, placement in laid) for laid in everything}
        assert count_borders(puzzle, 100) == Count(len(borders), is_exact=True)
        answer = solve(puzzle)
        assert answer.solution is not None
        assert frozenset(answer.solution) in everything

    def test_one_lozenge_without_types_takes_every_tile_both_ways(self) -> None:
        assert count_solutions(of_lozenges(0), 1000) == Count(256, is_exact=True)

    def test_a_region_that_no_lozenges_cover_has_no_solution(self) -> None:
        answer = solve(Puzzle([0, 2 * vertex_at(3, 0)], {}))
        assert (answer.solution, answer.is_certain) == (None, True)


def written(**changes: object) -> str:
    return json.dumps({"format": "sunda-puzzle/1", "region": [[0, 0, "u"], [0, 0, "d"]]} | changes)


class TestFiles:
    def test_a_puzzle_and_a_solution_come_back_as_they_were(self) -> None:
        puzzle = make(2, Difficulty.EASY)
        text = puzzle_text(puzzle, {"seed": 2})
        read = parse_puzzle(text)
        assert (read.region, read.types) == (puzzle.region, puzzle.types)
        assert json.loads(text)["made"] == {"seed": 2}
        solution = solve(puzzle).solution
        assert solution is not None
        assert parse_solution(solution_text(solution)) == list(solution)
        assert puzzle.fault(solution) is None

    @pytest.mark.parametrize(
        ("text", "sentence"),
        [
            ("", "this is not JSON"),
            ("[" * 100_000, "this is"),
            ("[]", "this is not sunda-puzzle/1"),
            (written(format="sunda-puzzle/2"), "sunda-puzzle/2"),
            (written(colour="red"), "colour"),
            (written(region=[[0, 0]]), r"region\[0\]"),
            (written(region=[[0.5, 0, "u"]]), r"region\[0\]\[0\]"),
            (written(region=[]), "at least two"),
            (written(region=[[0, 0, "u"]]), "even number"),
            (written(region=[[0, 0, "x"], [0, 0, "d"]]), "'u' or 'd'"),
            (written(region=[[0, 0, "u"], [0, 0, "u"]]), "the triangle 0,0,u is listed twice"),
            (written(region=[[0, 0, "u"], [0, 501, "d"]]), "0,501 is out of range"),
            (written(types=[[0, 0, "L"], [0, 0, "W"]]), "the vertex 0,0 is listed twice"),
            (written(types=[[0, 0, "X"]]), "'L' or 'W'"),
            (written(types=[[7, 7, "L"]]), "outside its region"),
        ],
    )
    def test_a_bad_puzzle_is_told_what_is_wrong(self, text: str, sentence: str) -> None:
        with pytest.raises(PuzzleError, match=sentence):
            parse_puzzle(text)

    @pytest.mark.parametrize(
        ("tiles", "sentence"),
        [
            (["LLWW+-+- 0,0"], "tile 1 of the solution"),
            (["LLWW+-+- 0,0,0", "XXXX+-+- 0,0,0"], "tile 2 of the solution.*there is no tile"),
            (["LLWW+-+- 0,0,6"], "a direction must be between 0 and 5"),
            ([7], r"tiles\[0\]"),
        ],
    )
    def test_a_bad_solution_is_told_what_is_wrong(self, tiles: list[object], sentence: str) -> None:
        with pytest.raises(PuzzleError, match=sentence):
            parse_solution(json.dumps({"format": "sunda-solution/1", "tiles": tiles}))
