"""Legal moves of Sunda to Sahul as rows of numbers for the environments (docs/environments.md); ``observation`` has the positions.

``arena.environments.sunda`` names the columns. Placements are written without being made into moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i16, i64, u8

from engine.core import Move, State
from engine.sunda.board.tiles import N_TILES, PATTERN_OF_TILE
from engine.sunda.board.trigrid import SPAN, lozenge_of
from engine.sunda.notation.moves import CHALLENGE, CLAIM, JOIN, LAKE, PLACE, RAID, RESOURCE, SEIZE, SHIFT, START, SundaMove
from engine.sunda.position import CHOOSE, LAY, Position
from engine.sunda.rules.legal import after_places, list_moves
from engine.sunda.rules.placements import SortedPlaces
from engine.sunda.state import SundaState

COLUMNS: Final = 13
LARGEST: Final = 32767
"""The limit at which values without a bound in the rules are capped."""

_SPAN: Final[i64] = SPAN
_HALF: Final[i64] = SPAN // 2
_COLUMNS: Final[i64] = COLUMNS
_PLACE: Final[i16] = PLACE + 1


@final
class _Tables:
    """Lookup tables, and zeros to copy."""

    __slots__ = ("bits", "corners", "rows")

    def __init__(self) -> None:
        self.rows: vec[i16] = vec[i16]([0] * (1024 * COLUMNS))
        self.corners: vec[u8] = vec[u8]([pattern >> 4 for pattern in PATTERN_OF_TILE])
        """For each tile, a mask of the corners that are water, the highest bit for the first corner."""
        self.bits: vec[u8] = vec[u8]([number.bit_count() for number in range(16)])


_TABLES: Final = _Tables()


def _blank(number: int) -> vec[i16]:
    size = number * COLUMNS
    return _TABLES.rows[:size] if size <= len(_TABLES.rows) else vec[i16]([0] * size)


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
    """Return the rows of these moves, made in the position, as the seat sees them."""
    assert isinstance(state, SundaState)
    rows = _blank(len(moves))
    at: i64 = 0
    for move in moves:
        assert isinstance(move, SundaMove)
        write_row(rows, at, state.inside, move, seat)
        at += _COLUMNS
    return bytes(rows)


def write_row(rows: vec[i16], at: i64, p: Position, move: SundaMove, viewer: int) -> None:
    """Write the row of a move, as the viewer sees it, over zeros."""
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
    """Write how many land and water vertices a tile closes; ``closing`` is the mask of the corners of its placement that get closed."""
    water = i64(_TABLES.corners[tile])
    rows[at + 11] = i16(_TABLES.bits[closing & ~water])
    rows[at + 12] = i16(_TABLES.bits[closing & water])


def _turned(corners: i64) -> i64:
    """Return a mask of corners as numbered by the other placement on the same lozenge."""
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
