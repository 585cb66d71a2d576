"""How far the check of a bot has come: a bar on standard error, if that is a terminal, and nothing elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class CheckProgress:
    """Shows how many matches of a check are over. Use it in a ``with`` statement and call ``show``; the bar goes away at its end."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        import sys

        if sys.stderr.isatty():
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

            from arena.cli.support import console

            columns = TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TextColumn("matches")
            self._bar = Progress(*columns, TimeElapsedColumn(), console=console(err=True), transient=True)
            self._task = self._bar.add_task(self._what, total=None)
            self._bar.start()
        return self

    def __exit__(self, *exception: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self, done: int, total: int) -> None:
        """Show that so many matches are over, of a total that is not known as long as it is 0."""
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=done, total=total or None)
