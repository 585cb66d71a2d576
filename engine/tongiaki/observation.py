"""Positions and moves of Tongiaki as bytes for the environments (docs/environments.md).

``arena.environments.tongiaki`` names the arrays and columns. Nothing here reads the order of the deck, the only hidden information, so a
state and a view of it have the same bytes. Bytes that can't be copied in blocks are written one by one. In compiled code, each takes
less than a nanosecond; making arrays of them later takes far longer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from librt.strings import BytesWriter
from mypy_extensions import i64, u8

from engine.batch import Packer
from engine.core import Move, State
from engine.tongiaki.board.board import TongiakiBoard
from engine.tongiaki.board.tiles import BERTHS, FIRST_BEACH, N_BEACHES, N_ISLANDS, N_TILES, POINTS, TONGA
from engine.tongiaki.notation.moves import LAND, LAY, PASS, PLACE, RECOLONISE, SAIL, SETTLE, TAKE, TongiakiMove
from engine.tongiaki.position import LANDING, LAYING, OVER, SAILING, SETTLING, SETUP, TAKEN, TURN, Ending, Phase
from engine.tongiaki.state import TongiakiState

MOST: Final = 127
"""Counts that the rules don't limit are capped at this number."""
ROW_HEAD: Final = 7
"""The number of columns in a move's row before the columns of its ships."""

_MAX_BEACHES: Final = max(N_BEACHES)
_ENDING: Final = {ending: number for number, ending in enumerate(Ending, start=1)}

# The offsets of the first arrays; later offsets depend on the number of players.
_SHIPS: Final[i64] = 5 * N_TILES
_BEACHES: Final[i64] = len(BERTHS)
_WATERS: Final[i64] = N_TILES - N_ISLANDS
MAX_PLAYERS: Final = 6
_BLANK: Final[list[bytes]] = [
    bytes(5 * N_TILES + (len(BERTHS) + N_TILES - N_ISLANDS + 5) * players + N_TILES + N_ISLANDS + 10) for players in range(MAX_PLAYERS + 1)
]
"""By number of players: the arrays of an empty position."""


def pack(state: State, seat: int) -> bytes:
    """Return the arrays of the position as the seat sees it, one after the other."""
    packer = TongiakiPacker()
    packer.add(state, seat)
    return packer.packed()


@final
class TongiakiPacker(Packer):
    """Packs many states into one output."""

    def __init__(self) -> None:
        super().__init__(pack)
        self._written = BytesWriter()

    def add(self, state: State, seat: int) -> None:
        """Add the arrays of the position as the seat sees it."""
        assert isinstance(state, TongiakiState)
        _write_position(self._written, state, seat)

    def packed(self) -> bytes:
        """Return everything added so far."""
        return self._written.getvalue()


def pack_rows(state: State, seat: int, most: int) -> bytes:
    """Return the rows of the first ``most`` legal moves as the seat sees them, or nothing if it isn't the seat's turn."""
    assert isinstance(state, TongiakiState)
    written = BytesWriter()
    if state.phase is not OVER and state.active == seat:
        for move in state.list_moves()[:most]:
            _write_move(written, move, state.target, seat, state.players)
    return written.getvalue()


def pack_moves(state: State, seat: int, moves: Sequence[Move]) -> bytes:
    """Return one row of bytes per move, as the seat sees it; ``arena.environments.tongiaki`` names the columns."""
    assert isinstance(state, TongiakiState)
    written = BytesWriter()
    for move in moves:
        assert isinstance(move, TongiakiMove)
        _write_move(written, move, state.target, seat, state.players)
    return written.getvalue()


# The arrays of a position: blank at first, then only what is on the board is written


def _write_position(written: BytesWriter, state: TongiakiState, viewer: int) -> None:
    start: i64 = len(written)
    seat: i64 = viewer
    players: i64 = state.players
    written.write(_BLANK[state.players])
    _write_tiles(written, start, state.board)
    at = start + _SHIPS
    seats_at = at + (_BEACHES + _WATERS) * players
    _write_islands(written, at, seats_at, state, seat)
    at += _BEACHES * players
    if state.board.stranded:
        for water, ships in state.board.stranded.items():
            _write_ships(written, at + (water - N_ISLANDS) * players, _spread(ships, seat, players))
    at = seats_at + 4 * players
    for tile in state.deck:
        unseen: i64 = tile
        written[at + unseen] = 1
    at += N_TILES
    _write_ships(written, at, _spread(state.group, seat, players))
    at += players
    if state.returned:
        for island, times in state.returned.items():
            written[at + island] = u8(min(times, MOST))
    _write_decision(written, at + N_ISLANDS, state, seat)


def _spread(packed: i64, seat: i64, players: i64) -> i64:
    """Return packed ships with eight bits for each seat, beginning with ``seat``."""
    turned = (packed >> 4 * seat | packed << 4 * (players - seat)) & ((1 << 4 * players) - 1)
    pairs = turned & 0xFF | (turned & 0xFF00) << 8 | (turned & 0xFF0000) << 16
    return pairs & 0x000F000F000F | (pairs & 0x00F000F000F0) << 4


def _write_ships(written: BytesWriter, at: i64, spread: i64) -> None:
    while spread:
        written[at] = u8(spread & 255)
        spread >>= 8
        at += 1


def _relative(seat: int, viewer: i64, players: i64) -> i64:
    other: i64 = seat
    return other - viewer if other >= viewer else other - viewer + players


def _write_tiles(written: BytesWriter, start: i64, board: TongiakiBoard) -> None:
    for cell, tile in board.cells.items():
        place: i64 = cell
        number: i64 = tile
        at = start + 5 * number
        written[at] = 1
        written[at + 1] = u8((place >> 7) - 64 & 255)  # see engine.tongiaki.board.board.coordinates
        written[at + 2] = u8((place & 127) - 64 & 255)
        written[at + 3] = u8(board.turned[tile])


def _write_islands(written: BytesWriter, at: i64, seats_at: i64, state: TongiakiState, seat: i64) -> None:
    """Write the ships on each beach, the royal ships, and each seat's ships in supply, points, islands and royal islands.

    The sums have eight bits for each seat.
    """
    board = state.board
    players: i64 = state.players
    points: i64 = 0
    held: i64 = 0
    royals: i64 = 0
    for island in board.islands:
        ones: i64 = 0
        ashore: i64 = board.ashore[island]
        if ashore:
            ones = (_spread(ashore, seat, players) + 0x7F7F7F7F7F7F) >> 7 & 0x010101010101
            _write_beaches(written, at, board, island, seat, players)
        king = board.royal[island]
        if king >= 0:
            step = _relative(king, seat, players)
            own: i64 = 1
            own <<= 8 * step
            ones |= own
            royals += own
            written[at - _SHIPS + 5 * island + 4] = u8(step + 1)
        value: i64 = POINTS[island]
        points += ones * value
        held += ones
    for step in range(players):
        written[seats_at] = u8(state.supply[seat + step if seat + step < players else seat + step - players])
        written[seats_at + 1] = u8(points >> 8 * step & 255)
        written[seats_at + 2] = u8(held >> 8 * step & 255)
        written[seats_at + 3] = u8(royals >> 8 * step & 255)
        seats_at += 4


def _write_beaches(written: BytesWriter, at: i64, board: TongiakiBoard, island: int, seat: i64, players: i64) -> None:
    beach: i64 = FIRST_BEACH[island]
    last: i64 = beach + N_BEACHES[island]
    while beach < last:
        ships: i64 = board.packed[beach]
        if ships:
            _write_ships(written, at + beach * players, _spread(ships, seat, players))
        beach += 1


def _write_decision(written: BytesWriter, at: i64, state: TongiakiState, seat: i64) -> None:
    ending = state.ending
    written[at] = u8(_phase_number(state.phase))
    written[at + 1] = u8(_relative(state.active, seat, state.players))
    written[at + 2] = u8(state.hand + 1)
    written[at + 3] = u8(state.target + 1)
    written[at + 4] = u8(state.taken_from + 1)
    written[at + 5] = 1 if state.recolonising else 0
    written[at + 6] = 1 if state.laid else 0
    written[at + 7] = u8(min(state.departures, MOST))
    written[at + 8] = u8(min(state.idle, MOST))
    if ending is not None:
        written[at + 9] = u8(_ENDING[ending])


def _phase_number(phase: Phase) -> i64:
    """Return the index of the phase; identity tests are faster than looking up an enum member."""
    if phase is TURN:
        return 1
    if phase is SAILING:
        return 5
    if phase is LANDING:
        return 6
    if phase is LAYING:
        return 3
    if phase is TAKEN:
        return 2
    if phase is SETTLING:
        return 4
    return 0 if phase is SETUP else 7


# The rows of moves


def _write_move(written: BytesWriter, move: TongiakiMove, target: int, viewer: int, players: int) -> None:
    start: i64 = len(written)
    seats: i64 = players
    written.write(bytes(ROW_HEAD + _MAX_BEACHES * players))
    code = move.code
    written[start] = u8(code + 1)
    if code == LAY:
        for place in range(3):
            number: i64 = move.numbers[place]
            written[start + 3 + place] = u8(number & 255)
        return
    if code in {PASS, RECOLONISE}:
        return
    island = TONGA if code == PLACE else target if code in {SETTLE, LAND} else move.island
    written[start + 1] = u8(island + 1)
    written[start + 2] = u8(POINTS[island])
    if code == SAIL:
        written[start + 6] = u8(move.numbers[0] + 1)
    elif code == LAND:
        _write_landing(written, move, start + ROW_HEAD, viewer, seats)
    else:
        for beach in move.numbers:
            place_of: i64 = beach
            at = start + ROW_HEAD + place_of * seats
            written[at] = 255 if code == TAKE else written[at] + 1


def _write_landing(written: BytesWriter, move: TongiakiMove, start: i64, viewer: int, seats: i64) -> None:
    for beach, ships in move.ships:
        first: i64 = beach
        for ship in ships:
            at = start + first * seats + _relative(ship, viewer, seats)
            written[at] = written[at] + 1
