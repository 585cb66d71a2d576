"""The legal moves of a turn (RULES 3) and of a departure (RULES 4 to 6), listed or tested one by one, and which islands collapse.

Nothing here changes the board. The functions for a turn take the board, the active seat and the number of ships in its supply. At the
start of a turn, no beach is full.
"""

from __future__ import annotations

from typing import Final

from engine.tongiaki.board.board import TongiakiBoard
from engine.tongiaki.board.tiles import ALL_PIERS, BEACH_MASK, BEACH_OF_PIER, BERTHS, FIRST_BEACH, N_BEACHES, N_ISLANDS, TONGA, TOTAL_BERTHS
from engine.tongiaki.notation.moves import (
    CROWN,
    CROWNS,
    ENTER,
    ENTERS,
    EXPAND,
    EXPANDS,
    PASS,
    RECOLONISE,
    SAIL,
    SAILS,
    TAKE,
    TAKES,
    THE_PASS,
    THE_RECOLONISE,
    TongiakiMove,
)
from engine.tongiaki.rules.landing import packed_colors, packed_size

MAX_ROYALS: Final = 2


def turn_moves(board: TongiakiBoard, seat: int, supply: int) -> list[TongiakiMove]:
    """Return the legal moves of a turn, in the order of RULES 7."""
    shift = 4 * seat
    moves: list[TongiakiMove] = []
    crowns: list[TongiakiMove] = []
    ashore = 0
    for island in board.islands:
        packed = board.ashore[island]
        own = packed >> shift & 15
        if own:
            ashore += own
            if supply:
                moves += EXPANDS[island][min(own, N_BEACHES[island], supply)]
            if packed == own << shift and island != TONGA:
                crowns.append(CROWNS[island])
    if not ashore:
        return _enter_moves(board) or [THE_RECOLONISE]
    if not supply:
        if ashore > 1:
            moves = [TAKES[beach] for island in board.islands for beach in _beaches(island) if board.packed[beach] >> shift & 15]
        moves.append(THE_PASS)
    if crowns and board.royals(seat) < MAX_ROYALS:
        moves += crowns
    moves.append(THE_RECOLONISE)
    return moves


def is_turn_move(board: TongiakiBoard, seat: int, supply: int, move: TongiakiMove) -> bool:
    """Return whether ``turn_moves`` would list the move."""
    code = move.code
    island = move.island
    if code == EXPAND:
        own = _own(board, seat, island)
        return (
            own > 0 and supply > 0 and len(move.numbers) == min(own, N_BEACHES[island], supply) and _ascend(move.numbers, N_BEACHES[island])
        )
    ashore = 0
    for laid in board.islands:
        ashore += board.ashore[laid] >> 4 * seat & 15
    if not ashore:
        if code == ENTER:
            return _may_enter(board, move)
        return code == RECOLONISE and not _enter_moves(board)
    if code == TAKE:
        return not supply and ashore > 1 and _own(board, seat, island) > 0 and is_own_beach(board, seat, move)
    if code == CROWN:
        own = _own(board, seat, island)
        return own > 0 and island != TONGA and board.ashore[island] == own << 4 * seat and board.royals(seat) < MAX_ROYALS
    return code == RECOLONISE or (code == PASS and not supply)


def taken_moves(board: TongiakiBoard, seat: int, taken_from: int) -> list[TongiakiMove]:
    """Return the legal expansions with the ship taken from the beach ``taken_from``, which must not go back there (RULES 3a)."""
    return [
        move
        for island in board.islands
        if board.ships_of(seat, island)
        for move in EXPANDS[island][1]
        if FIRST_BEACH[island] + move.numbers[0] != taken_from
    ]


def is_taken_move(board: TongiakiBoard, seat: int, taken_from: int, move: TongiakiMove) -> bool:
    """Return whether ``taken_moves`` would list the move."""
    return (
        move.code == EXPAND
        and _own(board, seat, move.island) > 0
        and len(move.numbers) == 1
        and _ascend(move.numbers, N_BEACHES[move.island])
        and FIRST_BEACH[move.island] + move.numbers[0] != taken_from
    )


def is_own_beach(board: TongiakiBoard, seat: int, move: TongiakiMove) -> bool:
    """Return whether the move names exactly one beach of its island, and the seat has a ship on that beach."""
    if len(move.numbers) != 1 or not 0 <= move.numbers[0] < N_BEACHES[move.island]:
        return False
    return board.packed[FIRST_BEACH[move.island] + move.numbers[0]] >> 4 * seat & 15 > 0


def _beaches(island: int) -> range:
    return range(FIRST_BEACH[island], FIRST_BEACH[island] + N_BEACHES[island])


def _own(board: TongiakiBoard, seat: int, island: int) -> int:
    return board.ships_of(seat, island) if 0 <= island < N_ISLANDS and board.where[island] >= 0 else 0


def _ascend(numbers: tuple[int, ...], count: int) -> bool:
    previous = -1
    for number in numbers:
        if not previous < number < count:
            return False
        previous = number
    return True


def _enter_moves(board: TongiakiBoard) -> list[TongiakiMove]:
    return [move for island in board.islands if board.royal[island] < 0 for move in ENTERS[island] if _has_room(board, move)]


def _may_enter(board: TongiakiBoard, move: TongiakiMove) -> bool:
    island = move.island
    if not (0 <= island < N_ISLANDS and board.where[island] >= 0 and board.royal[island] < 0):
        return False
    return move in ENTERS[island] and _has_room(board, move)


def _has_room(board: TongiakiBoard, move: TongiakiMove) -> bool:
    """Return whether each beach that the move names has a free berth, or two if it is named twice."""
    first = FIRST_BEACH[move.island]
    beaches = move.numbers
    for beach in beaches:
        if board.count[first + beach] + beaches.count(beach) > BERTHS[first + beach]:
            return False
    return True


RETURNS_GUARD: Final = 20
DEPARTURES_GUARD: Final = 200


def sail_moves(board: TongiakiBoard, ended: bool) -> list[TongiakiMove]:
    """Return the legal departures, in order; ``ended`` is whether the end has been triggered, so that no more tiles are drawn."""
    return [SAILS[6 * island + side] for island in full_islands(board) for side in open_sides(board, island, ended)]


def is_sail_move(board: TongiakiBoard, ended: bool, move: TongiakiMove) -> bool:
    """Return whether ``sail_moves`` would list the move."""
    if move.code != SAIL or not 0 <= move.island < N_ISLANDS or board.where[move.island] < 0 or len(move.numbers) != 1:
        return False
    return move.numbers[0] in open_sides(board, move.island, ended)


def full_islands(board: TongiakiBoard) -> list[int]:
    """Return the islands with a full beach, in the order they were laid."""
    return [island for island in board.islands if board.full & BEACH_MASK[island]]


def open_sides(board: TongiakiBoard, island: int, ended: bool) -> list[int]:
    """Return the sides by which ships of full beaches may leave: those whose ships would not return or, if all would return, all sides."""
    returning: list[int] = []
    leaving: list[int] = []
    for side in ALL_PIERS[island]:
        if not board.full >> BEACH_OF_PIER[6 * island + side] & 1:
            continue
        if ended and board.near[6 * island + (board.turned[island] + side) % 6] < 0:
            continue
        if returns(board, island, side):
            returning.append(side)
        else:
            leaving.append(side)
    return leaving or returning


def returns(board: TongiakiBoard, island: int, side: int) -> bool:
    """Return whether a group that leaves the island by this side would come back over the tiles that are already laid."""
    colors = packed_colors(board.packed[BEACH_OF_PIER[6 * island + side]])
    return board.voyage(island, side, colors) == island


def collapsing(board: TongiakiBoard, departures: int, returned: dict[int, int]) -> list[int]:
    """Return the islands that collapse now (RULES 5), in the order they were laid.

    ``departures`` counts all departures in this turn; ``returned`` counts, by island, the departures that returned to it.
    """
    return [
        island
        for island in full_islands(board)
        if departures >= DEPARTURES_GUARD or returned.get(island, 0) >= RETURNS_GUARD or is_trap(board, island)
    ]


def is_trap(board: TongiakiBoard, island: int) -> bool:
    """Return whether a one-colour group would return from every pier, and the island has so many ships that a beach must be full."""
    if packed_size(board.ashore[island]) <= TOTAL_BERTHS[island] - N_BEACHES[island]:
        return False
    for side in ALL_PIERS[island]:
        if board.voyage(island, side, 1) != island:
            return False
    return True
