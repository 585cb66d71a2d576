"""Where tiles can be laid: what each free lozenge demands of a tile, and the triangular spaces that a tile would create (RULES 3).

A *spot* is an uncovered lozenge with a laid tile at one of its sides. ``put`` updates only the surroundings of a new tile; ``clear``, which
is rarely needed, recomputes all nearby lozenges.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import append, pop, vec
from mypy_extensions import i16, i64, mypyc_attr

from engine.sunda.board.grids import NOBODY, Grids
from engine.sunda.board.packed_counts import COUNTS_FITTING, of_tile
from engine.sunda.board.tiles import CORNER_DIGIT, HALF_TURN, N_DEMANDS, PATTERN_BITS, PATTERN_OF_TILE, SIDE_DIGIT, SIDED, WAYS
from engine.sunda.board.trigrid import (
    BESIDE,
    BESIDE_STEP,
    CORNER_LOZENGES,
    CORNER_OFFSETS,
    OVERLAPPING,
    TOUCHING,
    TRIANGLES,
    half_turned,
    lozenge_of,
)


@final
@mypyc_attr(acyclic=True)
class KnownShift:
    """A shift of a tile beside the space that a placement on a tight spot creates; the shift is legal whichever tile is placed there.

    The shifted tile moves to ``lozenge``. ``straight`` and ``turned`` are its PATTERN_BITS, unturned and half-turned. ``loose``
    lists its land vertices whose islands may be complete in spite of the space. ``shifts.has_known_shift`` checks if it is still legal.
    """

    __slots__ = ("loose", "lozenge", "straight", "turned")

    def __init__(self, lozenge: i64, straight: i64, turned: i64, loose: list[int]) -> None:
        self.lozenge: Final = lozenge
        self.straight: Final = straight
        self.turned: Final = turned
        self.loose: Final = loose


GAP: Final = N_DEMANDS
"""Added to the demand of a lozenge for each triangular space that a tile there would create."""


@final
class PlacementIndex(Grids):
    """The spots of a board, and how many placements each tile has there. A spot is *tight* if a tile there would create exactly one space.

    Lists with an entry for each spot (index 0 is unused):

    - ``lozenges``: the spot's lozenge
    - ``entries``: its demand on a tile, plus ``GAP`` for each triangular space that a tile there would create
    - ``known``: for a tight spot, a shift that can follow a placement there, or None (see ``shifts``)
    - ``listed``: the demand for which the position's ``MoveCache`` has placements on the spot, or 0 if it has none

    Other data:

    - ``easy``, ``squeezed``: packed counts of each tile's placements on spots where no space would arise, and on tight spots
    - ``gone``: a flat list of pairs: a lozenge that is no longer a spot, and the demand for which ``MoveCache`` still has placements there
    """

    def __init__(self, lies: dict[int, int], origin: PlacementIndex | None = None) -> None:
        super().__init__(lies, origin)
        if origin is None:
            self.entries: vec[i64] = vec[i64]([0])
            self.known: list[KnownShift | None] = [None]
            self.easy = 0
            self.squeezed = 0
            self.listed: vec[i64] = vec[i64]([0])
            self.gone: list[int] = []
        else:
            self.entries = origin.entries[:]
            self.known = origin.known.copy()
            self.easy = origin.easy
            self.squeezed = origin.squeezed
            self.listed = origin.listed[:]
            self.gone = origin.gone.copy()

    # Questions

    @property
    def free(self) -> dict[int, int]:
        """A dictionary from the lozenge of each spot to its value in ``entries``."""
        return dict(zip(self.lozenges[1:], self.entries[1:], strict=True))

    @property
    def tight(self) -> dict[int, int]:
        """A dictionary from the lozenge of each tight spot to its demand."""
        tight: dict[int, int] = {}
        for slot in self.tight_slots():
            tight[self.lozenges[slot]] = self.entries[slot] - N_DEMANDS
        return tight

    def tight_slots(self) -> list[int]:
        """Return the indices in ``lozenges`` of the tight spots."""
        return [slot for slot, entry in enumerate(self.entries) if N_DEMANDS <= entry < 2 * N_DEMANDS]

    def entry(self, lozenge: i64) -> i64:
        """Return the entry of a lozenge, or 0 if it is not a spot."""
        slot: i64 = i64(self.slots[lozenge & self.mask])
        if self.lozenges[slot] != lozenge:
            return 0
        return self.entries[slot]

    def places(self, tile: int) -> list[int]:
        """Return all placements of a tile that fit and don't create a triangular space, ascending."""
        placements: list[int] = []
        left = of_tile(self.easy, tile)
        pattern = PATTERN_OF_TILE[tile]
        straight: i64 = PATTERN_BITS[pattern]
        turned: i64 = PATTERN_BITS[HALF_TURN[pattern]]
        demand_bits = WAYS.bits
        lozenges = self.lozenges
        for slot, spot in enumerate(self.entries):
            if 0 < spot < N_DEMANDS:
                allowed = demand_bits[spot]
                if allowed & straight == straight:
                    placements.append(lozenges[slot])
                    left -= 1
                if turned != straight and allowed & turned == turned:
                    placements.append(half_turned(lozenges[slot]))
                    left -= 1
                if left == 0:
                    break
        placements.sort()
        return placements

    def demand(self, lozenge: int) -> int:
        """Return the demand of an uncovered lozenge, which need not be a spot."""
        self.make_room(lozenge)
        return self._corners(lozenge, ()) + self._sides(lozenge, NOBODY) % N_DEMANDS

    def look(self, lozenge: int, without: int = NOBODY, bare: tuple[int, ...] = ()) -> int:
        """Compute the entry of a lozenge near the board from the tiles around it; the entry is 0 if the lozenge is not a spot.

        The tile ``without`` is ignored, and so are its ``bare`` vertices, the ones that no other tile touches.
        """
        base: i64 = lozenge // 6 * 2
        mask = self.mask >> 1
        first, second = TRIANGLES[lozenge % 6]
        one: int = self.tiles[base + first & mask]
        other: int = self.tiles[base + second & mask]
        if (one and one != without + 1) or (other and other != without + 1):
            return 0
        sides = self._sides(lozenge, without)
        if sides % N_DEMANDS < SIDED:
            return 0
        return sides + self._corners(lozenge, bare)

    def _corners(self, lozenge: int, bare: tuple[int, ...]) -> int:
        """Return the part of a lozenge's demand that results from the types at its corners."""
        vertex = lozenge // 6
        corners = CORNER_OFFSETS[lozenge % 6]
        kinds = self.kinds
        mask = self.mask >> 2
        demand = 0
        for corner in range(4):
            kind: int = kinds[vertex + corners[corner] & mask]
            if kind and (not bare or vertex + corners[corner] not in bare):
                demand += kind * CORNER_DIGIT[corner]
        return demand

    def _sides(self, lozenge: int, without: int) -> int:
        """Return the part of a lozenge's demand that results from the tiles at its sides, plus GAP for each space that a tile makes."""
        base: i64 = lozenge // 6 * 2
        beside = BESIDE[lozenge % 6]
        mask = self.mask >> 1
        tiles = self.tiles
        left_out = without + 1
        demand = 0
        at = 0
        for side in range(4):
            tile: int = tiles[base + beside[at] & mask]
            if tile and tile != left_out:
                demand += self._asks(tile - 1, lozenge, beside, at) * SIDE_DIGIT[side]
            else:
                one: int = tiles[base + beside[at + 1] & mask]
                if one and one != left_out:
                    other: int = tiles[base + beside[at + 2] & mask]
                    if other and other != left_out:
                        demand += GAP
            at += BESIDE_STEP
        return demand

    def _asks(self, tile: int, lozenge: int, beside: list[int], at: int) -> int:
        """Return the digit with which a laid tile demands a blank (for its tab) or a tab (for its blank) on the adjacent lozenge."""
        placement = self.lies[tile]
        pattern = PATTERN_OF_TILE[tile]
        where = lozenge_of(placement)
        if where != placement:
            pattern = HALF_TURN[pattern]
        side = beside[at + 4] if where - lozenge == beside[at + 3] else beside[at + 6]
        return 2 - (pattern >> (3 - side) & 1)

    # Changes

    def put(self, lozenge: int, tile: int, pattern: int, fresh: list[int]) -> None:
        """Update the spots after a tile with this pattern was laid. It is the first tile at the ``fresh`` vertices."""
        slots = self.slots
        mask = self.mask
        d = lozenge % 6
        base: i64 = lozenge // 6 * 2
        here: i64 = lozenge
        for offset in OVERLAPPING[d]:
            if slots[here + offset & mask]:
                self._set(here + offset, 0)
        self.show(lozenge, tile, pattern)
        mask >>= 2
        for vertex in fresh:
            digit: int = self.kinds[vertex & mask]
            around = 6 * vertex
            for number in range(12):
                self._narrow(around + CORNER_LOZENGES[number], digit, CORNER_DIGIT[number & 3])
        mask = self.mask >> 1
        tiles = self.tiles
        born: list[int] = []
        beside = BESIDE[d]
        at = 0
        for side in range(4):
            if not tiles[base + beside[at] & mask]:
                has_one = bool(tiles[base + beside[at + 1] & mask])
                has_other = bool(tiles[base + beside[at + 2] & mask])
                if not has_one:
                    self._border(lozenge + beside[at + 3], beside[at + 4], pattern, side, born)
                    if has_other:  # a tile on the lozenges beyond would enclose the triangle across
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

    def clear(self, lozenge: int, bare: list[int]) -> None:
        """Update the spots after the tile on a lozenge was lifted; at the ``bare`` vertices it was the only tile."""
        base = lozenge // 6 * 2
        mask = self.mask >> 1
        first, second = TRIANGLES[lozenge % 6]
        self.tiles[base + first & mask] = 0
        self.tiles[base + second & mask] = 0
        mask >>= 1
        for vertex in bare:
            self.kinds[vertex & mask] = 0
        for offset in TOUCHING[lozenge % 6]:
            self._set(lozenge + offset, self.look(lozenge + offset))
            self.known[self.slots[lozenge + offset & self.mask]] = None

    def forget_shifts(self) -> None:
        """Forget the known shifts of all spots."""
        self.known = [None] * len(self.entries)

    def _border(self, lozenge: i64, own_side: i64, pattern: i64, side: i64, born: list[int]) -> None:
        """Add the demand of a tile's side to the lozenge across; a lozenge that becomes a spot is appended to ``born``."""
        digit = 2 - (pattern >> (3 - side) & 1)  # a tab demands a blank, a blank a tab
        if self.slots[lozenge & self.mask]:
            self._narrow(lozenge, digit, SIDE_DIGIT[own_side])
            return
        start = (pattern >> (7 - side) & 1) + 1
        end = (pattern >> (7 - (side + 1 & 3)) & 1) + 1
        corners = end * CORNER_DIGIT[own_side] + start * CORNER_DIGIT[own_side + 1 & 3]
        born.append(lozenge)
        born.append(own_side)
        born.append(digit * SIDE_DIGIT[own_side] + corners)

    def _bear(self, lozenge: i64, side: i64, demand: i64) -> None:
        """Add a spot for a lozenge with a neighbour at only one side; ``demand`` is the demand of this side and its two corners."""
        d = lozenge % 6
        vertex = lozenge // 6
        corners = CORNER_OFFSETS[d]
        kinds = self.kinds
        mask = self.mask >> 2
        for step in range(2, 4):
            corner = side + step & 3
            kind: int = kinds[vertex + corners[corner] & mask]
            demand += kind * CORNER_DIGIT[corner]
        base = 2 * vertex
        beside = BESIDE[d]
        tiles = self.tiles
        mask = self.mask >> 1
        for step in range(1, 4):
            at = (side + step & 3) * BESIDE_STEP
            if tiles[base + beside[at + 1] & mask] and tiles[base + beside[at + 2] & mask]:
                demand += GAP
        self._set(lozenge, demand)

    def _narrow(self, lozenge: i64, digit: i64, weight: i64) -> None:
        """If a lozenge is a spot, set a digit of its demand that has been 0 until now."""
        slot: int = self.slots[lozenge & self.mask]
        if not slot:
            return
        spot: i64 = self.entries[slot]
        self.entries[slot] = spot + digit * weight
        opposite = (3 - digit) * weight  # patterns that meet this no longer fit
        if spot < N_DEMANDS:
            self.easy -= COUNTS_FITTING[spot + opposite]
        elif spot < 2 * N_DEMANDS:
            self.squeezed -= COUNTS_FITTING[spot - N_DEMANDS + opposite]

    def _add_gap(self, lozenge: i64) -> None:
        slot: int = self.slots[lozenge & self.mask]
        if slot:
            self._set(lozenge, self.entries[slot] + GAP)

    def _set(self, lozenge: i64, after: i64) -> None:
        """Set the entry of a lozenge (0 means that it is not a spot), and update all counts."""
        slots = self.slots
        mask = self.mask
        slot: i64 = i64(slots[lozenge & mask])
        before: i64 = self.entries[slot]
        if before == after:
            return
        if not before:
            slots[lozenge & mask] = i16(len(self.entries))
            self.lozenges = append(self.lozenges, lozenge)
            self.entries = append(self.entries, after)
            self.listed = append(self.listed, 0)
            self.known.append(None)
        elif after:
            self.entries[slot] = after
        else:  # the last spot replaces the one that is removed
            self.lozenges, last = pop(self.lozenges)
            self.entries, spot = pop(self.entries)
            if self.listed[slot]:
                self.gone.append(lozenge)
                self.gone.append(self.listed[slot])
            self.listed, listed = pop(self.listed)
            known = self.known.pop()
            slots[lozenge & mask] = 0
            if last != lozenge:
                self.lozenges[slot] = last
                self.entries[slot] = spot
                self.listed[slot] = listed
                self.known[slot] = known
                slots[last & mask] = i16(slot)
        if before and before < N_DEMANDS:
            self.easy -= COUNTS_FITTING[before]
        elif before and before < 2 * N_DEMANDS:
            self.squeezed -= COUNTS_FITTING[before - N_DEMANDS]
        if after and after < N_DEMANDS:
            self.easy += COUNTS_FITTING[after]
        elif after and after < 2 * N_DEMANDS:
            self.squeezed += COUNTS_FITTING[after - N_DEMANDS]
