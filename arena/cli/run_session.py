"""Playing a tournament in front of somebody: progress, and Ctrl-C. What comes of it is told by the command."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from arena.executors.base import Executor
    from arena.tournament.runner import Summary
    from arena.tournament.spec import BotEntry, Spec
    from bots.loader.loading import BotVersion
    from bots.sandbox import Level
    from leaderboard.storage.store import Store


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

        before = [(number, signal.signal(number, interrupt)) for number in (signal.SIGINT, signal.SIGTERM)]
        try:
            yield
        finally:
            for number, handler in before:
                signal.signal(number, handler)


def play(
    spec: Spec,
    versions: Mapping[str, BotVersion],
    store: Store,
    player: Executor,
    out: Console,
    *,
    level: Level,
    interrupts: Interrupts,
    find_newcomer: Callable[[BotEntry], BotVersion] | None = None,
) -> Summary:
    """Play what is left of a tournament that has been opened, with its progress on ``out``."""
    from arena.cli.progress import ProgressView
    from arena.tournament.runner import run_tournament

    stored = store.tournament(spec.name)
    view = ProgressView(out, spec.name, stored.total if stored else None, f"{player.description}, isolation {level}", store.name)
    with interrupts.caught(), view:
        return run_tournament(
            spec,
            versions,
            store,
            player,
            level=level,
            find_newcomer=find_newcomer,
            is_stopping=interrupts.is_stopping,
            on_progress=view.show,
        )
