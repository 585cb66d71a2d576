"""Submitted bots: immutable versions with their content, by name and number, and the uploads from which a server makes them.

Uploads wait, are being checked, or have a verdict. Only an upload that is being checked is written to, so each gets one verdict. Contents
are opaque here.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Final

from sqlmodel import Session, col, delete, func, select
from sqlmodel.sql.expression import SelectOfScalar

from leaderboard.errors import StoreError
from leaderboard.names import find_equal, unnumbered
from leaderboard.storage.database import Database
from leaderboard.storage.store import Entrant, Store
from leaderboard.storage.tables import (
    Bot,
    Match,
    Person,
    PublicUpload,
    SeatRow,
    Submission,
    Tournament,
    Upload,
    UploadState,
    without,
)
from leaderboard.storage.tournaments import add_version

__all__ = ["PublicUpload", "Submission", "Upload", "UploadState"]

NEWEST = "newest"


class SubmissionError(StoreError):
    """The submission can't be made, found or used; the message says why."""


class NameTakenError(SubmissionError):
    """The author may not use the name; the message says why."""


@dataclass(frozen=True, slots=True)
class Appearance:
    """The record of a version in one tournament."""

    tournament: str
    matches: int
    wins: int
    faults: int


def submit(store: Store, name: str, digest: str, author: str | None, content: bytes, *, reserved: Iterable[str] = ()) -> Submission:
    """Store a version permanently. Raises SubmissionError if it is already there, or the author may not use the name (``check_claim``)."""
    with store.transaction() as session:
        return add_submission(session, name, digest, author, content, reserved)


def add_submission(
    session: Session, name: str, digest: str, author: str | None, content: bytes, reserved: Iterable[str] = ()
) -> Submission:
    """Do what ``submit`` does within a transaction."""
    before = _named(session, name)
    _check_content(before, digest)
    _check_claim(session, name, author, reserved)
    number = len(before) + 1
    version = add_version(session, Entrant(name, digest, f"submitted {name}@{number}"))
    packed = zlib.compress(content, 6)
    session.add(Submission(bot_version_id=version.id, bot_id=version.bot_id, number=number, author=author, content=packed))
    session.flush()
    return _find(session, name, str(number))


def check_new(store: Store, name: str, digest: str, author: str | None, *, reserved: Iterable[str] = ()) -> None:
    """Raise SubmissionError as ``submit`` would now."""
    _check_content(submissions(store, name), digest)
    check_claim(store, name, author, reserved=reserved)


def _check_content(before: Iterable[Submission], digest: str) -> None:
    for old in before:
        if old.digest == digest:
            raise SubmissionError(f"{old.label} has exactly the same content; change something, or enter that version")


def check_claim(store: Store, name: str, author: str | None, *, reserved: Iterable[str] = ()) -> None:
    """Raise NameTakenError unless the author may submit a bot under the name.

    Versions of a name belong to the author of the first. A new name may not differ only in case from that of another bot or one of the
    ``reserved`` names, and may not end like a version number in tournaments.
    """
    with store.session() as session:
        _check_claim(session, name, author, reserved)


def _check_claim(session: Session, name: str, author: str | None, reserved: Iterable[str]) -> None:
    owners = dict(session.exec(select(Bot.name, Submission.author).select_from(Submission).join(Bot).distinct()).all())
    if name in owners:  # even one from before names were compared
        if owners[name] != author:
            raise NameTakenError(f"the name '{name}' is taken by another author; choose another")
        return
    if (bare := unnumbered(name)) is not None:
        end = name.removeprefix(bare)
        raise NameTakenError(f"the name '{name}' ends like a version number, which this program assigns; leave out '{end}'")
    if (reference := find_equal(name, reserved)) is not None:
        raise NameTakenError(f"the name '{name}' is that of the reference bot '{reference}'; choose another")
    if (other := find_equal(name, sorted(owners))) is not None:
        whose = f"take '{other}' for a new version of it, or another name" if owners[other] == author else "choose another"
        raise NameTakenError(f"the name '{name}' differs only in case from '{other}'; {whose}")


def submissions(store: Store, name: str | None = None) -> tuple[Submission, ...]:
    """Return all submitted versions, or those of one name, by name and number."""
    with store.session() as session:
        return _named(session, name)


def _named(session: Session, name: str | None) -> tuple[Submission, ...]:
    query = select(Submission).options(*without(Submission.content))
    if name is not None:
        query = query.join(Bot).where(Bot.name == name)
    return tuple(sorted(session.exec(query), key=lambda each: (each.name, each.number)))


def find_submission(store: Store, reference: str) -> Submission:
    """Return the version that ``name``, ``name@newest``, ``name@2`` or ``name@3fa9c1d2`` (the beginning of its hash) refers to.

    Retired versions are found only by number or hash. Raises SubmissionError.
    """
    name, _, which = reference.partition("@")
    with store.session() as session:
        return _find(session, name, which or NEWEST)


def content(store: Store, submission: Submission) -> bytes:
    """Return the content that was submitted."""
    with store.session() as session:
        return zlib.decompress(session.exec(select(Submission.content).where(Submission.bot_version_id == submission.bot_version_id)).one())


def retire(store: Store, submission: Submission) -> None:
    """Retire a version, so that no new tournament can enter it; its results stay. Raises SubmissionError if it is retired already."""
    with store.transaction() as session:
        stored = session.get_one(Submission, submission.bot_version_id)
        if stored.retired is not None:
            raise SubmissionError(f"{stored.label} was already retired on {stored.retired:%Y-%m-%d}")
        stored.retired = datetime.now(UTC)


def appearances(store: Store, submission: Submission) -> tuple[Appearance, ...]:
    """Return the record of a version, tournament by tournament."""
    query = (
        select(Tournament.name, func.count(), func.count().filter(col(SeatRow.rank) == 1), func.count(col(SeatRow.fault)))
        .select_from(SeatRow)
        .join(Match)
        .join(Tournament)
        .where(SeatRow.bot_version_id == submission.bot_version_id)
        .group_by(col(Tournament.id))
        .order_by(col(Tournament.id))
    )
    with store.session() as session:
        return tuple(Appearance(*row) for row in session.exec(query))


def _find(session: Session, name: str, which: str) -> Submission:
    versions = _named(session, name)
    if not versions:
        raise SubmissionError(f"no bot '{name:.40}' has been submitted; 'arena bots list' shows all")
    if which == NEWEST:
        active = [each for each in versions if each.retired is None]
        if not active:
            raise SubmissionError(f"all versions of '{name}' are retired")
        return active[-1]
    if which.isdecimal() and len(which) < 8:
        chosen = [each for each in versions if each.number == int(which)]
    else:
        chosen = [each for each in versions if len(which) >= 8 and each.digest.startswith(which)]
    if len(chosen) != 1:
        numbers = ", ".join(str(each.number) for each in versions)
        raise SubmissionError(f"there is no version '{which:.64}' of '{name}'; the versions are {numbers}")
    return chosen[0]


KEPT = 500
"""The number of uploads with a verdict that are kept, in addition to those of the last hour, which count towards limits."""
_HOUR = timedelta(hours=1)


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
class QueueLimits:
    """How many uploads may be without a verdict, of one author and in all, and how many bytes these may have together.

    ``per_hour`` is how many an author may send within an hour.
    """

    of_author: int
    uploads: int
    size: int
    per_hour: int


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


_IS_OPEN: Final = col(Upload.state).in_((UploadState.WAITING, UploadState.CHECKING))


def _listed() -> SelectOfScalar[Upload]:
    """Return the query for uploads without their contents and replays."""
    return select(Upload).options(*without(Upload.content, Upload.replays))


def check_room(database: Database, author: str, limits: QueueLimits) -> None:
    """Raise AuthorGoneError, AuthorTooOftenError, AuthorFullError or QueueFullError if an upload of that author can't be taken now."""
    with database.session() as session:
        _check_room(session, author, limits)


def _check_room(session: Session, author: str, limits: QueueLimits, size: int = 0) -> None:
    person = session.get(Person, author)
    if person is None or person.deleted is not None:
        raise AuthorGoneError(f"{author} has been deleted")
    lately = select(func.count()).where(Upload.author == author, Upload.sent > datetime.now(UTC) - _HOUR)
    if session.exec(lately).one() >= limits.per_hour:
        raise AuthorTooOftenError(f"{author} has sent {limits.per_hour} uploads within an hour")
    waiting = session.exec(select(Upload.author, Upload.size).where(_IS_OPEN)).all()
    mine, used = sum(each == author for each, _ in waiting), sum(each for _, each in waiting)
    if mine >= limits.of_author:
        raise AuthorFullError(f"{author} has {mine} uploads waiting")
    if len(waiting) >= limits.uploads or (used and used + size > limits.size):
        raise QueueFullError(f"{len(waiting)} uploads with {used} bytes are waiting")


def add_upload(database: Database, upload: Upload, content: bytes, limits: QueueLimits) -> None:
    """Store an upload, which waits to be checked from then on. Raises as ``check_room``."""
    upload.content = zlib.compress(content, 1)
    with database.transaction() as session:
        _check_room(session, upload.author, limits, upload.size)
        session.add(upload)


def find_upload(database: Database, upload: str) -> Upload | None:
    """Return the upload of that id, as long as it is kept."""
    with database.session() as session:
        return session.exec(_listed().where(Upload.id == upload)).one_or_none()


def find_replay(database: Database, upload: str, players: int, seat: int) -> str | None:
    """Return the replay of the match of an upload's check in which the bot failed in that seat, as JSON text, if it was kept."""
    with database.session() as session:
        kept = session.exec(select(Upload.replays).where(Upload.id == upload)).one_or_none()
    replays: dict[str, str] = json.loads(zlib.decompress(kept)) if kept else {}
    return replays.get(f"{players}-{seat}")


def uploads(database: Database) -> tuple[Upload, ...]:
    """Return all uploads that are kept, in the order in which they came."""
    with database.session() as session:
        return tuple(session.exec(_listed().order_by(col(Upload.number))))


def uploads_of(database: Database, author: str, newest: int) -> tuple[Upload, ...]:
    """Return the author's uploads that are kept, at most ``newest``, newest first."""
    with database.session() as session:
        return tuple(session.exec(_listed().where(Upload.author == author).order_by(col(Upload.number).desc()).limit(newest)))


def count_uploads(database: Database) -> dict[UploadState, int]:
    """Return how many of the uploads that are kept are in each state."""
    with database.session() as session:
        counts = dict(session.exec(select(Upload.state, func.count()).group_by(Upload.state)).all())
    return {state: counts.get(state, 0) for state in UploadState}


def queue(database: Database) -> tuple[Upload, ...]:
    """Return the uploads without a verdict, in the order in which they came."""
    with database.session() as session:
        return tuple(session.exec(_listed().where(_IS_OPEN).order_by(col(Upload.number))))


@dataclass(frozen=True, slots=True)
class QueueCount:
    """How many uploads wait and are being checked; ``oldest`` is when the oldest that waits was sent, None if none does."""

    waiting: int
    checking: int
    oldest: datetime | None


def count_waiting(database: Database) -> QueueCount:
    """Return how long the queue is."""
    found = queue(database)
    sent = [each.sent for each in found if each.state is UploadState.WAITING]
    return QueueCount(len(sent), len(found) - len(sent), min(sent, default=None))


def seconds_by_author(database: Database, within: timedelta) -> dict[str, float]:
    """Return how long each author's recent uploads were checked, in seconds."""
    query = select(Upload.author, func.sum(Upload.seconds)).where(Upload.sent > datetime.now(UTC) - within).group_by(Upload.author)
    with database.session() as session:
        return dict(session.exec(query).all())


def claim(database: Database, upload: int) -> tuple[Upload, bytes] | None:
    """Begin to check a waiting upload; return it with its content, or None if it no longer waits."""
    with database.transaction() as session:
        found = session.exec(select(Upload).where(Upload.number == upload, Upload.state == UploadState.WAITING)).one_or_none()
        if found is None:
            return None
        _write(found, replace(Progress(), seconds=found.seconds))  # those of earlier attempts count
        found.state = UploadState.CHECKING
    return found, zlib.decompress(found.content)


def save_progress(database: Database, progress: Mapping[int, Progress]) -> None:
    """Write the progress of checks, by the numbers of their uploads."""
    with database.transaction() as session:
        for number, now in progress.items():
            if (found := _checked(session, number)) is not None:
                _write(found, now)


def put_back(database: Database, upload: int, reason: str, *, seconds: float | None = None) -> None:
    """Make an upload wait again whose check was interrupted for this reason."""
    with database.transaction() as session:
        if (found := _checked(session, upload)) is not None:
            found.state, found.reason = UploadState.WAITING, reason
            found.seconds = found.seconds if seconds is None else seconds


def keep_version(database: Database, upload: int, digest: str, content: bytes, reserved: Iterable[str], *, report: str) -> Submission:
    """Store the version made from an upload, and the results of its check. Raises UploadGoneError and, as ``submit``, SubmissionError."""
    with database.transaction() as session:
        if (found := _checked(session, upload)) is None:
            raise UploadGoneError(f"upload {upload} has been deleted")
        submission = add_submission(session, found.name, digest, found.author, content, reserved)
        found.label, found.report = submission.label, report
        return submission


def finish(database: Database, upload: int, verdict: UploadVerdict) -> None:
    """Store the verdict, and remove the oldest uploads that are over beyond those kept."""
    replays = {f"{players}-{seat}": text for (players, seat), text in verdict.replays.items()}
    with database.transaction() as session:
        if (found := _checked(session, upload)) is not None:
            found.state, found.content, found.size = verdict.state, b"", 0
            found.replays = zlib.compress(json.dumps(replays).encode(), 6) if replays else b""
            found.reason, found.entrant, found.note, found.report = verdict.reason, verdict.entrant, verdict.note, verdict.report
            _write(found, verdict.progress)
        surplus = select(Upload.number).where(~_IS_OPEN).order_by(col(Upload.number).desc()).limit(1).offset(KEPT)
        last = session.exec(surplus).one_or_none()
        if last is not None:
            is_counted = col(Upload.sent) > datetime.now(UTC) - _HOUR
            session.exec(delete(Upload).where(~_IS_OPEN, col(Upload.number) <= last, ~is_counted))


def _checked(session: Session, upload: int) -> Upload | None:
    """Return the upload if it is being checked."""
    return session.exec(_listed().where(Upload.number == upload, Upload.state == UploadState.CHECKING)).one_or_none()


def _write(upload: Upload, progress: Progress) -> None:
    for name, value in asdict(progress).items():
        setattr(upload, name, value)
