"""Exit codes of commands, and the report of errors as one sentence instead of a traceback."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import IntEnum
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import typer

from arena.cli.interrupts import raise_interrupts
from arena.cli.output import print_error, print_text
from engine.core.errors import ArenaError, InputError

if TYPE_CHECKING:
    from engine.core import OptionValue

P = ParamSpec("P")
R = TypeVar("R")


class Exit(IntEnum):
    """What a command's exit code means."""

    DONE = 0
    FAILED = 1
    WRONG_INPUT = 2
    NOT_BETTER = 3
    UNDECIDED = 4
    UNSEALED = 5
    PAUSED = 6
    FORFEITED = 7
    INTERRUPTED = 130
    NO_READER = 141
    """The exit code after the reader of the output has gone, as with ``| head``: shells show it for a program ended by SIGPIPE."""


class UserError(InputError):
    """The user's input is wrong; the text is one sentence with the mistake, its place, and what to do."""


def report_errors(command: Callable[P, R]) -> Callable[P, R]:
    """Make a command report errors as one sentence and an exit code instead of a traceback."""

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            raise_interrupts()
            from engine.registry import trials

            with trials(_try_game):
                return command(*args, **kwargs)
        except ArenaError as error:
            print_error(str(error))
            raise typer.Exit(error.exit_code) from None
        except KeyboardInterrupt:
            print_error("interrupted")
            raise typer.Exit(Exit.INTERRUPTED) from None
        except BrokenPipeError:
            raise typer.Exit(Exit.NO_READER) from None

    return wrapped


def _try_game(name: str, options: Mapping[str, OptionValue]) -> object:
    from arena.entries.game_trial import try_game

    return try_game(name, options)


@contextmanager
def bot_tracebacks() -> Iterator[None]:
    """Print the traceback of a bot that can't be loaded, for its author, before the error is reported."""
    from bots.errors import BotError

    try:
        yield
    except BotError as error:
        if error.traceback:
            print_text(error.traceback, err=True)
        raise
