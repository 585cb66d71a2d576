"""Reads and writes puzzles and solutions of Sunda to Sahul as JSON: ``sunda-puzzle/1`` and ``sunda-solution/1`` (docs/puzzles.md)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Final, Literal, TypeVar

import msgspec

from engine.core import InvalidMoveError
from engine.records import decode
from engine.sunda.board.tiles import IDS
from engine.sunda.board.trigrid import REACH, x_of, y_of
from engine.sunda.notation.moves import parse_move, write_placement
from engine.sunda.puzzle import Laid, Puzzle, PuzzleError, read_puzzle, write_region

PUZZLE: Final = "sunda-puzzle/1"
SOLUTION: Final = "sunda-solution/1"

Scalar = str | int | float
File = TypeVar("File")


class _PuzzleFile(msgspec.Struct, forbid_unknown_fields=True):
    format: Literal["sunda-puzzle/1"]
    region: list[tuple[int, int, str]]
    types: list[tuple[int, int, str]] = []
    made: dict[str, Scalar] = {}


class _SolutionFile(msgspec.Struct, forbid_unknown_fields=True):
    format: Literal["sunda-solution/1"]
    tiles: list[str]


def puzzle_text(puzzle: Puzzle, made: dict[str, Scalar] | None = None) -> str:
    """Return a puzzle as JSON; ``made`` describes how it was generated. The same puzzle always gives the same JSON."""
    types = [[x_of(vertex), y_of(vertex), "LW"[kind]] for vertex, kind in sorted(puzzle.types.items())]
    fields = {"format": PUZZLE, "region": write_region(puzzle), "types": types} | ({"made": made} if made else {})
    return "{\n" + ",\n".join(f' "{key}": {json.dumps(value)}' for key, value in fields.items()) + "\n}\n"


def parse_puzzle(text: str) -> Puzzle:
    """Return the puzzle described by a JSON document. Raises PuzzleError if it is invalid."""
    data = _decoded(text, _PuzzleFile, PUZZLE)
    for x, y, *_ in [*data.region, *data.types]:
        if max(abs(x), abs(y)) > REACH:
            raise PuzzleError(f"{x},{y} is out of range: coordinates must be between -{REACH} and {REACH}")
    triangles = [f"the triangle {x},{y},{way}" for x, y, way in data.region]
    vertices = [f"the vertex {x},{y}" for x, y, _ in data.types]
    for each, number in Counter(triangles + vertices).items():
        if number > 1:
            raise PuzzleError(f"{each} is listed twice")
    return read_puzzle(data.region, {(x, y): kind for x, y, kind in data.types})


def solution_text(solution: Sequence[Laid]) -> str:
    """Return a solution as JSON: each tile and its placement, in the notation of moves."""
    tiles = [f"{IDS[tile]} {write_placement(placement)}" for tile, placement in solution]
    return json.dumps({"format": SOLUTION, "tiles": tiles}, indent=1) + "\n"


def parse_solution(text: str) -> list[Laid]:
    """Return the tiles and placements listed in a JSON document. Raises PuzzleError if it is invalid."""
    laid: list[Laid] = []
    for number, each in enumerate(_decoded(text, _SolutionFile, SOLUTION).tiles, start=1):
        try:
            move = parse_move(f"place {each}")
        except InvalidMoveError as error:
            raise PuzzleError(f"tile {number} of the solution: {error}") from None
        laid.append((move.first, move.second))
    return laid


def _decoded(text: str, kind: type[File], name: str) -> File:
    try:
        return decode(text.encode(errors="replace"), kind)
    except msgspec.ValidationError as error:
        raise PuzzleError(f"this is not {name}: {error}") from None
    except (msgspec.DecodeError, RecursionError) as error:
        raise PuzzleError(f"this is not JSON: {error}") from None
