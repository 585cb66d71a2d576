"""Triangular spaces and the shifts that must follow them (RULES 3.4). It asks the table and the held vertices, and changes neither."""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from engine.sunda.board.board import CLOSED, SundaBoard
from engine.sunda.board.shift_cache import KnownShift
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
    """The tiles around a triangular space that may be moved, when ``newest`` is the tile that made it."""
    found: list[int] = []
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
            found.append(tile)
    return found


def _bare(board: SundaBoard, lozenge: int) -> tuple[int, ...]:
    """The vertices of a covered lozenge at which no other tile lies."""
    wedges = board.wedges
    return tuple([vertex for corner, vertex in enumerate(corners_of(lozenge)) if wedges[vertex] == WEDGES[corner]])


def fits_on(tile: int, placement: int, demand: int) -> bool:
    """Whether a tile in a placement meets what its lozenge demands."""
    if placement % 6 >= 3 and SYMMETRIC[tile]:
        return False
    bits = PATTERN_BITS[PATTERN_OF_TILE[tile] if placement % 6 < 3 else HALF_TURN[PATTERN_OF_TILE[tile]]]
    return DEMAND_BITS[demand] & bits == bits


def shift_places(board: SundaBoard, tile: int) -> list[int]:
    """Where a tile that lies on the table may be shifted to, ascending."""
    spots = board.spots
    placement = board.lies[tile]
    here = lozenge_of(placement)
    bare = _bare(board, here)
    pattern = PATTERN_OF_TILE[tile]
    straight: i64 = PATTERN_BITS[pattern]
    turned: i64 = PATTERN_BITS[HALF_TURN[pattern]]
    near_here = TOUCHING_SET[here % 6]
    found: list[int] = []
    demand_bits = DEMAND_BITS
    for lozenge, spot in zip(spots.lozenges, spots.entries):  # noqa: B905  # mypyc makes a bare loop of this, not with strict
        if 0 < spot < N_DEMANDS:
            allowed: i64 = demand_bits[spot]
            if (allowed & straight == straight or allowed & turned == turned) and lozenge - here not in near_here:
                if allowed & straight == straight:
                    found.append(lozenge)
                if turned != straight and allowed & turned == turned:
                    found.append(half_turned(lozenge))
    for offset in TOUCHING[here % 6]:
        spot = spots.look(here + offset, tile, bare)
        if 0 < spot < N_DEMANDS:
            allowed = demand_bits[spot]
            if allowed & straight == straight:
                found.append(here + offset)
            if turned != straight and allowed & turned == turned:
                found.append(half_turned(here + offset))
    found.sort()
    return found


def may_shift_to(board: SundaBoard, tile: int, placement: int) -> bool:
    """Whether a tile that lies on the table may be shifted to a placement."""
    here = lozenge_of(board.lies[tile])
    lozenge = lozenge_of(placement)
    is_near = lozenge - here in TOUCHING_SET[here % 6]
    spot = board.spots.look(lozenge, tile, _bare(board, here)) if is_near else board.spots.entry(lozenge)
    return 0 < spot < N_DEMANDS and fits_on(tile, placement, spot)


def find_shifts(board: SundaBoard, held: set[int], space: int, newest: int) -> list[tuple[int, int]]:
    """All shifts for a space, as (placement now, new placement), ascending."""
    found: list[tuple[int, int]] = []
    for tile in shiftable_tiles(board, held, space, newest):
        found += [(board.lies[tile], place) for place in shift_places(board, tile)]
    found.sort()
    return found


# Whether a tile on a tight spot can be followed by a shift at all. Almost always it can, whatever the tile, and a witness shows it: a
# place, out of the way of the space, for a tile beside it.


def _loose(corners: int, side: int) -> list[int]:
    """Which land corners of a tile with these types can be of a complete island, although one side is that of a triangular space.

    The ends of that side are open as long as the space is, and so is every island that reaches them within the tile.
    """
    land = {corner for corner in range(4) if corners >> (3 - corner) & 1 == LAND}
    reached = land & {side, (side + 1) % 4}
    for _ in range(2):
        for a, b in ((0, 1), (1, 2), (2, 3), (3, 0), (1, 3)):
            if {a, b} <= land and {a, b} & reached:
                reached |= {a, b}
    return sorted(land - reached)


LOOSE: Final[list[list[int]]] = [_loose(number // 4, number % 4) for number in range(64)]
"""For four times the corner types of a pattern plus a side."""

MAX_CLOSED: Final = 4
"""A tile closes no more vertices than it has corners."""


def has_known_shift(board: SundaBoard, held: set[int], lozenge: int) -> bool:
    """Whether it is plain that a shift exists whatever is laid on a tight spot: the board remembers a known, or one is found.

    A witness speaks until its place has changed, an island of its tile is nearly complete, or it is dismissed because something at its
    spot was lifted or anything was newly held. Till then the space at the spot is the same, with the same tiles beside it: only a tile on
    the spot itself could close it in.
    """
    known = board.known_shifts.get(lozenge)
    if known is not None and board.spots.entry(known.lozenge) == known.demand and _stay_open(board, known.loose):
        return True
    known = _find_known_shift(board, held, lozenge)
    if known is None:
        return False
    board.known_shifts[lozenge] = known
    return True


def _stay_open(board: SundaBoard, vertices: list[int]) -> bool:
    """Whether no island at some vertices can be completed by one tile."""
    for vertex in vertices:
        if board.islands.open[board.islands.name[vertex]] <= MAX_CLOSED:
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
        if _stay_open(board, loose):
            known = _far_place(board, tile, lozenge, loose)
            if known is not None:
                return known
    return None


def _far_place(board: SundaBoard, tile: int, lozenge: int, loose: list[int]) -> KnownShift | None:
    """A spot for a tile on the table that touches neither a lozenge nor the tile itself, so that nothing there changes."""
    straight: i64 = PATTERN_BITS[PATTERN_OF_TILE[tile]]
    turned: i64 = PATTERN_BITS[HALF_TURN[PATTERN_OF_TILE[tile]]]
    here = lozenge_of(board.lies[tile])
    near_spot = TOUCHING_SET[lozenge % 6]
    near_here = TOUCHING_SET[here % 6]
    demand_bits = DEMAND_BITS
    for place, spot in zip(board.spots.lozenges, board.spots.entries):  # noqa: B905  # as above
        if 0 < spot < N_DEMANDS:
            allowed: i64 = demand_bits[spot]
            fits = allowed & straight == straight or allowed & turned == turned
            if fits and place - lozenge not in near_spot and place - here not in near_here:
                return KnownShift(place, spot, loose)
    return None


def _has_place_beyond(board: SundaBoard, tile: int, lozenge: int) -> bool:
    """Whether a tile on the table fits, once lifted, on a spot that does not touch a lozenge."""
    near_spot = TOUCHING_SET[lozenge % 6]
    return any(lozenge_of(place) - lozenge not in near_spot for place in shift_places(board, tile))


def shift_prospect(board: SundaBoard, held: set[int], lozenge: int) -> int:
    """Whether a shift exists after a tile on a tight spot: NEVER, ALWAYS, or SOMETIMES where it takes a closer look at the tile.

    ALWAYS needs one tile beside the space that can be moved whatever is laid, and a place for it that does not touch the spot.
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
    """Whether a shift exists once a tile has been laid on a tight spot; it looks at everything."""
    after = board.copy()
    after.lay(tile, placement)
    space = after.spots.spaces_at(lozenge_of(placement))[0]
    others = shiftable_tiles(after, held, space, tile)
    for other in others:
        if _far_place(board, other, lozenge_of(placement), []) is not None:
            return True
    return any(shift_places(after, other) for other in others)


def places_on(board: SundaBoard, held: set[int], lozenge: int, demand: int, pot: int) -> list[tuple[int, int]]:
    """The legal (tile, placement) on a tight spot where a shift exists SOMETIMES, with the tiles of a pot (a mask of patterns)."""
    return [(tile, place) for tile, place in placements_on(lozenge, demand, pot) if has_shift(board, held, tile, place)]


def placements_on(lozenge: int, demand: int, pot: int) -> list[tuple[int, int]]:
    """The (tile, placement) with which the tiles of a pot meet a demand on a lozenge, by ascending pattern."""
    found: list[tuple[int, int]] = []
    for pattern in PATTERNS_FITTING[demand]:
        if pot >> pattern & 1:
            tile = TILE_OF_PATTERN[pattern]
            found.append((tile, lozenge if PATTERN_OF_TILE[tile] == pattern else half_turned(lozenge)))
    return found


def _closing(board: SundaBoard, lozenge: int, body: int) -> int:
    """How many open vertices of a body a tile on a lozenge would close."""
    number = 0
    for corner, vertex in enumerate(corners_of(lozenge)):
        if board.islands.name.get(vertex) == body and board.wedges[vertex] + WEDGES[corner] == CLOSED:
            number += 1
    return number
