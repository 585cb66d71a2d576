"""Draws puzzles (RULES 8) as SVG and as lines for a terminal: only the outline, or a solution with its tiles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Final

from engine.render.canvas import Canvas, Style
from engine.render.svg import LETTERS, move_to, number, stroke, text
from engine.sunda.board.tiles import LAND, TYPE_NAMES, WATER
from engine.sunda.board.trigrid import corners_of_triangle
from engine.sunda.game import sunda
from engine.sunda.notation.moves import write_vertex
from engine.sunda.puzzle import Laid, Puzzle
from engine.sunda.render.drawing import scene
from engine.sunda.render.pictures import COAST, INK, OPEN_LAND, PAPER, SEA, Point, between, inward, point_of, polygon, write
from engine.sunda.render.terminal import FORMS, cells_of
from engine.sunda.render.terminal import lines as table_lines
from engine.sunda.state import SundaState

_UNKNOWN: Final = 2
_COLORS: Final = {LAND: OPEN_LAND, WATER: SEA, _UNKNOWN: "#e7e1d3"}
_MARGIN: Final = 26.0
_SCALE: Final = 0.8
_LETTERS: Final = "LW?"
_SHADES: Final = ("░", " ", "·")
_PAPERS: Final = (186, 153, 252)


def svg(puzzle: Puzzle, solution: Sequence[Laid] = ()) -> str:
    """Return a standalone SVG document of the puzzle or, if given, of a solution, which must be valid."""
    points = [point_of(vertex) for triangle in puzzle.region for vertex in corners_of_triangle(triangle)]
    left, top = min(x for x, _ in points) - _MARGIN, min(y for _, y in points) - _MARGIN
    width = max(x for x, _ in points) + _MARGIN - left
    height = max(y for _, y in points) + _MARGIN - top
    title = f"A puzzle of Sunda to Sahul with room for {len(puzzle.region) // 2} tiles{', solved' if solution else ''}"
    inside = scene(_table(solution)).drawn() if solution else _outline(puzzle)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {number(width)} {number(height)}" '
        f'width="{width * _SCALE:.0f}" height="{height * _SCALE:.0f}" {LETTERS}>\n<title>{title}</title>\n'
        f'<rect width="{number(width)}" height="{number(height)}" rx="18" fill="{PAPER}"/>\n'
        f'<g stroke-linejoin="round" {move_to((-left, -top))}>\n{inside}\n</g>\n</svg>\n'
    )


def lines(puzzle: Puzzle, solution: Sequence[Laid] = (), *, width: int = 80, color: bool = True) -> list[str]:
    """Return the puzzle, or a solution of it, as lines for a terminal.

    Each vertex of a puzzle shows its type, L or W, or ? if none is given. If the drawing is wider than ``width``, a smaller one is used; if
    that is also too wide, there are no lines for a puzzle, and a solution is cropped.
    """
    if solution:
        return table_lines(_table(solution), width=width, color=color)
    for form in FORMS:
        canvas = Canvas()
        ground: dict[tuple[int, int], int] = {}
        for triangle in sorted(puzzle.region):
            vertices = corners_of_triangle(triangle)
            spots = [form.at(vertex) for vertex in vertices]
            for column, row, near in cells_of(spots):
                kind = puzzle.types.get(max(zip(near, vertices, strict=True))[1], _UNKNOWN)
                ground[column, row] = _PAPERS[kind]
                canvas.write(column, row, " " if color else _SHADES[kind], Style(16, _PAPERS[kind]))
        for a, b in _edges(puzzle):
            (column, row), (to_column, to_row) = sorted((form.at(a), form.at(b)), key=lambda at: (at[1], at[0]))
            step = (to_column > column) - (to_column < column)
            for at in range(1, to_row - row or to_column - column):
                cell = (column + at, row) if row == to_row else (column + step * at, row + at)
                canvas.write(*cell, "─" if row == to_row else "\\" if step > 0 else "/", Style(16, ground.get(cell, -1)))
        for vertex in {vertex for triangle in puzzle.region for vertex in corners_of_triangle(triangle)}:
            at_vertex = form.at(vertex)
            canvas.write(*at_vertex, _LETTERS[puzzle.types.get(vertex, _UNKNOWN)], Style(16, ground[at_vertex], bold=True))
        extent = canvas.extent()
        if extent.width <= width:
            return canvas.lines(extent, color=color)
    return []


def _table(solution: Sequence[Laid]) -> SundaState:
    state = sunda({}).new(1, 0)
    for tile, placement in solution:
        state.inside.board.lay(tile, placement)
    return state


def _edges(puzzle: Puzzle) -> list[tuple[int, int]]:
    sides = Counter(pair for triangle in puzzle.region for pair in combinations(sorted(corners_of_triangle(triangle)), 2))
    return sorted(pair for pair, triangles in sides.items() if triangles == 1)


def _outline(puzzle: Puzzle) -> str:
    fills: list[str] = []
    coasts: list[str] = []
    for triangle in sorted(puzzle.region):
        vertices = corners_of_triangle(triangle)
        kinds = [puzzle.types.get(vertex, _UNKNOWN) for vertex in vertices]
        c = [point_of(vertex) for vertex in vertices]
        if _UNKNOWN in kinds and len(set(kinds)) > 1:
            fills += [_shape(kind, _kite(c, i)) for i, kind in enumerate(kinds)]
            continue
        odd = next((i for i in range(3) if kinds.count(kinds[i]) == 1), None)
        fills.append(_shape(kinds[0 if odd is None else odd - 1], polygon(c)))
        if odd is not None:
            start, curve = _coast(c, odd)
            fills.append(_shape(kinds[odd], f"M{write(start)}{curve}L{write(c[odd])}Z"))
            coasts.append(f"M{write(start)}{curve}")
    border = "".join(f"M{write(point_of(a))}L{write(point_of(b))}" for a, b in _edges(puzzle))
    parts = [*fills, f'<path class="coasts" d="{"".join(coasts)}" fill="none" {stroke(COAST, 2.2)}/>']
    parts.append(f'<path class="outline" d="{border}" fill="none" {stroke(INK, 3)} stroke-linecap="round"/>')
    for vertex in sorted({vertex for triangle in puzzle.region for vertex in corners_of_triangle(triangle)}):
        parts.append(_sign(vertex, puzzle.types.get(vertex, _UNKNOWN)))
    return "\n".join(parts)


def _shape(kind: int, data: str) -> str:
    return f'<path d="{data}" fill="{_COLORS[kind]}" {stroke(_COLORS[kind], 0.8)}/>'


def _kite(c: list[Point], corner: int) -> str:
    middle = (sum(x for x, _ in c) / 3, sum(y for _, y in c) / 3)
    return polygon([c[corner], between(c[corner], c[corner - 2], 0.5), middle, between(c[corner], c[corner - 1], 0.5)])


def _coast(c: list[Point], corner: int) -> tuple[Point, str]:
    """Return the start and the path data of a curve that cuts a corner off a triangle, crossing both sides half-way at right angles."""
    here, following, before = c[corner], c[corner - 2], c[corner - 1]
    start, end = between(here, before, 0.5), between(here, following, 0.5)
    one, other = inward(before, here), inward(here, following)
    bend = 0.3 * ((end[0] - start[0]) ** 2 + (end[1] - start[1]) ** 2) ** 0.5
    first = (start[0] + one[0] * bend, start[1] + one[1] * bend)
    second = (end[0] + other[0] * bend, end[1] + other[1] * bend)
    return start, f"C{write(first)} {write(second)} {write(end)}"


def _sign(vertex: int, kind: int) -> str:
    x, y = point_of(vertex)
    name = TYPE_NAMES[kind] if kind != _UNKNOWN else "not given"
    dot = f'<circle cx="{number(x)}" cy="{number(y)}" r="9" fill="{_COLORS[kind]}" {stroke(INK, 1.2)}/>'
    letter = text(_LETTERS[kind], (x, y + 4), 11, INK)
    return f'<g data-vertex="{write_vertex(vertex)}"><title>{write_vertex(vertex)}: {name}</title>{dot}{letter}</g>'
