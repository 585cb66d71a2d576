"""``SpielState``: a position of an OpenSpiel game without secrets, and the base class for positions of the other OpenSpiel games."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from random import Random
from typing import TYPE_CHECKING, Any, Final, Self

import msgspec

from engine.core import (
    ChanceOutcome,
    IllegalMoveError,
    InvalidMoveError,
    Move,
    Outcome,
    PositionError,
    ReadOnlyError,
    State,
    TextMove,
    shared_ranks,
)
from engine.core.chance import check_events
from engine.core.rng import below
from engine.openspiel.moves import notations, one_line

if TYPE_CHECKING:
    from engine.openspiel.game import SpielGame

CHANCE: Final = "chance"
"""The first word of the event that reports an open draw: ``chance ACTION WORDS``."""
_CHANCE: Final = -1
_ANSI: Final = re.compile(r"\x1b\[[0-9;]*m")


class PositionText(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """The contents of a position's text; in a history, None stands for a hidden choice."""

    history: list[int | None]
    seed: int | None = None


def drawn(bare: Any, seed: int, number: int) -> int:
    """Return the action that the seed draws at a chance node; ``number`` is how many draws came before it in the match."""
    share = (int.from_bytes(blake2b(b"%d %d" % (seed, number), digest_size=8).digest()) >> 11) * 2.0**-53
    outcome = -1
    for action, probability in bare.chance_outcomes():
        outcome = action
        share -= probability
        if share < 0 < probability:
            break
    return outcome


def number_of(value: float) -> int | float:
    """Return the value, as an int if it is whole."""
    return int(value) if value.is_integer() else value


class SpielState(State):
    """A ``pyspiel.State`` at a decision or at the end, with the seed that decides all later chance events (None if it is unknown)."""

    __slots__ = ("_actions", "_bare", "_draws", "_game", "_named", "_script", "_seed")

    tells_chance = True

    def __init__(self, game: SpielGame, bare: Any, seed: int | None) -> None:
        super().__init__(game.max_players)
        self._game = game
        self._bare = bare
        self._seed = seed
        self._draws = 0
        self._script: list[int] = []
        self._actions: Sequence[int] | None = None
        self._named: dict[str, int] | None = None

    @property
    def game(self) -> SpielGame:
        return self._game

    @property
    def actor(self) -> int | None:
        seat: int = self._bare.current_player()
        return seat if seat >= 0 else None

    @property
    def outcome(self) -> Outcome | None:
        """The outcome, with OpenSpiel's returns as scores, or None while the game goes on."""
        if not self._bare.is_terminal():
            return None
        return outcome_of(self._returns())

    def _returns(self) -> tuple[int | float, ...]:
        return tuple(map(number_of, self._bare.returns()))

    @property
    def text(self) -> str:
        """All actions so far, including chance actions, and the seed: ``state.game.position(state.text)`` is an equal state."""
        return msgspec.json.encode(PositionText(self._history(), self._seed)).decode()

    def _history(self) -> list[int | None]:
        history: list[int | None] = self._bare.history()
        return history

    def __str__(self) -> str:
        return _ANSI.sub("", str(self._bare)).rstrip()

    def observation_string(self, seat: int) -> str:
        """Return OpenSpiel's text for what the seat sees, such as the board, or ``str(self)`` if the game has no such text."""
        if not self._game.bare.get_type().provides_observation_string:
            return str(self)
        seen: str = self._bare.observation_string(seat)
        return seen

    # Playing

    def play(self, move: Move) -> None:
        self._act(self._action(move))

    def _act(self, action: int) -> None:
        self._choose(action)
        self.events = self._settle()
        self._script = []

    def _action(self, move: Move) -> int:
        if self.read_only:
            raise ReadOnlyError("a view's position is read-only; play moves on a copy from view.sample(rng) instead")
        if not isinstance(move, TextMove):
            raise InvalidMoveError(f"{move} is not a move of {self._game.name}")
        action = self._notations().get(move.text)
        if action is None:
            raise IllegalMoveError(
                f"'{move}' is not legal here" if self.actor is not None else f"the game is over, so '{move}' can't be played"
            )
        return action

    def chance(self, move: Move, given: Sequence[str] = ()) -> Sequence[ChanceOutcome]:
        """Return the outcomes of OpenSpiel's next chance node after the move and the ``given`` events, with their probabilities."""
        bare = self._bare.clone()
        bare.apply_action(self._action(move))
        return outcomes_after(bare, given)

    def _choose(self, action: int) -> None:
        """Apply a decision; ``_settle`` then draws the chance actions."""
        self._bare.apply_action(action)
        self._actions = self._named = None

    def _settle(self) -> tuple[str, ...]:
        bare = self._bare
        if not bare.is_chance_node():
            return ()
        said = []
        while bare.is_chance_node():
            action = self._draw()
            if self.tells_chance:
                said.append(event_of(bare, action))
            bare.apply_action(action)
        return tuple(said)

    def _draw(self) -> int:
        if self._script:
            action = self._script.pop(0)
            if action not in self._bare.legal_actions():
                raise PositionError(f"the chance action {action} is not possible here")
        elif self._seed is None:
            raise PositionError("this position has no seed, so random events can't be generated from it; use view.sample(rng) instead")
        else:
            action = drawn(self._bare, self._seed, self._draws)
        self._draws += 1
        return action

    def begin(self, history: Iterable[int | None] = (), *, whole: bool = True) -> Self:
        """Apply these actions; with ``whole``, then draw the chance actions due next. Without it, none may be due. Raises PositionError."""
        for action in history:
            self._take(action)
        if whole:
            self._settle()
        elif self._bare.is_chance_node():
            raise PositionError("the history must not end where a chance action is due")
        return self

    def _take(self, action: int | None) -> None:
        bare = self._bare
        if action is None or bare.is_terminal() or action not in bare.legal_actions():
            raise PositionError(f"action {action} is not legal at index {len(bare.history())} of the history")
        if bare.is_chance_node():
            self._draws += 1
            bare.apply_action(action)
        else:
            self._choose(action)

    def copy(self) -> Self:
        other = type(self)(self._game, self._bare.clone(), self._seed)
        other._draws, other._script = self._draws, self._script.copy()
        other._actions, other._named = self._actions, self._named
        other.events, other.read_only = self.events, self.read_only
        return other

    # Moves

    def _legal(self) -> Sequence[int]:
        if self._actions is None:
            self._actions = self._bare.legal_actions()
        return self._actions

    def _notations(self) -> dict[str, int]:
        if self._named is None:
            self._named = notations(self._bare, self._legal())
        return self._named

    def list_actions(self) -> Sequence[int]:
        """Return OpenSpiel's action numbers in the order of ``list_moves()``. Raises PositionError for a view with hidden information."""
        if self._bare is None:
            raise PositionError("a view with hidden information has moves, but no action numbers; use the full state instead")
        return self._legal()

    def list_moves(self) -> Sequence[TextMove]:
        return [TextMove(text) for text in self._notations()]

    def is_legal(self, move: Move) -> bool:
        return isinstance(move, TextMove) and move.text in self._notations()

    def count_moves(self) -> int:
        return len(self._legal())

    def random_move(self, rng: Random) -> TextMove:
        texts = list(self._notations())
        return TextMove(texts[below(rng, len(texts))])

    def playout(self, rng: Random) -> Outcome:
        if self.read_only:
            raise ReadOnlyError("a view's position is read-only; play moves on a copy from view.sample(rng) instead")
        while self.actor is not None:
            actions = self._legal()
            self._act(actions[below(rng, len(actions))])
        outcome = self.outcome
        assert outcome is not None, "a game that is over has an outcome"
        return outcome

    # Views

    def redact(self, seat: int) -> None:
        """Remove the seed; nothing else is secret."""
        self._seed = None

    def determinize(self, rng: Random) -> None:
        self._seed = rng.getrandbits(48)

    def tally(self) -> dict[str, Any]:
        """Return a dict with the key ``returns``: OpenSpiel's cumulative reward for each seat so far."""
        return {"returns": self._returns()}

    def observation(self, seat: int) -> Sequence[float] | None:
        """Return OpenSpiel's observation tensor for the seat as a list of numbers, or None if the game has no such tensors."""
        if not self._game.has_observation_tensors:
            return None
        numbers: Sequence[float] = self._bare.observation_tensor(seat)
        return numbers

    @property
    def opening(self) -> str:
        """The chance actions before the first decision, as a JSON list."""
        history = self._bare.history()
        return msgspec.json.encode(history).decode() if history else ""

    def resolve(self, events: Sequence[str]) -> None:
        self._script = actions_of(events)


def event_of(bare: Any, action: int) -> str:
    """Return the event that reports this action of a chance node."""
    return f"{CHANCE} {action} {one_line(bare.action_to_string(_CHANCE, action))}"


def actions_of(events: Sequence[str]) -> list[int]:
    """Return the chance actions that these events report. Raises PositionError."""
    check_events(events)
    try:
        return [int(event.split(" ", 2)[1]) for event in events]
    except (IndexError, ValueError):
        raise PositionError(f"{list(events)} contains an event that is not a chance event") from None


def outcomes_after(bare: Any, given: Sequence[str]) -> list[ChanceOutcome]:
    """Apply the given chance events to ``bare`` and return the outcomes of the next one. Raises PositionError."""
    for action in actions_of(given):
        if not bare.is_chance_node() or action not in bare.legal_actions():
            raise PositionError(f"the chance action {action} is not possible here")
        bare.apply_action(action)
    outcomes = bare.chance_outcomes() if bare.is_chance_node() else ()
    return [ChanceOutcome(event_of(bare, action), probability) for action, probability in outcomes if probability > 0]


def outcome_of(scores: tuple[int | float, ...]) -> Outcome:
    """Return the outcome with these scores."""
    said: Any = scores
    return Outcome(said, shared_ranks([(score,) for score in said]), "over")
