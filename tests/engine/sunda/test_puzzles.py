from __future__ import annotations

import pytest

from engine.sunda.board.board import SundaBoard
from engine.sunda.board.tiles import TILE_OF_ID, WATER
from engine.sunda.board.trigrid import vertex_at
from engine.sunda.puzzle import Puzzle, PuzzleError, read_puzzle, write_region

HEXAGON = [(x, y, way) for x, y, way in [(0, 0, "u"), (-1, 0, "d"), (-1, 0, "u"), (-1, -1, "d"), (0, -1, "u"), (0, -1, "d")]]
ISLET = {(0, 0): "L", (1, 0): "W", (0, 1): "W", (-1, 1): "W", (-1, 0): "W", (0, -1): "W", (1, -1): "W"}


def tiles(*lines: str) -> list[tuple[int, int]]:
    laid = []
    for line in lines:
        name, place = line.split()
        x, y, d = map(int, place.split(","))
        laid.append((TILE_OF_ID[name], 6 * vertex_at(x, y) + d))
    return laid


SOLUTION = tiles("WLWW+-++ -1,0,0", "WLWW+-+- 1,-1,2", "WLWW+--+ 0,1,4")


def test_tiles_that_cover_the_region_and_match_solve_a_puzzle() -> None:
    assert read_puzzle(HEXAGON, ISLET).fault(SOLUTION) is None
    assert read_puzzle(HEXAGON, {}).fault(SOLUTION) is None
    assert read_puzzle(HEXAGON, {}).fault(SOLUTION[::-1]) is None


@pytest.mark.parametrize(
    ("solution", "fault"),
    [
        (SOLUTION[:2], "2 triangles of the region are left uncovered"),
        ([SOLUTION[0], SOLUTION[0]], "is laid twice"),
        (tiles("WLWW+-++ -1,0,0", "WLWW+-+- 0,-1,1"), "overlaps"),
        (tiles("WLWW+-++ 5,0,0"), "leaves the region"),
        (tiles("WLWW+-++ -1,0,0", "WLWW++++ 1,-1,2", "WLWW+--+ 0,1,4"), "has a tab against another tab"),
        (tiles("WLWW+-++ -1,0,0", "WLWW---- 1,-1,2", "WLWW+--+ 0,1,4"), "has a blank against another blank"),
        (tiles("WLWW+-++ -1,0,0", "WWWW+-+- 1,-1,2"), "shows water at 0,0"),
    ],
)
def test_a_wrong_solution_is_told_what_is_wrong(solution: list[tuple[int, int]], fault: str) -> None:
    assert fault in (read_puzzle(HEXAGON, {}).fault(solution) or "")


def test_a_given_type_must_be_shown() -> None:
    assert "which the puzzle gives as water" in (read_puzzle(HEXAGON, {(0, 0): "W"}).fault(SOLUTION) or "")


def test_laid_tiles_solve_the_puzzle_with_all_their_types_given() -> None:
    board = SundaBoard()
    for tile, placement in SOLUTION:
        board.lay(tile, placement)
    puzzle = Puzzle(list(board.spots.cover), board.types)
    assert puzzle.fault(SOLUTION) is None
    assert sorted(write_region(puzzle)) == sorted(HEXAGON)


def test_what_is_no_puzzle_is_refused() -> None:
    with pytest.raises(PuzzleError, match="even number"):
        read_puzzle(HEXAGON[:1], {})
    with pytest.raises(PuzzleError, match="at least two"):
        Puzzle([], {})
    with pytest.raises(PuzzleError, match="not on its region"):
        Puzzle([0, 1], {vertex_at(9, 9): WATER})
    with pytest.raises(PuzzleError, match="'u' or 'd'"):
        read_puzzle([(0, 0, "x"), (1, 0, "u")], {})
    with pytest.raises(PuzzleError, match="'L' or 'W'"):
        read_puzzle(HEXAGON, {(0, 0): "?"})
