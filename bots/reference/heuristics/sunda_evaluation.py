"""Estimates each seat's expected points in Sunda to Sahul, from the points on islands and their possible growth.

This module evaluates whole positions. The effects of single placements are evaluated in ``sunda_placement_scores``.
"""

from __future__ import annotations

from typing import Final

from engine.sunda import SundaState
from engine.sunda.board.claims import TRIBE_SIZE, controller
from engine.sunda.board.trigrid import SPAN
from engine.sunda.position import Position

WATER_RIGHTS: Final = 5
"""The points for each vertex of a lake (RULES 6)."""

COMPLETED: Final[tuple[float, ...]] = (1.0, 0.2, 0.08, 0.04, 0.03, 0.02)
"""The probability that an island is complete at the end, by its number of open vertices. In matches between bots that consider this chance,
rivals prevented completion: of the islands with one open vertex, fewer than one in five were completed, and none after more than a third
of the tiles had been laid."""
HARDLY: Final = 0.01
"""The probability that an island is complete at the end if it has more open vertices than ``COMPLETED`` covers."""

GROWTH: Final = 0.6
"""The share of the points for each tribe's next token that is counted in advance, while its island is incomplete. Values from 0.45 to 0.75
play about equally well. With 1, the bot never lets a tribe grow, since the expected points would count as much as real points."""

WIN_OF_DICE: Final = {
    (1, 1): 21 / 36, (2, 1): 161 / 216, (3, 1): 1071 / 1296, (1, 2): 91 / 216, (1, 3): 441 / 1296,
}  # fmt: skip
"""The challenger's chance of winning, by (its dice, the other side's dice). The highest die counts; the challenger wins ties (RULES 5)."""


def chance(n_open: int) -> float:
    """Return the probability that an island with ``n_open`` open vertices is complete at the end."""
    return COMPLETED[n_open] if n_open < len(COMPLETED) else HARDLY


def odds(own: int, other: int) -> float:
    """Return the probability that a tribe of the size ``own`` wins a challenge against a tribe of the size ``other``."""
    return WIN_OF_DICE[min(3, max(1, own - other)), min(3, max(1, other - own))]


class Isle:
    """What is on an island: its tribes and resource markers, and each seat's tokens and points before doubling."""

    __slots__ = ("markers", "points", "tokens", "tribes")

    def __init__(self, players: int) -> None:
        self.points = [0.0] * players
        self.tokens = [0] * players
        self.tribes: list[tuple[int, tuple[int, ...]]] = []
        self.markers = 0


def isles_of(p: Position) -> dict[int, Isle]:
    """Return the islands that have tokens or markers, by their representative vertices."""
    board, claims, players = p.board, p.claims, p.players
    name = board.islands.name
    tribal = p.level >= 2
    isles: dict[int, Isle] = {}
    for vertex, tribe in claims.tribes.items():
        body = name[vertex]
        isle = isles.get(body)
        if isle is None:
            isle = isles[body] = Isle(players)
        worth = len(tribe) if tribal else 1
        for seat in tribe:
            isle.points[seat] += worth
            isle.tokens[seat] += 1
        isle.tribes.append((vertex, tribe))
    for lake, seat in claims.lakes.items():
        body = name[lake - SPAN]
        isle = isles.get(body)
        if isle is None:
            isle = isles[body] = Isle(players)
        isle.points[seat] += WATER_RIGHTS * board.islands.size[name[lake]]
        isle.tokens[seat] += 1
    for value, vertex in claims.markers:
        body = claims.island_of(board, vertex)
        isle = isles.get(body)
        if isle is None:
            isle = isles[body] = Isle(players)
        isle.markers += value
    return isles


def shares(isle: Isle) -> list[float]:
    """Return each seat's expected share of an island's resources. The seat with the most tokens at the end takes everything, but a
    small lead may still be lost."""
    best = max(isle.tokens)
    if best == 0:
        return [0.0] * len(isle.tokens)
    weights = [0.0 if tokens == 0 else 4.0 ** (tokens - best) for tokens in isle.tokens]
    total = sum(weights)
    return [weight / total for weight in weights]


def evaluate(state: SundaState) -> list[float]:
    """Return each seat's expected final points, or its current points in solo play and once the game is over."""
    p = state.inside
    if p.alone or p.ending is not None:
        return [float(points) for points in state.points]
    totals = [0.0] * p.players
    n_open = p.board.islands.open
    seats = range(p.players)
    for body, isle in isles_of(p).items():
        still_open = n_open[body]
        double = 1.0 + chance(still_open)
        for seat in seats:
            totals[seat] += isle.points[seat] * double
        if isle.markers:
            for seat, share in enumerate(shares(isle)):
                totals[seat] += share * 2 * double * isle.markers
        if p.level >= 2:
            for _, tribe in isle.tribes:
                size = len(tribe)
                if still_open and size < TRIBE_SIZE:
                    lead = controller(tribe)
                    totals[lead] += GROWTH * (size + tribe.count(lead) + 1) * double
    return totals


def loss(tribe: tuple[int, ...], seat: int) -> float:
    """Return the points that a tribe's controller ``seat`` loses if it takes back one of its tokens; a complete island doubles them."""
    size, own = len(tribe), tribe.count(seat)
    return float(size * own - (size - 1) * (own - 1))


def attack(isle: Isle, seat: int, *, with_new: bool) -> float:
    """Return the expected gain of a seat's best challenge on an island. With ``with_new``, the seat founds a tribe there first."""
    tribes = [tribe for _, tribe in isle.tribes]
    mine = [tribe for tribe in tribes if controller(tribe) == seat]
    if with_new:
        mine.append((seat,))
    best = 0.0
    for other in tribes:
        lead = controller(other)
        if lead != seat:
            hurt = loss(other, lead)
            for tribe in mine:
                win = odds(len(tribe), len(other))
                best = max(best, win * hurt - (1 - win) * loss(tribe, seat))
    return best
