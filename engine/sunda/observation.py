"""Writes Sunda to Sahul positions, and rows of numbers for legal moves, as bytes for the environments (docs/environments.md).

``arena.environments.sunda`` names the arrays and columns. Placements are written without creating moves. For speed, everything is written
from the position of the match itself instead of a view; hidden information (the dice, and the choices of others in an open tick) is not
read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i16, i64, u8

from engine.batch import Packer
from engine.core import Move, State
from engine.sunda.board.tiles import N_TILES, PATTERN_OF_TILE
from engine.sunda.board.trigrid import SPAN, lozenge_of
from engine.sunda.notation.moves import CHALLENGE, CLAIM, JOIN, LAKE, PLACE, RAID, RESOURCE, SEIZE, SHIFT, START, SundaMove
from engine.sunda.position import ANSWER, CHOOSE, LAY, MEND, RESOURCE_RIGHT, STRIKE_BACK, Ending, Position
from engine.sunda.rules.legal import after_places, list_moves
from engine.sunda.rules.placements import SortedPlaces
from engine.sunda.state import SundaState

COLUMNS: Final = 13
LARGEST: Final = 32767
"""The largest number that is written; values that the rules don't limit are capped at it."""

_SPAN: Final[i64] = SPAN
_HALF: Final[i64] = SPAN // 2
_COLUMNS: Final[i64] = COLUMNS
_PLACE: Final[i16] = PLACE + 1


@final
class _Tables:
    """Lookup tables, and arrays of zeros to be copied."""

    __slots__ = ("bits", "corners", "rows")

    def __init__(self) -> None:
        self.rows: vec[i16] = vec[i16]([0] * (1024 * COLUMNS))
        self.corners: vec[u8] = vec[u8]([pattern >> 4 for pattern in PATTERN_OF_TILE])
        """For each tile, a mask of the corners that are water, with the highest bit for the first corner."""
        self.bits: vec[u8] = vec[u8]([number.bit_count() for number in range(16)])


_TABLES: Final = _Tables()


def _blank(number: int) -> vec[i16]:
    size = number * COLUMNS
    return _TABLES.rows[:size] if size <= len(_TABLES.rows) else vec[i16]([0] * size)


# Legal moves as rows


def pack_rows(state: State, seat: int, most: int) -> bytes:
    """Return the rows of the first ``most`` legal moves as the seat sees them, in native byte order."""
    assert isinstance(state, SundaState)
    p = state.inside
    if p.phase not in (LAY, CHOOSE):
        return pack_moves(state, list_moves(p)[:most], seat)
    actor = p.chosen if p.phase == CHOOSE else p.seat
    places = SortedPlaces(p, p.pot(actor))
    others = after_places(p, actor)
    rows = _blank(places.number + len(others))
    _write_places(rows, p, places)
    at: i64 = _COLUMNS * places.number
    for move in others:
        write_row(rows, at, p, move, seat)
        at += _COLUMNS
    return bytes(rows)[: 2 * COLUMNS * most]


def pack_moves(state: State, moves: Sequence[Move], seat: int) -> bytes:
    """Return the rows of these moves in this position, as the seat sees them."""
    assert isinstance(state, SundaState)
    rows = _blank(len(moves))
    at: i64 = 0
    for move in moves:
        assert isinstance(move, SundaMove)
        write_row(rows, at, state.inside, move, seat)
        at += _COLUMNS
    return bytes(rows)


def write_row(rows: vec[i16], at: i64, p: Position, move: SundaMove, viewer: int) -> None:
    """Write the row of a move, as the viewer sees it, at index ``at`` of ``rows``, where there must be zeros so far."""
    kind = move.kind
    rows[at] = i16(kind + 1)
    if kind == PLACE:
        lozenge = lozenge_of(move.second)
        rows[at + 1] = i16(move.first + 1)
        _write_placement(rows, at + 4, move.second)
        closing = p.board.spots.closing(lozenge)
        _write_closing(rows, at, _turned(closing) if move.second != lozenge else closing, move.first)
    elif kind == SHIFT:
        _write_placement(rows, at + 4, move.second)
        _write_placement(rows, at + 7, move.first)
    elif kind == RESOURCE:
        _write_vertex(rows, at + 4, move.second)
        rows[at + 10] = i16(min(move.first, LARGEST))
    elif kind in (CLAIM, JOIN, LAKE, CHALLENGE):
        _write_vertex(rows, at + 4, move.first)
        if kind == CHALLENGE:
            _write_vertex(rows, at + 7, move.second)
    elif kind in (START, RAID, SEIZE):
        rows[at + 1] = i16(move.first + 1)
        if kind == RAID:
            rows[at + 3] = i16((move.second - viewer) % p.players)
        elif kind == SEIZE:
            rows[at + 2] = i16(move.second + 1)


def _write_vertex(rows: vec[i16], at: i64, vertex: i64) -> None:
    x = (vertex + _HALF) // _SPAN
    rows[at] = i16(x)
    rows[at + 1] = i16(vertex - x * _SPAN)


def _write_placement(rows: vec[i16], at: i64, placement: i64) -> None:
    vertex = placement // 6
    _write_vertex(rows, at, vertex)
    rows[at + 2] = i16(placement - 6 * vertex)


def _write_closing(rows: vec[i16], at: i64, closing: i64, tile: i64) -> None:
    """Write how many land and water vertices a tile closes; ``closing`` is a mask of the corners that are closed by its placement."""
    water = i64(_TABLES.corners[tile])
    rows[at + 11] = i16(_TABLES.bits[closing & ~water])
    rows[at + 12] = i16(_TABLES.bits[closing & water])


def _turned(corners: i64) -> i64:
    return corners << 2 & 15 | corners >> 2


def _write_places(rows: vec[i16], p: Position, places: SortedPlaces) -> None:
    spots = p.board.spots
    closings: vec[u8] = vec[u8]([0] * (2 * len(places.lozenges)))
    for number, lozenge in enumerate(places.lozenges):
        if number:
            closing = spots.closing(lozenge)
            closings[2 * number] = u8(closing)
            closings[2 * number + 1] = u8(_turned(closing))
    first = places.first
    after = places.after
    lies = places.lies
    source = places.source
    at: i64 = 0
    tile: i64 = 0
    while tile < N_TILES:
        entry = first[tile]
        while entry:
            rows[at] = _PLACE
            rows[at + 1] = i16(tile + 1)
            _write_placement(rows, at + 4, lies[entry])
            closing = i64(closings[source[entry]])
            if closing:
                _write_closing(rows, at, closing, tile)
            at += _COLUMNS
            entry = after[entry]
        tile += 1


WINDOW: Final = 48
"""The number of vertices along each edge of the grid."""
LAYERS: Final = 15
TILE_COLUMNS: Final = 4
SEAT_COLUMNS: Final = 6
MARKERS: Final = 6
DECISION_COLUMNS: Final = 10

_REACH_WEST: Final = 2
_REACH_EAST: Final = 1
_REACH_NORTH: Final = 2
"""How far a lozenge extends from its vertex to the west, east and north; it does not extend to the south."""
_CELLS: Final[i64] = WINDOW * WINDOW
_EDGE: Final[i64] = WINDOW
_ENDING: Final = {ending: number for number, ending in enumerate(Ending, start=1)}


@final
class _Blank:
    """Arrays of zeros to be copied: the grid, and the other arrays for four seats."""

    __slots__ = ("grid", "numbers")

    def __init__(self) -> None:
        self.grid: vec[u8] = vec[u8]([0] * (LAYERS * WINDOW * WINDOW))
        self.numbers: vec[i16] = vec[i16]([0] * _size(4))


def _size(players: int) -> int:
    return 2 + TILE_COLUMNS * N_TILES + SEAT_COLUMNS * players + 3 * MARKERS + MARKERS + COLUMNS * players + DECISION_COLUMNS


_BLANK: Final = _Blank()


# Positions


def pack(state: State, seat: int) -> bytes:
    """Return the arrays of the position as the seat sees it, concatenated, in native byte order."""
    packer = SundaPacker()
    packer.add(state, seat)
    return packer.packed()


@final
class SundaPacker(Packer):
    """Packs many states, each as a seat sees it, into one string of bytes."""

    def __init__(self) -> None:
        super().__init__(pack)

    def add(self, state: State, seat: int) -> None:
        """Append the arrays of the position as the seat sees it."""
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
        numbers[at] = _cut(value)
        _write_vertex(numbers, at + 1, vertex)
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
    x = (vertex + _HALF) // _SPAN
    column = x - left
    row = vertex - x * _SPAN - bottom
    return column * _EDGE + row if 0 <= column < _EDGE and 0 <= row < _EDGE else -1


def _put(grid: vec[u8], layer: i64, cell: i64, value: i64) -> None:
    if cell >= 0:
        grid[layer * _CELLS + cell] = u8(value)


def _draw_table(grid: vec[u8], p: Position, left: i64, bottom: i64) -> None:
    """Fill the layers of tiles and vertices from the grids of the board, which are faster to read than its dictionaries."""
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
        number: i64 = tile
        _write_placement(numbers, start + TILE_COLUMNS * number + 1, placement)


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


def _write_choices(numbers: vec[i16], start: i64, p: Position, viewer: int) -> None:
    """Write the choices of the tick that the viewer may know; the kind of a hidden choice is 0."""
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
