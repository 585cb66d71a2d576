"""The root of all exceptions of this project, and those of the engine. The message of each is one sentence for a person."""

from __future__ import annotations

from typing import ClassVar


class ArenaError(Exception):
    """An error that is not a bug of the program. ``exit_code`` is the exit code of a command that ends with it."""

    exit_code: ClassVar[int] = 2


class InputError(ArenaError, ValueError):
    """An input can't be used: a file, a name, an option, a value."""


class EngineError(InputError):
    """The base class of all errors that the engine raises on purpose."""


class InvalidMoveError(EngineError):
    """A text or an object is not a move of this game."""


class IllegalMoveError(EngineError):
    """A well-formed move is not legal in the position; the state is unchanged."""


class OptionsError(EngineError):
    """An unknown option, a value out of range, options that contradict each other, or a number of players the game does not allow."""


class PositionError(EngineError):
    """A position text that cannot be read, or that describes a position the game cannot reach."""


class ScoreError(EngineError):
    """A game gives a seat a score that is not a finite number."""


class ReadOnlyError(EngineError):
    """A move was played on a view's position; play on ``view.sample(rng)`` or on a copy of that instead."""


class RulesError(EngineError):
    """The rules of a game failed: a bug in the game's package, never the fault of the bot or the person that plays it."""
