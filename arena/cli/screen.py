"""The console of the command line, on which no text of bots or authors can send commands to the terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from engine.text import plain_lines


class Screen(Console):
    """A Rich console that escapes unprintable characters in every text; only Rich itself sets colours and moves the cursor."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Render with the text cleaned at once, so that widths fit."""
        for segment in super().render(renderable, options):
            yield segment if segment.control or segment.text.isprintable() else Segment(plain_lines(segment.text), segment.style)

    def on_broken_pipe(self) -> None:
        """Raise the BrokenPipeError that is being handled, instead of ending the program with Rich's exit code."""
        raise  # noqa: PLE0704  # Rich calls this while it handles the error
