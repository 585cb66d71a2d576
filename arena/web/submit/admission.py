"""Admission of submitted bots: checks permissions and limits, and reads files in another process. Admitted uploads wait in a table."""

from __future__ import annotations

import re
import secrets
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Final

from arena.bots import BEST, IsolationError, admit, choose_level
from arena.changes import ChangedError
from arena.entries.bot_check import CheckTerms
from arena.run.ladder_entry import NoLadderError, check_open, ladders
from arena.season import entry
from arena.season.entry import arrived_at, check_arrival
from arena.season.season_file import SeasonError
from arena.web.errors import NO_TOKEN, RefusedError
from arena.web.games import OfferedGames
from arena.web.settings import WebSettings
from bots.errors import BotError, SandboxError
from bots.limits import Runtime
from bots.loader.loading import read_version
from bots.loader.reference_bots import REFERENCE_BOTS
from bots.loader.version import BotVersion, check_name, pack
from bots.protocol import ClockSpec
from engine.core import OptionsError
from engine.registry import game_or_only
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import (
    AuthorFullError,
    AuthorGoneError,
    AuthorTooOftenError,
    NameTakenError,
    QueueFullError,
    QueueLimits,
    Upload,
    add_upload,
    check_claim,
    check_room,
    submissions,
)

SUFFIXES: Final = (".py", ".wasm", ".zip")
LONGEST_NAME: Final = 32
_FILENAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
"""Names of files by which a traceback calls them for the author."""
_OF_AUTHOR: Final = 2
"""The most uploads of one author without a verdict."""
_MOST_BYTES: Final = 256 << 20
"""The most bytes, unpacked, of all uploads without a verdict."""
_READERS: Final = 2
"""The most uploads read at a time, each in a separate process with the limits of `bots.loader.apart`."""
_WAITING_TO_BE_READ: Final = 24
"""The most uploads that are being read or wait to be read; each occupies one of the threads that answer requests."""
_READING_SECONDS: Final = 30.0
"""The most seconds that an upload waits to be read."""
_FULL: Final = "too many uploads are waiting to be checked; try again in a few minutes"
_BUSY: Final = "too many uploads are being read; try again in a few seconds"
_YOURS: Final = "your earlier uploads are still being checked; wait for them"


def largest_bundle(store: Store, runtime: Runtime) -> int:
    """Return how many bytes a bot may have if the host has set a limit for a ladder or for this server, else 0."""
    return max([runtime.bundle or 0, *(spec.runtime.bundle or 0 for spec in ladders(store).values())])


def find_terms(store: Store, ladder: str, game: str, players: Sequence[int], games: OfferedGames, runtime: Runtime) -> CheckTerms:
    """Return the terms of a ladder or, without one, those for a game of this server in its ``runtime``, at tables of ``players`` if given.

    Raises RefusedError.
    """
    if ladder and players:
        raise RefusedError("players", f"a bot for the ladder '{ladder:.80}' is checked at its own tables; leave out the number of players")
    try:
        if ladder:
            return CheckTerms.of_tournament(entry.find_terms(store, ladder))
        terms = CheckTerms.of_game(games.find(game_or_only(game)), ClockSpec(), runtime)
    except NoLadderError as error:
        raise RefusedError("ladder", str(error)) from None
    except OptionsError as error:
        raise RefusedError("ladder" if ladder else "game", str(error)) from None
    try:
        for size in players:
            terms.game.check_start(size, 0)
    except OptionsError as error:
        raise RefusedError("players", str(error)) from None
    return replace(terms, sizes=tuple(dict.fromkeys(players)) or terms.sizes)


class Admission:
    """Reads uploads and puts them in the queue, calling ``on_new`` for each; its methods may be called from any thread."""

    def __init__(
        self, store: Store, settings: WebSettings, games: OfferedGames, join: Callable[[], Store], on_new: Callable[[], None]
    ) -> None:
        self._store = store
        self._games = games
        self._settings = settings
        self._join = join
        self._on_new = on_new
        self._limits = QueueLimits(_OF_AUTHOR, settings.checks_waiting, _MOST_BYTES, settings.uploads_per_hour)
        self._readers = threading.BoundedSemaphore(_READERS)
        self._places = threading.BoundedSemaphore(_WAITING_TO_BE_READ)
        self._being_read: set[str] = set()
        self._lock = threading.Lock()

    def take(
        self, author: str, name: str, filename: str, content: bytes, *, arrived: datetime, ladder: str, game: str, players: Sequence[int]
    ) -> Upload:
        """Read an upload that arrived at that time, and queue it for its check. Raises RefusedError, with nothing stored."""
        try:
            check_arrival(self._store, ladder, arrived)
            terms = find_terms(self._store, ladder, game, players, self._games, self._settings.runtime)
            check_open(self._store, ladder)
        except (ChangedError, SeasonError) as error:
            raise RefusedError("ladder", str(error), 409) from None
        with self._turn_of(author):
            with self._room():
                check_room(self._store, author, self._limits)
            version = self._read(name, filename, content, terms)
            self._check_new(author, version)
            with self._room():
                new = Upload(
                    id=secrets.token_urlsafe(16),
                    author=author,
                    name=name,
                    ladder=ladder,
                    game=terms.game.name,
                    players=" ".join(map(str, players)),
                    size=len(version.code or "") + sum(len(content) for _, content in version.files),
                    sent=arrived_at(arrived, self._settings.now()),
                )
                add_upload(self._join(), new, pack(version), self._limits)
        self._on_new()
        return new

    @contextmanager
    def _turn_of(self, author: str) -> Iterator[None]:
        """Make sure that only one upload of an author is read at a time. Raises RefusedError."""
        with self._lock:
            if author in self._being_read:
                raise RefusedError("file", _YOURS, 429)
            self._being_read.add(author)
        try:
            yield
        finally:
            with self._lock:
                self._being_read.discard(author)

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Wait until it can be read. Raises RefusedError if there are too many others."""
        if not self._places.acquire(blocking=False):
            raise RefusedError("file", _BUSY, 503)
        try:
            if not self._readers.acquire(timeout=_READING_SECONDS):
                raise RefusedError("file", _BUSY, 503)
            try:
                yield
            finally:
                self._readers.release()
        finally:
            self._places.release()

    def _read(self, name: str, filename: str, content: bytes, terms: CheckTerms) -> BotVersion:
        if len(name) > LONGEST_NAME:
            raise RefusedError("name", f"a name has at most {LONGEST_NAME} characters")
        try:
            check_name(name)
        except BotError as error:
            raise RefusedError("name", str(error)) from None
        suffix = next((each for each in SUFFIXES if filename.lower().endswith(each)), None)
        if suffix is None:
            raise RefusedError("file", f"a bot is a file whose name ends with {', '.join(SUFFIXES)}")
        try:
            with self._reading(), tempfile.TemporaryDirectory(prefix="arena-upload-") as folder:
                path = Path(folder) / f"{name}{suffix}"
                path.write_bytes(content)
                shown = filename if _FILENAME.fullmatch(filename) else path.name
                version = replace(read_version(path, name=name, shown=shown, most=terms.runtime.most_bytes), is_submitted=True)
            admit([version], choose_level(BEST), trusted=self._settings.trust_bots, clock=terms.clock)
        except BotError as error:
            raise RefusedError("file", str(error)) from None
        except (IsolationError, SandboxError) as error:
            raise RefusedError("file", str(error), 503) from None
        return replace(version, is_submitted=False)

    def _check_new(self, author: str, version: BotVersion) -> None:
        try:
            check_claim(self._store, version.name, author, reserved=REFERENCE_BOTS)
        except NameTakenError as error:
            raise RefusedError("name", str(error), 409) from None
        for old in submissions(self._store, version.name):
            if old.digest == version.digest:
                raise RefusedError("file", f"{old.label} has exactly the same content; change something", 409)

    @contextmanager
    def _room(self) -> Iterator[None]:
        """Refuse an upload for which there is no room."""
        try:
            yield
        except AuthorGoneError:
            raise RefusedError("token", NO_TOKEN, 401) from None
        except AuthorTooOftenError:
            raise RefusedError("file", f"you may submit {self._limits.per_hour} times an hour; try again later", 429) from None
        except AuthorFullError:
            raise RefusedError("file", _YOURS, 429) from None
        except QueueFullError:
            raise RefusedError("file", _FULL, 503) from None
