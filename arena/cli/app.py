"""The program ``arena``; its commands are listed in ``command_list``."""

from __future__ import annotations

import io
import os
import sys
import traceback
from types import TracebackType
from typing import Annotated, NoReturn

import typer

from arena.cli.command_list import CommandList
from arena.version import __version__

app = typer.Typer(
    cls=CommandList,
    help="Run, resume, rate and replay tournaments of bots for seeded tile-laying board games.",
    epilog="Start with: arena new my_bot.py, then arena match my_bot.py greedy random --game NAME --seed 7",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:  # as Typer calls it
    if wanted:
        typer.echo(f"arena {__version__}")  # noqa: TID251  # our own number, and no need of the engine that cleans
        raise typer.Exit


@app.callback()
def arena(
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,  # an option
) -> None:
    """Run, resume, rate and replay tournaments of bots for seeded tile-laying board games."""


def _print_traceback(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print a traceback, cleaned, since it may quote text of bots and authors."""
    from engine.text import plain_lines

    sys.stderr.write(plain_lines("".join(traceback.format_exception(kind, error, trace))))


def main() -> None:
    """Run the program."""
    sys.excepthook = _print_traceback
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character gets a '?', not a traceback
    try:
        try:
            app(prog_name="arena")
        finally:
            sys.stdout.flush()  # here, where an error can be reported; at exit it would be a traceback
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # Click and Rich end the program this way while they print help
            _leave_silently()
        raise
    except BrokenPipeError:
        _leave_silently()
    except OSError as error:
        from arena.cli.errors import Exit
        from arena.cli.output import print_error

        print_error(f"{error.filename or 'the output'} can't be used: {error.strerror}")
        _drop_output(1)
        sys.exit(Exit.FAILED)


def _leave_silently() -> NoReturn:
    """End the program because its output is no longer read."""
    from arena.cli.errors import Exit

    _drop_output(1, 2)
    sys.exit(Exit.NO_READER)


def _drop_output(*streams: int) -> None:
    """Discard buffered output, which would fail again at exit."""
    for stream in streams:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
