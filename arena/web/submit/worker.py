"""Checks the uploads of a database in the background: takes them in turn, renews leases, and takes over from servers that have ended."""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Callable
from time import monotonic
from typing import Final

from arena.play.isolation import IsolationError
from arena.web.data.check_queue import LATELY, in_turn, next_upload
from arena.web.errors import HostLog, RefusedError
from arena.web.settings import CheckSettings
from arena.web.submit.checking import Attempt, InterruptedCheckError
from bots.errors import BotError, HostFaultError, SandboxError, UnfitError
from engine.text import one_line
from leaderboard.errors import StoreError
from leaderboard.storage.store import Store
from leaderboard.storage.uploads import (
    Lease,
    LeaseLostError,
    Queued,
    UploadState,
    UploadVerdict,
    beat,
    claim,
    finish,
    queue,
    release,
    seconds_by_author,
)

_log: Final = logging.getLogger("arena.web")
_CLOSE_SECONDS: Final = 10.0
"""The time that a stopping server waits for checks to stop; a build can't be stopped."""
_ENDED: Final = "its check was interrupted, because its server ended or lost contact; it will start again"
_STOPPED: Final = "its check was interrupted, because the server was stopped; it will start again"
_MACHINE: Final = (HostFaultError, SandboxError, UnfitError, StoreError, BotError, IsolationError, RefusedError, OSError)
"""The errors by which a check failed on this machine, not because of the bot."""


class CheckWorker:
    """One thread that decides, and one for each check. ``join`` opens the database, ``check`` checks an upload."""

    def __init__(self, join: Callable[[], Store], check: Callable[[Store, Attempt], UploadVerdict], settings: CheckSettings) -> None:
        self._join = join
        self._check = check
        self._settings = settings
        self._owner = secrets.token_hex(8)
        self._running: dict[Lease, tuple[Attempt, threading.Thread]] = {}
        self._beats: dict[Lease, tuple[int, float]] = {}
        """The beats of other servers' leases, and when each was first seen."""
        self._waits: dict[tuple[int, int], float] = {}
        """The time at which an upload was first seen waiting for a further attempt."""
        self._wake = threading.Event()
        self._is_stopping = False
        self._host = HostLog()
        self._thread = threading.Thread(target=self._run, name="checks", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def wake(self) -> None:
        """Look for uploads to check now."""
        self._wake.set()

    def close(self) -> None:
        """Interrupt running checks; another server, or the next one here, starts them again."""
        self._is_stopping = True
        self.wake()
        if self._thread.ident is None:
            return
        self._thread.join()
        until = monotonic() + _CLOSE_SECONDS
        running = list(self._running.items())
        for _, (attempt, _thread) in running:
            attempt.is_cancelled = True
        for lease, (attempt, thread) in running:
            thread.join(max(0.0, until - monotonic()))
            if thread.is_alive():
                self._release(lease, attempt, _STOPPED)

    def _run(self) -> None:
        while not self._is_stopping:
            try:
                self._turn(self._join())
            except StoreError as error:
                self._host.tell(f"uploads can't be checked at the moment: {error}")
            except Exception:  # noqa: BLE001  # nothing else catches it, and the thread must live on
                _log.exception("uploads can't be checked at the moment")
            self._wake.wait(self._settings.poll)
            self._wake.clear()

    def _turn(self, store: Store) -> None:
        """Renew leases, look for expired ones, and start as many checks as there is room for."""
        running = {lease: attempt for lease, (attempt, _) in list(self._running.items())}
        if running:
            for lease in beat(store, {lease: attempt.progress for lease, attempt in running.items()}):
                running[lease].is_cancelled = True
        queued = queue(store)
        checking = [each for each in queued if each.state is UploadState.CHECKING]
        self._take_over(store, checking)
        ready = self._ready(in_turn(queued))
        while ready and len(self._running) < self._settings.at_once:
            busy = {each.author for each in checking}
            challenges = sum(bool(attempt.upload.against) for attempt, _ in list(self._running.values()))
            eligible = ready if challenges < self._settings.challenges else [each for each in ready if not each.against]
            chosen = next_upload(eligible, busy, seconds_by_author(store, LATELY))
            if chosen is None:
                return
            ready.remove(chosen)
            checking.append(chosen)
            claimed = claim(store, chosen, self._owner)
            if claimed is not None:
                self._begin(store, Attempt(*claimed, self.wake))

    def _take_over(self, store: Store, checking: list[Queued]) -> None:
        """Put uploads whose check was abandoned back into the queue."""
        now = monotonic()
        seen, self._beats = self._beats, {}
        for each in checking:
            if each.owner == self._owner:
                if each.lease not in self._running:  # its outcome could not be stored
                    release(store, each.lease, _ENDED)
                continue
            last = seen.get(each.lease)
            if last is None or last[0] != each.beat:
                last = each.beat, now
            self._beats[each.lease] = last
            if now - last[1] >= self._settings.lease and release(store, each.lease, _ENDED, beat=each.beat):
                self.wake()

    def _ready(self, waiting: list[Queued]) -> list[Queued]:
        """Return the uploads that wait and need not pause after a failed attempt."""
        now, pauses = monotonic(), self._settings.pauses
        keys = [(each.number, each.tries) for each in waiting]
        self._waits = {key: self._waits.get(key, now) for key in keys}
        return [
            each
            for each, key in zip(waiting, keys, strict=True)
            if not each.tries or now - self._waits[key] >= pauses[min(each.tries, len(pauses)) - 1]
        ]

    def _begin(self, store: Store, attempt: Attempt) -> None:
        thread = threading.Thread(target=self._work, args=(store, attempt), name="check", daemon=True)
        self._running[attempt.lease] = attempt, thread
        thread.start()

    def _work(self, store: Store, attempt: Attempt) -> None:
        try:
            finish(store, attempt.lease, self._check(store, attempt))
        except LeaseLostError:
            return  # another server has it
        except InterruptedCheckError:
            self._release(attempt.lease, attempt, _STOPPED)
        except _MACHINE as error:
            self._put_back(attempt, f"{type(error).__name__}: {error}")
        except Exception as error:  # noqa: BLE001  # a fault of ours is not the bot's, either
            _log.exception("an upload could not be checked")
            self._put_back(attempt, f"{type(error).__name__}: {error}")
        finally:
            del self._running[attempt.lease]
            self.wake()

    def _put_back(self, attempt: Attempt, reason: str) -> None:
        self._host.tell(f"the upload {attempt.upload.name} could not be checked and will be tried again: {reason}")
        self._release(attempt.lease, attempt, one_line(reason))

    def _release(self, lease: Lease, attempt: Attempt, reason: str) -> None:
        try:
            release(self._join(), lease, reason, seconds=attempt.progress.seconds)
        except StoreError as error:
            self._host.tell(f"an upload could not be put back: {error}")
