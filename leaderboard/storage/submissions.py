"""Submitted bots: immutable versions with their content, by name and number. Contents, also of other bots, are opaque here."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import exists
from sqlmodel import Session, col, func, or_, select

from leaderboard.errors import StoreError
from leaderboard.names import find_equal, unnumbered
from leaderboard.storage.store import Entrant, Store
from leaderboard.storage.tables import Bot, Content, Match, SeatRow, Submission, Tournament, Version, without
from leaderboard.storage.tournaments import add_version

__all__ = ["Submission"]

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


def without_content(store: Store, entrants: Iterable[Entrant]) -> tuple[Entrant, ...]:
    """Return the entrants whose versions have no content in the store yet, neither submitted nor kept."""
    kept = (exists().where(col(table.bot_version_id) == Version.id) for table in (Content, Submission))
    with store.session() as session:
        known = set(session.exec(select(Bot.name, Version.digest).select_from(Version).join(Bot).where(or_(*kept))))
    return tuple(each for each in entrants if (each.name, each.digest) not in known)


def keep_contents(store: Store, contents: Mapping[Entrant, bytes]) -> None:
    """Store these contents for versions that are stored without one; ignore the others."""
    with store.transaction() as session:
        for entrant, content in contents.items():
            version = session.exec(
                select(Version).join(Bot).where(Bot.name == entrant.name, Version.digest == entrant.digest)
            ).one_or_none()
            if version is not None and session.get(Content, version.id) is None:
                session.add(Content(bot_version_id=version.id, content=zlib.compress(content, 6)))
