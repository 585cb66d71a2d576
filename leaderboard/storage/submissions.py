"""Stores submitted bots, which first wait for their check. If they pass it, they become immutable versions with a name and a number.

A submission is waiting, is being checked, or has a verdict. A check only writes to a submission that is being checked, so a submission
gets only one verdict.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy import Update
from sqlmodel import Session, col, delete, func, select, update
from sqlmodel.sql.expression import SelectOfScalar

from leaderboard.errors import StoreError
from leaderboard.names import find_equal, unnumbered
from leaderboard.storage.database import Database
from leaderboard.storage.store import Entrant, Store
from leaderboard.storage.tables import Person, PublicSubmission, Submission, SubmissionState, without
from leaderboard.storage.tournaments import add_version

__all__ = ["PublicSubmission", "Submission", "SubmissionState"]

NEWEST = "newest"
_IS_VERSION: Final = col(Submission.number).is_not(None)
_IS_OPEN: Final = col(Submission.state).in_((SubmissionState.WAITING, SubmissionState.CHECKING))
_ORDER: Final = (col(Submission.sent), col(Submission.id))


class SubmissionError(StoreError):
    """A bot can't be submitted, or a submission can't be found or used; the message says why."""


class NameTakenError(SubmissionError):
    """The author can't use the name; the message says why."""


def submit(
    store: Store,
    name: str,
    digest: str,
    author: str | None,
    content: bytes,
    *,
    reserved: Iterable[str] = (),
    ladder: str = "",
    sent: datetime | None = None,
) -> Submission:
    """Store a bot that has passed its check as a permanent version.

    Raises SubmissionError if the bot already has a version with this content, or the author can't use the name (see ``check_claim``).
    """
    new = Submission(name=name, digest=digest, author=author, content=zlib.compress(content), ladder=ladder, state=SubmissionState.ACCEPTED)
    new.sent = sent or new.sent
    with store.transaction() as session:
        _make_version(session, new, reserved)
        session.add(new)
        session.flush()
        return _find(session, name, str(new.number))


def _make_version(session: Session, new: Submission, reserved: Iterable[str]) -> None:
    before = _versions(session, new.name)
    _check_content(before, new.digest)
    _check_claim(session, new.name, new.author, reserved)
    new.number = len(before) + 1
    new.bot_version_id = add_version(session, Entrant(new.name, new.digest, f"submitted {new.label}")).id


def check_new(store: Store, name: str, digest: str, author: str | None, *, reserved: Iterable[str] = ()) -> None:
    """Raise SubmissionError if ``submit`` would."""
    _check_content(versions(store, name), digest)
    check_claim(store, name, author, reserved=reserved)


def _check_content(before: Iterable[Submission], digest: str) -> None:
    for old in before:
        if old.digest == digest:
            raise SubmissionError(f"it has exactly the same content as {old.label}; change something, or enter that version")


def check_claim(store: Store, name: str, author: str | None, *, reserved: Iterable[str] = ()) -> None:
    """Raise NameTakenError unless the author can submit a bot with this name.

    A name belongs to the author of its first version. A new name must not equal the name of another bot or one of the ``reserved`` names,
    ignoring case, and must not end with a version number.
    """
    with store.session() as session:
        _check_claim(session, name, author, reserved)


def _check_claim(session: Session, name: str, author: str | None, reserved: Iterable[str]) -> None:
    owners = dict(session.exec(select(Submission.name, Submission.author).where(_IS_VERSION).distinct()).all())
    if name in owners:
        if owners[name] != author:
            raise NameTakenError(f"the name '{name}' is taken by another author; choose a different name")
        return
    if (bare := unnumbered(name)) is not None:
        end = name.removeprefix(bare)
        raise NameTakenError(f"the name '{name}' ends with a version number, which is added automatically; leave out '{end}'")
    if (reference := find_equal(name, reserved)) is not None:
        raise NameTakenError(f"the name '{name}' is already taken by the reference bot '{reference}'; choose a different name")
    if (other := find_equal(name, sorted(owners))) is not None:
        whose = f"use '{other}' to submit a new version, or a different name" if owners[other] == author else "choose a different name"
        raise NameTakenError(f"the name '{name}' differs only in case from '{other}'; {whose}")


def versions(store: Database, name: str | None = None) -> tuple[Submission, ...]:
    """Return all submitted versions, or those of one bot, sorted by name and number."""
    with store.session() as session:
        return _versions(session, name)


def _versions(session: Session, name: str | None) -> tuple[Submission, ...]:
    query = _listed().where(_IS_VERSION)
    if name is not None:
        query = query.where(Submission.name == name)
    return tuple(sorted(session.exec(query), key=lambda each: (each.name, each.number)))


def find_submission(store: Store, reference: str) -> Submission:
    """Return the version that a reference means: ``name``, ``name@newest``, ``name@2`` or ``name@3fa9c1d2`` (the start of its hash).

    Retired versions are found only by number or hash. Raises SubmissionError.
    """
    name, _, which = reference.partition("@")
    with store.session() as session:
        return _find(session, name, which or NEWEST)


def content(store: Store, submission: Submission) -> bytes:
    """Return the content of a submission that was not refused."""
    with store.session() as session:
        return zlib.decompress(session.exec(select(Submission.content).where(Submission.id == submission.id)).one())


def retire(store: Store, submission: Submission) -> None:
    """Retire a version, so that it can't enter new tournaments; its results stay. Raises SubmissionError if it is already retired."""
    with store.transaction() as session:
        stored = session.get_one(Submission, submission.id)
        if stored.is_retired:
            raise SubmissionError(f"{stored.label} is already retired")
        stored.state = SubmissionState.RETIRED


def _find(session: Session, name: str, which: str) -> Submission:
    known = _versions(session, name)
    if not known:
        raise SubmissionError(f"no bot '{name:.40}' has been submitted; 'arena bots list' shows the submitted bots")
    if which == NEWEST:
        active = [each for each in known if not each.is_retired]
        if not active:
            raise SubmissionError(f"all versions of '{name}' are retired")
        return active[-1]
    if which.isdecimal() and len(which) < 8:
        chosen = [each for each in known if each.number == int(which)]
    else:
        chosen = [each for each in known if len(which) >= 8 and each.digest.startswith(which)]
    if len(chosen) != 1:
        numbers = ", ".join(str(each.number) for each in known)
        raise SubmissionError(f"there is no version '{which:.64}' of '{name}'; existing versions: {numbers}")
    return chosen[0]


KEPT = 500
"""The number of refused submissions that are kept, in addition to those of the last hour (which are needed for limits)."""
_HOUR = timedelta(hours=1)


class NoRoomError(StoreError):
    """There are too many submissions, from the author if ``is_own``, otherwise in total; the message says what to do."""

    def __init__(self, message: str, *, is_own: bool) -> None:
        super().__init__(message)
        self.is_own = is_own


class AuthorGoneError(StoreError):
    """The author has been deleted."""


class SubmissionGoneError(StoreError):
    """The submission was deleted with its author, or already has its verdict; nothing was written."""


@dataclass(frozen=True, slots=True)
class QueueLimits:
    """Limits of the queue of submissions.

    - ``of_author``, ``submissions``: how many submissions without a verdict there can be, per author and in total
    - ``size``: how many bytes all submissions without a verdict can have together, compressed
    - ``per_hour``: how many submissions an author can send per hour
    """

    of_author: int
    submissions: int
    size: int
    per_hour: int


def _listed() -> SelectOfScalar[Submission]:
    return select(Submission).options(*without(Submission.content, Submission.replays))


def check_room(database: Database, author: str, limits: QueueLimits) -> None:
    """Raise AuthorGoneError or NoRoomError if the author can't submit anything now."""
    with database.session() as session:
        _check_room(session, author, limits)


def _check_room(session: Session, author: str | None, limits: QueueLimits, size: int = 0) -> None:
    person = None if author is None else session.get(Person, author)
    if person is None or person.deleted is not None:
        raise AuthorGoneError(f"{author} has been deleted")
    lately = select(func.count()).where(Submission.author == author, Submission.sent > datetime.now(UTC) - _HOUR)
    if session.exec(lately).one() >= limits.per_hour:
        raise NoRoomError(f"you can submit {limits.per_hour} times an hour; try again later", is_own=True)
    waiting = session.exec(select(Submission.author, func.length(Submission.content)).where(_IS_OPEN)).all()
    used = sum(each for _, each in waiting)
    if sum(each == author for each, _ in waiting) >= limits.of_author:
        raise NoRoomError("your earlier uploads are still being checked; wait for them", is_own=True)
    if len(waiting) >= limits.submissions or (used and used + size > limits.size):
        raise NoRoomError("too many uploads are waiting to be checked; try again in a few minutes", is_own=False)


def enqueue(database: Database, submission: Submission, content: bytes, limits: QueueLimits) -> None:
    """Store a submission, which then waits for its check. Raises the same errors as ``check_room``."""
    submission.content = zlib.compress(content)
    with database.transaction() as session:
        _check_room(session, submission.author, limits, len(submission.content))
        session.add(submission)


def find_sent(database: Database, submission: str) -> Submission | None:
    """Return the submission with that id, or None if it is unknown or no longer kept."""
    with database.session() as session:
        return session.exec(_listed().where(Submission.id == submission)).one_or_none()


def find_replay(database: Database, submission: Submission, players: int, seat: int) -> str | None:
    """Return the replay (JSON text) of the check's match with ``players`` seats in which the bot failed in ``seat``, or None."""
    with database.session() as session:
        kept = session.exec(select(Submission.replays).where(Submission.id == submission.id)).one_or_none()
    replays: dict[str, str] = json.loads(zlib.decompress(kept)) if kept else {}
    return replays.get(f"{players}-{seat}")


def pack_replays(replays: Mapping[tuple[int, int], str]) -> bytes:
    """Return the value of ``Submission.replays`` for replays in text form, whose keys are (number of players, the bot's seat)."""
    return zlib.compress(json.dumps({f"{players}-{seat}": text for (players, seat), text in replays.items()}).encode())


def submissions(database: Database, author: str | None = None) -> tuple[Submission, ...]:
    """Return all stored submissions, or those of an author, in the order in which they were sent."""
    query = _listed() if author is None else _listed().where(Submission.author == author)
    with database.session() as session:
        return tuple(session.exec(query.order_by(*_ORDER)))


def queue(database: Database) -> tuple[Submission, ...]:
    """Return the submissions without a verdict, in the order in which they were sent."""
    with database.session() as session:
        return tuple(session.exec(_listed().where(_IS_OPEN).order_by(*_ORDER)))


@dataclass(frozen=True, slots=True)
class QueueCount:
    """How many submissions are waiting or being checked; ``oldest`` is when the oldest waiting one was sent, or None."""

    waiting: int
    checking: int
    oldest: datetime | None


def count_waiting(database: Database) -> QueueCount:
    """Return how many submissions are waiting or being checked."""
    found = queue(database)
    sent = [each.sent for each in found if each.state is SubmissionState.WAITING]
    return QueueCount(len(sent), len(found) - len(sent), min(sent, default=None))


def seconds_by_author(database: Database, within: timedelta) -> dict[str | None, float]:
    """Return, by author, how many seconds it took to check the submissions that were sent at most ``within`` ago."""
    query = select(Submission.author, func.sum(Submission.seconds)).where(Submission.sent > datetime.now(UTC) - within)
    with database.session() as session:
        return dict(session.exec(query.group_by(Submission.author)).all())


def claim(database: Database, submission: Submission) -> None:
    """Mark a waiting submission as being checked. Raises SubmissionGoneError if it is no longer waiting."""
    submission.state, submission.reason, submission.replays = SubmissionState.CHECKING, "", b""
    submission.stage, submission.done, submission.planned, submission.failed, submission.decisions = "", 0, 0, 0, 0
    with database.transaction() as session:
        _save(session, submission, SubmissionState.WAITING)


def put_back(database: Database, submission: Submission, reason: str) -> None:
    """Put a submission back into the queue after its check was interrupted; ``reason`` says why."""
    values = {"state": SubmissionState.WAITING, "reason": reason, "seconds": submission.seconds}
    with database.transaction() as session:
        session.exec(_update(submission).where(col(Submission.state) == SubmissionState.CHECKING).values(values))


def save(database: Database, submission: Submission) -> None:
    """Store the progress or the verdict of a check. Raises SubmissionGoneError if the submission is no longer being checked.

    When a submission is refused, the oldest refused submissions are removed (see ``KEPT``).
    """
    with database.transaction() as session:
        _save(session, submission, SubmissionState.CHECKING)
        if submission.state is SubmissionState.REFUSED:
            session.exec(_update(submission).values(content=b"", replays=submission.replays))
            is_refused, is_old = col(Submission.state) == submission.state, col(Submission.sent) <= datetime.now(UTC) - _HOUR
            kept = select(Submission.id).where(is_refused).order_by(col(Submission.sent).desc()).limit(KEPT)
            session.exec(delete(Submission).where(is_refused, is_old, col(Submission.id).not_in(kept)))


def keep_version(database: Database, submission: Submission, reserved: Iterable[str]) -> None:
    """Turn a submission that has passed its check into a version. Raises the same errors as ``save`` and ``submit``."""
    with database.transaction() as session:
        _make_version(session, submission, reserved)
        _save(session, submission, SubmissionState.CHECKING)


_SAVED: Final = (*PublicSubmission.model_fields, "bot_version_id", "report")


def _save(session: Session, submission: Submission, state: SubmissionState) -> None:
    """Write the columns that a check changes. Raises SubmissionGoneError if the row is not in this state."""
    values = {each: getattr(submission, each) for each in _SAVED}
    if not session.exec(_update(submission).where(col(Submission.state) == state).values(values)).rowcount:
        raise SubmissionGoneError(f"the submission {submission.name} was deleted, or already has its verdict")


def _update(submission: Submission) -> Update:
    return update(Submission).where(col(Submission.id) == submission.id)


def accepted(database: Database, stage: str) -> tuple[Submission, ...]:
    """Return the versions that were accepted for a stage of a season, in the order in which they were sent."""
    query = _listed().where(Submission.ladder == stage, _IS_VERSION, ~_IS_OPEN)
    with database.session() as session:
        return tuple(sorted(session.exec(query), key=lambda each: (each.sent, each.name, each.number)))


def settle(database: Database, submission: Submission) -> None:
    """Store a version's state in its ladder: the name with which it entered, why it has not entered, or when it will enter."""
    with database.transaction() as session:
        values = {each: getattr(submission, each) for each in ("entrant", "reason", "round", "note")}
        session.exec(_update(submission).values(values))


def unjudged(database: Database, ladder: str, before: datetime) -> tuple[str, ...]:
    """Return the ids of submissions to a ladder that were sent before that time and have no verdict yet."""
    with database.session() as session:
        return tuple(session.exec(select(Submission.id).where(Submission.ladder == ladder, _IS_OPEN, Submission.sent < before)))
