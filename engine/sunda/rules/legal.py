"""Tests, counts and lists the legal moves of a position, in the order of RULES 9. Nothing here changes a position, except its
caches. ``engine.sunda.state`` draws random legal moves.
"""

from __future__ import annotations

from engine.sunda.board.claims import TRIBE_SIZE, controller
from engine.sunda.board.shifts import ALWAYS, NEVER, SOMETIMES, find_shifts, fits_on, has_shift, may_shift_to, places_on, shiftable_tiles
from engine.sunda.board.tiles import ALL_WATER, MASK_FITTING, N_DEMANDS, N_TILES
from engine.sunda.board.trigrid import lozenge_of
from engine.sunda.notation.moves import (
    ACCEPT,
    AGREE,
    CHALLENGE,
    CLAIM,
    JOIN,
    LAKE,
    NOTHING,
    PLACE,
    RAID,
    REFUSE,
    RESOURCE,
    SEIZE,
    SHIFT,
    SKIP,
    START,
    STOP,
    WAIT,
    SundaMove,
)
from engine.sunda.position import (
    ANSWER,
    BEGIN,
    CHOOSE,
    FIGHT,
    LAKE_RIGHT,
    LAND_RIGHT,
    LAY,
    MAX_RAIDS,
    MEND,
    OVER,
    RESOURCE_RIGHT,
    STRIKE_BACK,
    Position,
)
from engine.sunda.rules.move_cache import merged
from engine.sunda.rules.placements import count_places, place_at


def may_place(p: Position, tile: int, placement: int) -> bool:
    """Return whether a tile, from any pot, may be laid with this placement (RULES 3)."""
    lozenge = lozenge_of(placement)
    spot = p.board.spots.entry(lozenge)
    if spot == 0 or spot >= 2 * N_DEMANDS:
        return False
    if spot < N_DEMANDS:
        return fits_on(tile, placement, spot)
    return fits_on(tile, placement, spot - N_DEMANDS) and may_place_tight(p, lozenge, tile, placement)


def may_place_tight(p: Position, lozenge: int, tile: int, placement: int) -> bool:
    """Return whether a shift is possible after this tile, which must meet the spot's demand, is laid on a tight spot (creating a space)."""
    prospect = p.prospect(lozenge)
    return prospect == ALWAYS or (prospect == SOMETIMES and has_shift(p.board, p.claims.held, tile, placement))


def can_place(p: Position, seat: int) -> bool:
    """Return whether a seat has a legal placement."""
    pot = p.pot(seat)
    return p.board.spots.easy & p.pots.fields[pot] != 0 or _can_place_tight(p, p.pots.masks[pot])


def _can_place_tight(p: Position, pot: int) -> bool:
    for lozenge, demand in p.board.spots.tight.items():
        if MASK_FITTING[demand] & pot:
            prospect = p.prospect(lozenge)
            if prospect == ALWAYS or (prospect == SOMETIMES and places_on(p.board, p.claims.held, lozenge, demand, pot)):
                return True
    return False


def shifts(p: Position) -> list[tuple[int, int]]:
    """Return the legal shifts, as (current placement, new placement), of a position in which a tile must be shifted."""
    if p.shifts is None:
        board = p.board
        space = board.spots.spaces_at(lozenge_of(board.lies[p.newest]))[0]
        p.shifts = find_shifts(board, p.claims.held, space, p.newest)
    return p.shifts


def _may_shift(p: Position, move: SundaMove) -> bool:
    if p.shifts is not None:
        return (move.first, move.second) in p.shifts
    board = p.board
    tile = board.tile_on(lozenge_of(move.first))
    if tile < 0 or board.lies[tile] != move.first:
        return False
    space = board.spots.spaces_at(lozenge_of(board.lies[p.newest]))[0]
    return tile in shiftable_tiles(board, p.claims.held, space, p.newest) and may_shift_to(board, tile, move.second)


def may_join(p: Position, vertex: int) -> bool:
    """Return whether a token may join the tribe at a vertex in this step, if the tribe's controller agrees."""
    tribe = p.claims.tribes[vertex]
    if p.level < 2 or len(tribe) >= TRIBE_SIZE or vertex in p.refused:
        return False
    if p.level == 2 and tribe.count(p.seat) != len(tribe):
        return False
    name = p.board.islands.name
    return any(name[node] == name[vertex] for node in p.nodes)


def challenges(p: Position) -> list[tuple[int, int]]:
    """Return the possible challenges as (own, other): a tribe that the seat controls, and a tribe on the same island that it doesn't."""
    name = p.board.islands.name
    mine: list[int] = []
    others: list[int] = []
    for vertex, tribe in p.claims.tribes.items():
        (mine if controller(tribe) == p.seat else others).append(vertex)
    return sorted((own, other) for own in mine for other in others if name[own] == name[other])


def prey(p: Position) -> list[int]:
    """Return the tiles that the victim of a raid may take from the raider's pot in return."""
    return [tile for tile in p.pots.tiles(p.seat) if tile != p.stolen]


def _raids(p: Position, seat: int) -> list[SundaMove]:
    if p.raids[seat] >= MAX_RAIDS:
        return []
    pot_of = p.pots.pot_of
    return [SundaMove(RAID, tile, pot_of[tile]) for tile in range(N_TILES) if pot_of[tile] >= 0 and pot_of[tile] != seat]


def after_places(p: Position, seat: int) -> list[SundaMove]:
    """Return the moves that a seat may make instead of laying a tile."""
    if p.ticks:
        return [*_raids(p, seat), SundaMove(WAIT)]
    if p.alone:
        return [SundaMove(STOP)]
    return [SundaMove(AGREE)] if p.level >= 1 else []


def count_after_places(p: Position, seat: int) -> int:
    """Return the number of moves that ``after_places`` returns."""
    if p.ticks:
        return 1 + (sum(p.pots.sizes) - p.pots.sizes[seat] if p.raids[seat] < MAX_RAIDS else 0)
    return 1 if p.alone or p.level >= 1 else 0


def is_legal(p: Position, move: SundaMove) -> bool:
    """Return whether a move is legal."""
    phase = p.phase
    kind = move.kind
    if phase in (LAY, CHOOSE):
        return may_choose(p, p.chosen if phase == CHOOSE else p.seat, move)
    if phase == BEGIN:
        return kind == START and move.first in ALL_WATER
    if phase == MEND:
        return kind == SHIFT and _may_shift(p, move)
    if kind == SKIP:
        return phase in {LAND_RIGHT, RESOURCE_RIGHT, LAKE_RIGHT, FIGHT}
    if phase == LAND_RIGHT:
        if kind == JOIN:
            return move.first in p.claims.tribes and may_join(p, move.first)
        return kind == CLAIM and move.first in p.nodes
    if phase == ANSWER:
        return kind in {ACCEPT, REFUSE}
    if phase == RESOURCE_RIGHT:
        return kind == RESOURCE and move.first in p.claims.supply and move.second == p.focus
    if phase == LAKE_RIGHT:
        return kind == LAKE and move.first == p.lakes[0]
    if phase == FIGHT:
        return kind == CHALLENGE and (move.first, move.second) in challenges(p)
    return phase == STRIKE_BACK and kind == SEIZE and _may_seize(p, move)


def may_choose(p: Position, seat: int, move: SundaMove) -> bool:
    """Return whether the move is legal for a seat that may lay a tile now."""
    kind = move.kind
    if kind == PLACE:
        return 0 <= move.first < N_TILES and p.pots.pot_of[move.first] == p.pot(seat) and may_place(p, move.first, move.second)
    if p.ticks:
        if kind == RAID:
            return p.raids[seat] < MAX_RAIDS and move.second != seat and move.second >= 0 and p.pots.pot_of[move.first] == move.second
        return kind == WAIT
    if p.alone:
        return kind == STOP
    return kind == AGREE and p.level >= 1


def _may_seize(p: Position, move: SundaMove) -> bool:
    tiles = prey(p)
    if move.second == NOTHING:
        return len(tiles) == 1 and move.first == tiles[0]
    return move.first < move.second and move.first in tiles and move.second in tiles


def count_moves(p: Position) -> int:
    """Return the number of legal moves."""
    phase = p.phase
    if phase in (LAY, CHOOSE):
        if p.usage.lists_moves:
            return len(list_moves(p))
        seat = p.chosen if phase == CHOOSE else p.seat
        return count_places(p, p.pot(seat)).number + count_after_places(p, seat)
    if phase == MEND:
        return len(shifts(p))
    if phase == STRIKE_BACK:
        number = p.pots.sizes[p.seat] - 1
        return max(1, number * (number - 1) // 2)
    return len(list_moves(p))


def move_at(p: Position, index: int) -> SundaMove:
    """Return the legal move at this index of ``list_moves``, without listing placements or seizures. Raises IndexError if there is none."""
    phase = p.phase
    if index < 0:
        index += count_moves(p)
    if index < 0:
        raise IndexError("index out of range: there are fewer legal moves")
    if phase == STRIKE_BACK:
        return _seizure_at(p, index)
    if phase not in (LAY, CHOOSE) or p.moves is not None:
        return list_moves(p)[index]
    seat = p.chosen if phase == CHOOSE else p.seat
    pot = p.pot(seat)
    number = count_places(p, pot).number
    if index < number:
        tile, placement = place_at(p, pot, index)
        return SundaMove(PLACE, tile, placement)
    return after_places(p, seat)[index - number]


def list_moves(p: Position) -> list[SundaMove]:
    """Return all legal moves, in the order of RULES 9."""
    phase = p.phase
    if phase == OVER:
        return []
    if phase in (LAY, CHOOSE):
        if p.moves is None:
            seat = p.chosen if phase == CHOOSE else p.seat
            p.moves = _list_places(p, seat)
        return p.moves
    if phase == BEGIN:
        return [SundaMove(START, tile) for tile in ALL_WATER]
    if phase == MEND:
        return [SundaMove(SHIFT, before, after) for before, after in shifts(p)]
    if phase == ANSWER:
        return [SundaMove(ACCEPT), SundaMove(REFUSE)]
    if phase == STRIKE_BACK:
        return _list_seizures(p)
    moves: list[SundaMove]
    if phase == LAND_RIGHT:
        moves = [SundaMove(CLAIM, node) for node in p.nodes]
        moves += [SundaMove(JOIN, vertex) for vertex in sorted(p.claims.tribes) if may_join(p, vertex)]
    elif phase == RESOURCE_RIGHT:
        moves = [SundaMove(RESOURCE, value, p.focus) for value in dict.fromkeys(p.claims.supply)]
    elif phase == LAKE_RIGHT:
        moves = [SundaMove(LAKE, p.lakes[0])]
    else:
        moves = [SundaMove(CHALLENGE, own, other) for own, other in challenges(p)]
    moves.append(SundaMove(SKIP))
    return moves


def _list_places(p: Position, seat: int) -> list[SundaMove]:
    spots = p.board.spots
    pot = p.pot(seat)
    pot_of = p.pots.pot_of
    p.usage.lists_moves = True
    doubtful: list[tuple[int, int]] = []
    gone = spots.gone
    for number in range(0, len(gone), 2):
        p.own_move_cache().relist(gone[number], gone[number + 1], 0, pot_of)
    if gone:
        spots.gone = []
    listed = spots.listed
    for slot, entry in enumerate(spots.entries):
        demand = entry
        if entry >= N_DEMANDS:
            demand = entry - N_DEMANDS if entry < 2 * N_DEMANDS else 0
            prospect = p.prospect(spots.lozenges[slot]) if demand else NEVER
            if prospect == SOMETIMES:
                doubtful += places_on(p.board, p.claims.held, spots.lozenges[slot], demand, p.pots.masks[pot])
            if prospect != ALWAYS:
                demand = 0
        if demand != listed[slot]:
            p.own_move_cache().relist(spots.lozenges[slot], listed[slot], demand, pot_of)
            listed[slot] = demand
    cache = p.move_cache or p.own_move_cache()
    moves = merged(cache.placements(pot, pot_of), doubtful)
    moves += after_places(p, seat)
    return moves


def _list_seizures(p: Position) -> list[SundaMove]:
    tiles = prey(p)
    if len(tiles) == 1:
        return [SundaMove(SEIZE, tiles[0], NOTHING)]
    return [SundaMove(SEIZE, one, other) for number, one in enumerate(tiles) for other in tiles[number + 1 :]]


def _seizure_at(p: Position, index: int) -> SundaMove:
    tiles = prey(p)
    if index == 0 and len(tiles) == 1:
        return SundaMove(SEIZE, tiles[0], NOTHING)
    for number, one in enumerate(tiles):
        left = len(tiles) - number - 1
        if index < left:
            return SundaMove(SEIZE, one, tiles[number + 1 + index])
        index -= left
    raise IndexError("index out of range: there are fewer seizures")
