"""``SimpleGame`` and ``SimpleState``: a game and its states, derived from a class of positions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, Generic, TypeVar, final

import msgspec

from engine.core import (
    ChanceOutcome,
    EngineError,
    Game,
    IllegalMoveError,
    InvalidMoveError,
    Move,
    OptionValue,
    Outcome,
    PositionError,
    ReadOnlyError,
    RulesError,
    State,
    TextMove,
    World,
    below,
)
from engine.core.chance import MOST, check_events, histories
from engine.records import decoder
from engine.registry import find_game
from engine.simple.chance import ROLL, Chance, ToldChance, asked
from engine.simple.position import Position
from engine.text import raised_at

_P = TypeVar("_P", bound=Position)


class _StateText(msgspec.Struct, Generic[_P], forbid_unknown_fields=True):
    position: _P
    turn: int
    seed: int | None = None


@final
class SimpleGame(Game):
    """A game whose rules are a class of positions; ``simple_game`` creates its plug-in.

    A seat's news includes the position as the seat knows it, so that the seat's observer need not apply the rules.
    """

    def __init__(
        self,
        name: str,
        rules: type[Position],
        copy: Callable[[Any], Any],
        players: tuple[int, int],
        rules_version: int,
        options: Mapping[str, OptionValue],
    ) -> None:
        self.name = name
        self.rules = rules
        self.copy_position = copy
        self.min_players, self.max_players = players
        self.chance_events = frozenset({ROLL})
        self.sends_positions = True
        self.rules_version = rules_version
        self._options = dict(options)
        self._read: Callable[[str], _StateText[Position]] = decoder(_StateText[rules]).decode  # type: ignore[valid-type]

    @property
    def options(self) -> Mapping[str, OptionValue]:
        return self._options

    def new(self, players: int, seed: int) -> SimpleState:
        self.check_start(players, seed)
        return self._set_up(players, seed, Chance(seed, 0, players))

    def _set_up(self, players: int, seed: int, chance: Chance) -> SimpleState:
        position = self.rules(players=players)
        try:
            position.setup(self._options, chance)
            _check(position)
        except Exception as error:
            raise self.failed("in setup", error) from error
        return SimpleState(self, position, seed)

    def deals(self, players: int, most: int = MOST) -> list[World]:
        self.check_start(players, 0)

        def following(given: tuple[str, ...]) -> Sequence[ChanceOutcome]:
            return asked(lambda: self._set_up(players, 0, ToldChance(given, 0, 0, players, asks=True)))

        return [World(share, self._set_up(players, 0, ToldChance(told, 0, 0, players))) for share, told in histories(following, most)]

    def parse(self, text: str) -> TextMove:
        """Return the text as a move, without checking whether it is legal. Raises InvalidMoveError unless it is one line."""
        return TextMove.parse(text)

    def position(self, text: str) -> SimpleState:
        """Return the state that a text describes. It is read-only if the text has no seed, as in a view. Raises PositionError."""
        try:
            written = self._read(text)
            self.check_start(written.position.players, written.seed or 0)
            _check(written.position)
        except (ValueError, RecursionError) as error:  # msgspec's and the engine's own are ValueErrors
            found = re.fullmatch(r"Expected `(.+)`, got `(.+)` - at `\$\.position\.(.+)`", str(error))
            said = f"{found[3]} holds {found[2]}, but its type allows only {found[1]}" if found else error
            raise PositionError(f"invalid position of {self.name}: {said}") from None
        state = SimpleState(self, written.position, written.seed, written.turn)
        state.read_only = written.seed is None
        return state

    def explain(self, move: Move) -> str:
        try:
            return self.rules.explain(str(move))
        except Exception:  # noqa: BLE001  # rules may only be able to explain legal moves, but any line may be passed
            return str(move)

    def failed(self, where: str, error: Exception) -> Exception:
        """Return the exception to raise after the rules raised ``error``; ``where`` says what they were doing."""
        if isinstance(error, EngineError):
            return error
        unknown = re.search(rf"'{self.rules.__name__}' object has no attribute '(\w+)'|attribute '(\w+)' is read-only", str(error))
        name = (unknown[1] or unknown[2]) if unknown else ""
        said = (
            f"{self.rules.__name__} has no field {name}: declare it in the class with its type, such as '{name}: int = 0'" if name else ""
        )
        said = said or f"{type(error).__name__}: {error}"
        place = raised_at(error)
        at = f" at {place}" if place else ""
        return RulesError(f"the rules of {self.name} failed {where}{at}; this is a bug in the game, not a mistake of the player: {said}")

    def __reduce__(self) -> tuple[Callable[..., Game], tuple[str, dict[str, OptionValue]]]:
        return find_game, (self.name, self._options)


def _check(position: Position) -> None:
    """Raise ValueError if the seat that has to decide, or the scores at the end, can't be right."""
    actor, seats = position.actor, position.players
    if actor is None:
        if not len(position.scores) == len(position.ranks) == seats:
            raise ValueError("the game is over without scores; call end(scores, ending)")
    elif not 0 <= actor < seats:
        raise ValueError(f"actor is {actor}, but the seats are 0 to {seats - 1}")


@final
class SimpleState(State):
    """One position of a ``SimpleGame``, with its hidden information and its seed.

    ``inside`` is the position that the rules work on; copies share it until they are played on, so other code must not change it.
    """

    __slots__ = ("_game", "_moves", "_private", "_seed", "_told", "_turn", "inside")

    def __init__(self, game: SimpleGame, inside: Position, seed: int | None, turn: int = 0) -> None:
        super().__init__(inside.players)
        self.inside = inside
        self._game = game
        self._seed = seed
        self._turn = turn
        self._moves: tuple[str, ...] | None = None
        self._private: dict[int, list[str]] = {}
        self._told: tuple[str, ...] = ()
        """The chance events that are forced in the next move."""

    @property
    def game(self) -> SimpleGame:
        return self._game

    @property
    def actor(self) -> int | None:
        return self.inside.actor

    @property
    def outcome(self) -> Outcome | None:
        inside = self.inside
        scores: tuple[Any, ...] = inside.scores
        return None if inside.actor is not None else Outcome(scores, inside.ranks, inside.ending)

    @property
    def text(self) -> str:
        return msgspec.json.encode(_StateText(self.inside, self._turn, self._seed)).decode()

    def __str__(self) -> str:
        return self.inside.show()

    def play(self, move: Move) -> None:
        """Play a legal move in place.

        Raises ReadOnlyError, InvalidMoveError, IllegalMoveError and, if the rules fail, RulesError; the state is then unchanged.
        """
        self._advance(self._checked(move), self._game.copy_position(self.inside))

    def _checked(self, move: Move) -> str:
        self._check_writable()
        if not isinstance(move, TextMove):
            raise InvalidMoveError(f"{move} is not a move of {self._game.name}")
        if move.text not in self._notations():
            raise IllegalMoveError(
                f"'{move}' is not legal here" if self.actor is not None else f"the game is over, so '{move}' can't be played"
            )
        return move.text

    def chance(self, move: Move, given: Sequence[str] = ()) -> Sequence[ChanceOutcome]:
        """Return the outcomes of the next ``chance.roll``, ``draw`` or ``shuffle``. Raises PositionError for ``chance.rng``."""
        text, trial = self._checked(move), self.copy()
        trial.resolve(given)
        return asked(lambda: trial._advance(text, self._game.copy_position(self.inside), asks=True))

    def resolve(self, events: Sequence[str]) -> None:
        check_events(events)
        self._told = tuple(events)

    def playout(self, rng: Random) -> Outcome:
        self._check_writable()
        own = self._game.copy_position(self.inside)
        while self.actor is not None:
            moves = self._notations()
            self._advance(moves[below(rng, len(moves))], own)
        outcome = self.outcome
        assert outcome is not None, "a game that is over has an outcome"
        return outcome

    def _advance(self, move: str, own: Position, *, asks: bool = False) -> None:
        """Play on ``own``, a private copy of the position, and keep it on success. With ``asks``, raise OpenError at a chance event."""
        turn = self._turn + 1
        told = ToldChance(self._told, self._seed, turn, self.players, asks=asks) if asks or self._told else None
        chance = told or Chance(self._seed, turn, self.players)
        try:
            own.play(move, chance)
            _check(own)
            if told is not None:
                told.check_end()
        except Exception as error:
            raise self._game.failed(f"to play '{move}' as move {turn}", error) from error
        self.inside = own
        self._turn = turn
        self._moves = None
        self._told = ()
        self.events, self._private = tuple(chance.events), chance.private

    def _check_writable(self) -> None:
        if self.read_only:
            raise ReadOnlyError("a view's position is read-only; play moves on a copy from view.sample(rng) instead")

    def copy(self) -> SimpleState:
        other = SimpleState(self._game, self.inside, self._seed, self._turn)
        other.events, other.read_only = self.events, self.read_only
        other._moves, other._private, other._told = self._moves, self._private, self._told
        return other

    def list_moves(self) -> Sequence[TextMove]:
        return [TextMove(each) for each in self._notations()]

    def is_legal(self, move: Move) -> bool:
        return isinstance(move, TextMove) and move.text in self._notations()

    def count_moves(self) -> int:
        return len(self._notations())

    def random_move(self, rng: Random) -> TextMove:
        moves = self._notations()
        return TextMove(moves[below(rng, len(moves))])

    def _notations(self) -> tuple[str, ...]:
        if self._moves is None:
            self._moves = () if self.actor is None else self._listed()
        return self._moves

    def _listed(self) -> tuple[str, ...]:
        try:
            listed = self.inside.moves()
            if isinstance(listed, str):
                raise TypeError(f"moves() must return a list of strings, not the string {listed!r:.60}")
            moves = tuple(listed)
            for each in moves:
                if not isinstance(each, str):
                    raise TypeError(f"moves() lists {each!r:.60}, which is not a string")
            if not moves and self._seed is not None:  # without a seed, the hand of the actor may be hidden
                raise ValueError("moves() returned no moves, but the game is not over")
        except Exception as error:
            raise self._game.failed(f"to list the moves of seat {self.actor}", error) from error
        return moves

    def redact(self, seat: int) -> None:
        """Remove what the seat must not know: the seed, and what the rules hide."""
        self._seed = None
        self._private = {seat: self._private[seat]} if seat in self._private else {}
        self._change("to hide what others know", lambda own: own.hide(seat))

    def determinize(self, rng: Random) -> None:
        self._seed = rng.getrandbits(48)
        chance = Chance(rng.getrandbits(48), self._turn, self.players)
        self._change("to fill in what is hidden", lambda own: own.fill(chance))

    def _change(self, what: str, change: Callable[[Position], None]) -> None:
        own = self._game.copy_position(self.inside)
        try:
            change(own)
        except Exception as error:
            raise self._game.failed(what, error) from error
        self.inside, self._moves = own, None

    def tally(self) -> dict[str, tuple[int, ...]]:
        try:
            counted: dict[str, tuple[Any, ...]] = {name: tuple(numbers) for name, numbers in self.inside.tally().items()}
        except Exception as error:
            raise self._game.failed("to list one number for each seat as the tally", error) from error
        return counted

    def observation(self, seat: int) -> Sequence[float] | None:
        return self.inside.observation(seat)

    def events_for(self, seat: int) -> tuple[str, ...]:
        return (*self.events, *self._private.get(seat, ()))

    def has_hidden_choice(self, seat: int) -> bool:
        return self.inside.has_hidden_choice(seat)

    def __reduce__(self) -> Any:  # narrower than what the base returns
        return _restored, (self._game, self.text, self.events, self._private, self.read_only)


def _restored(game: SimpleGame, text: str, events: tuple[str, ...], private: dict[int, list[str]], read_only: bool) -> SimpleState:
    state = game.position(text)
    state.events, state._private, state.read_only = events, private, read_only
    return state
