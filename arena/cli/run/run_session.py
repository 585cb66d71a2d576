"""Playing a tournament on the terminal: progress, and Ctrl-C."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from arena.play.executors.base import Executor
    from arena.run.prepare import PreparedRun
    from arena.run.runner import Summary
    from arena.spec.spec import BotEntry
    from bots.loader.version import BotVersion


@contextmanager
def handling(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Have Ctrl-C and SIGTERM call this handler in the block, whatever handlers the workers' library has set."""
    before = [(number, signal.signal(number, handler)) for number in (signal.SIGINT, signal.SIGTERM)]
    try:
        yield
    finally:
        for number, earlier in before:
            signal.signal(number, earlier)


class Interrupts:
    """Counts Ctrl-C: after the first, matches in hand are finished; the second stops at once."""

    def __init__(self) -> None:
        self.count = 0

    def is_stopping(self) -> bool:
        """Whether no new match should begin."""
        return self.count > 0

    @contextmanager
    def caught(self) -> Iterator[None]:
        """Listen for Ctrl-C, and for SIGTERM, which counts as the first one."""

        def interrupt(number: int, _frame: object) -> None:
            self.count += 1
            if self.count > 1:
                raise KeyboardInterrupt
            sys.stderr.write("\nFinishing the matches in hand; press Ctrl-C again to stop at once.\n" if number == signal.SIGINT else "")

        with handling(interrupt):
            yield


def play(
    run: PreparedRun,
    player: Executor,
    out: Console,
    *,
    interrupts: Interrupts,
    find_newcomer: Callable[[BotEntry], BotVersion] | None = None,
    go_on_anyway: bool = False,
) -> Summary:
    """Play what is left of a tournament, with its progress on ``out``."""
    from arena.cli.run.progress import ProgressView
    from arena.run.runner import run_prepared

    stored = run.tournament
    view = ProgressView(out, stored.name, stored.total, f"{player.description}, isolation {run.level}", run.store.name)
    with interrupts.caught(), view:
        return run_prepared(
            run,
            player,
            find_newcomer=find_newcomer,
            is_stopping=interrupts.is_stopping,
            on_progress=view.show,
            notify=view.tell,
            go_on_anyway=go_on_anyway,
        )
