"""The output of commands: lines and tables on standard output, errors and warnings on standard error.

No text of bots or authors can send commands to the terminal: unprintable characters are shown as escapes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from engine.text import plain_lines

if TYPE_CHECKING:
    from rich.console import Console


class Screen(Console):
    """A Rich console that escapes unprintable characters in every text; only Rich itself sets colours and moves the cursor."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Render with the text cleaned at once, so that widths fit."""
        for segment in super().render(renderable, options):
            yield segment if segment.control or segment.text.isprintable() else Segment(plain_lines(segment.text), segment.style)

    def on_broken_pipe(self) -> None:
        """Raise the BrokenPipeError that is being handled, instead of ending the program with Rich's exit code."""
        raise  # noqa: PLE0704  # Rich calls this while it handles the error


def print_line(line: str, *, err: bool = False) -> None:
    """Print a line to standard output; unprintable characters, newlines among them, are shown as escapes."""
    if not (line.isascii() and line.isprintable()):  # what needs no cleaning is printed before the engine is imported
        from engine.text import plain

        line = plain(line)
    typer.echo(line, err=err)  # noqa: TID251  # what is printed has been cleaned


def print_text(text: str, *, end: str = "\n", err: bool = False) -> None:
    """Print a text of several lines, cleaned in the same way."""
    from engine.text import plain_lines

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
    from rich.text import Text

    for line in sentence.splitlines():
        console(err=True).print(Text(word, style=style).append(line, style="default not bold"), soft_wrap=True)


def console(*, err: bool = False) -> Console:
    """Return a console for results on the current standard output, even while the output of bots is redirected."""
    from arena.cli.output import Screen

    return Screen(file=sys.stderr if err else sys.stdout, markup=False, emoji=False, highlight=False, soft_wrap=False)
