"""Triangular spaces and the shifts that must follow them (RULES 3.4). It asks the table and the held vertices, and changes neither."""

from __future__ import annotations

from typing import Final

from engine.sunda.board import CLOSED, Board
from engine.sunda.tiles import LAND, MASK_FITTING, N_DEMANDS, PATTERN_OF_TILE, PATTERNS_FITTING, TILE_MASK, TILE_OF_PATTERN
from engine.sunda.trigrid import TOUCHING_SET, WEDGES, corners_of, half_turned, lozenge_of, triangles_beside

NEVER: Final = 0
SOMETIMES: Final = 1
ALWAYS: Final = 2


def shiftable_tiles(board: Board, held: set[int], space: int, newest: int) -> list[int]:
    """The tiles around a triangular space that may be moved, when ``newest`` is the tile that made it."""
    found: list[int] = []
    n_open = board.islands.open
    name = board.islands.name
    for beside in triangles_beside(space):
        tile = board.spots.cover[beside]
        if tile == newest:
            continue
        for vertex in board.corners(tile):
            if vertex in held or (n_open[name[vertex]] == 0 and board.types[vertex] == LAND):
                break
        else:
            found.append(tile)
    return found


def shift_places(board: Board, tile: int) -> list[int]:
    """Where a tile that lies on the table may be shifted to, ascending."""
    scratch = board.copy()
    scratch.uncover(tile)
    return scratch.spots.places(tile)


def may_shift_to(board: Board, tile: int, placement: int) -> bool:
    """Whether a tile that lies on the table may be shifted to a placement."""
    scratch = board.copy()
    scratch.uncover(tile)
    lozenge = lozenge_of(placement)
    spot = scratch.spots.free.get(lozenge, N_DEMANDS)
    return spot < N_DEMANDS and placement in scratch.spots.fit(tile, lozenge, spot)


def find_shifts(board: Board, held: set[int], space: int, newest: int) -> list[tuple[int, int]]:
    """All shifts for a space, as (placement now, new placement), ascending."""
    found: list[tuple[int, int]] = []
    for tile in shiftable_tiles(board, held, space, newest):
        found += [(board.lies[tile], place) for place in shift_places(board, tile)]
    found.sort()
    return found


def shift_prospect(board: Board, held: set[int], lozenge: int) -> int:
    """Whether a shift exists after a tile on a tight spot: NEVER, ALWAYS, or SOMETIMES where it takes a closer look at the tile.

    ALWAYS needs one tile beside the space that can be moved whatever is laid, and a place for it that touches neither the
    spot nor where it lies now, so that nothing there changes.
    """
    space = board.spots.spaces_at(lozenge)[0]
    prospect = NEVER
    n_open = board.islands.open
    name = board.islands.name
    for beside in triangles_beside(space):
        tile = board.spots.cover.get(beside, -1)
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
        if movable == ALWAYS and _has_far_place(board, tile, lozenge):
            return ALWAYS
        if movable != NEVER:
            prospect = SOMETIMES
    return prospect


def has_shift(board: Board, held: set[int], tile: int, placement: int) -> bool:
    """Whether a shift exists once a tile has been laid on a tight spot; it looks at everything."""
    after = board.copy()
    after.lay(tile, placement)
    space = after.spots.spaces_at(lozenge_of(placement))[0]
    return any(shift_places(after, other) for other in shiftable_tiles(after, held, space, tile))


def count_tight(board: Board, held: set[int], pot: int) -> int:
    """How many placements of the tiles of a pot (a mask of patterns) are legal on tight spots."""
    number = 0
    for lozenge, demand in board.spots.tight.items():
        mask = MASK_FITTING[demand] & pot
        if mask:
            prospect = shift_prospect(board, held, lozenge)
            if prospect == ALWAYS:
                number += mask.bit_count()
            elif prospect == SOMETIMES:
                number += len(_look_closer(board, held, lozenge, demand, pot))
    return number


def tight_places(board: Board, held: set[int], pot: int) -> list[tuple[int, int]]:
    """The legal (tile, placement) on tight spots with the tiles of a pot (a mask of patterns)."""
    found: list[tuple[int, int]] = []
    for lozenge, demand in board.spots.tight.items():
        if MASK_FITTING[demand] & pot:
            prospect = shift_prospect(board, held, lozenge)
            if prospect == ALWAYS:
                found += placements_on(lozenge, demand, pot)
            elif prospect == SOMETIMES:
                found += _look_closer(board, held, lozenge, demand, pot)
    return found


def placements_on(lozenge: int, demand: int, pot: int) -> list[tuple[int, int]]:
    """The (tile, placement) with which the tiles of a pot meet a demand on a lozenge, by ascending pattern."""
    found: list[tuple[int, int]] = []
    for pattern in PATTERNS_FITTING[demand]:
        if pot >> pattern & 1:
            tile = TILE_OF_PATTERN[pattern]
            found.append((tile, lozenge if PATTERN_OF_TILE[tile] == pattern else half_turned(lozenge)))
    return found


def _look_closer(board: Board, held: set[int], lozenge: int, demand: int, pot: int) -> list[tuple[int, int]]:
    return [(tile, place) for tile, place in placements_on(lozenge, demand, pot) if has_shift(board, held, tile, place)]


def _closing(board: Board, lozenge: int, body: int) -> int:
    """How many open vertices of a body a tile on a lozenge would close."""
    number = 0
    for corner, vertex in enumerate(corners_of(lozenge)):
        if board.islands.name.get(vertex) == body and board.wedges[vertex] + WEDGES[corner] == CLOSED:
            number += 1
    return number


def _has_far_place(board: Board, tile: int, lozenge: int) -> bool:
    """Whether a tile on the table fits on a spot that touches neither a lozenge nor the tile itself."""
    wanted = TILE_MASK[tile]
    here = lozenge_of(board.lies[tile])
    near_spot = TOUCHING_SET[lozenge % 6]
    near_here = TOUCHING_SET[here % 6]
    for place, spot in board.spots.free.items():
        if spot < N_DEMANDS and MASK_FITTING[spot] & wanted and place - lozenge not in near_spot and place - here not in near_here:
            return True
    return False
