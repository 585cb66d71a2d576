"""Waiting for a database that is locked or whose server is unreachable: refused actions are retried, after growing pauses."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from time import monotonic, sleep
from typing import Any, Final, TypeVar, cast

from leaderboard.errors import DatabaseUnavailableError
from leaderboard.storage.database import Database

DatabaseT = TypeVar("DatabaseT", bound=Database)
T = TypeVar("T")

LONGEST_WAIT: Final = 300.0
"""Seconds after which no further attempt is made."""
_FIRST_PAUSE: Final = 0.5
_LONGEST_PAUSE: Final = 20.0


class Patience:
    """Retries actions that a database refused because it was unavailable, for at most five minutes. ``notify`` gets a sentence.

    It calls ``reconnect`` before each further attempt. A retried action may already have been done, if a connection was lost between a
    commit and the answer.
    """

    def __init__(
        self,
        notify: Callable[[str], None],
        *,
        reconnect: Callable[[], None] = lambda: None,
        clock: Callable[[], float] = monotonic,
        pause: Callable[[float], None] = sleep,
    ) -> None:
        self._notify = notify
        self._reconnect = reconnect
        self._clock = clock
        self._pause = pause

    def __call__(self, action: Callable[..., T], *arguments: Any, **options: Any) -> T:
        """Return the result of the action. Raises the last DatabaseUnavailableError when time is up, and other errors of the action."""
        began: float | None = None
        pause = _FIRST_PAUSE
        while True:
            try:
                if began is not None:
                    self._reconnect()
                done = action(*arguments, **options)
            except DatabaseUnavailableError as error:
                began = self._clock() if began is None else began
                if self._clock() + pause > began + LONGEST_WAIT:
                    raise
                self._notify(f"waiting for the database, and trying again in {pause:g} s: {error}")
            else:
                if began is not None:
                    self._notify("the database can be used again")
                return done
            self._pause(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)


def patient(database: DatabaseT, patience: Patience) -> DatabaseT:
    """Return a wrapper of the database that retries all its methods."""
    return cast(DatabaseT, _Patient(database, patience))


class _Patient:
    def __init__(self, database: Database, patience: Patience) -> None:
        self._database = database
        self._patience = patience

    def __getattr__(self, name: str) -> object:
        value = getattr(self._database, name)
        return partial(self._patience, value) if callable(value) else value
