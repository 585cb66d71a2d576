"""A cache of moves for the legal placements, kept in the order of RULES 9 and updated from one position to the next.

A position creates a ``MoveCache`` when its moves are first listed; if moves are only drawn at random, it never does. ``rules.legal`` keeps
the cache up to date, and ``board.placement_index`` records which moves are listed on each spot.
"""

from __future__ import annotations

from typing import final

from mypy_extensions import i64

from engine.sunda.board.tiles import N_TILES, WAYS
from engine.sunda.board.trigrid import half_turned
from engine.sunda.notation.moves import PLACE, SundaMove


@final
class MoveCache:
    """For each tile that is in a pot, the moves that lay it, ascending. Once a tile is laid, its list is no longer updated or used."""

    __slots__ = ("_placements",)

    def __init__(self, origin: MoveCache | None = None) -> None:
        if origin is None:
            self._placements: list[list[SundaMove]] = [[] for _ in range(N_TILES)]
        else:
            self._placements = [placements.copy() for placements in origin._placements]

    def placements(self, pot: int, pot_of: list[int]) -> list[SundaMove]:
        """Return the placements of the tiles of a pot, in the order of RULES 9."""
        moves: list[SundaMove] = []
        for owner, placements in zip(pot_of, self._placements):  # noqa: B905  # mypyc compiles this to a plain loop, but not with strict
            if owner == pot:
                moves += placements
        return moves

    def relist(self, lozenge: i64, before: i64, demand: i64, pot_of: list[int]) -> None:
        """Update the placements on a lozenge whose demand changed from ``before`` to ``demand``; a lozenge with demand 0 has none."""
        if before and demand:
            # Usually the spot demands more than it did: for each new digit, remove the placements that meet the opposite digit.
            old = before
            new = demand
            weight: i64 = 1
            while old != new:
                asked = new % 3
                if old % 3 != asked:
                    if old % 3:
                        break
                    self._remove(lozenge, before + (3 - asked) * weight, pot_of)
                    before += asked * weight
                old //= 3
                new //= 3
                weight *= 3
            if before == demand:
                return
        if before:
            self._remove(lozenge, before, pot_of)
        if demand:
            self._insert(lozenge, demand, pot_of)

    def _insert(self, lozenge: i64, demand: i64, pot_of: list[int]) -> None:
        all_placements = self._placements
        ways = WAYS.ways
        turned: i64 = half_turned(lozenge)
        at = i64(WAYS.starts[demand])
        end = i64(WAYS.starts[demand + 1])
        while at < end:
            way = i64(ways[at])
            if pot_of[way >> 1] >= 0:
                placements = all_placements[way >> 1]
                placement = turned if way & 1 else lozenge
                placements.insert(_place_of(placements, placement), SundaMove(PLACE, way >> 1, placement))
            at += 1

    def _remove(self, lozenge: i64, demand: i64, pot_of: list[int]) -> None:
        all_placements = self._placements
        ways = WAYS.ways
        turned: i64 = half_turned(lozenge)
        at = i64(WAYS.starts[demand])
        end = i64(WAYS.starts[demand + 1])
        while at < end:
            way = i64(ways[at])
            if pot_of[way >> 1] >= 0:
                placements = all_placements[way >> 1]
                placements.pop(_place_of(placements, turned if way & 1 else lozenge))
            at += 1


def _place_of(moves: list[SundaMove], placement: i64) -> i64:
    """Return the index of the first move whose placement is at least ``placement``; all moves lay one tile, sorted by placement."""
    low: i64 = 0
    high: i64 = len(moves)
    while low < high:
        middle = (low + high) >> 1
        if moves[middle].second < placement:
            low = middle + 1
        else:
            high = middle
    return low


def merged(moves: list[SundaMove], more: list[tuple[int, int]]) -> list[SundaMove]:
    """Merge sorted moves and additional (tile, placement) pairs into one sorted list of moves."""
    if not more:
        return moves
    more.sort()
    both: list[SundaMove] = []
    at = 0
    for move in moves:
        while at < len(more):
            tile, placement = more[at]
            if tile > move.first or (tile == move.first and placement > move.second):
                break
            both.append(SundaMove(PLACE, tile, placement))
            at += 1
        both.append(move)
    both += [SundaMove(PLACE, tile, placement) for tile, placement in more[at:]]
    return both
