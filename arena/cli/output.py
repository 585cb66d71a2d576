"""Prints what commands output (results to standard output, errors and warnings to standard error) and defines their exit codes.

In a narrow terminal, tables shorten names and leave out columns, but never cut numbers. Unprintable characters are shown as escapes, so no
text from bots or authors can control the terminal.
"""

from __future__ import annotations

import functools
import json
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from enum import IntEnum
from typing import TYPE_CHECKING, Final, ParamSpec, TypeVar

import typer
from rich import table as rich_table
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.segment import Segment
from rich.text import Text

from arena.report.table import FOLDED, NAMES, Table
from engine.core.errors import ArenaError, InputError
from engine.text import plain, plain_lines

if TYPE_CHECKING:
    from engine.core import OptionValue


class Screen(Console):
    """A Rich console that escapes unprintable characters in every text; only Rich itself sets colours and moves the cursor."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield Rich's segments with their text escaped, before Rich fits them to the width of the screen."""
        for segment in super().render(renderable, options):
            yield segment if segment.control or segment.text.isprintable() else Segment(plain_lines(segment.text), segment.style)

    def on_broken_pipe(self) -> None:
        """Raise the BrokenPipeError that is being handled, instead of ending the program with Rich's exit code."""
        raise  # noqa: PLE0704  # Rich calls this while it handles the error


def print_line(line: str, *, err: bool = False) -> None:
    """Print a line to standard output; unprintable characters, newlines among them, are shown as escapes."""
    typer.echo(plain(line), err=err)  # noqa: TID251  # what is printed has been cleaned


def print_text(text: str, *, end: str = "\n", err: bool = False) -> None:
    """Print text of several lines; unprintable characters other than newlines are shown as escapes."""
    typer.echo(plain_lines(text) + end, nl=False, err=err)  # noqa: TID251  # as above


def print_json(data: object) -> None:
    """Print data as JSON, for scripts."""
    print_text(json.dumps(data, indent=2))


def print_error(sentence: str) -> None:
    """Print an error to standard error."""
    _print_marked("error: ", "bold red", sentence)


def print_warning(sentence: str) -> None:
    """Print a warning to standard error."""
    _print_marked("warning: ", "bold yellow", sentence)


def _print_marked(word: str, style: str, sentence: str) -> None:
    for line in sentence.splitlines():
        console(err=True).print(Text(word, style=style).append(line, style="default not bold"), soft_wrap=True)


def duration(seconds: float) -> str:
    """Return seconds as ``minutes:seconds``, or ``hours:minutes:seconds``."""
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def console(*, err: bool = False) -> Console:
    """Return a console that prints to the current standard output, or to standard error if ``err`` is set."""
    return Screen(file=sys.stderr if err else sys.stdout, markup=False, emoji=False, highlight=False, soft_wrap=False)


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
    """The program that reads the output has ended, as with ``| head``; shells give this code to a program ended by SIGPIPE."""


class UserError(InputError):
    """The user's input is wrong; the message is one sentence with the mistake, its place, and what to do."""


def report_errors(command: Callable[P, R]) -> Callable[P, R]:
    """Make a command report errors as one sentence and an exit code instead of a traceback."""

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # it is ignored in the background; else let commands clean up
                signal.signal(signal.SIGINT, signal.default_int_handler)
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
    """If the block fails to load a bot, print the bot's own traceback, for its author, before the error is reported."""
    from bots.errors import BotError

    try:
        yield
    except BotError as error:
        if error.traceback:
            print_text(error.traceback, err=True)
        raise


_NAME_COLUMNS: Final = 12
"""The minimum width of names, in columns; if there is less room, the table leaves out columns."""
_FOLDED_COLUMNS: Final = 20
"""The minimum width of folded text, in columns."""
_LONGEST: Final = 20
"""How many characters are examined per column of width, since some characters have no width; the middle of longer text is skipped."""
LEAST_NAME: Final = 6
GAP: Final = 2
_JOINED: Final = "\N{ZERO WIDTH JOINER}\N{VARIATION SELECTOR-16}"
"""Characters that combine with the previous one."""


def terminal(table: Table, width: int = 80) -> Group:
    """Return the table with its title and notes for a terminal that is ``width`` columns wide."""
    title = [Text(table.title, style="bold")] if table.title else []
    shown = [*title, _grid(table, width)] if table.rows or not table.empty else [Text(table.empty)]
    return Group(*shown, *(Text(note, style="dim") for note in table.notes))


def _grid(table: Table, width: int) -> rich_table.Table:
    needs = [max(map(cell_len, texts)) for texts in zip(table.columns, *table.rows, strict=True)]
    names = [column for column, header in enumerate(table.columns) if header in NAMES]
    folded = [column for column, header in enumerate(table.columns) if header in FOLDED]
    shown = list(range(len(needs)))

    def taken(name: int) -> int:
        """Return the table's width in terminal columns if names take at most ``name`` columns."""
        most = dict.fromkeys(names, name) | dict.fromkeys(folded, _FOLDED_COLUMNS)
        return sum(min(needs[each], most.get(each, width)) for each in shown) + GAP * (len(shown) - 1)

    for header in table.optional:
        if taken(_NAME_COLUMNS) > width:
            shown.remove(table.columns.index(header))
    room = max((width - taken(0)) // max(len(names), 1), LEAST_NAME)
    grid = rich_table.Table(box=None, pad_edge=False, header_style="bold")
    for column in shown:
        if column in folded:
            grid.add_column(table.columns[column], overflow="fold")
        else:
            needs[column] = min(needs[column], room) if column in names else needs[column]
            grid.add_column(table.columns[column], justify="left" if column in names else "right", no_wrap=True, width=needs[column])
    for number, row in enumerate(table.rows):
        cells = [(each, row[each], table.styles.get((number, table.columns[each]), "")) for each in shown]
        grid.add_row(*(Text(text if each in folded else shortened(text, needs[each]), style) for each, text, style in cells))
    return grid


def shortened(text: str, width: int) -> str:
    """Return the text in at most ``width`` columns, shortened in the middle if necessary, since names often differ at their ends."""
    text = text if len(text) <= (most := _LONGEST * width) else text[:most] + text[-most:]
    if cell_len(text) <= width:
        return text
    ends = (text[at:] for at in range(len(text) // 2, len(text) + 1))
    end = next(each for each in ends if cell_len(each) <= (width - 1) // 2).lstrip(_JOINED)
    beginnings = (text[:at] for at in range(width, -1, -1))
    return next(f"{each}\N{HORIZONTAL ELLIPSIS}{end}" for each in beginnings if cell_len(each) + 1 + cell_len(end) <= width)
