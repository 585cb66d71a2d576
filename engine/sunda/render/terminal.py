"""Draws a Sunda to Sahul position as lines for a terminal.

The sides of the tiles are lines between the vertices, on a background of land or sea; without colours, land is shaded. A vertex shows its
tribe as the seat of each token from the bottom up or, if that is too long, as its controller and size (``1x5``). Other signs are ``≈0`` for
water rights, ``$5`` for a resource marker, ``o`` for a land node without a token, ``*`` for a node that may be claimed now, and ``!`` for a
triangular space::

       +─────────+
      /░░░░░░░  /
     /░░░░░░░  /
    0░░░──────+
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple, final

from engine.core import Move, State
from engine.render.canvas import Canvas, Style, Window
from engine.render.palette import SEAT_COLORS
from engine.sunda.board.claims import controller
from engine.sunda.board.tiles import LAND, WATER
from engine.sunda.board.trigrid import corners_of_triangle, lozenge_of, x_of, y_of
from engine.sunda.notation.moves import CHALLENGE, CLAIM, JOIN, LAKE, PLACE, RESOURCE, SHIFT, START, SundaMove
from engine.sunda.position import MEND
from engine.sunda.render.panel import sunda_state
from engine.sunda.state import SundaState

_SEA: Final = 153
_LAKE: Final = 79
_OPEN_LAND: Final = 186
_COMPLETE_LAND: Final = 113
_LINE: Final = 240
_INK: Final = 16
_MARK: Final = 160
_NOTE: Final = Style(244)


class Form(NamedTuple):
    """The number of columns and rows between neighbouring vertices."""

    columns: int
    rows: int

    def at(self, vertex: int) -> tuple[int, int]:
        """Return the column and row of a vertex."""
        x, y = x_of(vertex), y_of(vertex)
        return self.columns * x + self.columns // 2 * y, -self.rows * y


FORMS: Final = (Form(6, 3), Form(4, 2))
"""The sizes in which the board can be drawn, largest first."""


def lines(
    state: State, *, last: Move | None = None, before: State | None = None, width: int = 80, height: int | None = None, color: bool = True
) -> list[str]:
    """See ``engine.render.drawing.lines``; ``before`` is not used. If tiles are cut off, the last line says how many.

    Raises TypeError for a state of a different game.
    """
    known = sunda_state(state)
    for form in FORMS:
        canvas = _Painter(known, last, form, color=color).canvas
        extent = canvas.extent()
        if extent.width <= width and (height is None or extent.height <= height):
            return canvas.lines(extent, color=color)
    return _cropped(known, last, canvas, form, Window(0, 0, width, height or extent.height + 1), color=color)


@final
class _Painter:
    """Draws the whole board on ``canvas``: the background, then the sides of the tiles, then tokens and other signs at the vertices."""

    def __init__(self, state: SundaState, last: Move | None, form: Form, *, color: bool) -> None:
        self.canvas = Canvas()
        self.board = state.inside.board
        self.form = form
        self.color = color
        self.ground: dict[tuple[int, int], int] = {}  # the colour of each cell of land or sea
        self.marked = marked_vertices(last)
        for triangle in self.board.spots.cover:
            self._fill(triangle)
        if state.inside.phase == MEND:
            self._space(self.board.spots.spaces_at(lozenge_of(self.board.lies[state.inside.newest]))[0])
        newest = marked_tile(state, last)
        for tile in sorted(self.board.lies, key=lambda tile: tile == newest):
            self._sides(tile, is_last=tile == newest)
        self._vertices(state)

    def _body_color(self, vertex: int) -> int:
        complete = self.board.is_complete(vertex)
        if self.board.types[vertex] == LAND:
            return _COMPLETE_LAND if complete else _OPEN_LAND
        return _LAKE if complete else _SEA

    def _fill(self, triangle: int) -> None:
        """Colour the cells of a triangle: each cell gets the type that prevails at the vertices, weighted by distance."""
        vertices = corners_of_triangle(triangle)
        spots = [self.form.at(vertex) for vertex in vertices]
        for column, row, nearness in cells_of(spots):
            near = list(zip(nearness, vertices, strict=True))
            land = sum(weight for weight, vertex in near if self.board.types[vertex] == LAND)
            kind = LAND if 2 * land >= sum(nearness) else WATER
            paper = self._body_color(max((weight, vertex) for weight, vertex in near if self.board.types[vertex] == kind)[1])
            self.ground[column, row] = paper
            self.canvas.write(column, row, "░" if kind == LAND and not self.color else " ", Style(_INK, paper))

    def _space(self, triangle: int) -> None:
        for column, row, nearness in cells_of([self.form.at(vertex) for vertex in corners_of_triangle(triangle)]):
            if min(nearness) > 0:
                self.canvas.write(column, row, "!", Style(_MARK, bold=True))

    def _sides(self, tile: int, *, is_last: bool) -> None:
        corners = self.board.corners(tile)
        for side in range(4):
            ends = [self.form.at(corners[side]), self.form.at(corners[(side + 1) % 4])]
            (column, row), (to_column, to_row) = sorted(ends, key=lambda at: (at[1], at[0]))
            if row == to_row:
                for between in range(column + 1, to_column):
                    self._line(between, row, "━" if is_last else "─", is_last=is_last)
            else:
                step = 1 if to_column > column else -1
                for down in range(1, to_row - row):
                    self._line(column + step * down, row + down, "\\" if step > 0 else "/", is_last=is_last)

    def _line(self, column: int, row: int, character: str, *, is_last: bool) -> None:
        if is_last and not self.color and character != "━":
            character = "#"
        self.canvas.write(column, row, character, Style(_MARK if is_last else _LINE, self.ground.get((column, row), -1), bold=is_last))

    def _vertices(self, state: SundaState) -> None:
        p = state.inside
        for vertex, kind in self.board.types.items():
            sign = "+"
            if kind == LAND and self.board.is_closed(vertex):
                sign = "*" if vertex in p.nodes else "o"
            self._write(vertex, [(sign, _MARK if sign == "*" else _LINE if sign == "+" else _INK, -1)])
        for vertex, tribe in p.claims.tribes.items():
            if len(tribe) < self.form.columns:
                self._write(vertex, [(str(seat), SEAT_COLORS[seat].xterm_ink, SEAT_COLORS[seat].xterm) for seat in tribe])
            else:
                seat = SEAT_COLORS[controller(tribe)]
                self._write(vertex, [(sign, seat.xterm_ink, seat.xterm) for sign in f"{controller(tribe)}x{len(tribe)}"])
        for lake, owner in p.claims.lakes.items():
            self._write(lake, [("≈", _INK, _LAKE), (str(owner), SEAT_COLORS[owner].xterm_ink, SEAT_COLORS[owner].xterm)])
        beside: dict[int, str] = {}
        for value, vertex in p.claims.markers:
            beside[vertex] = beside.get(vertex, "") + f"${value}"
        for vertex, signs in beside.items():
            self._write(vertex, [(sign, 231, 55) for sign in signs], below=int(vertex in p.claims.tribes or vertex in p.claims.lakes))

    def _write(self, vertex: int, signs: list[tuple[str, int, int]], *, below: int = 0) -> None:
        """Write characters, each with its text colour and background colour, centred at a vertex or ``below`` rows lower."""
        column, row = self.form.at(vertex)
        column -= (len(signs) - 1) // 2
        row += below
        is_marked = vertex in self.marked
        if is_marked and not below:
            for at, sign in ((column - 1, "["), (column + len(signs), "]")):
                self.canvas.write(at, row, sign, Style(_MARK, self.ground.get((at, row), -1), bold=True))
        for sign, ink, paper in signs:
            at_ground = self.ground.get((column, row), -1)
            self.canvas.write(column, row, sign, Style(ink, at_ground if paper < 0 else paper, bold=ink != _LINE))
            column += 1


def cells_of(spots: list[tuple[int, int]]) -> Iterator[tuple[int, int, tuple[int, int, int]]]:
    """Yield the column and row of each cell of a triangle with these corners, and how close the cell is to each corner."""
    (ax, ay), (bx, by), (cx, cy) = spots
    area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
    sign = 1 if area > 0 else -1
    for row in range(min(ay, by, cy), max(ay, by, cy) + 1):
        for column in range(min(ax, bx, cx), max(ax, bx, cx) + 1):
            first = sign * ((bx - column) * (cy - row) - (cx - column) * (by - row))
            second = sign * ((cx - column) * (ay - row) - (ax - column) * (cy - row))
            third = sign * area - first - second
            if min(first, second, third) >= 0:
                yield column, row, (first, second, third)


def marked_tile(state: SundaState, last: Move | None) -> int:
    """Return the tile that the last move laid or shifted, or -1."""
    if not isinstance(last, SundaMove) or last.kind not in {PLACE, SHIFT, START}:
        return -1
    placement = 0 if last.kind == START else last.second
    return state.inside.board.tile_on(lozenge_of(placement))


def marked_vertices(last: Move | None) -> list[int]:
    """Return the vertices that the last move refers to."""
    if not isinstance(last, SundaMove):
        return []
    named = {CLAIM: [last.first], JOIN: [last.first], LAKE: [last.first], RESOURCE: [last.second], CHALLENGE: [last.first, last.second]}
    return named.get(last.kind, [])


def _cropped(state: SundaState, last: Move | None, canvas: Canvas, form: Form, size: Window, *, color: bool) -> list[str]:
    board, extent = state.inside.board, canvas.extent()
    tile = marked_tile(state, last)
    centers = [form.at(vertex) for vertex in (board.corners(tile) if tile >= 0 else marked_vertices(last))]
    if not centers:
        centers = [(extent.left + extent.width // 2, extent.top + extent.height // 2)]
    width, height = min(size.width, extent.width), min(max(size.height - 1, 1), extent.height)
    column = sum(column for column, _ in centers) // len(centers) - width // 2
    row = sum(row for _, row in centers) // len(centers) - height // 2
    left = min(max(column, extent.left), extent.left + extent.width - width)
    top = min(max(row, extent.top), extent.top + extent.height - height)
    window = Window(left, top, width, height)
    beyond = 0
    for placed in board.lies:
        spots = [form.at(vertex) for vertex in board.corners(placed)]
        inside = [left <= column < left + width and top <= row < top + height for column, row in spots]
        beyond += not all(inside)
    note = Canvas()
    note.write(0, 0, f"cut off: {beyond} of {len(board.lies)} tiles, wholly or in part"[: size.width], _NOTE)
    return (canvas.lines(window, color=color) + note.lines(note.extent(), color=color))[: size.height]
