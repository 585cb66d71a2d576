"""Finds the legal shifts after a tile has created a triangular space (RULES 3.4), and tests whether there are any.

The functions take the board and its ``held`` vertices, whose tiles can't be shifted. Of the board, they change only ``spots.known``.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from engine.sunda.board.board import SundaBoard
from engine.sunda.board.placement_index import KnownShift
from engine.sunda.board.tiles import (
    DEMAND_BITS,
    HALF_TURN,
    LAND,
    N_DEMANDS,
    PATTERN_BITS,
    PATTERN_OF_TILE,
    PATTERNS_FITTING,
    SYMMETRIC,
    TILE_OF_PATTERN,
    WAYS,
)
from engine.sunda.board.trigrid import (
    BESIDE,
    BESIDE_STEP,
    CORNER_OFFSETS,
    TOUCHING,
    TOUCHING_SET,
    WEDGES,
    corners_of,
    half_turned,
    lozenge_of,
    triangles_beside,
)

NEVER: Final = 0
SOMETIMES: Final = 1
ALWAYS: Final = 2


def shiftable_tiles(board: SundaBoard, held: set[int], space: int, newest: int) -> list[int]:
    """Return the tiles around a triangular space that may be shifted; ``newest`` is the tile that created it, which may not be shifted."""
    tiles: list[int] = []
    n_open = board.islands.open
    name = board.islands.name
    for beside in triangles_beside(space):
        tile = board.spots.tile_on(beside)
        if tile == newest:
            continue
        for vertex in board.corners(tile):
            if vertex in held or (n_open[name[vertex]] == 0 and board.types[vertex] == LAND):
                break
        else:
            tiles.append(tile)
    return tiles


def _bare(board: SundaBoard, lozenge: int) -> tuple[int, ...]:
    wedges = board.wedges
    return tuple([vertex for corner, vertex in enumerate(corners_of(lozenge)) if wedges[vertex] == WEDGES[corner]])


def fits_on(tile: int, placement: int, demand: int) -> bool:
    """Return whether a tile with this placement meets the demand of its lozenge."""
    if placement % 6 >= 3 and SYMMETRIC[tile]:
        return False
    bits = PATTERN_BITS[PATTERN_OF_TILE[tile] if placement % 6 < 3 else HALF_TURN[PATTERN_OF_TILE[tile]]]
    return DEMAND_BITS[demand] & bits == bits


def shift_places(board: SundaBoard, tile: int) -> list[int]:
    """Return the placements to which a tile on the board may be shifted, ascending."""
    spots = board.spots
    placement = board.lies[tile]
    here = lozenge_of(placement)
    bare = _bare(board, here)
    pattern = PATTERN_OF_TILE[tile]
    straight: i64 = PATTERN_BITS[pattern]
    turned: i64 = PATTERN_BITS[HALF_TURN[pattern]]
    near_here = TOUCHING_SET[here % 6]
    placements: list[int] = []
    demand_bits = WAYS.bits
    lozenges = spots.lozenges
    for slot, spot in enumerate(spots.entries):
        if 0 < spot < N_DEMANDS:
            lozenge = lozenges[slot]
            allowed = demand_bits[spot]
            if (allowed & straight == straight or allowed & turned == turned) and lozenge - here not in near_here:
                if allowed & straight == straight:
                    placements.append(lozenge)
                if turned != straight and allowed & turned == turned:
                    placements.append(half_turned(lozenge))
    for offset in TOUCHING[here % 6]:
        spot = spots.look(here + offset, tile, bare)
        if 0 < spot < N_DEMANDS:
            allowed = demand_bits[spot]
            if allowed & straight == straight:
                placements.append(here + offset)
            if turned != straight and allowed & turned == turned:
                placements.append(half_turned(here + offset))
    placements.sort()
    return placements


def may_shift_to(board: SundaBoard, tile: int, placement: int) -> bool:
    """Return whether a tile on the board may be shifted to a placement."""
    here = lozenge_of(board.lies[tile])
    lozenge = lozenge_of(placement)
    is_near = lozenge - here in TOUCHING_SET[here % 6]
    spot = board.spots.look(lozenge, tile, _bare(board, here)) if is_near else board.spots.entry(lozenge)
    return 0 < spot < N_DEMANDS and fits_on(tile, placement, spot)


def find_shifts(board: SundaBoard, held: set[int], space: int, newest: int) -> list[tuple[int, int]]:
    """Return all legal shifts after tile ``newest`` created a space, as (current placement, new placement), ascending."""
    shifts: list[tuple[int, int]] = []
    for tile in shiftable_tiles(board, held, space, newest):
        shifts += [(board.lies[tile], place) for place in shift_places(board, tile)]
    shifts.sort()
    return shifts


# Whether any shift can follow a tile on a tight spot. Almost always one can, whatever the tile. A ``KnownShift`` proves it: a place away
# from the space for a tile next to the space.


def _loose(corners: int, side: int) -> list[int]:
    """Return which land corners of a tile may belong to a complete island although the tile's ``side`` is at a triangular space.

    The ends of that side stay open as long as the space does, and so does every island that is connected to them within the tile.
    """
    land = {corner for corner in range(4) if corners >> (3 - corner) & 1 == LAND}
    reached = land & {side, (side + 1) % 4}
    for _ in range(2):
        for a, b in ((0, 1), (1, 2), (2, 3), (3, 0), (1, 3)):
            if {a, b} <= land and {a, b} & reached:
                reached |= {a, b}
    return sorted(land - reached)


LOOSE: Final[list[list[int]]] = [_loose(number // 4, number % 4) for number in range(64)]
"""At ``4 * corners + side``: what ``_loose`` returns for a tile with these corner bits and a space at this side."""

MAX_CLOSED: Final = 4
"""The maximum number of vertices that a tile can close: one for each corner."""


def has_known_shift(board: SundaBoard, held: set[int], lozenge: int) -> bool:
    """Return whether some shift is sure to exist after any tile is laid on a tight spot: a known shift still holds, or a new one is found.

    A known shift holds as long as its tile still fits on its new place, and no island of the tile could be completed. It is dropped when
    a tile touching the spot is lifted, or when a token or marker is placed. Until then, the space at the spot and the tiles next to it stay
    the same, because only a tile on the spot itself could enclose the space.
    """
    spots = board.spots
    slot: int = spots.slots[lozenge & spots.mask]
    known = spots.known[slot]
    if known is not None:
        place = spots.entry(known.lozenge)
        if 0 < place < N_DEMANDS:
            allowed = WAYS.bits[place]
            fits = allowed & known.straight == known.straight or allowed & known.turned == known.turned
            if fits and (not known.loose or _stay_open(board, lozenge, known.loose)):
                return True
    known = _find_known_shift(board, held, lozenge)
    if known is None:
        return False
    spots.known[slot] = known
    return True


def _stay_open(board: SundaBoard, lozenge: int, vertices: list[int]) -> bool:
    for vertex in vertices:
        body = board.islands.name[vertex]
        still_open = board.islands.open[body]
        if still_open <= MAX_CLOSED and still_open <= _closing(board, lozenge, body):
            return False
    return True


def _find_known_shift(board: SundaBoard, held: set[int], lozenge: int) -> KnownShift | None:
    space = board.spots.space_at(lozenge)
    for triangle in triangles_beside(space):
        tile = board.spots.tile_on(triangle)
        if tile < 0:
            continue  # the spot itself
        placement = board.lies[tile]
        here = lozenge_of(placement)
        vertex = here // 6
        offsets = CORNER_OFFSETS[here % 6]
        if vertex in held or vertex + offsets[1] in held or vertex + offsets[2] in held or vertex + offsets[3] in held:
            continue
        pattern = PATTERN_OF_TILE[tile] if here == placement else HALF_TURN[PATTERN_OF_TILE[tile]]
        beside = BESIDE[here % 6]
        side = 0
        while 2 * vertex + beside[side * BESIDE_STEP] != space:
            side += 1
        loose = [vertex + offsets[corner] for corner in LOOSE[(pattern >> 4) * 4 + side]]
        if _stay_open(board, lozenge, loose):
            known = _far_place(board, tile, lozenge, loose)
            if known is not None:
                return known
    return None


def _far_place(board: SundaBoard, tile: int, lozenge: int, loose: list[int]) -> KnownShift | None:
    """Return a shift that moves a tile to a spot that doesn't touch the lozenge or the tile's current place, or None if there is none."""
    straight: i64 = PATTERN_BITS[PATTERN_OF_TILE[tile]]
    turned: i64 = PATTERN_BITS[HALF_TURN[PATTERN_OF_TILE[tile]]]
    here = lozenge_of(board.lies[tile])
    near_spot = TOUCHING_SET[lozenge % 6]
    near_here = TOUCHING_SET[here % 6]
    demand_bits = WAYS.bits
    lozenges = board.spots.lozenges
    for slot, spot in enumerate(board.spots.entries):
        if 0 < spot < N_DEMANDS:
            allowed = demand_bits[spot]
            if allowed & straight == straight or allowed & turned == turned:
                place = lozenges[slot]
                if place - lozenge not in near_spot and place - here not in near_here:
                    return KnownShift(place, straight, turned, loose)
    return None


def _has_place_beyond(board: SundaBoard, tile: int, lozenge: int) -> bool:
    near_spot = TOUCHING_SET[lozenge % 6]
    return any(lozenge_of(place) - lozenge not in near_spot for place in shift_places(board, tile))


def shift_prospect(board: SundaBoard, held: set[int], lozenge: int) -> int:
    """Return whether a shift exists after a tile is laid on a tight spot: NEVER, ALWAYS, or SOMETIMES if it may depend on the tile.

    For ALWAYS, a tile beside the resulting space must be movable whatever is laid, and have a place that doesn't touch the spot.
    """
    space = board.spots.space_at(lozenge)
    prospect = NEVER
    n_open = board.islands.open
    name = board.islands.name
    for beside in triangles_beside(space):
        tile = board.spots.tile_on(beside)
        if tile < 0:
            continue  # the spot itself
        movable = ALWAYS
        for vertex in board.corners(tile):
            if vertex in held:
                movable = NEVER
                break
            if board.types[vertex] == LAND:
                still_open = n_open[name[vertex]]
                if still_open == 0:
                    movable = NEVER
                    break
                if still_open <= 4 and still_open <= _closing(board, lozenge, name[vertex]):
                    movable = SOMETIMES
        if movable == ALWAYS and (_far_place(board, tile, lozenge, []) is not None or _has_place_beyond(board, tile, lozenge)):
            return ALWAYS
        if movable != NEVER:
            prospect = SOMETIMES
    return prospect


def has_shift(board: SundaBoard, held: set[int], tile: int, placement: int) -> bool:
    """Return whether a shift is possible after this tile is laid on a tight spot, where it creates a space. A copy of the board is used."""
    after = board.copy()
    after.lay(tile, placement)
    space = after.spots.spaces_at(lozenge_of(placement))[0]
    others = shiftable_tiles(after, held, space, tile)
    for other in others:
        if _far_place(board, other, lozenge_of(placement), []) is not None:
            return True
    return any(shift_places(after, other) for other in others)


def places_on(board: SundaBoard, held: set[int], lozenge: int, demand: int, pot: int) -> list[tuple[int, int]]:
    """Return the legal (tile, placement) pairs on a tight spot whose ``shift_prospect`` is SOMETIMES; ``pot`` is a mask of patterns."""
    return [(tile, place) for tile, place in placements_on(lozenge, demand, pot) if has_shift(board, held, tile, place)]


def placements_on(lozenge: int, demand: int, pot: int) -> list[tuple[int, int]]:
    """Return the (tile, placement) pairs on a lozenge that meet a demand, sorted by pattern; ``pot`` is a mask of patterns."""
    placements: list[tuple[int, int]] = []
    for pattern in PATTERNS_FITTING[demand]:
        if pot >> pattern & 1:
            tile = TILE_OF_PATTERN[pattern]
            placements.append((tile, lozenge if PATTERN_OF_TILE[tile] == pattern else half_turned(lozenge)))
    return placements


def _closing(board: SundaBoard, lozenge: int, body: int) -> int:
    corners = board.spots.closing(lozenge)
    if corners == 0:
        return 0
    number = 0
    for corner, vertex in enumerate(corners_of(lozenge)):
        if corners >> (3 - corner) & 1 and board.islands.name[vertex] == body:
            number += 1
    return number
