"""The legal placements of a pot as machine integers: counted for each tile, looked up by index, or listed in the order of RULES 9.

``rules.legal`` turns them into moves.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i64, u8

from engine.sunda.board.packed_counts import BITS, COUNTS_FITTING, tile_at, total
from engine.sunda.board.shifts import ALWAYS, SOMETIMES, fits_on, places_on
from engine.sunda.board.tiles import MASK_FITTING, N_DEMANDS, N_TILES, WAYS, zeros
from engine.sunda.board.trigrid import half_turned, lozenge_of
from engine.sunda.position import PlacementCounts, Position

_DEMANDS: Final[i64] = N_DEMANDS


def count_places(p: Position, pot: int) -> PlacementCounts:
    """Return the number of legal placements of each tile of a pot; the position caches it until the next move."""
    known = p.counts
    if known is not None and known.pot == pot:
        return known
    spots = p.board.spots
    mask = p.pots.masks[pot]
    counts = spots.easy + spots.squeezed
    unsure: list[int] = []
    doubtful: list[tuple[int, int]] = []
    for slot in spots.tight_slots():
        lozenge = spots.lozenges[slot]
        demand = spots.entries[slot] - N_DEMANDS
        if MASK_FITTING[demand] & mask:
            prospect = p.prospect(lozenge)
            if prospect != ALWAYS:
                counts -= COUNTS_FITTING[demand]
                unsure.append(lozenge)
                if prospect == SOMETIMES:
                    doubtful += places_on(p.board, p.claims.held, lozenge, demand, mask)
    counts &= p.pots.fields[pot]
    for tile, _ in doubtful:
        counts += 1 << BITS * tile
    p.counts = known = PlacementCounts(pot, counts, total(counts), unsure, doubtful)
    return known


def place_at(p: Position, pot: int, number: int) -> tuple[int, int]:
    """Return the tile and placement at index ``number``, which must be in range, of a pot's legal placements in the order of RULES 9."""
    counts = count_places(p, pot)
    tile, number = tile_at(counts.fields, number)
    spots = p.board.spots
    places = spots.places(tile)
    before = len(places)
    for lozenge, demand in spots.tight.items():
        if lozenge not in counts.unsure:
            if fits_on(tile, lozenge, demand):
                places.append(lozenge)
            turned = half_turned(lozenge)
            if fits_on(tile, turned, demand):
                places.append(turned)
    for other, place in counts.doubtful:
        if other == tile:
            places.append(place)
    if len(places) > before:
        places.sort()
    return tile, places[number]


@final
class SortedPlaces:
    """All legal placements of a pot, one for each entry from 1 on. The entries of each tile are a linked list in the order of RULES 9.

    - ``first``: for each tile, its first entry, which has its smallest placement, or 0 if it has none
    - ``after``: for each entry, the tile's next entry, or 0 at the end
    - ``lies``: for each entry, its placement
    - ``source``: for each entry, twice the index of its lozenge in ``lozenges``, plus one if the tile is turned
    """

    __slots__ = ("_entries", "after", "first", "lies", "lozenges", "number", "source")

    def __init__(self, p: Position, pot: int) -> None:
        counts = count_places(p, pot)
        self.number = counts.number
        self._entries: i64 = 0
        self.lozenges: list[int] = [0]
        self.first: vec[i64] = zeros(N_TILES)
        self.after: vec[i64] = zeros(counts.number + 1)
        self.lies: vec[i64] = zeros(counts.number + 1)
        self.source: vec[i64] = zeros(counts.number + 1)
        self._enter(p, pot, counts.unsure)
        for tile, place in counts.doubtful:
            lozenge = lozenge_of(place)
            self._insert(tile, place, 2 * len(self.lozenges) + (place != lozenge))
            self.lozenges.append(lozenge)

    def _enter(self, p: Position, pot: int, unsure: list[int]) -> None:
        """Add all placements on spots where no shift is needed, or where a shift exists whatever is laid."""
        spots = p.board.spots
        ways = WAYS.ways
        starts = WAYS.starts
        in_pot: vec[u8] = vec[u8]([owner == pot for owner in p.pots.pot_of])
        lozenges = self.lozenges
        slot: i64
        for slot in range(len(spots.entries)):
            demand = spots.entries[slot]
            lozenge = spots.lozenges[slot]
            if demand >= _DEMANDS:
                if demand >= 2 * _DEMANDS or (unsure and lozenge in unsure):
                    continue
                demand -= _DEMANDS
            if demand == 0:
                continue
            source: i64 = 2 * len(lozenges)
            lozenges.append(lozenge)
            straight: i64 = lozenge
            turned: i64 = half_turned(lozenge)
            at: i64 = i64(starts[demand])
            end: i64 = i64(starts[demand + 1])
            while at < end:
                way: i64 = i64(ways[at])
                tile = way >> 1
                if in_pot[tile]:
                    self._insert(tile, turned if way & 1 else straight, source | way & 1)
                at += 1

    def _insert(self, tile: i64, place: i64, source: i64) -> None:
        self._entries += 1
        entry = self._entries
        after = self.after
        lies = self.lies
        lies[entry] = place
        self.source[entry] = source
        before: i64 = 0
        next_one = self.first[tile]
        while next_one and lies[next_one] < place:
            before = next_one
            next_one = after[next_one]
        after[entry] = next_one
        if before:
            after[before] = entry
        else:
            self.first[tile] = entry
