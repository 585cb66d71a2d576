"""The console of the command line: whatever is printed on it, by whatever command, no foreign text commands the terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from engine.text import plain_lines


class Screen(Console):
    """A Rich console that escapes what is not printable in every text it renders; colours and the cursor are Rich's own business."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """What to print, cleaned as soon as it is text, so that widths fit."""
        for segment in super().render(renderable, options):
            yield segment if segment.control or segment.text.isprintable() else Segment(plain_lines(segment.text), segment.style)
