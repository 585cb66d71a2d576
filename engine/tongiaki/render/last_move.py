"""Finds what a drawing highlights of the last move: its tiles, new ships and voyage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from engine.core import Move, State
from engine.tongiaki.board.board import DELTA, TongiakiBoard, cell_of
from engine.tongiaki.board.tiles import BEACH_OF_PIER, FIRST_BEACH, N_BEACHES, N_ISLANDS, ROUTE_COLORS, ROUTE_EXIT, TILE_OF_NAME, TONGA
from engine.tongiaki.notation.moves import ENTER, EXPAND, LAND, LAY, PLACE, SAIL, SETTLE, Ships, TongiakiMove
from engine.tongiaki.position import Phase
from engine.tongiaki.rules.landing import packed_colors
from engine.tongiaki.state import TongiakiState

Leg: TypeAlias = tuple[int, int, int]
"""A tile on a voyage, the side at which the voyage entered it and the side at which it left (-1 if it began or ended there)."""


@dataclass(frozen=True, slots=True)
class Marks:
    """What a drawing highlights of a move.

    ``tiles`` are the tiles on the board that the move laid or affected. ``ships`` are the new ships as (beach, seat), with beaches numbered
    across all islands. ``voyage`` holds the legs of the departure, beginning with the island that it left; ``failed`` is the water on which
    it failed, or -1. ``sunk`` are the islands that collapsed, as (island, cell).
    """

    tiles: frozenset[int] = frozenset()
    ships: tuple[tuple[int, int], ...] = ()
    voyage: tuple[Leg, ...] = ()
    failed: int = -1
    sunk: tuple[tuple[int, int], ...] = ()


def tongiaki_state(state: State | None) -> TongiakiState:
    """Return the state as a ``TongiakiState``. Raises TypeError if it belongs to a different game."""
    if not isinstance(state, TongiakiState):
        raise TypeError(f"expected a Tongiaki position, not {type(state).__name__}")
    return state


def marks_of(state: TongiakiState, last: Move | None, before: State | None) -> Marks:
    """Return the marks for ``last``, the move that led to ``state``. If it is None, nothing is marked.

    ``before`` is the position in which the move was played. Without it, a landing is marked only if exactly one island fits it, and
    collapsed islands are not marked at all. Raises TypeError for a move or a state of a different game.
    """
    if last is None:
        return Marks()
    if not isinstance(last, TongiakiMove):
        raise TypeError(f"expected a Tongiaki move, not {type(last).__name__}")
    earlier = None if before is None else tongiaki_state(before)
    seat = _mover(state) if earlier is None else earlier.active
    island = _island_of(state, last, earlier)
    tiles = {tile for tile in _named(state, "draw") if state.board.where[tile] >= 0}
    tiles |= {island} if island >= 0 and state.board.where[island] >= 0 else set()
    if last.code == LAY:
        tiles |= {tile for tile in [state.board.cells.get(cell_of(*last.numbers[:2]), -1)] if tile >= 0}
    failed = next(iter(_named(state, "fails")), -1)
    voyage: tuple[Leg, ...] = ()
    if last.code == SAIL and island in tiles:
        end = failed if failed >= 0 else next((tile for tile in _named(state, "stays") if tile in tiles), -1)
        voyage = voyage_of(state.board, island, last.numbers[0], _colors(state, last, earlier), end)
        tiles.add(voyage[-1][0])
    sunk = tuple((tile, earlier.board.where[tile]) for tile in _named(state, "collapses")) if earlier else ()
    ships = _new_ships(last, island, seat) if island in tiles else ()
    return Marks(frozenset(tiles), ships, voyage, failed, tuple((tile, cell) for tile, cell in sunk if cell >= 0))


def _named(state: TongiakiState, word: str) -> list[int]:
    return [TILE_OF_NAME[event.rsplit(" ", 1)[1]] for event in state.events if event.rsplit(" ", 1)[0] == word]


def _island_of(state: TongiakiState, move: TongiakiMove, before: TongiakiState | None) -> int:
    if move.code == PLACE:
        return TONGA
    if move.code == SETTLE:
        return state.board.islands[-1]
    if move.code != LAND:
        return move.island
    if before is not None:
        return before.target
    fitting = [island for island in state.board.islands if _holds(state.board, island, move.ships)]
    return fitting[0] if len(fitting) == 1 else -1


def _holds(board: TongiakiBoard, island: int, ships: Ships) -> bool:
    if not ships or ships[-1][0] >= N_BEACHES[island]:
        return False
    return all(
        board.packed[FIRST_BEACH[island] + beach] >> 4 * seat & 15 >= seats.count(seat) for beach, seats in ships for seat in set(seats)
    )


def _mover(state: TongiakiState) -> int:
    """Return the seat that made the last move; at the start of a turn, it is the seat before the active seat."""
    return (state.active - 1) % state.players if state.phase in {Phase.SETUP, Phase.TURN} else state.active


def _new_ships(move: TongiakiMove, island: int, seat: int) -> tuple[tuple[int, int], ...]:
    if move.code == LAND:
        return tuple((FIRST_BEACH[island] + beach, owner) for beach, seats in move.ships for owner in seats)
    if move.code in {PLACE, EXPAND, ENTER, SETTLE}:
        return tuple((FIRST_BEACH[island] + beach, seat) for beach in move.numbers)
    return ()


def _colors(state: TongiakiState, move: TongiakiMove, before: TongiakiState | None) -> int:
    """Return the number of colours of the group that sailed, or, if it is not known, 6, which is enough for every crossing."""
    if before is not None:
        return packed_colors(before.board.packed[BEACH_OF_PIER[6 * move.island + move.numbers[0]]])
    return packed_colors(state.group) or 6


def voyage_of(board: TongiakiBoard, island: int, side: int, colors: int, end: int) -> tuple[Leg, ...]:
    """Return the legs of a voyage over the tiles on the board, up to the island where it lands or turns round, or the water where it ends.

    ``end`` is the water on which the group failed or was left standing; -1 if there is none or it is not known.
    """
    legs: list[Leg] = [(island, -1, side)]
    cell = board.where[island]
    direction = (board.turned[island] + side) % 6
    while True:
        cell += DELTA[direction]
        tile = board.cells.get(cell, -1)
        if tile < 0:
            if len(legs) > 1:
                legs[-1] = (*legs[-1][:2], -1)
            return tuple(legs)
        entry = (direction + 9 - board.turned[tile]) % 6
        if tile in {*range(N_ISLANDS), end} or ROUTE_COLORS[6 * tile + entry] > colors:
            return (*legs, (tile, entry, -1))
        leaving = ROUTE_EXIT[6 * tile + entry]
        legs.append((tile, entry, leaving))
        direction = (board.turned[tile] + leaving) % 6
