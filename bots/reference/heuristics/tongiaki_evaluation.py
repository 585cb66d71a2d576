"""What a position of Tongiaki promises each seat: points it will keep, and those it may still win. Nothing is played out.

Tongiaki is swingy: in 600 games between experts the lead in points with half of the deck to come explained about a tenth of the variance
of the final lead, and with less than a fifth to come half of it. So only a few things are worth knowing; ``tongiaki`` says which.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from engine.tongiaki import TongiakiState
from engine.tongiaki.board.board import EMPTY, FAILS, TongiakiBoard
from engine.tongiaki.board.tiles import BERTHS, FIRST_BEACH, N_BEACHES, N_ISLANDS, PIERS, POINTS, ROUTE_COLORS
from engine.tongiaki.rules.landing import packed_colors, packed_seats

TILES: Final = 31
"""Tiles in the deck."""
LOST: Final[tuple[float, ...]] = (0.6, 0.4, 0.3, 0.2, 0.12, 0.08)
"""By a beach's free berths, the probability in mid-game that the ships there will not be on the island at the end."""
HASTE: Final = 6.0
"""How late those probabilities begin to shrink: they are full while more than one tile in ``HASTE`` is left."""
NEW_ISLAND: Final = 3.5
"""The mean points of an island."""
FLEET: Final = 0.3
"""Points that an island held for a whole game is worth as a place to sail from."""
PROSPECT: Final = 1.5
"""The weight of a prospect near the end, when nothing else will come; see ``prospects``."""
PROSPECT_FADES: Final = 2.4
"""How fast that weight falls with what is left of the game, down to ``PROSPECT_EARLY``: given time, every seat finds a way."""
PROSPECT_EARLY: Final = 0.3
TO_COME: Final = 24.0
"""Points that each of two players wins in a whole game; with more players each wins less, as one over the square root."""


@lru_cache(maxsize=8192)
def seats_in(packed: int) -> tuple[int, ...]:
    """Return the different seats of packed ships, ascending."""
    return tuple(dict.fromkeys(packed_seats(packed)))


def horizon(deck: list[int]) -> float:
    """Return the share of the deck that will still be drawn, on average: 1 at the start, 0 at the end.

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
    """Return ``LOST``, scaled to the rest of the game."""
    share = min(1.0, HASTE * left)
    return tuple([lost * share for lost in LOST])


def held(board: TongiakiBoard, island: int, lost: tuple[float, ...], players: int) -> list[float]:
    """Return each seat's chance to have a ship on the island at the end, by the ships that it has there now."""
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
                for seat in seats_in(packed):
                    chances[seat] = 1.0 - (1.0 - chances[seat]) * risk
    return chances


def finds(deck: list[int], players: int) -> list[float]:
    """Return the points that a group finds on average where no tile lies yet, by its number of colours.

    The next tile is an island, or a water that lets it pass to one: of the routes that a group may be led onto, that of side 0 (RULES 4).
    """
    islands = 0
    waters = [0] * 5
    for tile in deck:
        if tile < N_ISLANDS:
            islands += 1
        else:
            waters[ROUTE_COLORS[6 * tile]] += 1
    tiles = max(1, len(deck))
    found = [0.0]
    passed = 0
    for colors in range(1, players + 1):
        passed += waters[colors] if colors < len(waters) else 0
        found.append(NEW_ISLAND * islands / tiles * (1.0 + passed / tiles))
    return found


def prospects(board: TongiakiBoard, found: list[float], players: int) -> list[float]:
    """Return each seat's best departure to an island it does not hold: the points there, divided by the ships that the beach lacks.

    This distinguishes a locked-in seat, whose every pier leads to a route that needs more colours, from one that can sail on.
    """
    best = [0.0] * players
    for island in board.islands:
        ashore = board.ashore[island]
        if not ashore:
            continue
        seats = seats_in(ashore)
        first = FIRST_BEACH[island]
        for beach in range(first, first + N_BEACHES[island]):
            free = BERTHS[beach] - board.count[beach]
            if not free:
                continue
            packed = board.packed[beach]
            colors = packed_colors(packed)
            for seat in seats:
                aboard = colors if packed >> 4 * seat & 15 else colors + 1
                for side in PIERS[beach]:
                    target = board.voyage(island, side, aboard)
                    if target == EMPTY:
                        points = found[aboard]
                    elif target == FAILS or board.ashore[target] >> 4 * seat & 15:
                        continue
                    else:
                        points = float(POINTS[target])
                    if points > best[seat] * free:
                        best[seat] = points / free
    return best


def evaluate(state: TongiakiState) -> list[float]:
    """Return the points that each seat may expect at the end of the game; once the game is over, its scores."""
    outcome = state.outcome
    if outcome is not None:
        return [float(score) for score in outcome.scores]
    board = state.board
    players = state.players
    left = horizon(state.deck)
    lost = losses(left)
    weight = max(PROSPECT_EARLY, PROSPECT - PROSPECT_FADES * left)
    points = [TO_COME * left * (2 / players) ** 0.5 + weight * best for best in prospects(board, finds(state.deck, players), players)]
    for island in board.islands:
        worth = POINTS[island]
        for seat, chance in enumerate(held(board, island, lost, players)):
            if chance:
                points[seat] += worth * chance + FLEET * left
    return points
