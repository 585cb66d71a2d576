"""Departures of a chain (RULES 4 to 6): which are legal, and which islands collapse before the next. Nothing here changes the board."""

from __future__ import annotations

from typing import Final

from engine.tongiaki.board.board import TongiakiBoard
from engine.tongiaki.board.tiles import ALL_PIERS, BEACH_MASK, BEACH_OF_PIER, N_BEACHES, N_ISLANDS, TOTAL_BERTHS
from engine.tongiaki.notation.moves import SAIL, SAILS, TongiakiMove
from engine.tongiaki.rules.landing import packed_colors, packed_size

RETURNS_GUARD: Final = 20
DEPARTURES_GUARD: Final = 200


def sail_moves(board: TongiakiBoard, ended: bool) -> list[TongiakiMove]:
    """Return the legal departures, in order; ``ended`` says that the end was triggered, so that no more tiles are drawn."""
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
    """Return the sides by which full beaches of the island may sail: those that don't return, or if there are none, those that do."""
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
    """Return whether the departure would come back to its island, judged on the board before it sails."""
    colors = packed_colors(board.packed[BEACH_OF_PIER[6 * island + side]])
    return board.voyage(island, side, colors) == island


def collapsing(board: TongiakiBoard, departures: int, returned: dict[int, int]) -> list[int]:
    """Return the islands that collapse now (RULES 5), in the order they were laid.

    ``departures`` counts all departures of this turn, ``returned`` the returning ones of each island.
    """
    return [
        island
        for island in full_islands(board)
        if departures >= DEPARTURES_GUARD or returned.get(island, 0) >= RETURNS_GUARD or is_trap(board, island)
    ]


def is_trap(board: TongiakiBoard, island: int) -> bool:
    """Return whether a group of one colour would return from every pier, with so many ships that some beach will always be full."""
    if packed_size(board.ashore[island]) <= TOTAL_BERTHS[island] - N_BEACHES[island]:
        return False
    for side in ALL_PIERS[island]:
        if board.voyage(island, side, 1) != island:
            return False
    return True
