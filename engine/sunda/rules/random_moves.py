"""Drawing a legal move at random, each equally likely, without listing the placements."""

from __future__ import annotations

from random import Random

from engine.core import below
from engine.sunda.board.packed_counts import tile_at, total
from engine.sunda.board.shifts import placements_on
from engine.sunda.board.tiles import MASK_FITTING
from engine.sunda.notation.moves import PLACE, SEIZE, SundaMove
from engine.sunda.position import CHOOSE, LAY, STRIKE_BACK, Position
from engine.sunda.rules.legal import after_places, count_after_places, list_moves, may_place_tight, prey


def random_move(p: Position, rng: Random) -> SundaMove:
    """Return a legal move, each equally likely; equal positions and equal sources give the same one."""
    phase = p.phase
    if phase in (LAY, CHOOSE):
        return random_choice(p, p.chosen if phase == CHOOSE else p.seat, rng)
    if phase == STRIKE_BACK:
        tiles = prey(p)
        if len(tiles) > 1:
            one, other = sorted(rng.sample(tiles, 2))
            return SundaMove(SEIZE, one, other)
    moves = list_moves(p)
    return moves[below(rng, len(moves))]


def random_choice(p: Position, seat: int, rng: Random) -> SundaMove:
    """Return a legal move of a seat that may lay a tile now, each equally likely.

    Placements on tight spots are drawn as if a shift always existed, and drawn again if it does not.
    """
    pot = p.pot(seat)
    spots = p.board.spots
    fields = p.pots.fields[pot]
    easy = spots.easy & fields
    n_easy = total(easy)
    n_tight = total(spots.squeezed & fields)
    n_all = n_easy + n_tight + count_after_places(p, seat)
    while True:
        number = below(rng, n_all)
        if number < n_easy:
            tile, number = tile_at(easy, number)
            return SundaMove(PLACE, tile, spots.places(tile)[number])
        number -= n_easy
        if number >= n_tight:
            return after_places(p, seat)[number - n_tight]
        move = _tight_place(p, pot, number)
        if move is not None:
            return move


def _tight_place(p: Position, pot: int, number: int) -> SundaMove | None:
    """Return the placement with this number of those that meet the demands of tight spots, or None if no shift can follow it."""
    mask = p.pots.masks[pot]
    for lozenge, demand in sorted(p.board.spots.tight.items()):
        n_here = (MASK_FITTING[demand] & mask).bit_count()
        if number < n_here:
            tile, place = placements_on(lozenge, demand, mask)[number]
            return SundaMove(PLACE, tile, place) if may_place_tight(p, lozenge, tile, place) else None
        number -= n_here
    raise AssertionError("there are fewer placements on tight spots than were counted")
