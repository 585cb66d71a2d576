"""The progress of a run (a live bar and standings in a terminal, otherwise occasional lines), and the handling of Ctrl-C."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from types import FrameType
from typing import TYPE_CHECKING, Final, Self

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from arena.cli.run.status import duration
from arena.run.runner import Progress as RunProgress
from leaderboard.ratings.rating_fold import conservative

if TYPE_CHECKING:
    from arena.play.executors.base import Executor
    from arena.run.prepare import PreparedRun
    from arena.run.runner import Summary
    from arena.spec.spec import BotEntry
    from bots.loader.version import BotVersion

LINE_SECONDS: Final = 5.0
"""How often a line is printed where there is no terminal."""
SHOWN_BOTS: Final = 8


class ProgressView:
    """Shows the progress of a run. Use it in a ``with`` statement and call ``show`` repeatedly."""

    def __init__(self, console: Console, name: str, total: int | None, where: str, database: str) -> None:
        self._console = console
        self._began = monotonic()
        self._last_line, self._stored = self._began, -1
        self._is_open = total is None
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            console=console,
            expand=True,
        )
        self._task = self._bar.add_task("matches", total=total, rate="")
        self._live = Live(console=console, refresh_per_second=4, transient=True) if console.is_terminal else None
        matches = f"{total} matches" if total is not None else "an open number of matches"
        console.print(Text(f"{name}: {matches} on {where}, results in {database}"))

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
            self._live.update(self._bar)
        return self

    def __exit__(self, *exception: object) -> None:
        if self._live is not None:
            self._live.stop()

    def print_line(self, sentence: str) -> None:
        """Print a separate line."""
        self._console.print(Text(sentence), soft_wrap=True)

    def show(self, progress: RunProgress) -> None:
        """Show the progress of the run."""
        now = monotonic()
        rate = progress.played / max(now - self._began, 1e-9)
        if self._live is not None:
            description = f"round {progress.round + 1}" if progress.round else "matches"
            self._bar.update(self._task, description=description, completed=progress.stored, rate=f"{rate:.1f}/s")
            self._live.update(Group(self._bar, _standings(progress)))
        elif now - self._last_line >= LINE_SECONDS and progress.stored != self._stored:  # a ladder may wait for its next round for hours
            self._last_line, self._stored = now, progress.stored
            self._console.print(Text(_line(progress, rate, is_open=self._is_open)))


def _standings(progress: RunProgress) -> Table:
    table = Table(box=None, pad_edge=False, title="so far", title_justify="left", title_style="dim")
    for header in ("#", "rating", "matches"):
        table.add_column(header, justify="right", style="dim" if header == "#" else None)
    table.add_column("bot", overflow="ellipsis", no_wrap=True)
    for place, rated in enumerate(progress.table[:SHOWN_BOTS], start=1):
        table.add_row(str(place), f"{conservative(rated.mu, rated.sigma):.2f}", str(rated.number), Text(rated.bot))
    if len(progress.table) > SHOWN_BOTS:
        table.add_row("", "", "", Text(f"and {len(progress.table) - SHOWN_BOTS} more", style="dim"))
    return table


def _line(progress: RunProgress, rate: float, *, is_open: bool) -> str:
    if is_open or progress.total is None:
        return f"{progress.stored} matches, round {progress.round + 1}, {rate:.1f}/s"
    left = (progress.total - progress.stored) / rate if rate else 0.0
    return f"{progress.stored}/{progress.total} matches, {rate:.1f}/s, {duration(left)} left"


@contextmanager
def handling(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Inside the block, make Ctrl-C, SIGTERM and, unless it is ignored, SIGHUP call this handler, whatever handlers Ray has set."""
    numbers = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as with nohup
        numbers.append(signal.SIGHUP)
    before = [(number, signal.signal(number, handler)) for number in numbers]
    try:
        yield
    finally:
        for number, earlier in before:
            signal.signal(number, earlier)


class Interrupts:
    """Counts Ctrl-C: after the first, matches in progress are finished; the second stops at once."""

    def __init__(self) -> None:
        self.count = 0

    def is_stopping(self) -> bool:
        """Whether no new match should begin."""
        return self.count > 0

    @contextmanager
    def caught(self) -> Iterator[None]:
        """Listen for Ctrl-C, and for SIGTERM and SIGHUP, which count as the first one."""

        terminals = [stream for stream in (1, 2) if os.isatty(stream)]

        def interrupt(number: int, _frame: object) -> None:
            if number == signal.SIGHUP:
                _discard(terminals)  # which are gone
                if self.count:  # the system and the shell may both send one
                    return
            self.count += 1
            if self.count > 1:
                raise KeyboardInterrupt
            sys.stderr.write("\nFinishing the matches in progress; press Ctrl-C again to stop now.\n" if number == signal.SIGINT else "")

        with handling(interrupt):
            yield


def _discard(streams: Sequence[int]) -> None:
    """Discard what this process writes to these descriptors from now on."""
    null = os.open(os.devnull, os.O_WRONLY)
    for each in streams:
        os.dup2(null, each)
    os.close(null)


def play(
    run: PreparedRun,
    player: Executor,
    out: Console,
    *,
    interrupts: Interrupts,
    find_newcomer: Callable[[BotEntry], BotVersion] | None = None,
    go_on_anyway: bool = False,
    may_begin: Callable[[int], bool] | None = None,
    by_calendar: bool = False,
    why: str = "",
) -> Summary:
    """Play the remaining matches of a tournament, with its progress on ``out``, which shows no total if it is ``by_calendar``, and ``why``
    it is played by this executor.
    """
    from arena.run.runner import run_prepared

    stored = run.tournament
    total = None if by_calendar else stored.total
    where = f"{player.description} ({why})" if why else player.description
    view = ProgressView(out, stored.name, total, f"{where}, isolation {run.level}", run.store.name)
    with interrupts.caught(), view:
        return run_prepared(
            run,
            player,
            find_newcomer=find_newcomer,
            is_stopping=interrupts.is_stopping,
            on_progress=view.show,
            notify=view.print_line,
            go_on_anyway=go_on_anyway,
            may_begin=may_begin,
        )
