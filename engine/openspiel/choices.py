"""Positions of OpenSpiel's simultaneous games, in which everything is open except the others' choices in the current simultaneous move."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, NamedTuple, Self, final

from engine.core import Move, PositionError
from engine.core.rng import below
from engine.openspiel.moves import notations
from engine.openspiel.state import SpielState


class Choice(NamedTuple):
    """A seat's choice in a simultaneous move that is not complete yet; while it is hidden, ``action`` is only a placeholder."""

    seat: int
    action: int
    is_hidden: bool


@final
class ChoiceState(SpielState):
    """A position of a simultaneous game that ``pyspiel.convert_to_turn_based`` made sequential.

    ``_pending`` holds the choices made so far in the current simultaneous move; ``_before`` is the position before them.
    """

    __slots__ = ("_before", "_blank", "_pending")

    def __init__(self, game: Any, bare: Any, seed: int | None) -> None:
        super().__init__(game, bare, seed)
        self._before: Any = None
        self._pending: tuple[Choice, ...] = ()
        self._blank: frozenset[int] = frozenset()
        """The seats whose choices ``determinize`` drew at random and may replace."""

    def __str__(self) -> str:
        shown = str(self._bare.simultaneous_game_state()).rstrip()
        if not self._pending:
            return shown
        chosen = zip(self._pending, self._pending_texts(), strict=True)
        return "\n".join([shown, *(f"seat {each.seat} has chosen{f' {text}' if not each.is_hidden else ''}" for each, text in chosen)])

    def _pending_texts(self) -> list[str]:
        texts: list[str] = []
        bare = self._before.clone()
        for each in self._pending:
            texts.extend(text for text, action in notations(bare, [each.action]).items())
            bare.apply_action(each.action)
        return texts

    def _history(self) -> list[int | None]:
        history: list[int | None] = self._bare.history()
        if self._pending:
            history[-len(self._pending) :] = [None if each.is_hidden else each.action for each in self._pending]
        return history

    def _choose(self, action: int, *, is_hidden: bool = False) -> None:
        bare = self._bare
        seat = bare.current_player()
        if not self._pending:
            self._before = bare.clone()
        moment = bare.simultaneous_game_state().move_number()
        super()._choose(action)
        self._blank = frozenset()
        if bare.is_terminal() or bare.simultaneous_game_state().move_number() != moment:
            self._before, self._pending = None, ()
        else:
            self._pending = (*self._pending, Choice(seat, action, is_hidden))

    def _take(self, action: int | None) -> None:
        if action is not None or self._bare.is_chance_node():
            super()._take(action)
        else:
            self.hide_choice()

    def _replace(self, choices: Sequence[Choice]) -> None:
        if not choices:
            return
        bare = self._before.clone()
        for each in choices:
            bare.apply_action(each.action)
        self._bare, self._pending = bare, tuple(choices)
        self._actions = self._named = None

    def copy(self) -> Self:
        other = super().copy()
        other._before, other._pending, other._blank = self._before, self._pending, self._blank
        return other

    def redact(self, seat: int) -> None:
        """Remove the seed and the other seats' choices in the current simultaneous move."""
        super().redact(seat)
        self._blank = frozenset()
        if any(each.seat != seat for each in self._pending):
            self._replace([each if each.seat == seat else self._hidden(each.seat) for each in self._pending])

    def _hidden(self, seat: int) -> Choice:
        return Choice(seat, self._possible(seat)[0], is_hidden=True)

    def determinize(self, rng: Random) -> None:
        """Fill in what ``redact`` removed: random choices and a random seed."""
        super().determinize(rng)
        blank = self._blank | {each.seat for each in self._pending if each.is_hidden}
        if not blank:
            return
        self._replace(
            [Choice(each.seat, self._any(each.seat, rng), is_hidden=False) if each.seat in blank else each for each in self._pending]
        )
        self._blank = blank

    def _any(self, seat: int, rng: Random) -> int:
        actions = self._possible(seat)
        return actions[below(rng, len(actions))]

    def _possible(self, seat: int) -> Sequence[int]:
        """Return the seat's possible choices in the current simultaneous move, which don't depend on the choices of others."""
        actions: Sequence[int] = self._before.simultaneous_game_state().legal_actions(seat)
        return actions

    def has_hidden_choice(self, seat: int) -> bool:
        return any(each.seat == seat for each in self._pending)

    def hide_choice(self) -> None:
        if self.actor is None:
            raise PositionError("the game is over, so there is nothing to choose")
        other = self.copy()
        other._choose(other._legal()[0], is_hidden=True)
        if not other._pending:
            raise PositionError(f"the choice of seat {self.actor} can't be hidden in this position")
        self._before, self._pending, self._bare = other._before, other._pending, other._bare
        self._actions = self._named = None
        self.events = ()

    def reveal_choice(self, seat: int, move: Move) -> None:
        if not any(each.seat == seat and each.is_hidden for each in self._pending):
            raise PositionError(f"seat {seat} has no hidden choice")
        bare = self._before.clone()
        choices: list[Choice] = []
        for each in self._pending:
            action: int | None = each.action
            if each.seat == seat:
                action = notations(bare, bare.legal_actions()).get(str(move))
            if action is None:
                raise PositionError(f"seat {seat} can't have chosen '{move}'")
            choices.append(Choice(each.seat, action, each.is_hidden and each.seat != seat))
            bare.apply_action(action)
        self._replace(choices)
