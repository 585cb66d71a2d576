"""Estimates each seat's expected points in Tongiaki: points that it will keep and points that it may still win. No moves are played.

Luck dominates Tongiaki. In 600 games between experts, the lead in points explained about 10% of the variance of the final lead when half
of the deck was left, and 50% when less than a fifth of it was left. So only a few factors matter; the module ``tongiaki`` lists them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from engine.tongiaki import TongiakiState
from engine.tongiaki.board.board import EMPTY, FAILS, TongiakiBoard
from engine.tongiaki.board.tiles import BERTHS, FIRST_BEACH, N_BEACHES, N_ISLANDS, PIERS, POINTS, ROUTE_COLORS
from engine.tongiaki.rules.landing import packed_colors, packed_seats

TILES: Final = 31
"""The number of tiles in the deck."""
LOST: Final[tuple[float, ...]] = (0.6, 0.4, 0.3, 0.2, 0.12, 0.08)
"""The probability, in mid-game, that ships on a beach will not be on the island at the end, by the beach's number of free berths."""
HASTE: Final = 6.0
"""The probabilities in ``LOST`` apply while more than 1 / ``HASTE`` of the deck is left; after that, they decrease to 0."""
NEW_ISLAND: Final = 3.5
"""The average points of an island."""
FLEET: Final = 0.3
"""The value of an island as a place to sail from, in points, if it is held for a whole game."""
PROSPECT: Final = 1.5
"""The weight, near the end of the game, of a seat's best prospect; see ``prospects``."""
PROSPECT_FADES: Final = 2.4
"""The weight of a prospect is ``PROSPECT`` minus this number times the share of the deck that is left, since early in the game every seat
finds a way to sail. It is at least ``PROSPECT_EARLY``."""
PROSPECT_EARLY: Final = 0.3
TO_COME: Final = 24.0
"""The points that each player wins in a whole two-player game. For more players, this is divided by the square root of half the number of
players."""


@lru_cache(maxsize=8192)
def seats_in(packed: int) -> tuple[int, ...]:
    """Return the seats that own any of the packed ships, in ascending order."""
    return tuple(dict.fromkeys(packed_seats(packed)))


def horizon(deck: list[int]) -> float:
    """Return the expected share of the deck that is still to be drawn, from about 1 at the start to 0 at the end.

    The game ends with the last island or the last water (RULES 6). In a shuffled deck with ``i`` islands and ``w`` waters, on average ``i /
    (w + 1)`` islands come after the last water, and ``w / (i + 1)`` waters come after the last island.
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
    """Return ``LOST``, scaled for the share ``left`` of the deck that is still to be drawn."""
    share = min(1.0, HASTE * left)
    return tuple([lost * share for lost in LOST])


def held(board: TongiakiBoard, island: int, lost: tuple[float, ...], players: int) -> list[float]:
    """Return each seat's chance of keeping one of its ships on the island until the end; ``lost`` comes from ``losses``."""
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
    """Return the points that a group wins on average if it sails where no tile lies yet, by the number of colours in the group.

    The next tile is an island, or a water with a route that the group can follow to an island. As an estimate, the route from side 0 is
    used for each water (RULES 4).
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
    """Return each seat's best prospect: the points of an island it can newly reach, divided by the free berths of the beach it leaves.

    This distinguishes seats that can sail on from locked-in seats, whose piers all lead to routes that need more colours.
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
    """Return the expected final points of each seat or, once the game is over, the scores."""
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
