"""What a position of Tongiaki promises each seat: points it will keep, and those it may still win. It plays nothing."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from engine.tongiaki import TongiakiState
from engine.tongiaki.board import Board
from engine.tongiaki.landing import packed_seats
from engine.tongiaki.tiles import BERTHS, FIRST_BEACH, N_BEACHES, N_ISLANDS, POINTS

TILES: Final = 31
"""Tiles of the deck."""
LOST: Final = (0.6, 0.4, 0.3, 0.2, 0.12, 0.08)
"""By a beach's free berths: how probable it is, in the middle of a game, that the ships there will not be on the island at its end."""
HASTE: Final = 3.0
"""How soon after a game's end begins to show those chances shrink: they are full while more than one tile in ``HASTE`` is left."""
NEW_ISLAND: Final = 3.5
"""The mean points of an island."""
FLEET: Final = 0.3
"""Points that a ship on a beach is worth over a whole game, for what it will find."""

seats_of = lru_cache(maxsize=8192)(packed_seats)


def horizon(deck: list[int]) -> float:
    """The share of the deck that will still be drawn, on average: 1 at the start, 0 at the end.

    The game ends with the last island or water (RULES 6). In a shuffled deck ``i / (w + 1)`` of ``i`` islands lie behind the last of
    ``w`` waters, and the other way round.
    """
    islands = 0
    for tile in deck:
        if tile < N_ISLANDS:
            islands += 1
    waters = len(deck) - islands
    if not islands or not waters:
        return 0.0
    return (islands + waters - islands / (waters + 1) - waters / (islands + 1)) / TILES


def losses(left: float) -> tuple[float, ...]:
    """``LOST``, as the rest of the game makes it."""
    share = min(1.0, HASTE * left)
    return tuple([lost * share for lost in LOST])


def held(board: Board, island: int, lost: tuple[float, ...], players: int) -> list[float]:
    """For each seat the chance that it has a ship on the island at the end, by the ships that it has there now."""
    royal = board.royal[island]
    chances = [0.0] * players
    if royal >= 0:
        chances[royal] = 1.0
        return chances
    if board.ashore[island]:
        first = FIRST_BEACH[island]
        for beach in range(first, first + N_BEACHES[island]):
            packed = board.packed[beach]
            if packed:
                risk = lost[BERTHS[beach] - board.count[beach]]
                seen = -1
                for seat in seats_of(packed):
                    if seat != seen:
                        seen = seat
                        chances[seat] = 1.0 - (1.0 - chances[seat]) * risk
    return chances


def outlook(state: TongiakiState) -> list[float]:
    """The points that each seat may expect at the end of the game."""
    outcome = state.outcome
    if outcome is not None:
        return [float(score) for score in outcome.scores]
    board = state.board
    players = state.players
    left = horizon(state.deck)
    lost = losses(left)
    points = [0.0] * players
    for island in board.islands:
        worth = POINTS[island]
        for seat, chance in enumerate(held(board, island, lost, players)):
            if chance:
                points[seat] += worth * chance + FLEET * left
    return points
