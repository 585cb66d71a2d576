"""Uploaded bots: read, checked in the background as by 'arena bots check', kept, and entered into a ladder.

A single thread checks them, so that uploads can't take over the machine, and the queue is bounded.
"""

from __future__ import annotations

import logging
import queue
import secrets
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Final

from arena.entries.bot_check import CheckReport, check_bot
from arena.entries.naming import entry_name
from arena.executors.isolation import BEST, IsolationError, admit, choose_level
from arena.tournament.begun_tournament import ChangedError, enter, stored_spec
from arena.tournament.formats.plans import LadderPlan
from arena.tournament.spec import SpecError
from arena.web.data.offered_games import OfferedGames
from bots.building.builder import BuildError, build
from bots.host.bot_process import HostFaultError
from bots.host.player_pool import PlayerPool
from bots.loader.codec import pack
from bots.loader.loading import REFERENCE_BOTS, read_version
from bots.loader.version import BotError, BotVersion, check_name
from bots.protocol import ClockSpec
from bots.runtime import STANDARD, Runtime
from bots.sandbox import SandboxError, UnfitError
from engine.core import Game, OptionsError
from engine.registry import game_or_only
from leaderboard.errors import StoreError
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import NameTakenError, Submission, SubmissionError, check_claim, submissions
from leaderboard.storage.submissions import submit as keep

_log: Final = logging.getLogger("arena.web")
SUFFIXES: Final = (".py", ".wasm", ".zip", ".tar", ".tar.gz", ".tgz")
LONGEST_NAME: Final = 32
_KEPT: Final = 500
"""Uploads whose reports are kept."""
_MOST_OF_ONE: Final = 2
"""Uploads of one author that may wait at a time."""
_READERS: Final = 2
"""Uploads read at a time, each in a process of its own with the limits of `bots.loader.apart`."""
_READING_SECONDS: Final = 5.0
"""Seconds that an upload waits to be read."""
_MOST_BYTES: Final = 64 << 20
"""The most bytes, unpacked, of all uploads that wait to be checked."""


class RefusedError(Exception):
    """An upload was refused, and nothing was stored: ``field`` is the wrong field, ``status`` the HTTP status."""

    def __init__(self, field_: str, sentence: str, status: int = 422) -> None:
        super().__init__(sentence)
        self.field = field_
        self.status = status


class UploadState(StrEnum):
    """The states of an upload."""

    WAITING = "waiting"
    CHECKING = "checking"
    ACCEPTED = "accepted"
    FAILED = "failed"


@dataclass(slots=True)
class Upload:
    """One upload. ``id`` can't be guessed, ``done`` of ``all`` matches of the check are over, ``problem`` is why it was not accepted.

    ``label`` is the version that it has become, ``entrant`` its name in the ladder ``ladder``, ``build_log`` what was written when it was
    built from source.
    """

    id: str
    author: str
    name: str
    ladder: str
    game: str
    sent: datetime
    state: UploadState = UploadState.WAITING
    done: int = 0
    all: int = 0
    report: CheckReport | None = None
    problem: str = ""
    label: str = ""
    entrant: str = ""
    build_log: str = ""
    notes: list[str] = field(default_factory=list)

    @property
    def is_over(self) -> bool:
        """Whether it has been accepted or refused."""
        return self.state in {UploadState.ACCEPTED, UploadState.FAILED}


@dataclass(frozen=True, slots=True)
class _Job:
    upload: Upload
    version: BotVersion
    game: Game
    clock: ClockSpec
    runtime: Runtime

    @property
    def size(self) -> int:
        """How many bytes it takes in memory."""
        source = self.version.build.source if self.version.build else ()
        return len(self.version.code or "") + sum(len(content) for _, content in (*self.version.files, *source))


class Uploads:
    """All uploads of this server; its methods may be called from any thread."""

    def __init__(
        self,
        store: Store,
        db: str,
        games: OfferedGames,
        *,
        trusted: bool,
        waiting: int,
        choose: Callable[[], str] = lambda: BEST,
        runtime: Runtime = STANDARD,
    ) -> None:
        self._store = store
        self._db = db
        self._games = games
        self._trusted = trusted
        self._choose = choose
        self._runtime = runtime
        self._jobs: queue.Queue[_Job | None] = queue.Queue(waiting)
        self._known: OrderedDict[str, Upload] = OrderedDict()
        self._slots = threading.BoundedSemaphore(_READERS)
        self._being_read: set[str] = set()
        self._bytes = 0
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def find(self, upload: str) -> Upload | None:
        """Return the upload of that id, as long as it is kept."""
        with self._lock:
            return self._known.get(upload)

    def ladders(self) -> tuple[str, ...]:
        """Return the ladders that can be joined, newest first."""
        return tuple(name for name in reversed(self._store.tournament_names()) if self._is_ladder(name))

    def _is_ladder(self, name: str) -> bool:
        tournament = self._store.tournament(name)
        try:
            return tournament is not None and isinstance(stored_spec(tournament).schedule, LadderPlan)
        except SpecError:
            return False

    def largest_bundle(self) -> int:
        """Return how many bytes a bot may have where the host has said so, for a ladder or for this server; else 0."""
        sizes = [self._runtime.bundle or 0]
        for name in self.ladders():
            tournament = self._store.tournament(name)
            assert tournament is not None
            sizes.append(stored_spec(tournament).runtime.bundle or 0)
        return max(sizes)

    def take(self, author: str, name: str, filename: str, content: bytes, *, ladder: str = "", game: str = "") -> Upload:
        """Read an upload and put it in the queue. Raises RefusedError, with nothing stored."""
        rules, clock, runtime = self._rules(ladder, game)
        with self._lock:
            if author in self._being_read or self._waiting(author) >= _MOST_OF_ONE:
                raise RefusedError("file", "your earlier uploads are still being checked; wait for them", 429)
            self._being_read.add(author)
        try:
            version = self._read(name, filename, content, clock, runtime.most_bytes)
            self._may_have(author, version)
            upload = Upload(secrets.token_urlsafe(16), author, name, ladder, rules.name, datetime.now(UTC))
            self._put(_Job(upload, version, rules, clock, runtime))
        finally:
            with self._lock:
                self._being_read.discard(author)
        return upload

    def _waiting(self, author: str) -> int:
        return sum(each.author == author and not each.is_over for each in self._known.values())

    def _put(self, job: _Job) -> None:
        """Put it in the queue. Raises RefusedError."""
        with self._lock:
            try:
                if self._bytes and self._bytes + job.size > _MOST_BYTES:
                    raise queue.Full
                self._jobs.put_nowait(job)
            except queue.Full:
                raise RefusedError("file", "too many uploads are waiting to be checked; try again in a few minutes", 503) from None
            self._bytes += job.size
            self._known[job.upload.id] = job.upload
            while len(self._known) > _KEPT:
                self._known.popitem(last=False)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="checks", daemon=True)
                self._thread.start()

    def close(self) -> None:
        """Check nothing more, and forget what waits."""
        with self._lock:
            thread, self._thread = self._thread, None
        while thread is not None and thread.is_alive():
            try:
                self._jobs.get_nowait()
            except queue.Empty:
                self._jobs.put(None)
                thread.join()

    def _rules(self, ladder: str, game: str) -> tuple[Game, ClockSpec, Runtime]:
        if not ladder:
            try:
                return self._games.find(game_or_only(game)), ClockSpec(), self._runtime
            except OptionsError as error:
                raise RefusedError("game", str(error)) from None
        if not self._is_ladder(ladder):
            there = ", ".join(self.ladders()) or "none"
            raise RefusedError("ladder", f"there is no ladder '{ladder:.80}' here; the ladders are: {there}")
        tournament = self._store.tournament(ladder)
        assert tournament is not None
        spec = stored_spec(tournament)
        return spec.make_game(), spec.clock.limits, spec.runtime.runtime

    def _read(self, name: str, filename: str, content: bytes, clock: ClockSpec, most: int) -> BotVersion:
        if len(name) > LONGEST_NAME:
            raise RefusedError("name", f"a name has at most {LONGEST_NAME} characters")
        try:
            check_name(name)
        except BotError as error:
            raise RefusedError("name", str(error)) from None
        suffix = next((each for each in SUFFIXES if filename.lower().endswith(each)), None)
        if suffix is None:
            raise RefusedError("file", f"a bot is a file that ends with {', '.join(SUFFIXES)}")
        if not self._slots.acquire(timeout=_READING_SECONDS):
            raise RefusedError("file", "other uploads are being read; try again in a few seconds", 503)
        try:
            with tempfile.TemporaryDirectory(prefix="arena-upload-") as folder:
                path = Path(folder) / f"{name}{suffix}"
                path.write_bytes(content)
                version = replace(read_version(path, name=name, shown=path.name, most=most), is_submitted=True)
            admit([version], choose_level(self._choose()), trusted=self._trusted, clock=clock)
        except BotError as error:
            raise RefusedError("file", str(error)) from None
        except (IsolationError, SandboxError) as error:
            raise RefusedError("file", str(error), 503) from None
        finally:
            self._slots.release()
        return replace(version, is_submitted=False)

    def _may_have(self, author: str, version: BotVersion) -> None:
        try:
            check_claim(self._store, version.name, author, reserved=REFERENCE_BOTS)
        except NameTakenError as error:
            raise RefusedError("name", str(error), 409) from None
        for old in submissions(self._store, version.name):
            if old.digest == version.digest:
                raise RefusedError("file", f"{old.label} has exactly the same content; change something", 409)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            upload = job.upload
            try:
                self._check(job)
            except (HostFaultError, SandboxError, UnfitError, StoreError, BotError, IsolationError, OSError) as error:
                _log.error("an upload could not be checked: %s", error)
                _fail(upload, f"this server could not check it, which is not the bot's fault: {type(error).__name__}")
            except Exception:  # noqa: BLE001  # nothing else catches it, and the thread must live on
                _log.exception("an upload could not be checked")
                _fail(upload, "this server could not check it, which is not the bot's fault")
            finally:
                with self._lock:
                    self._bytes -= job.size

    def _check(self, job: _Job) -> None:
        upload = job.upload
        upload.state = UploadState.CHECKING
        level = choose_level(self._choose())
        admit([replace(job.version, is_submitted=True)], level, trusted=self._trusted, clock=job.clock)
        try:
            built = build(job.version, trusted=self._trusted)
        except BuildError as error:
            upload.build_log = error.log
            _fail(upload, str(error))
            return
        upload.build_log, version = built.log, built.version

        def count(done: int, all_: int) -> None:
            upload.done, upload.all = done, all_

        with PlayerPool(level, game=job.game, runtime=job.runtime) as pool:
            report = check_bot(version, job.game, pool, job.clock, count)
        upload.done, upload.report = report.matches, report
        if not report.is_passed:
            _fail(upload, f"it {report.failure}" if not report.is_stopped else f"its check was {report.failure}")
            return
        with Store.join(self._db) as store:
            try:
                submission = keep(store, upload.name, version.digest, upload.author, pack(version), reserved=REFERENCE_BOTS)
            except SubmissionError as error:
                _fail(upload, str(error))
                return
            upload.label = submission.label
            if upload.ladder:
                self._enter(store, upload, submission, version)
        upload.state = UploadState.ACCEPTED

    @staticmethod
    def _enter(store: Store, upload: Upload, submission: Submission, version: BotVersion) -> None:
        name = entry_name(store, upload.ladder, submission)
        try:
            enter(store, upload.ladder, name, submission.label, replace(version, name=name, origin=f"submitted {submission.label}"))
        except (ChangedError, SpecError) as error:
            upload.notes.append(f"It was not entered into '{upload.ladder}': {error}.")
        else:
            upload.entrant = name


def _fail(upload: Upload, problem: str) -> None:
    upload.problem, upload.state = problem, UploadState.FAILED
