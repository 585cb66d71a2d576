"""Bots that contestants have sent to a server: uploads that wait, are being checked, or have a verdict. Contents are opaque here.

Only an upload that is being checked is written to, so each gets one verdict.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select, update

from leaderboard.errors import StoreError
from leaderboard.storage.database import Database
from leaderboard.storage.runs import in_utc
from leaderboard.storage.submissions import Submission, add_submission
from leaderboard.storage.tables import PERSON, UPLOAD

KEPT = 500
"""The number of uploads with a verdict that are kept, in addition to those of the last hour, which count towards limits."""
_HOUR = timedelta(hours=1)


class UploadState(StrEnum):
    """The states of an upload."""

    WAITING = "waiting"
    CHECKING = "checking"
    ACCEPTED = "accepted"
    FAILED = "failed"


class QueueFullError(StoreError):
    """Too many uploads wait already."""


class AuthorFullError(StoreError):
    """The author has as many uploads waiting as an author may have."""


class AuthorTooOftenError(StoreError):
    """The author has sent as many uploads as an author may send within an hour."""


class AuthorGoneError(StoreError):
    """The author has been deleted."""


class UploadGoneError(StoreError):
    """The upload has been deleted with its author, and nothing was written."""


@dataclass(frozen=True, slots=True)
class NewUpload:
    """An upload as it is sent: ``author`` is a person's id, ``size`` counts the bytes of its content unpacked. ``sent`` is when the
    request arrived; None for now.
    """

    id: str
    author: str
    name: str
    ladder: str
    game: str
    size: int
    players: str = ""
    sent: datetime | None = None


@dataclass(frozen=True, slots=True)
class QueueLimits:
    """How many uploads may be without a verdict, of one author and in all, and how many bytes these may have together.

    ``per_hour`` is how many an author may send within an hour.
    """

    of_author: int
    uploads: int
    size: int
    per_hour: int


@dataclass(frozen=True, slots=True)
class StoredUpload:
    """An upload without its content; the columns are explained in ``UploadRow``."""

    number: int
    id: str
    author: str
    name: str
    ladder: str
    game: str
    players: str
    sent: datetime
    state: UploadState
    reason: str
    seconds: float
    stage: str
    done: int
    planned: int
    failed: int
    decisions: int
    label: str
    entrant: str
    note: str
    report: str

    @property
    def is_over(self) -> bool:
        """Whether the upload has been accepted or refused."""
        return self.state in _OVER


@dataclass(frozen=True, slots=True)
class Queued:
    """An upload without a verdict, as needed to choose the next."""

    number: int
    author: str
    state: UploadState
    name: str = ""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a check is: the seconds of all attempts so far, the stage, the matches that are over, those planned and those in which the
    bot failed, and the bot's decisions.
    """

    seconds: float = 0.0
    stage: str = ""
    done: int = 0
    planned: int = 0
    failed: int = 0
    decisions: int = 0


@dataclass(frozen=True, slots=True)
class UploadVerdict:
    """The verdict on an upload: ``reason`` says why it was refused or not entered, ``report`` is JSON, empty if it was not played.

    ``replays`` are the texts of replays of matches in which it failed, by the number of players and its seat.
    """

    state: UploadState
    progress: Progress
    reason: str = ""
    entrant: str = ""
    note: str = ""
    report: str = ""
    replays: Mapping[tuple[int, int], str] = field(default_factory=dict)


_OVER = (UploadState.ACCEPTED, UploadState.FAILED)
_COLUMNS = [UPLOAD.c[name] for name in StoredUpload.__slots__]
_QUEUED = [UPLOAD.c[name] for name in Queued.__slots__]


def check_room(database: Database, author: str, limits: QueueLimits) -> None:
    """Raise AuthorGoneError, AuthorTooOftenError, AuthorFullError or QueueFullError if an upload of that author can't be taken now."""
    with database.reading() as connection:
        _check_room(connection, author, limits)


def _check_room(connection: Connection, author: str, limits: QueueLimits, size: int = 0) -> None:
    if connection.execute(select(PERSON.c.id).where(PERSON.c.id == author, PERSON.c.deleted.is_(None))).first() is None:
        raise AuthorGoneError(f"{author} has been deleted")
    lately = select(func.count()).where(UPLOAD.c.author == author, UPLOAD.c.sent > datetime.now(UTC) - _HOUR)
    if connection.execute(lately).scalar_one() >= limits.per_hour:
        raise AuthorTooOftenError(f"{author} has sent {limits.per_hour} uploads within an hour")
    query = select(func.count(), func.coalesce(func.sum(UPLOAD.c.size), 0), func.count().filter(UPLOAD.c.author == author))
    count, used, mine = connection.execute(query.where(UPLOAD.c.state.not_in(_OVER))).one()
    if mine >= limits.of_author:
        raise AuthorFullError(f"{author} has {mine} uploads waiting")
    if count >= limits.uploads or (used and used + size > limits.size):
        raise QueueFullError(f"{count} uploads with {used} bytes are waiting")


def add_upload(database: Database, upload: NewUpload, content: bytes, limits: QueueLimits) -> None:
    """Store an upload, which waits to be checked from then on. Raises as ``check_room``."""
    texts = dict.fromkeys(("reason", "stage", "label", "entrant", "note", "report"), "")
    numbers = dict.fromkeys(("seconds", "done", "planned", "failed", "decisions"), 0)
    values = {name: getattr(upload, name) for name in NewUpload.__slots__} | texts | numbers
    values |= {"sent": upload.sent or datetime.now(UTC), "state": UploadState.WAITING, "content": zlib.compress(content, 1), "replays": b""}
    with database.writing() as connection:
        _check_room(connection, upload.author, limits, upload.size)
        connection.execute(insert(UPLOAD).values(values))


def find_upload(database: Database, upload: str) -> StoredUpload | None:
    """Return the upload of that id, as long as it is kept."""
    with database.reading() as connection:
        row = connection.execute(select(*_COLUMNS).where(UPLOAD.c.id == upload)).one_or_none()
    return None if row is None else _stored(row)


def find_replay(database: Database, upload: str, players: int, seat: int) -> str | None:
    """Return the replay of the match of an upload's check in which the bot failed in that seat, as JSON text, if it was kept."""
    with database.reading() as connection:
        kept = connection.execute(select(UPLOAD.c.replays).where(UPLOAD.c.id == upload)).scalar_one_or_none()
    replays: dict[str, str] = json.loads(zlib.decompress(kept)) if kept else {}
    return replays.get(f"{players}-{seat}")


def uploads(database: Database) -> tuple[StoredUpload, ...]:
    """Return all uploads that are kept, in the order in which they came."""
    with database.reading() as connection:
        return tuple(map(_stored, connection.execute(select(*_COLUMNS).order_by(UPLOAD.c.number))))


def uploads_of(database: Database, author: str, newest: int) -> tuple[StoredUpload, ...]:
    """Return the author's uploads that are kept, at most ``newest``, newest first."""
    query = select(*_COLUMNS).where(UPLOAD.c.author == author).order_by(UPLOAD.c.number.desc()).limit(newest)
    with database.reading() as connection:
        return tuple(map(_stored, connection.execute(query)))


def count_uploads(database: Database) -> dict[UploadState, int]:
    """Return how many of the uploads that are kept are in each state."""
    with database.reading() as connection:
        rows = connection.execute(select(UPLOAD.c.state, func.count()).group_by(UPLOAD.c.state)).all()
    return dict.fromkeys(UploadState, 0) | {UploadState(state): count for state, count in rows}


def queue(database: Database) -> tuple[Queued, ...]:
    """Return the uploads without a verdict, in the order in which they came."""
    with database.reading() as connection:
        rows = connection.execute(select(*_QUEUED).where(UPLOAD.c.state.not_in(_OVER)).order_by(UPLOAD.c.number))
        return tuple(Queued(**row._asdict() | {"state": UploadState(row.state)}) for row in rows)


@dataclass(frozen=True, slots=True)
class QueueCount:
    """How many uploads wait and are being checked; ``oldest`` is when the oldest that waits was sent, None if none does."""

    waiting: int
    checking: int
    oldest: datetime | None


def count_waiting(database: Database) -> QueueCount:
    """Return how long the queue is."""
    with database.reading() as connection:
        query = select(UPLOAD.c.state, func.count(), func.min(UPLOAD.c.sent)).where(UPLOAD.c.state.not_in(_OVER))
        rows = {state: (number, sent) for state, number, sent in connection.execute(query.group_by(UPLOAD.c.state))}
    waiting, oldest = rows.get(UploadState.WAITING, (0, None))
    return QueueCount(waiting, rows.get(UploadState.CHECKING, (0, None))[0], None if oldest is None else in_utc(oldest))


def seconds_by_author(database: Database, within: timedelta) -> dict[str, float]:
    """Return how long each author's recent uploads were checked, in seconds."""
    query = select(UPLOAD.c.author, func.sum(UPLOAD.c.seconds)).where(UPLOAD.c.sent > datetime.now(UTC) - within).group_by(UPLOAD.c.author)
    with database.reading() as connection:
        return {author: float(seconds) for author, seconds in connection.execute(query)}


def claim(database: Database, upload: int) -> tuple[StoredUpload, bytes] | None:
    """Begin to check a waiting upload; return it with its content, or None if it no longer waits."""
    is_mine = UPLOAD.c.number == upload
    values = {"state": UploadState.CHECKING, **_progress(Progress())}
    del values["seconds"]  # those of earlier attempts count
    with database.writing() as connection:
        if connection.execute(update(UPLOAD).where(is_mine, UPLOAD.c.state == UploadState.WAITING).values(values)).rowcount != 1:
            return None
        row = connection.execute(select(*_COLUMNS).where(is_mine)).one()
        packed: bytes = connection.execute(select(UPLOAD.c.content).where(is_mine)).scalar_one()
    return _stored(row), zlib.decompress(packed)


def save_progress(database: Database, progress: Mapping[int, Progress]) -> None:
    """Write the progress of checks, by the numbers of their uploads."""
    with database.writing() as connection:
        for number, now in progress.items():
            connection.execute(update(UPLOAD).where(_is_checked(number)).values(_progress(now)))


def put_back(database: Database, upload: int, reason: str, *, seconds: float | None = None) -> None:
    """Make an upload wait again whose check was interrupted for this reason."""
    values: dict[str, object] = {"state": UploadState.WAITING, "reason": reason}
    if seconds is not None:
        values["seconds"] = seconds
    with database.writing() as connection:
        connection.execute(update(UPLOAD).where(_is_checked(upload)).values(values))


def keep_version(database: Database, upload: int, digest: str, content: bytes, reserved: Iterable[str], *, report: str) -> Submission:
    """Store the version made from an upload, and the results of its check. Raises UploadGoneError and, as ``submit``, SubmissionError."""
    with database.writing() as connection:
        row = connection.execute(select(UPLOAD.c.name, UPLOAD.c.author).where(_is_checked(upload))).one_or_none()
        if row is None:
            raise UploadGoneError(f"upload {upload} has been deleted")
        submission = add_submission(connection, row.name, digest, row.author, content, reserved)
        connection.execute(update(UPLOAD).where(_is_checked(upload)).values(label=submission.label, report=report))
        return submission


def finish(database: Database, upload: int, verdict: UploadVerdict) -> None:
    """Store the verdict, and remove the oldest uploads that are over beyond those kept."""
    replays = {f"{players}-{seat}": text for (players, seat), text in verdict.replays.items()}
    texts = {name: getattr(verdict, name) for name in ("reason", "entrant", "note", "report")}
    values = {
        "state": verdict.state,
        "content": b"",
        "size": 0,
        "replays": zlib.compress(json.dumps(replays).encode(), 6) if replays else b"",
        **texts,
        **_progress(verdict.progress),
    }
    is_over = UPLOAD.c.state.in_(_OVER)
    with database.writing() as connection:
        connection.execute(update(UPLOAD).where(_is_checked(upload)).values(values))
        surplus = select(UPLOAD.c.number).where(is_over).order_by(UPLOAD.c.number.desc()).limit(1).offset(KEPT)
        last = connection.execute(surplus).scalar_one_or_none()
        if last is not None:
            is_counted = UPLOAD.c.sent > datetime.now(UTC) - _HOUR
            connection.execute(delete(UPLOAD).where(is_over, UPLOAD.c.number <= last, ~is_counted))


def _is_checked(number: int) -> Any:
    return (UPLOAD.c.number == number) & (UPLOAD.c.state == UploadState.CHECKING)


def _progress(progress: Progress) -> dict[str, object]:
    return {name: getattr(progress, name) for name in Progress.__slots__}


def _stored(row: Row[Any]) -> StoredUpload:
    return StoredUpload(**row._asdict() | {"state": UploadState(row.state), "sent": in_utc(row.sent)})
