"""``SundaState``, the implementation of the interface ``State`` for Sunda to Sahul.

It wraps a ``position.Position``; ``rules.legal`` determines which moves are legal, and ``rules.apply`` plays them.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import SupportsIndex, final

from engine.core import (
    ChanceOutcome,
    Game,
    IllegalMoveError,
    InvalidMoveError,
    Move,
    Outcome,
    PositionError,
    ReadOnlyError,
    State,
    below,
    shared_ranks,
)
from engine.core.chance import check_events, check_happened
from engine.core.moves import whole
from engine.sunda.board.claims import points, solo_points
from engine.sunda.board.packed_counts import tile_at, total
from engine.sunda.board.shifts import placements_on
from engine.sunda.board.tiles import LAND, MASK_FITTING
from engine.sunda.notation.fen import write_position
from engine.sunda.notation.moves import PLACE, SEIZE, SundaMove
from engine.sunda.position import CHOOSE, HIDDEN, LAY, PHASE_WORDS, STRIKE_BACK, Position, key_of
from engine.sunda.rules import legal
from engine.sunda.rules.apply import apply
from engine.sunda.rules.challenges import possible_rolls, read_rolls
from engine.sunda.rules.pots import Dice, write_pots


@final
class SundaState(State):
    """A Sunda to Sahul position; ``inside`` is its data."""

    __slots__ = ("_drawn", "_game", "inside")

    def __init__(self, game: Game, inside: Position) -> None:
        super().__init__(inside.players)
        self._game = game
        self.inside = inside
        self._drawn: SundaMove | None = None  # the last move drawn; it is known to be legal

    @property
    def game(self) -> Game:
        return self._game

    @property
    def actor(self) -> int | None:
        return self.inside.actor

    @property
    def outcome(self) -> Outcome | None:
        """The scores and ranks, or None if the game is not over; equal scores share a rank (RULES 6)."""
        ending = self.inside.ending
        if ending is None:
            return None
        scores = self.points
        return Outcome(scores, shared_ranks([(score,) for score in scores]), ending)

    @property
    def points(self) -> tuple[int, ...]:
        """The current points of each seat (RULES 6 and 8)."""
        p = self.inside
        return (solo_points(p.board, level=p.level),) if p.alone else points(p.board, p.claims, level=p.level)

    @property
    def text(self) -> str:
        return write_position(self.inside)

    @property
    def key(self) -> int:
        return key_of(self.inside)

    def play(self, move: Move) -> None:
        if self.read_only:
            raise ReadOnlyError(f"{move} can't be played on a view, which is read-only; play it on a copy from view.sample(rng) instead")
        if not isinstance(move, SundaMove):
            raise InvalidMoveError(f"{move} is not a Sunda to Sahul move")
        if move is not self._drawn and not legal.is_legal(self.inside, move):
            raise IllegalMoveError(f"{move} is not legal here: {self._summary()}")
        self._drawn = None
        self.events = tuple(apply(self.inside, move))

    def _summary(self) -> str:
        p = self.inside
        tiles = len(p.board.lies)
        table = f"{tiles} tile{'' if tiles == 1 else 's'} on the table"
        if p.actor is None:
            return f"the game is over, {table}"
        return f"seat {p.actor} has to decide ({PHASE_WORDS[p.phase]}), {table}"

    def copy(self) -> SundaState:
        other = SundaState(self._game, self.inside.copy())
        other.events = self.events
        other.read_only = self.read_only
        return other

    def list_moves(self) -> Sequence[Move]:
        """Return all legal moves, in the order of RULES 9; the list is empty when the game is over."""
        return legal.list_moves(self.inside)

    def count_moves(self) -> int:
        """Return the number of legal moves; placements are counted without being listed."""
        return legal.count_moves(self.inside)

    def move_at(self, index: SupportsIndex) -> Move:
        move = self._drawn = legal.move_at(self.inside, whole(index))
        return move

    def random_move(self, rng: Random) -> Move:
        move = self._drawn = _draw_move(self.inside, rng)
        return move

    def is_legal(self, move: Move) -> bool:
        return isinstance(move, SundaMove) and legal.is_legal(self.inside, move)

    def redact(self, seat: int) -> None:
        """Remove the future dice, and the choices of other seats in a tick that is still open."""
        p = self.inside
        p.dice = None
        if p.phase == CHOOSE:
            p.choices = [HIDDEN if chooser < p.chosen and chooser != seat else choice for chooser, choice in enumerate(p.choices)]

    def determinize(self, rng: Random) -> None:
        """Fill in what ``redact`` removed: new dice and random legal choices."""
        p = self.inside
        if p.dice is None:
            p.dice = Dice(rng.getrandbits(62), after_deal=p.private)
        for seat, choice in enumerate(p.choices):
            if choice is HIDDEN:
                p.choices[seat] = _draw_choice(p, seat, rng)

    @property
    def opening(self) -> str:
        """The notation of the private pots as they were dealt, before the first move; empty with a shared pot."""
        return write_pots(self.inside.pots) if self.inside.private else ""

    def has_hidden_choice(self, seat: int) -> bool:
        return self.inside.phase == CHOOSE and seat < self.inside.chosen

    def hide_choice(self) -> None:
        """Make an unknown choice for the seat that chooses next in a tick. Raises PositionError for the last seat, and outside a tick."""
        p = self.inside
        if p.phase != CHOOSE or p.chosen == p.players - 1:
            raise PositionError("this decision isn't a hidden choice")
        p.moves = None
        p.counts = None
        p.choices[p.chosen] = HIDDEN
        p.chosen += 1
        self._drawn = None
        self.events = ()

    def reveal_choice(self, seat: int, move: Move) -> None:
        p = self.inside
        if not isinstance(move, SundaMove) or not 0 <= seat < p.players or p.choices[seat] is not HIDDEN:
            raise PositionError(f"seat {seat} has made no hidden choice")
        p.choices[seat] = move

    def chance(self, move: Move, given: Sequence[str] = ()) -> Sequence[ChanceOutcome]:
        """Return the possible results of the dice that a move rolls: who wins a challenge, or the order of the seats in a tick."""
        after = self.copy()
        after.resolve(given)
        after.play(move)
        check_happened(given, after.events)
        return () if given else possible_rolls(after.events)

    def resolve(self, events: Sequence[str]) -> None:
        """Set the next dice rolls to the rolls in these events. Raises PositionError for an event without dice."""
        check_events(events)
        p = self.inside
        if events or p.dice is None:
            p.dice = Dice.from_rolls(p.rolled, read_rolls(events), p.dice)

    def tally(self) -> dict[str, tuple[int, ...]]:
        """Return each seat's points, tokens left, number of complete islands with its tokens and, in simultaneous play, raids.

        In solo play there are only the points and the number of complete islands.
        """
        p = self.inside
        islands = p.board.islands
        complete = [body for body, still_open in islands.open.items() if still_open == 0 and p.board.types[body] == LAND]
        if p.alone:
            return {"points": self.points, "complete islands": (len(complete),)}
        present = [
            {islands.name[vertex] for vertex, tribe in p.claims.tribes.items() if seat in tribe}
            | {p.claims.island_of(p.board, lake) for lake, owner in p.claims.lakes.items() if owner == seat}
            for seat in range(p.players)
        ]
        tally = {
            "points": self.points,
            "tokens": tuple(p.claims.tokens),
            "complete islands": tuple(sum(island in where for island in complete) for where in present),
        }
        if p.ticks:
            tally["raids"] = tuple(p.raids)
        return tally


def _draw_move(p: Position, rng: Random) -> SundaMove:
    phase = p.phase
    if phase in (LAY, CHOOSE):
        return _draw_choice(p, p.chosen if phase == CHOOSE else p.seat, rng)
    if phase == STRIKE_BACK:
        tiles = legal.prey(p)
        if len(tiles) > 1:
            one, other = sorted(rng.sample(tiles, 2))
            return SundaMove(SEIZE, one, other)
    moves = legal.list_moves(p)
    return moves[below(rng, len(moves))]


def _draw_choice(p: Position, seat: int, rng: Random) -> SundaMove:
    """Return a uniformly random legal move for a seat that may lay a tile now.

    Placements on tight spots are drawn as if a shift always existed; if there is none, another placement is drawn.
    """
    pot = p.pot(seat)
    spots = p.board.spots
    fields = p.pots.fields[pot]
    easy = spots.easy & fields
    n_easy = total(easy)
    n_tight = total(spots.squeezed & fields)
    n_all = n_easy + n_tight + legal.count_after_places(p, seat)
    while True:
        number = below(rng, n_all)
        if number < n_easy:
            tile, number = tile_at(easy, number)
            return SundaMove(PLACE, tile, spots.places(tile)[number])
        number -= n_easy
        if number >= n_tight:
            return legal.after_places(p, seat)[number - n_tight]
        move = _tight_place(p, pot, number)
        if move is not None:
            return move


def _tight_place(p: Position, pot: int, number: int) -> SundaMove | None:
    """Return placement ``number`` among the placements that meet the demands of tight spots, or None if no shift can follow it."""
    mask = p.pots.masks[pot]
    for lozenge, demand in sorted(p.board.spots.tight.items()):
        n_here = (MASK_FITTING[demand] & mask).bit_count()
        if number < n_here:
            tile, place = placements_on(lozenge, demand, mask)[number]
            return SundaMove(PLACE, tile, place) if legal.may_place_tight(p, lozenge, tile, place) else None
        number -= n_here
    raise AssertionError("there are fewer placements on tight spots than were counted")
