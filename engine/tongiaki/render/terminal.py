"""Draws a Tongiaki position for a terminal: tiles are bricks, and each column is half a brick lower than its western neighbour.

A brick begins with the name and the points of its tile. An island then has a line for each beach, in the order of the notation, with its
piers, ships and free berths; a water has a line for each foam route, with the sides that it joins and the number of colours it requires::

    ┌Samoa────5┐┌W05───────┐
    │↗↘01·     ││↑─↓ 4     │
    │↓↙1···    ││↗─↖ 3     │
    │↖·····    ││↘─↙       │
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from engine.core import Move, State
from engine.render.canvas import Canvas, Style, Window
from engine.render.palette import SEAT_COLORS
from engine.tongiaki.board.board import coordinates
from engine.tongiaki.board.tiles import BERTHS, FIRST_BEACH, N_BEACHES, N_ISLANDS, NAMES, PIERS, POINTS, WATERS
from engine.tongiaki.render.last_move import Marks, marks_of, tongiaki_state
from engine.tongiaki.rules.landing import packed_seats
from engine.tongiaki.state import TongiakiState

ARROWS: Final = "↑↗↘↓↙↖"
FREE: Final = "·"
_ROWS: Final = 4

_LAND: Final = Style(235, 187)
_LAND_TITLE: Final = Style(16, 143, bold=True)
_SEA: Final = Style(231, 24)
_SEA_TITLE: Final = Style(231, 31)
_NUMBER: Final = Style(231, 24, bold=True)
_LINE: Final = Style(67)
_MARK: Final = Style(214, bold=True)
_MARKED_TITLE: Final = Style(16, 214, bold=True)
_NOTE: Final = Style(244)


class _Form(NamedTuple):
    inside: int
    roomy: bool

    @property
    def pitch(self) -> int:
        return self.inside + 1


_FORMS: Final = (_Form(10, True), _Form(7, False))


def lines(
    state: State, *, last: Move | None = None, before: State | None = None, width: int = 80, height: int | None = None, color: bool = True
) -> list[str]:
    """See ``engine.render.drawing.lines``; thick frames mark the tiles of ``last``. Raises TypeError for a state of a different game."""
    known = tongiaki_state(state)
    marks = marks_of(known, last, before)
    columns = {coordinates(cell)[0] for cell in known.board.cells} or {0}
    span = max(columns) - min(columns) + 1
    form = next((form for form in _FORMS if span * form.pitch + 1 <= width), _FORMS[-1])
    canvas = _paint(known, marks, form)
    extent = canvas.extent()
    if extent.width <= width and (height is None or extent.height <= height):
        return canvas.lines(extent, color=color)
    return _cropped(known, marks, form, canvas, Window(0, 0, width, height or extent.height + 1), color)


def _corner(state: TongiakiState, tile: int, form: _Form) -> tuple[int, int]:
    q, r = coordinates(state.board.where[tile])
    return form.pitch * q, _ROWS * r + _ROWS // 2 * q


def _area(state: TongiakiState, tile: int, form: _Form) -> Window:
    column, row = _corner(state, tile, form)
    return Window(column, row, form.pitch + 1, _ROWS + 1)


def _paint(state: TongiakiState, marks: Marks, form: _Form) -> Canvas:
    canvas = Canvas()
    tiles = [state.board.cells[cell] for cell in sorted(state.board.cells)]
    for tile in tiles:
        canvas.frame(_area(state, tile, form), _LINE)
    for tile in sorted(marks.tiles):
        canvas.thick_frame(_area(state, tile, form), _MARK)
    for tile in tiles:
        column, row = _corner(state, tile, form)
        canvas.fill(Window(column + 1, row + 1, form.inside, _ROWS - 1), _LAND if tile < N_ISLANDS else _SEA)
        title = _MARKED_TITLE if tile in marks.tiles else _LAND_TITLE if tile < N_ISLANDS else _SEA_TITLE
        canvas.tint(Window(column + 1, row, form.inside, 1), title.paper)
        canvas.write(column + 1, row, _name(tile, form), title)
        if tile < N_ISLANDS:
            _island(canvas, state, tile, form, marks)
        else:
            _water(canvas, state, tile, form)
    return canvas


def _name(tile: int, form: _Form) -> str:
    """Return as much of the name as fits next to the points; the shortened names are all different."""
    return NAMES[tile].replace("_", " ") if form.roomy else NAMES[tile].replace("_", "")[: form.inside - 1]


def _island(canvas: Canvas, state: TongiakiState, island: int, form: _Form, marks: Marks) -> None:
    board = state.board
    column, row = _corner(state, island, form)
    canvas.write(column + form.inside, row, str(POINTS[island]), _MARKED_TITLE if island in marks.tiles else _LAND_TITLE)
    if board.royal[island] >= 0:
        after = canvas.write(column + 1, row + 2, "royal ", _LAND)
        canvas.write(after, row + 2, str(board.royal[island]), _ship(board.royal[island]))
        return
    in_pairs = N_BEACHES[island] >= _ROWS
    for beach in range(N_BEACHES[island]):
        number = FIRST_BEACH[island] + beach
        line, place = divmod(beach, 2) if in_pairs else (beach, 0)
        at = (column + 1 + place * (form.inside // 2 + (form.roomy or in_pairs) * form.inside % 2), row + 1 + line)
        piers = "".join(ARROWS[(side + board.turned[island]) % 6] for side in PIERS[number])
        fresh = [seat for marked, seat in marks.ships if marked == number]
        _beach(canvas, at, "" if in_pairs and not form.roomy else piers, packed_seats(board.packed[number]), BERTHS[number], fresh)


def _beach(canvas: Canvas, at: tuple[int, int], piers: str, seats: Sequence[int], berths: int, fresh: Sequence[int]) -> None:
    """Write a beach: the arrows of its piers, its ships (new ones underlined) and its free berths."""
    column, row = at
    column = canvas.write(column, row, piers, _LAND)
    for index, seat in enumerate(seats):
        new = seat in fresh and seats[index + 1 :].count(seat) < fresh.count(seat)
        column = canvas.write(column, row, str(seat), _ship(seat, underline=new))
    canvas.write(column, row, FREE * (berths - len(seats)), _LAND)


def _ship(seat: int, *, underline: bool = False) -> Style:
    return Style(SEAT_COLORS[seat].xterm_ink, SEAT_COLORS[seat].xterm, bold=True, underline=underline)


def _water(canvas: Canvas, state: TongiakiState, water: int, form: _Form) -> None:
    board = state.board
    column, row = _corner(state, water, form)
    stranded = packed_seats(board.stranded.get(water, 0))
    room = form.inside - 6 if form.roomy else form.inside - 4
    for line, route in enumerate(WATERS[water - N_ISLANDS].routes):
        one, other = sorted((side + board.turned[water]) % 6 for side in route.sides)
        after = canvas.write(column + 1, row + 1 + line, f"{ARROWS[one]}─{ARROWS[other]}", _SEA)
        if route.colors > 1:
            canvas.write(after + form.roomy, row + 1 + line, str(route.colors), _NUMBER)
        start = column + 1 + form.inside - room
        for seat in stranded[room * line : room * (line + 1)]:
            start = canvas.write(start, row + 1 + line, str(seat), _ship(seat))


def _cropped(state: TongiakiState, marks: Marks, form: _Form, canvas: Canvas, size: Window, color: bool) -> list[str]:
    extent = canvas.extent()
    center = marks.voyage[-1][0] if marks.voyage else min(marks.tiles, default=state.target)
    if center >= 0:
        area = _area(state, center, form)
        column, row = area.left + area.width // 2, area.top + area.height // 2
    else:
        column, row = extent.left + extent.width // 2, extent.top + extent.height // 2
    fitting = max(1, (size.width - 1) // form.pitch)
    total = (extent.width - 1) // form.pitch
    first = min(max((column - extent.left) // form.pitch - fitting // 2, 0), max(total - fitting, 0))
    shown_width = min(fitting * form.pitch + 1, extent.width, size.width)
    shown_height = min(max(size.height - 1, 1), extent.height)
    top = min(max(row - shown_height // 2, extent.top), extent.top + extent.height - shown_height)
    window = Window(extent.left + first * form.pitch, top, shown_width, shown_height)
    note = Canvas()
    areas = [_area(state, tile, form) for tile in state.board.cells.values()]
    beyond = sum(
        area.left < window.left
        or area.left + area.width > window.left + window.width
        or area.top < window.top
        or area.top + area.height > window.top + window.height
        for area in areas
    )
    note.write(0, 0, f"cut off: {beyond} of {len(areas)} tiles, wholly or in part"[: size.width], _NOTE)
    return (canvas.lines(window, color=color) + note.lines(note.extent(), color=color))[: size.height]
