"""Submitted bots, from their arrival over their check to immutable versions, by name and number.

A submission waits, is being checked, or has a verdict. A check writes only to one that is being checked, so each gets one verdict.
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
    """The submission can't be made, found or used; the message says why."""


class NameTakenError(SubmissionError):
    """The author may not use the name; the message says why."""


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
    """Store a version that has been checked, permanently.

    Raises SubmissionError if it is already there, or the author may not use the name (``check_claim``).
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
    """Raise SubmissionError as ``submit`` would now."""
    _check_content(versions(store, name), digest)
    check_claim(store, name, author, reserved=reserved)


def _check_content(before: Iterable[Submission], digest: str) -> None:
    for old in before:
        if old.digest == digest:
            raise SubmissionError(f"it has exactly the same content as {old.label}; change something, or enter that version")


def check_claim(store: Store, name: str, author: str | None, *, reserved: Iterable[str] = ()) -> None:
    """Raise NameTakenError unless the author may submit a bot under the name.

    Versions of a name belong to the author of the first. A new name may not differ only in case from that of another bot or one of the
    ``reserved`` names, and may not end like a version number in tournaments.
    """
    with store.session() as session:
        _check_claim(session, name, author, reserved)


def _check_claim(session: Session, name: str, author: str | None, reserved: Iterable[str]) -> None:
    owners = dict(session.exec(select(Submission.name, Submission.author).where(_IS_VERSION).distinct()).all())
    if name in owners:
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


def versions(store: Database, name: str | None = None) -> tuple[Submission, ...]:
    """Return all submitted versions, or those of one name, by name and number."""
    with store.session() as session:
        return _versions(session, name)


def _versions(session: Session, name: str | None) -> tuple[Submission, ...]:
    query = _listed().where(_IS_VERSION)
    if name is not None:
        query = query.where(Submission.name == name)
    return tuple(sorted(session.exec(query), key=lambda each: (each.name, each.number)))


def find_submission(store: Store, reference: str) -> Submission:
    """Return the version that ``name``, ``name@newest``, ``name@2`` or ``name@3fa9c1d2`` (the beginning of its hash) refers to.

    Retired versions are found only by number or hash. Raises SubmissionError.
    """
    name, _, which = reference.partition("@")
    with store.session() as session:
        return _find(session, name, which or NEWEST)


def content(store: Store, submission: Submission) -> bytes:
    """Return the content, unless it was refused."""
    with store.session() as session:
        return zlib.decompress(session.exec(select(Submission.content).where(Submission.id == submission.id)).one())


def retire(store: Store, submission: Submission) -> None:
    """Retire a version, so that no new tournament can enter it; its results stay. Raises SubmissionError if it is retired already."""
    with store.transaction() as session:
        stored = session.get_one(Submission, submission.id)
        if stored.is_retired:
            raise SubmissionError(f"{stored.label} is already retired")
        stored.state = SubmissionState.RETIRED


def _find(session: Session, name: str, which: str) -> Submission:
    known = _versions(session, name)
    if not known:
        raise SubmissionError(f"no bot '{name:.40}' has been submitted; 'arena bots list' shows all")
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
        raise SubmissionError(f"there is no version '{which:.64}' of '{name}'; the versions are {numbers}")
    return chosen[0]


KEPT = 500
"""The number of refused submissions that are kept, in addition to those of the last hour, which count towards limits."""
_HOUR = timedelta(hours=1)


class NoRoomError(StoreError):
    """Too many submissions, of the author if it ``is_own``, or of everybody; the message says what to do."""

    def __init__(self, message: str, *, is_own: bool) -> None:
        super().__init__(message)
        self.is_own = is_own


class AuthorGoneError(StoreError):
    """The author has been deleted."""


class SubmissionGoneError(StoreError):
    """The submission has been deleted with its author, or has its verdict, and nothing was written."""


@dataclass(frozen=True, slots=True)
class QueueLimits:
    """How many submissions may be without a verdict, of one author and in all, and how many compressed bytes these may have together.

    ``per_hour`` is how many an author may send within an hour.
    """

    of_author: int
    submissions: int
    size: int
    per_hour: int


def _listed() -> SelectOfScalar[Submission]:
    """Return the query for submissions without their contents and replays."""
    return select(Submission).options(*without(Submission.content, Submission.replays))


def check_room(database: Database, author: str, limits: QueueLimits) -> None:
    """Raise AuthorGoneError or NoRoomError if that author can't submit anything now."""
    with database.session() as session:
        _check_room(session, author, limits)


def _check_room(session: Session, author: str | None, limits: QueueLimits, size: int = 0) -> None:
    person = None if author is None else session.get(Person, author)
    if person is None or person.deleted is not None:
        raise AuthorGoneError(f"{author} has been deleted")
    lately = select(func.count()).where(Submission.author == author, Submission.sent > datetime.now(UTC) - _HOUR)
    if session.exec(lately).one() >= limits.per_hour:
        raise NoRoomError(f"you may submit {limits.per_hour} times an hour; try again later", is_own=True)
    waiting = session.exec(select(Submission.author, func.length(Submission.content)).where(_IS_OPEN)).all()
    used = sum(each for _, each in waiting)
    if sum(each == author for each, _ in waiting) >= limits.of_author:
        raise NoRoomError("your earlier uploads are still being checked; wait for them", is_own=True)
    if len(waiting) >= limits.submissions or (used and used + size > limits.size):
        raise NoRoomError("too many uploads are waiting to be checked; try again in a few minutes", is_own=False)


def enqueue(database: Database, submission: Submission, content: bytes, limits: QueueLimits) -> None:
    """Store a submission, which waits to be checked from then on. Raises as ``check_room``."""
    submission.content = zlib.compress(content)
    with database.transaction() as session:
        _check_room(session, submission.author, limits, len(submission.content))
        session.add(submission)


def find_sent(database: Database, submission: str) -> Submission | None:
    """Return the submission of that id, as long as it is kept."""
    with database.session() as session:
        return session.exec(_listed().where(Submission.id == submission)).one_or_none()


def find_replay(database: Database, submission: Submission, players: int, seat: int) -> str | None:
    """Return the replay of the match of its check in which the bot failed in that seat, as JSON text, if it was kept."""
    with database.session() as session:
        kept = session.exec(select(Submission.replays).where(Submission.id == submission.id)).one_or_none()
    replays: dict[str, str] = json.loads(zlib.decompress(kept)) if kept else {}
    return replays.get(f"{players}-{seat}")


def pack_replays(replays: Mapping[tuple[int, int], str]) -> bytes:
    """Return texts of replays, by the number of players and the bot's seat, as a submission has them."""
    return zlib.compress(json.dumps({f"{players}-{seat}": text for (players, seat), text in replays.items()}).encode())


def submissions(database: Database, author: str | None = None) -> tuple[Submission, ...]:
    """Return all submissions that are kept, or those of an author, in the order in which they were sent."""
    query = _listed() if author is None else _listed().where(Submission.author == author)
    with database.session() as session:
        return tuple(session.exec(query.order_by(*_ORDER)))


def queue(database: Database) -> tuple[Submission, ...]:
    """Return the submissions without a verdict, in the order in which they were sent."""
    with database.session() as session:
        return tuple(session.exec(_listed().where(_IS_OPEN).order_by(*_ORDER)))


@dataclass(frozen=True, slots=True)
class QueueCount:
    """How many submissions wait and are being checked; ``oldest`` is when the oldest that waits was sent, None if none does."""

    waiting: int
    checking: int
    oldest: datetime | None


def count_waiting(database: Database) -> QueueCount:
    """Return how long the queue is."""
    found = queue(database)
    sent = [each.sent for each in found if each.state is SubmissionState.WAITING]
    return QueueCount(len(sent), len(found) - len(sent), min(sent, default=None))


def seconds_by_author(database: Database, within: timedelta) -> dict[str | None, float]:
    """Return how long each author's recent submissions were checked, in seconds."""
    query = select(Submission.author, func.sum(Submission.seconds)).where(Submission.sent > datetime.now(UTC) - within)
    with database.session() as session:
        return dict(session.exec(query.group_by(Submission.author)).all())


def claim(database: Database, submission: Submission) -> None:
    """Begin to check a waiting submission. Raises SubmissionGoneError if it no longer waits."""
    submission.state, submission.reason, submission.replays = SubmissionState.CHECKING, "", b""
    submission.stage, submission.done, submission.planned, submission.failed, submission.decisions = "", 0, 0, 0, 0
    with database.transaction() as session:
        _save(session, submission, SubmissionState.WAITING)


def put_back(database: Database, submission: Submission, reason: str) -> None:
    """Make a submission wait again whose check was interrupted for this reason."""
    values = {"state": SubmissionState.WAITING, "reason": reason, "seconds": submission.seconds}
    with database.transaction() as session:
        session.exec(_update(submission).where(col(Submission.state) == SubmissionState.CHECKING).values(values))


def save(database: Database, submission: Submission) -> None:
    """Store what a check has found out. Raises SubmissionGoneError if it is no longer being checked.

    With the verdict that it is refused, remove the oldest refused ones beyond those kept.
    """
    with database.transaction() as session:
        _save(session, submission, SubmissionState.CHECKING)
        if submission.state is SubmissionState.REFUSED:
            session.exec(_update(submission).values(content=b"", replays=submission.replays))
            is_refused, is_old = col(Submission.state) == submission.state, col(Submission.sent) <= datetime.now(UTC) - _HOUR
            kept = select(Submission.id).where(is_refused).order_by(col(Submission.sent).desc()).limit(KEPT)
            session.exec(delete(Submission).where(is_refused, is_old, col(Submission.id).not_in(kept)))


def keep_version(database: Database, submission: Submission, reserved: Iterable[str]) -> None:
    """Make a version of a submission that has passed its check. Raises as ``save`` and ``submit``."""
    with database.transaction() as session:
        _make_version(session, submission, reserved)
        _save(session, submission, SubmissionState.CHECKING)


_SAVED: Final = (*PublicSubmission.model_fields, "bot_version_id", "report")


def _save(session: Session, submission: Submission, state: SubmissionState) -> None:
    """Write the columns that a check changes if the row is in this state."""
    values = {each: getattr(submission, each) for each in _SAVED}
    if not session.exec(_update(submission).where(col(Submission.state) == state).values(values)).rowcount:
        raise SubmissionGoneError(f"the submission {submission.name} has been deleted, or has its verdict")


def _update(submission: Submission) -> Update:
    return update(Submission).where(col(Submission.id) == submission.id)


def accepted(database: Database, stage: str) -> tuple[Submission, ...]:
    """Return the versions that have been accepted for a stage of a season, in the order in which they were sent."""
    query = _listed().where(Submission.ladder == stage, _IS_VERSION, ~_IS_OPEN)
    with database.session() as session:
        return tuple(sorted(session.exec(query), key=lambda each: (each.sent, each.name, each.number)))


def settle(database: Database, submission: Submission) -> None:
    """Store what has become of a version in its ladder: its name, why it has not entered, or when it will."""
    with database.transaction() as session:
        values = {each: getattr(submission, each) for each in ("entrant", "reason", "round", "note")}
        session.exec(_update(submission).values(values))


def unjudged(database: Database, ladder: str, before: datetime) -> tuple[str, ...]:
    """Return the ids of submissions to a ladder that arrived before then and have no verdict yet."""
    with database.session() as session:
        return tuple(session.exec(select(Submission.id).where(Submission.ladder == ladder, _IS_OPEN, Submission.sent < before)))
