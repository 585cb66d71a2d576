"""A background thread that looks for events and sends notices; it delays neither matches nor pages."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from time import monotonic
from typing import Final

from arena.notices.delivery import SECONDS, deliver
from arena.notices.events import find_events
from arena.notices.targets import Targets
from arena.season import clock
from arena.season.clock import Now
from engine.text import one_line
from leaderboard.errors import StoreError
from leaderboard.storage.notices import add_events, claim, settle
from leaderboard.storage.patience import Patience
from leaderboard.storage.store import Store

POLL_SECONDS: Final = 5.0
CLOSE_SECONDS: Final = 10.0
"""Seconds for which an ending process still sends notices; the rest is left to the next process."""
_log: Final = logging.getLogger("arena.notices")


class Sender:
    """Sends notices of all events from the start of its ``with`` statement on."""

    def __init__(
        self, targets: Targets, place: str, now: Now | None = None, *, poll: float = POLL_SECONDS, seconds: float = SECONDS
    ) -> None:
        self._targets = targets
        self._place = place
        self._now = now or clock.now
        self._poll = poll
        self._seconds = seconds
        self._store: Store | None = None
        self._is_over = threading.Event()
        self._until = float("inf")
        self._thread = threading.Thread(target=self._run, name="notices", daemon=True)

    def __enter__(self) -> None:
        self._try(self._look)
        self._thread.start()

    def __exit__(self, kind: type[BaseException] | None, *_error: object) -> None:
        seconds = 0.0 if kind is KeyboardInterrupt else CLOSE_SECONDS
        self._until = monotonic() + seconds
        self._is_over.set()
        self._thread.join(seconds and seconds + self._seconds)

    def _run(self) -> None:
        is_last = False
        while not is_last:
            is_last = self._is_over.wait(self._poll)
            self._try(self._look)
            self._try(self._send)
        if self._store is not None:
            self._store.close()

    def _try(self, step: Callable[[Store], None]) -> None:
        try:
            self._store = self._store or Store.join(self._place)
            step(self._store)
        except StoreError:
            pass  # the database is unreachable, or does not exist yet: the run or server reports it, and the next turn tries again
        except Exception:  # noqa: BLE001  # nothing else catches it, and the thread must live on
            _log.exception("notices can't be sent at the moment")

    def _look(self, store: Store) -> None:
        """Store new events."""
        if events := find_events(store, self._now()):
            add_events(store, events, self._targets.kinds, self._now())

    def _send(self, store: Store) -> None:
        """Send the notices that are due. A target that fails is skipped until the next turn, so that a target that hangs hardly delays the
        others."""
        left = set(self._targets.kinds)
        while monotonic() < self._until and (notice := claim(store, left, self._now())) is not None:
            try:
                problem = deliver(self._targets, notice, self._seconds)
            except Exception as error:  # noqa: BLE001  # a fault of ours; it may concern this notice alone
                problem = one_line(f"{type(error).__name__}: {error}")
            Patience(lambda _sentence: None)(settle, store, notice, self._now(), problem)
            if problem:
                left.remove(notice.target)
