"""Admits submitted bots: checks permissions and limits, reads files in another process, and queues the bots in the database."""

from __future__ import annotations

import re
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Final

from fastapi import Request, UploadFile

from arena.bots import BEST, IsolationError, admit, choose_level
from arena.changes import ChangedError
from arena.entries.bot_check import CheckTerms
from arena.run.ladder_entry import check_open, ladders
from arena.season.entry import arrived_at, check_arrival
from arena.season.season_file import SeasonError
from arena.web.errors import NO_TOKEN, UnusableError
from arena.web.games import OfferedGames
from arena.web.protection.limits import rate_limits
from arena.web.protection.middleware import arrival
from arena.web.settings import WebSettings
from arena.web.submit.queue import CheckQueue, find_terms
from bots.errors import BotError, SandboxError
from bots.limits import Runtime
from bots.loader.loading import read_version
from bots.loader.reference_bots import REFERENCE_BOTS
from bots.loader.version import BotVersion, check_name, pack
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import (
    AuthorGoneError,
    NameTakenError,
    NoRoomError,
    QueueLimits,
    Submission,
    SubmissionError,
    check_new,
    check_room,
    enqueue,
)

SUFFIXES: Final = (".py", ".wasm", ".zip")
LONGEST_NAME: Final = 32
_FILENAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
"""File names that are kept in the tracebacks that an author sees."""
_OF_AUTHOR: Final = 2
"""The most submissions of one author without a verdict."""
_MOST_BYTES: Final = 256 << 20
"""The most bytes, compressed, of all submissions without a verdict."""
_READERS: Final = 2
"""The most uploads read at a time, each in a separate process with the limits of `bots.loader.apart`."""
_WAITING_TO_BE_READ: Final = 24
"""The most uploads that are being read or wait to be read; each occupies one of the threads that answer requests."""
_READING_SECONDS: Final = 30.0
"""The most seconds that an upload waits to be read."""
_BUSY: Final = "too many uploads are being read; try again in a few seconds"
_YOURS: Final = "your earlier uploads are still being checked; wait for them"


def largest_bundle(store: Store, runtime: Runtime) -> int:
    """Return the largest limit on a bot's size, in bytes, that the host has set for this server or a ladder, or 0 if there is none."""
    return max([runtime.bundle or 0, *(spec.runtime.bundle or 0 for spec in ladders(store).values())])


def submit(
    request: Request, author: str, name: str, file: UploadFile, *, ladder: str = "", game: str = "", players: Sequence[int] = ()
) -> Submission:
    """Accept an author's bot. It is then checked in the background; if it passes, it is stored and entered into the ladder.

    Raises UnusableError, with nothing stored, if the bot is refused, and HTTPException (429) after too many refusals.
    """
    admission: Admission = request.app.state.admission
    with rate_limits(request).upload_of(author):
        what = name.strip(), file.filename or "", file.file.read()
        return admission.take(author, *what, arrived=arrival(request), ladder=ladder, game=game, players=players)


class Admission:
    """Reads submissions and puts them in the queue; its methods may be called from any thread."""

    def __init__(self, store: Store, settings: WebSettings, games: OfferedGames, checks: CheckQueue) -> None:
        self._store = store
        self._games = games
        self._settings = settings
        self._checks = checks
        self._limits = QueueLimits(_OF_AUTHOR, settings.checks_waiting, _MOST_BYTES, settings.uploads_per_hour)
        self._readers = threading.BoundedSemaphore(_READERS)
        self._places = threading.BoundedSemaphore(_WAITING_TO_BE_READ)
        self._being_read: set[str] = set()
        self._lock = threading.Lock()

    def take(
        self, author: str, name: str, filename: str, content: bytes, *, arrived: datetime, ladder: str, game: str, players: Sequence[int]
    ) -> Submission:
        """Read a submission that reached the server at ``arrived``, and queue its check. Raises UnusableError, with nothing stored."""
        try:
            check_arrival(self._store, ladder, arrived)
            terms = find_terms(self._store, ladder, game, players, self._games, self._settings.runtime)
            check_open(self._store, ladder)
            with self._turn_of(author):
                check_room(self._store, author, self._limits)
                version = self._read(name, filename, content, terms)
                check_new(self._store, name, version.digest, author, reserved=REFERENCE_BOTS)
                new = Submission(
                    name=name,
                    author=author,
                    sent=arrived_at(arrived, self._settings.now()),
                    digest=version.digest,
                    ladder=ladder,
                    game=terms.game.name,
                    players=" ".join(map(str, players)),
                )
                enqueue(self._checks.join(), new, pack(version), self._limits)
        except (ChangedError, SeasonError) as error:
            raise UnusableError("ladder", str(error), 409) from None
        except SubmissionError as error:
            raise UnusableError("name" if isinstance(error, NameTakenError) else "file", str(error), 409) from None
        except AuthorGoneError:
            raise UnusableError("token", NO_TOKEN, 401) from None
        except NoRoomError as error:
            raise UnusableError("file", str(error), 429 if error.is_own else 503) from None
        self._checks.wake()
        return new

    @contextmanager
    def _turn_of(self, author: str) -> Iterator[None]:
        """Make sure that only one upload of an author is read at a time. Raises UnusableError."""
        with self._lock:
            if author in self._being_read:
                raise UnusableError("file", _YOURS, 429)
            self._being_read.add(author)
        try:
            yield
        finally:
            with self._lock:
                self._being_read.discard(author)

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Wait until an upload can be read. Raises UnusableError if too many others are waiting."""
        if not self._places.acquire(blocking=False):
            raise UnusableError("file", _BUSY, 503)
        try:
            if not self._readers.acquire(timeout=_READING_SECONDS):
                raise UnusableError("file", _BUSY, 503)
            try:
                yield
            finally:
                self._readers.release()
        finally:
            self._places.release()

    def _read(self, name: str, filename: str, content: bytes, terms: CheckTerms) -> BotVersion:
        if len(name) > LONGEST_NAME:
            raise UnusableError("name", f"a name can have at most {LONGEST_NAME} characters")
        try:
            check_name(name)
        except BotError as error:
            raise UnusableError("name", str(error)) from None
        suffix = next((each for each in SUFFIXES if filename.lower().endswith(each)), None)
        if suffix is None:
            raise UnusableError("file", f"a bot is a file whose name ends with {', '.join(SUFFIXES)}")
        try:
            with self._reading(), tempfile.TemporaryDirectory(prefix="arena-upload-") as folder:
                path = Path(folder) / f"{name}{suffix}"
                path.write_bytes(content)
                shown = filename if _FILENAME.fullmatch(filename) else path.name
                version = replace(read_version(path, name=name, shown=shown, most=terms.runtime.most_bytes), is_submitted=True)
            admit([version], choose_level(BEST), trusted=self._settings.trust_bots, clock=terms.clock)
        except BotError as error:
            raise UnusableError("file", str(error)) from None
        except (IsolationError, SandboxError) as error:
            raise UnusableError("file", str(error), 503) from None
        return replace(version, is_submitted=False)
