"""The base class of all exceptions in this project, and the exceptions of the engine. Each message is one sentence for people."""

from __future__ import annotations

from typing import ClassVar


class ArenaError(Exception):
    """An error that is not a bug in the program. ``exit_code`` is the exit code of a command that fails with it."""

    exit_code: ClassVar[int] = 2


class InputError(ArenaError, ValueError):
    """Raised for an input that can't be used: a file, a name, an option or a value."""


class EngineError(InputError):
    """The base class of all errors that the engine raises on purpose."""


class InvalidMoveError(EngineError):
    """Raised for a text or an object that is not a move of this game."""


class IllegalMoveError(EngineError):
    """Raised if a well-formed move is not legal in the position; the state is unchanged."""


class OptionsError(EngineError):
    """Raised for an unknown option, a value out of range, contradictory options, or a number of players that the game doesn't allow."""


class PositionError(EngineError):
    """Raised for an invalid position text, and for a request that a position can't fulfil, such as an impossible chance event."""


class ScoreError(EngineError):
    """Raised if a game gives a seat a score that is not a finite number."""


class ReadOnlyError(EngineError):
    """Raised if a move is played on a view's position instead of a sample, ``view.sample(rng)``."""


class RulesError(EngineError):
    """Raised if the rules of a game fail. This is a bug in the game's package, never the fault of a bot or a person."""
