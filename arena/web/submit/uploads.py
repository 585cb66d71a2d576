"""The uploads of a server: taken in, checked in the background, and looked up. A check that was cut off is run again."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from time import monotonic
from typing import Final

from fastapi import Request

from arena.web.errors import HostLog, NotFoundError
from arena.web.games import OfferedGames
from arena.web.queries import Queries
from arena.web.settings import CheckSettings, WebSettings
from arena.web.submit.admission import Admission
from arena.web.submit.checking import MACHINE, Attempt, Checker, InterruptedCheckError
from bots.errors import BotError
from engine.text import name_key, one_line
from leaderboard.errors import StoreError
from leaderboard.storage.database import Database
from leaderboard.storage.store import Store, StoredTournament
from leaderboard.storage.submissions import (
    Upload,
    UploadGoneError,
    UploadState,
    UploadVerdict,
    claim,
    find_replay,
    find_upload,
    finish,
    put_back,
    queue,
    save_progress,
    seconds_by_author,
)

LATELY: Final = timedelta(hours=1)
"""The period for which the time of an author's uploads counts."""
_CHECK_SECONDS: Final = 5.0
"""The expected duration of a check."""
_log: Final = logging.getLogger("arena.web")
_CLOSE_SECONDS: Final = 10.0
"""The time that a stopping server waits for checks to stop."""
_ENDED: Final = "its check was cut off; it will start again"
_STOPPED: Final = "its check was interrupted, because the server was stopped; it will start again"
MATCHES: Final = 10
"""How many of the newest matches of an accepted version are shown with its upload."""


def next_upload(waiting: Sequence[Upload], checking: Collection[str], spent: Mapping[str, float]) -> Upload | None:
    """Return the upload to check next of those that wait, oldest first; None if there is none.

    ``checking`` are the authors with an upload being checked now: each has at most one. ``spent`` says how many seconds each author's
    uploads have taken lately. The author with the least time, including the next check, comes first, with their oldest upload.
    """
    oldest: dict[str, Upload] = {}
    for each in waiting:
        if each.author not in checking:
            oldest.setdefault(each.author, each)
    return min(oldest.values(), key=lambda each: (_after(each, spent), each.number), default=None)


def in_turn(queued: Sequence[Upload]) -> list[Upload]:
    """Return the uploads that wait, oldest first, without those of a bot that has an earlier one without a verdict.

    An interrupted check has no verdict. Names therefore go to the author who sent them first, and versions are numbered in order of
    arrival.
    """
    bots: set[str] = set()
    ready = []
    for each in queued:
        if name_key(each.name) not in bots and each.state is UploadState.WAITING:
            ready.append(each)
        bots.add(name_key(each.name))
    return ready


def places_in_queue(database: Database) -> dict[int, int]:
    """Return the place of each waiting upload, from 1, by its number, if every check takes the expected time and nothing else is sent."""
    waiting = [each for each in queue(database) if each.state is UploadState.WAITING]
    spent = seconds_by_author(database, LATELY) if waiting else {}
    places: dict[int, int] = {}
    while (chosen := next_upload(waiting, (), spent)) is not None:
        places[chosen.number] = len(places) + 1
        spent[chosen.author] = _after(chosen, spent)
        waiting.remove(chosen)
    return places


def _after(upload: Upload, spent: Mapping[str, float]) -> float:
    return spent.get(upload.author, 0.0) + _CHECK_SECONDS


class CheckWorker:
    """One thread that decides, and one for each check. ``join`` opens the database, ``check`` checks an upload."""

    def __init__(self, join: Callable[[], Store], check: Callable[[Store, Attempt], UploadVerdict], settings: CheckSettings) -> None:
        self._join = join
        self._check = check
        self._settings = settings
        self._running: dict[int, tuple[Attempt, threading.Thread]] = {}
        """The running checks, by the numbers of uploads."""
        self._failed: dict[int, tuple[int, float]] = {}
        """How often the machine could not check an upload that waits, and when it could not last."""
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
        """Interrupt running checks; the server runs them again when it is started."""
        self._is_stopping = True
        self.wake()
        if self._thread.ident is None:
            return
        self._thread.join()
        until = monotonic() + _CLOSE_SECONDS
        running = list(self._running.values())
        for attempt, _ in running:
            attempt.is_cancelled = True
        for attempt, thread in running:
            thread.join(max(0.0, until - monotonic()))
            if thread.is_alive():
                self._put_back(attempt, _STOPPED)

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
        """Store the progress of running checks, put back those that were cut off, and start as many as there is room for."""
        running = {number: attempt for number, (attempt, _) in list(self._running.items())}
        if running:
            save_progress(store, {number: attempt.progress for number, attempt in running.items()})
        queued = queue(store)
        checking = [each for each in queued if each.state is UploadState.CHECKING]
        for each in checking:
            if each.number not in running:  # the server was killed, or the outcome could not be stored
                put_back(store, each.number, _ENDED)
                self.wake()
        ready = self._ready(in_turn(queued))
        while ready and len(self._running) < self._settings.at_once:
            busy = {each.author for each in checking}
            chosen = next_upload(ready, busy, seconds_by_author(store, LATELY))
            if chosen is None:
                return
            ready.remove(chosen)
            checking.append(chosen)
            claimed = claim(store, chosen.number)
            if claimed is not None:
                self._begin(store, Attempt(*claimed, self.wake, failures=self._failed.get(chosen.number, (0, 0.0))[0]))

    def _ready(self, waiting: list[Upload]) -> list[Upload]:
        """Return the uploads that wait and need not pause after a failed attempt."""
        now, pauses = monotonic(), self._settings.pauses
        ready = []
        for each in waiting:
            tries, last = self._failed.get(each.number, (0, 0.0))
            if not tries or now - last >= pauses[min(tries, len(pauses)) - 1]:
                ready.append(each)
        return ready

    def _begin(self, store: Store, attempt: Attempt) -> None:
        thread = threading.Thread(target=self._work, args=(store, attempt), name="check", daemon=True)
        self._running[attempt.upload.number] = attempt, thread
        thread.start()

    def _work(self, store: Store, attempt: Attempt) -> None:
        number = attempt.upload.number
        try:
            finish(store, number, self._check(store, attempt))
            self._failed.pop(number, None)
        except UploadGoneError:
            pass
        except InterruptedCheckError:
            self._put_back(attempt, _STOPPED)
        except (*MACHINE, BotError) as error:
            self._fail(attempt, f"{type(error).__name__}: {error}")
        except Exception as error:  # noqa: BLE001  # a fault of ours is not the bot's, either
            _log.exception("an upload could not be checked")
            self._fail(attempt, f"{type(error).__name__}: {error}")
        finally:
            del self._running[number]
            self.wake()

    def _fail(self, attempt: Attempt, reason: str) -> None:
        """Put back an upload that the machine could not check; it is tried again after a pause."""
        self._host.tell(f"the upload {attempt.upload.name} could not be checked and will be tried again: {reason}")
        number = attempt.upload.number
        self._failed[number] = self._failed.get(number, (0, 0.0))[0] + 1, monotonic()
        self._put_back(attempt, one_line(reason))

    def _put_back(self, attempt: Attempt, reason: str) -> None:
        try:
            put_back(self._join(), attempt.upload.number, reason, seconds=attempt.progress.seconds)
        except StoreError as error:
            self._host.tell(f"an upload could not be put back: {error}")


class Uploads:
    """All uploads of a database; its methods may be called from any thread."""

    def __init__(self, store: Store, settings: WebSettings, games: OfferedGames) -> None:
        self._store = store
        self._place = settings.db
        self._joined: Store | None = None
        self._lock = threading.Lock()
        self._worker = CheckWorker(self.join, Checker(settings, games).check, settings.checks)
        self.admission: Final = Admission(store, settings, games, self.join, self._worker.wake)

    def start(self) -> None:
        """Start checking uploads that wait, and those whose check was cut off."""
        self._worker.start()

    def close(self) -> None:
        """Stop checking; waiting uploads are kept."""
        self._worker.close()
        with self._lock:
            if self._joined is not None:
                self._joined.close()

    def join(self) -> Store:
        """Return the database opened for writing. Raises StoreError."""
        with self._lock:
            if self._joined is None:
                self._joined = Store.join(self._place)
            return self._joined

    def find(self, author: str, upload: str) -> Upload:
        """Return the author's upload of that id. Raises NotFoundError."""
        known = find_upload(self._store, upload)
        if known is None or known.author != author:
            raise NotFoundError("You have no such upload here, or its report has been deleted; an accepted bot stays in its ladder.")
        return known

    def find_replay(self, author: str, upload: str, players: int, seat: int) -> str:
        """Return the replay of a match of a check of the author's in which the bot failed. Raises NotFoundError."""
        text = find_replay(self._store, self.find(author, upload).id, players, seat)
        if text is None:
            raise NotFoundError("No replay of that match of the check is kept.")
        return text


def uploads(request: Request) -> Uploads:
    """Return the uploads of the request's application."""
    uploads: Uploads = request.app.state.uploads
    return uploads


def entered_ladder(queries: Queries, upload: Upload) -> StoredTournament | None:
    """Return the ladder that the version has entered; None if it has entered none, the pages don't know yet, or its results are hidden."""
    with suppress(NotFoundError):
        if upload.entrant:
            ladder = queries.tournament(upload.ladder)
            queries.entrant(ladder, upload.entrant)
            return ladder
    return None
