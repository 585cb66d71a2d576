"""Where tiles can be laid: what each free lozenge demands of a tile, and the triangular spaces that one there would make (RULES 3).

It owns the free lozenges beside the table; vertices and their bodies are in ``board``. ``put`` brings up to date just what a new tile
changes; ``clear``, which a game needs seldom, looks at all lozenges around again.
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
    TILES_FITTING,
)
from engine.sunda.trigrid import (
    BESIDE,
    BESIDE_STEP,
    CORNER_LOZENGES,
    CORNER_OFFSETS,
    OUTER,
    OVERLAPPING,
    TOUCHING,
    TRIANGLES,
    half_turned,
    lozenge_of,
)

GAP: Final = N_DEMANDS
"""Counts, above the demand of a lozenge, the triangular spaces that a tile there would make."""

NOBODY: Final = -1
"""In the place of a tile: none."""

MAX_CHANGES: Final = 200
"""So many changes are worth remembering; after more of them it is quicker to look at every spot."""


@final
class Spots:
    """The lozenges beside the table.

    ``free`` has the uncovered ones with a laid tile at one of their sides: what the spot demands of a tile, plus ``GAP`` for each
    triangular space that a tile there would make. ``tight`` repeats the demands of those that make exactly one. ``fits`` counts for
    each of the 136 tiles its placements at spots that make none, ``squeezes`` those on tight ones. Once ``is_watched``, ``changed`` names
    the spots that have come, gone or changed since it was last emptied, up to ``MAX_CHANGES``. ``lies`` and ``types`` are the table's own.
    """

    def __init__(self, lies: dict[int, int], types: dict[int, int], origin: Spots | None = None) -> None:
        """The spots of an empty table, or a copy of those of another, for a table with copies of its tiles and types."""
        self.lies: Final = lies
        self.types: Final = types
        if origin is None:
            self.cover: dict[int, int] = {}  # triangle: tile
            self.free: dict[int, int] = {}
            self.tight: dict[int, int] = {}
            self.fits: list[int] = [0] * N_TILES
            self.squeezes: list[int] = [0] * N_TILES
            self.changed: list[int] = []
            self.is_watched = False
        else:
            self.cover = origin.cover.copy()
            self.free = origin.free.copy()
            self.tight = origin.tight.copy()
            self.fits = origin.fits.copy()
            self.squeezes = origin.squeezes.copy()
            self.changed = origin.changed.copy()
            self.is_watched = origin.is_watched

    # Questions

    def places(self, tile: int) -> list[int]:
        """All placements of a tile that fit and make no triangular space, ascending."""
        found: list[int] = []
        left = self.fits[tile]
        pattern = PATTERN_OF_TILE[tile]
        straight = PATTERN_BITS[pattern]
        turned = PATTERN_BITS[HALF_TURN[pattern]]
        demand_bits = DEMAND_BITS
        for lozenge, spot in self.free.items():
            if left == 0:
                break
            if spot < N_DEMANDS:
                allowed = demand_bits[spot]
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

    def makes_space(self, lozenge: int) -> bool:
        """Whether a tile lying on a lozenge has made a triangular space."""
        base = lozenge // 6 * 2
        cover = self.cover
        beside = BESIDE[lozenge % 6]
        for at in range(0, 4 * BESIDE_STEP, BESIDE_STEP):
            if base + beside[at] not in cover and base + beside[at + 1] in cover and base + beside[at + 2] in cover:
                return True
        return False

    def demand(self, lozenge: int) -> int:
        """What the surroundings of an uncovered lozenge demand of a tile there, beside the table or not."""
        return self._corners(lozenge, ()) + self._sides(lozenge, NOBODY) % N_DEMANDS

    def look(self, lozenge: int, without: int = NOBODY, bare: tuple[int, ...] = ()) -> int:
        """What ``free`` has to say of a lozenge, 0 for nothing, worked out from the tiles.

        It can leave a tile out, with the vertices at which that tile lies alone.
        """
        base = lozenge // 6 * 2
        first, second = TRIANGLES[lozenge % 6]
        if self.cover.get(base + first, without) != without or self.cover.get(base + second, without) != without:
            return 0
        sides = self._sides(lozenge, without)
        if sides % N_DEMANDS < SIDED:
            return 0
        return sides + self._corners(lozenge, bare)

    def _corners(self, lozenge: int, bare: tuple[int, ...]) -> int:
        """What the types of its corners demand of a tile on a lozenge."""
        vertex = lozenge // 6
        corners = CORNER_OFFSETS[lozenge % 6]
        types = self.types
        demand = 0
        for corner in range(4):
            kind = types.get(vertex + corners[corner], -1)
            if kind >= 0 and (not bare or vertex + corners[corner] not in bare):
                demand += (kind + 1) * CORNER_DIGIT[corner]
        return demand

    def _sides(self, lozenge: int, without: int) -> int:
        """What the tiles at its sides demand of a tile on a lozenge, with a GAP for each triangular space that it would make."""
        base = lozenge // 6 * 2
        beside = BESIDE[lozenge % 6]
        cover = self.cover
        demand = 0
        at = 0
        for side in range(4):
            tile = cover.get(base + beside[at], without)
            if tile != without:
                demand += self._asks(tile, lozenge, beside, at) * SIDE_DIGIT[side]
            elif cover.get(base + beside[at + 1], without) != without and cover.get(base + beside[at + 2], without) != without:
                demand += GAP
            at += BESIDE_STEP
        return demand

    def _asks(self, tile: int, lozenge: int, beside: list[int], at: int) -> int:
        """The digit with which a tile demands that a tab meets a blank of its neighbour on a lozenge."""
        placement = self.lies[tile]
        pattern = PATTERN_OF_TILE[tile]
        where = lozenge_of(placement)
        if where != placement:
            pattern = HALF_TURN[pattern]
        side = beside[at + 4] if where - lozenge == beside[at + 3] else beside[at + 6]
        return 2 - (pattern >> (3 - side) & 1)

    # Changes

    def put(self, lozenge: int, tile: int, pattern: int, fresh: list[int]) -> None:
        """Note that a tile has been laid that shows this pattern, and is the first at the ``fresh`` ones of its vertices."""
        free = self.free
        cover = self.cover
        d = lozenge % 6
        base = lozenge // 6 * 2
        for offset in OVERLAPPING[d]:
            spot = free.get(lozenge + offset, 0)
            if spot:
                del free[lozenge + offset]
                self._count(lozenge + offset, spot, 0)
        first, second = TRIANGLES[d]
        cover[base + first] = tile
        cover[base + second] = tile
        for vertex in fresh:
            digit = self.types[vertex] + 1
            around = 6 * vertex
            for number in range(12):
                self._narrow(around + CORNER_LOZENGES[number], digit, CORNER_DIGIT[number & 3])
        born: list[int] = []
        beside = BESIDE[d]
        at = 0
        for side in range(4):
            if base + beside[at] not in cover:
                has_one = base + beside[at + 1] in cover
                has_other = base + beside[at + 2] in cover
                if not has_one:
                    self._border(lozenge + beside[at + 3], beside[at + 4], pattern, side, born)
                    if has_other:  # a tile on the lozenges beyond would close the triangle across in
                        self._add_gap(lozenge + beside[at + 7])
                        self._add_gap(lozenge + beside[at + 8])
                if not has_other:
                    self._border(lozenge + beside[at + 5], beside[at + 6], pattern, side, born)
                    if has_one:
                        self._add_gap(lozenge + beside[at + 9])
                        self._add_gap(lozenge + beside[at + 10])
            at += BESIDE_STEP
        for number in range(0, len(born), 3):
            self._bear(born[number], born[number + 1], born[number + 2])

    def clear(self, lozenge: int) -> None:
        """Note that the tile on a lozenge has been taken off the table."""
        base = lozenge // 6 * 2
        for triangle in TRIANGLES[lozenge % 6]:
            del self.cover[base + triangle]
        free = self.free
        for offset in TOUCHING[lozenge % 6]:
            near = lozenge + offset
            before = free.get(near, 0)
            after = self.look(near)
            if after != before:
                if after:
                    free[near] = after
                else:
                    del free[near]
                self._count(near, before, after)

    def _border(self, lozenge: int, own_side: int, pattern: int, side: int, born: list[int]) -> None:
        """Let the side of a tile demand its counterpart of an uncovered lozenge across: of a spot, or of one that is born by it."""
        digit = 2 - (pattern >> (3 - side) & 1)  # a tab wants a blank and a blank a tab
        if lozenge in self.free:
            self._narrow(lozenge, digit, SIDE_DIGIT[own_side])
            return
        start = (pattern >> (7 - side) & 1) + 1
        end = (pattern >> (7 - (side + 1 & 3)) & 1) + 1
        corners = end * CORNER_DIGIT[own_side] + start * CORNER_DIGIT[own_side + 1 & 3]
        born.append(lozenge)
        born.append(own_side)
        born.append(digit * SIDE_DIGIT[own_side] + corners)

    def _bear(self, lozenge: int, side: int, demand: int) -> None:
        """Let a lozenge be a spot whose only neighbour is at one side; the demand is so far that of this side and its two corners."""
        d = lozenge % 6
        vertex = lozenge // 6
        corners = CORNER_OFFSETS[d]
        types = self.types
        for step in range(2, 4):
            corner = side + step & 3
            demand += (types.get(vertex + corners[corner], -1) + 1) * CORNER_DIGIT[corner]
        base = 2 * vertex
        beside = BESIDE[d]
        for step in range(1, 4):
            at = (side + step & 3) * BESIDE_STEP
            if base + beside[at + 1] in self.cover and base + beside[at + 2] in self.cover:
                demand += GAP
        self.free[lozenge] = demand
        self._count(lozenge, 0, demand)

    def _narrow(self, lozenge: int, digit: int, weight: int) -> None:
        """Let a spot, if there is one, demand a digit where anything went so far."""
        spot = self.free.get(lozenge, 0)
        if not spot:
            return
        self.free[lozenge] = spot + digit * weight
        if self.is_watched and len(self.changed) < MAX_CHANGES:
            self.changed.append(lozenge)
        opposite = (3 - digit) * weight  # what meets this demand instead is out
        if spot < N_DEMANDS:
            fits = self.fits
            for tile in TILES_FITTING[spot + opposite]:
                fits[tile] -= 1
        elif spot < 2 * N_DEMANDS:
            squeezes = self.squeezes
            for tile in TILES_FITTING[spot - N_DEMANDS + opposite]:
                squeezes[tile] -= 1
            self.tight[lozenge] = spot - N_DEMANDS + digit * weight

    def _add_gap(self, lozenge: int) -> None:
        """Note that a tile on a spot, if there is one, would make a triangular space more."""
        spot = self.free.get(lozenge, 0)
        if spot:
            self.free[lozenge] = spot + GAP
            self._count(lozenge, spot, spot + GAP)

    def _count(self, lozenge: int, before: int, after: int) -> None:
        """Bring all that is counted up to date after a spot has changed; 0 is no spot."""
        if before == after:
            return
        if self.is_watched and len(self.changed) < MAX_CHANGES:
            self.changed.append(lozenge)
        if before and before < N_DEMANDS:
            fits = self.fits
            for tile in TILES_FITTING[before]:
                fits[tile] -= 1
        elif before and before < 2 * N_DEMANDS:
            squeezes = self.squeezes
            for tile in TILES_FITTING[before - N_DEMANDS]:
                squeezes[tile] -= 1
            del self.tight[lozenge]
        if after and after < N_DEMANDS:
            fits = self.fits
            for tile in TILES_FITTING[after]:
                fits[tile] += 1
        elif after and after < 2 * N_DEMANDS:
            squeezes = self.squeezes
            for tile in TILES_FITTING[after - N_DEMANDS]:
                squeezes[tile] += 1
            self.tight[lozenge] = after - N_DEMANDS
