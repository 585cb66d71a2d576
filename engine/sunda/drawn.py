"""A legal move drawn at random, each equally likely, without a list of the placements. What is legal is in ``legal``."""

from __future__ import annotations

from random import Random

from engine.sunda.legal import after_places, count_after_places, list_moves, may_place_tight, prey
from engine.sunda.moves import PLACE, SEIZE, SundaMove
from engine.sunda.position import CHOOSE, LAY, STRIKE_BACK, Position
from engine.sunda.shifts import placements_on
from engine.sunda.tiles import MASK_FITTING, N_TILES


def random_move(p: Position, rng: Random) -> SundaMove:
    """One legal move, each equally likely, the same for equal positions and equal sources; placements are not listed."""
    phase = p.phase
    if phase in (LAY, CHOOSE):
        return random_choice(p, p.chosen if phase == CHOOSE else p.seat, rng)
    if phase == STRIKE_BACK:
        tiles = prey(p)
        if len(tiles) > 1:
            one, other = sorted(rng.sample(tiles, 2))
            return SundaMove(SEIZE, one, other)
    moves = list_moves(p)
    return moves[rng.randrange(len(moves))]


def random_choice(p: Position, seat: int, rng: Random) -> SundaMove:
    """What a seat that may lay a tile now does, each legal move equally likely.

    Placements on tight spots are drawn as if a shift always existed, and drawn again where none does.
    """
    pot = p.pot(seat)
    pot_of = p.pots.pot_of
    spots = p.board.spots
    n_easy = 0
    n_tight = 0
    for owner, easy, tight in zip(pot_of, spots.fits, spots.squeezes):  # noqa: B905  # mypyc makes a bare loop of this, not with strict
        if owner == pot:
            n_easy += easy
            n_tight += tight
    n_all = n_easy + n_tight + count_after_places(p, seat)
    while True:
        number = rng.randrange(n_all)
        if number < n_easy:
            return _easy_place(p, pot, number)
        number -= n_easy
        if number >= n_tight:
            return after_places(p, seat)[number - n_tight]
        move = _tight_place(p, pot, number)
        if move is not None:
            return move


def _easy_place(p: Position, pot: int, number: int) -> SundaMove:
    """The placement with this number of those that make no triangular space."""
    fits = p.board.spots.fits
    pot_of = p.pots.pot_of
    for tile in range(N_TILES):
        if pot_of[tile] == pot:
            if number < fits[tile]:
                return SundaMove(PLACE, tile, p.board.spots.places(tile)[number])
            number -= fits[tile]
    raise AssertionError("fits counts fewer placements than it did")


def _tight_place(p: Position, pot: int, number: int) -> SundaMove | None:
    """The placement with this number of those that meet the demands of tight spots; None if it lacks a shift."""
    mask = p.pots.masks[pot]
    for lozenge, demand in sorted(p.board.spots.tight.items()):
        n_here = (MASK_FITTING[demand] & mask).bit_count()
        if number < n_here:
            tile, place = placements_on(lozenge, demand, mask)[number]
            return SundaMove(PLACE, tile, place) if may_place_tight(p, lozenge, tile, place) else None
        number -= n_here
    raise AssertionError("squeezes counts fewer placements than it did")
