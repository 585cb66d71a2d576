"""Where tiles can be laid: what each free lozenge demands of a tile, and the triangular spaces that one there would make (RULES 3).

It owns patterns on lozenges; vertices and their bodies are in ``board``. ``put`` and ``clear`` keep everything up to date by counting.
"""

from __future__ import annotations

from typing import Final, final

from engine.sunda.tiles import (
    CORNER_DIGIT,
    DEMAND_BITS,
    HALF_TURN,
    N_DEMANDS,
    N_TILES,
    PATTERN_BITS,
    PATTERN_OF_TILE,
    SIDE_DIGIT,
    SIDED,
    SYMMETRIC,
    TILES_FITTING,
)
from engine.sunda.trigrid import ACROSS, BEYOND, INNER, OUTER, TOUCHING, VERTEX_LOZENGES, half_turned, triangles_of

GAP: Final = N_DEMANDS
"""Counts, above the demand of a lozenge, the triangular spaces that a tile there would make."""

BLOCK: Final = 1 << 16
"""Counts, above that, the triangles of a lozenge that are covered."""


@final
class Spots:
    """The lozenges on and around the table.

    ``free`` has the uncovered ones with a laid tile at one of their sides: what the spot demands of a tile, plus ``GAP`` for each
    triangular space that a tile there would make. ``tight`` repeats the demands of those that make exactly one, and ``fits`` counts
    for each of the 136 tiles its placements at spots that make none.
    """

    def __init__(self) -> None:
        self.cover: dict[int, int] = {}  # triangle: tile
        self.demands: dict[int, int] = {}  # lozenge, covered or not: demand of its surroundings, GAPs and BLOCKs
        self.free: dict[int, int] = {}
        self.tight: dict[int, int] = {}
        self.fits: list[int] = [0] * N_TILES

    def copy(self) -> Spots:
        """An independent copy."""
        other = Spots()
        other.cover = self.cover.copy()
        other.demands = self.demands.copy()
        other.free = self.free.copy()
        other.tight = self.tight.copy()
        other.fits = self.fits.copy()
        return other

    def fit(self, tile: int, lozenge: int, demand: int) -> list[int]:
        """The placements of a tile on a lozenge that meet a demand."""
        allowed = DEMAND_BITS[demand]
        pattern = PATTERN_OF_TILE[tile]
        found: list[int] = []
        if allowed & PATTERN_BITS[pattern] == PATTERN_BITS[pattern]:
            found.append(lozenge)
        turned = PATTERN_BITS[HALF_TURN[pattern]]
        if not SYMMETRIC[tile] and allowed & turned == turned:
            found.append(half_turned(lozenge))
        return found

    def places(self, tile: int) -> list[int]:
        """All placements of a tile that fit and make no triangular space, ascending."""
        found: list[int] = []
        left = self.fits[tile]
        pattern = PATTERN_OF_TILE[tile]
        straight = PATTERN_BITS[pattern]
        turned = PATTERN_BITS[HALF_TURN[pattern]]
        for lozenge, spot in self.free.items():
            if left == 0:
                break
            if spot < N_DEMANDS:
                allowed = DEMAND_BITS[spot]
                if allowed & straight == straight:
                    found.append(lozenge)
                    left -= 1
                if turned != straight and allowed & turned == turned:
                    found.append(half_turned(lozenge))
                    left -= 1
        found.sort()
        return found

    def spaces_at(self, lozenge: int) -> list[int]:
        """The triangular spaces that a tile on a free lozenge would make, or that one lying there has made."""
        base = lozenge // 6 * 2
        cover = self.cover
        return [
            base + across
            for across, one, other in OUTER[lozenge % 6]
            if base + across not in cover and base + one in cover and base + other in cover
        ]

    # Changes

    def demand_corner(self, vertex: int, kind: int, sign: int) -> None:
        """Demand a type of all lozenges with a corner at a vertex, or with sign -1 no longer; ``refresh`` must follow."""
        demands = self.demands
        amount = sign * (kind + 1)
        for lozenge, number in VERTEX_LOZENGES:
            demands[6 * vertex + lozenge] = demands.get(6 * vertex + lozenge, 0) + amount * CORNER_DIGIT[number]

    def put(self, lozenge: int, tile: int, pattern: int) -> None:
        """Cover a lozenge with a tile that shows this pattern; ``refresh`` must follow."""
        self._mark_inside(lozenge, -GAP)
        first, second = triangles_of(lozenge)
        self.cover[first] = tile
        self.cover[second] = tile
        self._block(lozenge, BLOCK)
        self._mark_beside(lozenge, GAP)
        self._demand_sides(lozenge, pattern, 1)

    def clear(self, lozenge: int, pattern: int) -> None:
        """Uncover a lozenge: ``put`` backwards; ``refresh`` must follow."""
        self._demand_sides(lozenge, pattern, -1)
        self._mark_beside(lozenge, -GAP)
        first, second = triangles_of(lozenge)
        del self.cover[first]
        del self.cover[second]
        self._block(lozenge, -BLOCK)
        self._mark_inside(lozenge, GAP)

    def refresh(self, lozenge: int) -> None:
        """Bring ``free``, ``tight`` and ``fits`` up to date after the tile on a lozenge or the types of its corners have changed."""
        for offset in TOUCHING[lozenge % 6]:
            self._refresh(lozenge + offset)

    def _demand_sides(self, lozenge: int, pattern: int, sign: int) -> None:
        """Add (or with sign -1 take back) what a tile with this pattern demands of the lozenges across its sides."""
        demands = self.demands
        sides = ACROSS[lozenge % 6]
        for side in range(4):
            wanted = sign * (2 - (pattern >> (3 - side) & 1))  # a tab wants a blank and a blank a tab
            one, one_side, other, other_side = sides[side]
            demands[lozenge + one] = demands.get(lozenge + one, 0) + wanted * SIDE_DIGIT[one_side]
            demands[lozenge + other] = demands.get(lozenge + other, 0) + wanted * SIDE_DIGIT[other_side]

    def _block(self, lozenge: int, amount: int) -> None:
        """Note that the triangles of a lozenge are covered, for all lozenges with one of them."""
        demands = self.demands
        demands[lozenge] = demands.get(lozenge, 0) + 2 * amount
        for offset in INNER[lozenge % 6]:
            demands[lozenge + offset] = demands.get(lozenge + offset, 0) + amount

    # A lozenge gets one GAP for each uncovered triangle across its sides whose two other neighbours are covered: a tile there would
    # make it a triangular space. These two keep that right for the triangles of the lozenge that a tile covers, and for those beside it.

    def _mark_inside(self, lozenge: int, amount: int) -> None:
        d = lozenge % 6
        base = lozenge // 6 * 2
        cover = self.cover
        demands = self.demands
        outer = OUTER[d]
        one, other, third, fourth = INNER[d]
        if base + outer[0][0] in cover and base + outer[3][0] in cover:
            demands[lozenge + one] = demands.get(lozenge + one, 0) + amount
            demands[lozenge + other] = demands.get(lozenge + other, 0) + amount
        if base + outer[1][0] in cover and base + outer[2][0] in cover:
            demands[lozenge + third] = demands.get(lozenge + third, 0) + amount
            demands[lozenge + fourth] = demands.get(lozenge + fourth, 0) + amount

    def _mark_beside(self, lozenge: int, amount: int) -> None:
        d = lozenge % 6
        base = lozenge // 6 * 2
        cover = self.cover
        demands = self.demands
        outer = OUTER[d]
        beyond = BEYOND[d]
        for side in range(4):
            across, one, other = outer[side]
            if base + across in cover:
                continue
            first, second, third, fourth = beyond[side]
            if base + other in cover:
                demands[lozenge + first] = demands.get(lozenge + first, 0) + amount
                demands[lozenge + second] = demands.get(lozenge + second, 0) + amount
            if base + one in cover:
                demands[lozenge + third] = demands.get(lozenge + third, 0) + amount
                demands[lozenge + fourth] = demands.get(lozenge + fourth, 0) + amount

    def _refresh(self, lozenge: int) -> None:
        """Bring ``spots``, ``tight`` and ``fits`` up to date for one lozenge."""
        spot = self.demands.get(lozenge, 0)
        if spot >= BLOCK or spot % N_DEMANDS < SIDED:
            spot = 0
        before = self.free.get(lozenge, 0)
        if spot == before:
            return
        fits = self.fits
        if before:
            if before < N_DEMANDS:
                for tile in TILES_FITTING[before]:
                    fits[tile] -= 1
            elif before < 2 * N_DEMANDS:
                del self.tight[lozenge]
        if not spot:
            del self.free[lozenge]
            return
        self.free[lozenge] = spot
        if spot < N_DEMANDS:
            for tile in TILES_FITTING[spot]:
                fits[tile] += 1
        elif spot < 2 * N_DEMANDS:
            self.tight[lozenge] = spot - N_DEMANDS
