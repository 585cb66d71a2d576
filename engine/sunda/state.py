"""A position of Sunda to Sahul behind the common interface (docs/rules/sunda.md).

It owns no rules: a position is in ``position``, what is legal in ``legal``, what moves do in ``flow``.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import final

from engine.core import (
    Game,
    IllegalMoveError,
    InvalidMoveError,
    Move,
    Outcome,
    PositionError,
    ReadOnlyError,
    State,
    shared_ranks,
)
from engine.sunda.board.tiles import LAND
from engine.sunda.key import key_of
from engine.sunda.notation.fen import write_position
from engine.sunda.notation.moves import SundaMove
from engine.sunda.position import CHOOSE, HIDDEN, PHASE_WORDS, Position
from engine.sunda.puzzles.solo import solo_points
from engine.sunda.rules import apply as flow
from engine.sunda.rules import legal
from engine.sunda.rules import random_moves as drawn
from engine.sunda.rules.challenges import told_rolls
from engine.sunda.rules.pots import Dice, write_pots
from engine.sunda.rules.scoring import points


@final
class SundaState(State):
    """One position of a game of Sunda to Sahul."""

    __slots__ = ("_game", "inside")

    def __init__(self, game: Game, inside: Position) -> None:
        super().__init__(inside.players)
        self._game = game
        self.inside = inside

    @property
    def game(self) -> Game:
        """The game, with its options, that this is a position of."""
        return self._game

    @property
    def actor(self) -> int | None:
        """The seat that has to decide, or None when the game is over."""
        return self.inside.actor

    @property
    def outcome(self) -> Outcome | None:
        """None while the game goes on."""
        ending = self.inside.ending
        if ending is None:
            return None
        scores = self.points
        return Outcome(scores, shared_ranks([(score,) for score in scores]), ending)

    @property
    def points(self) -> tuple[int, ...]:
        """The points of each seat as the table lies (RULES 6 and 8)."""
        p = self.inside
        return (solo_points(p.board, level=p.level),) if p.alone else points(p.board, p.claims, level=p.level)

    @property
    def text(self) -> str:
        """The whole position as text: ``state.game.position(state.text)`` is an equal state."""
        return write_position(self.inside)

    @property
    def key(self) -> int:
        """The hash key of the position; see ``State.key``."""
        return key_of(self.inside)

    def play(self, move: Move) -> None:
        """Play a legal move in place.

        Raises IllegalMoveError (the state stays as it was), InvalidMoveError for another game's move, and ReadOnlyError on what a
        view shows.
        """
        if self.read_only:
            raise ReadOnlyError(f"{move} can't be played on a view; play on view.sample(rng) instead")
        if not isinstance(move, SundaMove):
            raise InvalidMoveError(f"{move} is no move of Sunda to Sahul")
        if not legal.is_legal(self.inside, move):
            raise IllegalMoveError(f"{move} is not legal here: {self._summary()}")
        self.events = tuple(flow.apply(self.inside, move))

    def _summary(self) -> str:
        p = self.inside
        tiles = len(p.board.lies)
        table = f"{tiles} tile{'' if tiles == 1 else 's'} on the table"
        if p.actor is None:
            return f"the game is over, {table}"
        return f"seat {p.actor} has to decide ({PHASE_WORDS[p.phase]}), {table}"

    def copy(self) -> SundaState:
        """An independent state that goes on from here in the same way."""
        other = SundaState(self._game, self.inside.copy())
        other.events = self.events
        other.read_only = self.read_only
        return other

    def list_moves(self) -> Sequence[Move]:
        """All legal moves in the order of RULES 9; empty when the game is over."""
        return legal.list_moves(self.inside)

    def count_moves(self) -> int:
        """How many legal moves there are; placements are not listed for it."""
        return legal.count_moves(self.inside)

    def random_move(self, rng: Random) -> Move:
        """One legal move, each equally likely, without listing them; only for a game that is not over."""
        return drawn.random_move(self.inside, rng)

    def is_legal(self, move: Move) -> bool:
        """Whether the move may be played now; does not list the moves."""
        return isinstance(move, SundaMove) and legal.is_legal(self.inside, move)

    def hide(self, seat: int) -> None:
        """Forget the dice to come and the choices that others have made in a tick which is still open."""
        p = self.inside
        p.dice = None
        if p.phase == CHOOSE:
            p.choices = [HIDDEN if chooser < p.chosen and chooser != seat else choice for chooser, choice in enumerate(p.choices)]

    def fill_in(self, rng: Random) -> None:
        """Put fresh dice and random legal choices in the place of what ``hide`` made it forget."""
        p = self.inside
        if p.dice is None:
            p.dice = Dice(rng.getrandbits(62), after_deal=p.private)
        for seat, choice in enumerate(p.choices):
            if choice is HIDDEN:
                p.choices[seat] = drawn.random_choice(p, seat, rng)

    @property
    def opening(self) -> str:
        """The private pots as they were dealt."""
        return write_pots(self.inside.pots) if self.inside.private else ""

    def is_sealed(self, seat: int) -> bool:
        """Whether the tick is open in which the seat has chosen."""
        return self.inside.phase == CHOOSE and seat < self.inside.chosen

    def seal(self) -> None:
        """Let the seat that has to choose in the tick choose something hidden."""
        p = self.inside
        if p.phase != CHOOSE or p.chosen == p.players - 1:
            raise PositionError("nothing is chosen in secret here")
        p.moves = None
        p.choices[p.chosen] = HIDDEN
        p.chosen += 1
        self.events = ()

    def unseal(self, seat: int, move: Move) -> None:
        """Open the hidden choice of a seat."""
        p = self.inside
        if not isinstance(move, SundaMove) or not 0 <= seat < p.players or p.choices[seat] is not HIDDEN:
            raise PositionError(f"seat {seat} has chosen nothing in secret")
        p.choices[seat] = move

    def expect(self, events: Sequence[str]) -> None:
        """Let the dice that are said to be rolled come."""
        self.inside.dice = Dice.told(self.inside.rolled, told_rolls(events))

    def tally(self) -> dict[str, tuple[int, ...]]:
        """Points so far; complete islands (alone: on the table, else: where a player has a token); tokens left; raids in ticks."""
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
