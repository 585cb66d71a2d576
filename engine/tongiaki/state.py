"""``TongiakiState``: a Tongiaki position that implements the common interface ``State``."""

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
    below,
    shared_ranks,
    shuffle,
)
from engine.core.chance import check_events, check_happened
from engine.core.moves import whole
from engine.tongiaki.board.board import cell_of
from engine.tongiaki.board.tiles import BERTHS, N_BEACHES, NAMES, SHIPS, TILE_OF_NAME, TONGA
from engine.tongiaki.notation.moves import LAND, LAY, PLACES, SETTLES, TongiakiMove, lay_at
from engine.tongiaki.position import LANDING, LAYING, OVER, SAILING, SETTLING, SETUP, TAKEN, TURN, Position, key_of
from engine.tongiaki.rules.apply import apply
from engine.tongiaki.rules.landing import landings, may_land
from engine.tongiaki.rules.legal import is_sail_move, is_taken_move, is_turn_move, sail_moves, taken_moves, turn_moves


@final
class TongiakiState(Position):
    """A Tongiaki position."""

    __slots__ = ()

    # Facts

    @property
    def game(self) -> Game:
        return self._game

    @property
    def actor(self) -> int | None:
        return None if self.phase is OVER else self.active

    @property
    def outcome(self) -> Outcome | None:
        """Scores and ranks, or None while the game goes on; ties are broken by islands held, then by fewer ships on the board (RULES 6)."""
        if self.phase is not OVER or self.ending is None:
            return None
        board = self.board
        scores = tuple([board.points(seat) for seat in range(self.players)])
        keys = [(scores[seat], board.islands_held(seat), self.supply[seat] - SHIPS) for seat in range(self.players)]
        return Outcome(scores, shared_ranks(keys), self.ending)

    @property
    def text(self) -> str:
        from engine.tongiaki.notation.fen import write_position  # noqa: PLC0415  # the modules import each other

        return write_position(self)

    @property
    def key(self) -> int:
        return key_of(self)

    def tally(self) -> dict[str, tuple[int, ...]]:
        """Return each seat's current points, its islands, its ships in supply and its royal islands."""
        seats = range(self.players)
        return {
            "points": tuple([self.board.points(seat) for seat in seats]),
            "islands": tuple([self.board.islands_held(seat) for seat in seats]),
            "supply": tuple(self.supply),
            "royal": tuple([self.board.royals(seat) for seat in seats]),
        }

    def copy(self) -> TongiakiState:
        return TongiakiState(self._game, self.players, self.deck, self)

    def redact(self, seat: int) -> None:
        """Sort the deck, whose order is the only hidden information and is hidden from every seat."""
        self.deck.sort(reverse=True)

    def determinize(self, rng: Random) -> None:
        """Shuffle the undrawn tiles."""
        shuffle(rng, self.deck)

    def chance(self, move: Move, given: Sequence[str] = ()) -> Sequence[ChanceOutcome]:
        """Return the tiles that may be drawn next. All are equally likely, because there is one of each kind."""
        after = self.copy()
        after.resolve(given)
        after.play(move)
        check_happened(given, after.events)
        if sum([event.startswith("draw ") for event in after.events]) <= len(given):
            return ()
        events = [event for event in [f"draw {NAMES[tile]}" for tile in sorted(self.deck)] if event not in given]
        return [ChanceOutcome(event, 1 / len(events)) for event in events]

    def resolve(self, events: Sequence[str]) -> None:
        """Put the tiles drawn in these events on top of the deck. Raises PositionError for a tile that is not in the deck."""
        check_events(events)
        drawn = [TILE_OF_NAME.get(event[5:], -1) for event in events if event.startswith("draw ")]
        rest = self.deck[:]
        for tile in drawn:
            if tile not in rest:
                raise PositionError(f"at least one of the tiles drawn is not in the deck: {', '.join(events)}")
            rest.remove(tile)
        self.deck[:] = [*rest, *reversed(drawn)]

    # Legal moves

    def list_moves(self) -> tuple[TongiakiMove, ...]:
        moves = self.moves
        if moves is None:
            moves = self.moves = tuple(self._find_moves())
        return moves

    def count_moves(self) -> int:
        if self.moves is None and self.phase is LAYING:
            return self.board.count_lays()
        return len(self.list_moves())

    def move_at(self, index: SupportsIndex) -> TongiakiMove:
        number = whole(index)
        is_listed = self.moves is not None or self.phase is not LAYING
        move = self.list_moves()[number] if is_listed else lay_at(self.board.lays()[number])
        self.drawn = move
        return move

    def _find_moves(self) -> Sequence[TongiakiMove]:
        phase = self.phase
        if phase is TURN:
            return turn_moves(self.board, self.active, self.supply[self.active])
        if phase is SAILING:
            return sail_moves(self.board, self.ending is not None)
        if phase is LANDING:
            return landings(self.board.free(self.target), self.group)
        if phase is LAYING:
            return [lay_at(key) for key in self.board.lays()]
        if phase is SETTLING:
            return SETTLES[: N_BEACHES[self.target]]
        if phase is SETUP:
            return self._places()
        if phase is TAKEN:
            return taken_moves(self.board, self.active, self.taken_from)
        return ()

    def _places(self) -> list[TongiakiMove]:
        return [move for beach, move in enumerate(PLACES) if self.board.count[beach] < BERTHS[beach] - 1]

    def random_move(self, rng: Random) -> TongiakiMove:
        if self.moves is None and self.phase is LAYING:
            keys = self.board.lays()
            move = lay_at(keys[below(rng, len(keys))])
        else:
            moves = self._find_moves() if self.moves is None else self.moves
            move = moves[below(rng, len(moves))]
        self.drawn = move
        return move

    def playout(self, rng: Random) -> Outcome:
        if self.read_only:
            raise ReadOnlyError("a view's position is read-only; play moves on a copy from view.sample(rng) instead")
        while self.phase is not OVER:
            apply(self, self.random_move(rng))
        outcome = self.outcome
        assert outcome is not None
        return outcome

    def is_legal(self, move: Move) -> bool:
        if not isinstance(move, TongiakiMove):
            return False
        phase = self.phase
        if phase is TURN:
            return is_turn_move(self.board, self.active, self.supply[self.active], move)
        if phase is SAILING:
            return is_sail_move(self.board, self.ending is not None, move)
        if phase is LANDING:
            return move.code == LAND and may_land(self.board.free(self.target), self.group, move.ships)
        if phase is LAYING:
            return move.code == LAY and self.board.may_lay(move.numbers[0], move.numbers[1], move.numbers[2])
        if phase is SETTLING:
            return move in SETTLES[: N_BEACHES[self.target]]
        if phase is SETUP:
            return move in self._places()
        return phase is TAKEN and is_taken_move(self.board, self.active, self.taken_from, move)

    # Playing

    def play(self, move: Move) -> None:
        if self.read_only:
            raise ReadOnlyError("a view's position is read-only; play moves on a copy from view.sample(rng) instead")
        if not isinstance(move, TongiakiMove):
            raise InvalidMoveError(f"{move} is not a Tongiaki move")
        if move is not self.drawn and not self.is_legal(move):
            raise IllegalMoveError(f"'{move}' is not legal: {self._summary()}")
        apply(self, move)

    def _summary(self) -> str:
        if self.phase is OVER:
            return "the game is over"
        first = ", ".join(str(move) for move in self.list_moves()[:4])
        more = len(self.list_moves()) - 4
        return f"seat {self.active} has to choose from {first}" + (f" and {more} more" if more > 0 else "")


def shuffled_deck(seed: int) -> list[int]:
    """Return the deck shuffled as RULES 2 requires, with the top tile last."""
    deck = [tile for tile in range(len(NAMES)) if tile != TONGA]
    shuffle(Random(seed), deck)
    deck.reverse()
    return deck


def sorted_deck() -> list[int]:
    """Return the tiles of a new deck, sorted as in a view."""
    return [tile for tile in reversed(range(len(NAMES))) if tile != TONGA]


def new_state(game: Game, players: int, deck: list[int]) -> TongiakiState:
    """Return the first position, with Tonga on the board and every ship in supply."""
    state = TongiakiState(game, players, deck)
    state.board.lay(TONGA, cell_of(0, 0), 0)
    return state
