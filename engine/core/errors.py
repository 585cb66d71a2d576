"""What the engine refuses, and how: one tree of exceptions, each of whose texts is a sentence for a person."""

from __future__ import annotations

from mypy_extensions import mypyc_attr


@mypyc_attr(native_class=False)
class EngineError(ValueError):
    """The root of everything the engine refuses; its text is one sentence for a person."""


@mypyc_attr(native_class=False)
class InvalidMoveError(EngineError):
    """A text (or an object) that is no move of this game at all."""


@mypyc_attr(native_class=False)
class IllegalMoveError(EngineError):
    """A well-formed move that is not legal in the position; the state is as it was."""


@mypyc_attr(native_class=False)
class OptionsError(EngineError):
    """An unknown option, a value out of range, options that contradict, or a seat count the game does not allow."""


@mypyc_attr(native_class=False)
class PositionError(EngineError):
    """A position text that cannot be read or describes no position of the game."""


@mypyc_attr(native_class=False)
class ReadOnlyError(EngineError):
    """A move was played on what a view shows; play on ``view.sample(rng)`` or on a copy of that instead."""
