"""Positions of Sunda to Sahul as bytes for the environments (docs/environments.md).

``arena.environments.sunda`` names the arrays and columns; ``move_rows`` has the rows of legal moves. Everything is written from the
position of the match itself, without a view: what is hidden, the dice and what others have chosen in an open tick, is not read.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i16, i64, u8

from engine.batch import Packer
from engine.core import State
from engine.sunda.board.tiles import N_TILES
from engine.sunda.board.trigrid import SPAN
from engine.sunda.move_rows import COLUMNS, LARGEST, write_row
from engine.sunda.position import ANSWER, CHOOSE, MEND, RESOURCE_RIGHT, STRIKE_BACK, Ending, Position
from engine.sunda.state import SundaState

WINDOW: Final = 48
"""Vertices along each edge of the grid."""
LAYERS: Final = 15
TILE_COLUMNS: Final = 4
SEAT_COLUMNS: Final = 6
MARKERS: Final = 6
DECISION_COLUMNS: Final = 10

_REACH_WEST: Final = 2
_REACH_EAST: Final = 1
_REACH_NORTH: Final = 2
"""How far a lozenge extends from its vertex in each direction; it does not extend to the south."""
_CELLS: Final[i64] = WINDOW * WINDOW
_EDGE: Final[i64] = WINDOW
_SPAN: Final[i64] = SPAN
_HALF: Final[i64] = SPAN // 2
_ENDING: Final = {ending: number for number, ending in enumerate(Ending, start=1)}


@final
class _Blank:
    """Arrays full of zeros, to copy: the grid, and all others for four seats."""

    __slots__ = ("grid", "numbers")

    def __init__(self) -> None:
        self.grid: vec[u8] = vec[u8]([0] * (LAYERS * WINDOW * WINDOW))
        self.numbers: vec[i16] = vec[i16]([0] * _size(4))


def _size(players: int) -> int:
    return 2 + TILE_COLUMNS * N_TILES + SEAT_COLUMNS * players + 3 * MARKERS + MARKERS + COLUMNS * players + DECISION_COLUMNS


_BLANK: Final = _Blank()


def pack(state: State, seat: int) -> bytes:
    """Return the arrays of the position as the seat sees it, one after the other, in native byte order."""
    packer = SundaPacker()
    packer.add(state, seat)
    return packer.packed()


@final
class SundaPacker(Packer):
    """Packs states one after another."""

    def __init__(self) -> None:
        super().__init__(pack)

    def add(self, state: State, seat: int) -> None:
        """Add the arrays of the position as the seat sees it."""
        assert isinstance(state, SundaState)
        _pack(self.parts, state, seat)


def _pack(parts: list[bytes], state: SundaState, seat: int) -> None:
    p = state.inside
    left, bottom = _corner(p)
    grid = _BLANK.grid[:]
    numbers = _BLANK.numbers[: _size(p.players)]
    _draw_table(grid, p, left, bottom)
    if not p.alone:
        _draw_claims(grid, p, seat, left, bottom)
    numbers[0] = i16(left)
    numbers[1] = i16(bottom)
    at: i64 = 2
    _write_tiles(numbers, at, p, seat)
    at += TILE_COLUMNS * N_TILES
    _write_seats(numbers, at, p, state.points, seat)
    at += SEAT_COLUMNS * p.players
    for value, vertex in sorted(p.claims.markers):
        _write_marker(numbers, at, value, vertex)
        at += 3
    at += 3 * (MARKERS - len(p.claims.markers))
    for number, value in enumerate(p.claims.supply):
        numbers[at + number] = _cut(value)
    at += MARKERS
    _write_choices(numbers, at, p, seat)
    at += COLUMNS * p.players
    _write_decision(numbers, at, p, seat)
    parts.append(bytes(grid))
    parts.append(bytes(numbers))


def _cut(value: int) -> i16:
    return i16(min(value, LARGEST))


def _relative(seat: i64, viewer: i64, players: i64) -> i64:
    other = seat - viewer
    return other if other >= 0 else other + players


# The grid


def _corner(p: Position) -> tuple[i64, i64]:
    spots = p.board.spots
    if not p.board.lies:
        return -_EDGE // 2, -_EDGE // 2
    kinds = spots.kinds
    mask = spots.mask >> 2
    west: i64 = _SPAN
    south: i64 = _SPAN
    east: i64 = -_SPAN
    north: i64 = -_SPAN
    x: i64 = spots.west - _REACH_WEST
    last_x: i64 = spots.east + _REACH_EAST
    first_y: i64 = spots.south
    last_y: i64 = spots.north + _REACH_NORTH
    while x <= last_x:
        y = first_y
        while y <= last_y:
            if kinds[x * _SPAN + y & mask]:
                west = min(west, x)
                east = x
                south = min(south, y)
                north = max(north, y)
            y += 1
        x += 1
    return (west + east) // 2 - _EDGE // 2, (south + north) // 2 - _EDGE // 2


def _cell(vertex: i64, left: i64, bottom: i64) -> i64:
    """Return the index of a vertex in a layer, -1 outside the window."""
    x = (vertex + _HALF) // _SPAN
    column = x - left
    row = vertex - x * _SPAN - bottom
    return column * _EDGE + row if 0 <= column < _EDGE and 0 <= row < _EDGE else -1


def _put(grid: vec[u8], layer: i64, cell: i64, value: i64) -> None:
    if cell >= 0:
        grid[layer * _CELLS + cell] = u8(value)


def _draw_table(grid: vec[u8], p: Position, left: i64, bottom: i64) -> None:
    """Fill the layers of tiles and the bodies they form, from the grids of the board: its dictionaries are scattered in memory."""
    spots = p.board.spots
    kinds = spots.kinds
    tiles = spots.tiles
    vertices = spots.mask >> 2
    triangles = spots.mask >> 1
    x: i64 = max(spots.west - _REACH_WEST, left)
    end_x: i64 = min(spots.east + _REACH_EAST, left + _EDGE - 1)
    first_y: i64 = max(spots.south, bottom)
    end_y: i64 = min(spots.north + _REACH_NORTH, bottom + _EDGE - 1)
    while x <= end_x:
        y = first_y
        cell = (x - left) * _EDGE + y - bottom
        while y <= end_y:
            vertex = x * _SPAN + y
            if tiles[2 * vertex & triangles]:
                grid[2 * _CELLS + cell] = 1
            if tiles[2 * vertex + 1 & triangles]:
                grid[3 * _CELLS + cell] = 1
            kind = kinds[vertex & vertices]
            if kind:
                grid[_CELLS + cell] = kind
                grid[cell] = u8(spots.covered_around(vertex))
            cell += 1
            y += 1
        x += 1
    _draw_complete(grid, p, left, bottom)


def _draw_complete(grid: vec[u8], p: Position, left: i64, bottom: i64) -> None:
    ring = p.board.islands.ring
    for body, still_open in p.board.islands.open.items():
        if still_open == 0:
            member = body
            while True:
                _put(grid, 4, _cell(member, left, bottom), 1)
                member = ring[member]
                if member == body:
                    break


def _draw_claims(grid: vec[u8], p: Position, viewer: i64, left: i64, bottom: i64) -> None:
    players: i64 = p.players
    for lake, owner in p.claims.lakes.items():
        _put(grid, 5, _cell(lake, left, bottom), _relative(owner, viewer, players) + 1)
    for vertex in p.nodes:
        _put(grid, 6, _cell(vertex, left, bottom), 1)
    for vertex in p.refused:
        _put(grid, 7, _cell(vertex, left, bottom), 1)
    for vertex in p.lakes:
        _put(grid, 8, _cell(vertex, left, bottom), 1)
    if p.phase in (ANSWER, RESOURCE_RIGHT):
        _put(grid, 9, _cell(p.focus, left, bottom), 1)
    for vertex, tribe in p.claims.tribes.items():
        cell = _cell(vertex, left, bottom)
        layer: i64 = 10
        for seat in tribe:
            _put(grid, layer, cell, _relative(seat, viewer, players) + 1)
            layer += 1


# The other arrays


def _write_tiles(numbers: vec[i16], start: i64, p: Position, viewer: i64) -> None:
    players: i64 = p.players
    is_private = p.private
    at = start
    for owner in p.pots.pot_of:
        pot: i64 = owner
        if pot >= 0:
            numbers[at] = i16(_relative(pot, viewer, players) + 1) if is_private else 1
        at += TILE_COLUMNS
    for tile, placement in p.board.lies.items():
        place: i64 = placement
        number: i64 = tile
        at = start + TILE_COLUMNS * number
        vertex = place // 6
        x = (vertex + _HALF) // _SPAN
        numbers[at + 1] = i16(x)
        numbers[at + 2] = i16(vertex - x * _SPAN)
        numbers[at + 3] = i16(place - 6 * vertex)


def _write_seats(numbers: vec[i16], start: i64, p: Position, points: tuple[int, ...], viewer: int) -> None:
    at = start
    for step in range(p.players):
        seat = (viewer + step) % p.players
        numbers[at] = _cut(p.claims.tokens[seat])
        numbers[at + 1] = _cut(points[seat])
        numbers[at + 2] = _cut(p.raids[seat])
        numbers[at + 3] = _cut(p.pots.sizes[p.pot(seat)])
        numbers[at + 4] = 0 if p.choices[seat] is None else 1
        numbers[at + 5] = _cut(p.queue.index(seat) + 1) if seat in p.queue else 0
        at += SEAT_COLUMNS


def _write_marker(numbers: vec[i16], at: i64, value: int, vertex: i64) -> None:
    x = (vertex + _HALF) // _SPAN
    numbers[at] = _cut(value)
    numbers[at + 1] = i16(x)
    numbers[at + 2] = i16(vertex - x * _SPAN)


def _write_choices(numbers: vec[i16], start: i64, p: Position, viewer: int) -> None:
    """Write the choices of the tick that the viewer may know; one that a view hides is of no kind."""
    for seat, choice in enumerate(p.choices):
        is_hidden = p.phase == CHOOSE and seat < p.chosen and seat != viewer
        if choice is not None and choice.kind >= 0 and not is_hidden:
            write_row(numbers, start + COLUMNS * _relative(seat, viewer, p.players), p, choice, viewer)


def _write_decision(numbers: vec[i16], at: i64, p: Position, viewer: int) -> None:
    strikes = p.phase == STRIKE_BACK
    ending = p.ending
    numbers[at] = _cut(p.phase)
    numbers[at + 1] = i16(_relative(p.seat, viewer, p.players))
    numbers[at + 2] = _cut(p.step)
    numbers[at + 3] = _cut(p.agreed)
    numbers[at + 4] = _cut(p.rights)
    numbers[at + 5] = 1 if p.has_claimed else 0
    numbers[at + 6] = _cut(p.newest + 1) if p.phase == MEND else 0
    numbers[at + 7] = i16(_relative(p.victim, viewer, p.players) + 1) if strikes else 0
    numbers[at + 8] = _cut(p.stolen + 1) if strikes else 0
    numbers[at + 9] = 0 if ending is None else _cut(_ENDING[ending])
