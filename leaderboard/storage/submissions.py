"""Submitted bots: immutable versions with their content, by name and number. Contents, also of other bots, are opaque here."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, func, insert, select, update

from leaderboard.errors import StoreError
from leaderboard.storage.names import find_equal, unnumbered, version_name
from leaderboard.storage.people import shown_name
from leaderboard.storage.store import Entrant, Store, version_id
from leaderboard.storage.tables import BOT, CONTENT, MATCH, PERSON, SEAT, SUBMISSION, TOURNAMENT, VERSION

NEWEST = "newest"


class SubmissionError(StoreError):
    """The submission can't be made, found or used; the message says why."""


class NameTakenError(SubmissionError):
    """The author may not use the name; the message says why."""


@dataclass(frozen=True, slots=True)
class Submission:
    """A submitted version: ``number`` counts the versions of the name from 1, ``digest`` is its content hash.

    ``author`` is the id of the person who submitted it, None if that is not known, and ``by`` the name to be shown, which may be empty.
    """

    name: str
    number: int
    digest: str
    author: str | None
    by: str
    submitted: datetime
    retired: datetime | None

    @property
    def label(self) -> str:
        """The version as a tournament file names it."""
        return f"{self.name}@{self.number}"

    @property
    def entry_name(self) -> str:
        """The name under which it enters a ladder. Nobody else can submit a bot under this name."""
        return version_name(self.name, self.number)


@dataclass(frozen=True, slots=True)
class Appearance:
    """The record of a version in one tournament."""

    tournament: str
    matches: int
    wins: int
    faults: int


def submit(store: Store, name: str, digest: str, author: str | None, content: bytes, *, reserved: Iterable[str] = ()) -> Submission:
    """Store a version permanently. Raises SubmissionError if it is already there, or the author may not use the name (``check_claim``)."""
    with store.writing() as connection:
        return add_submission(connection, name, digest, author, content, reserved)


def add_submission(
    connection: Connection, name: str, digest: str, author: str | None, content: bytes, reserved: Iterable[str] = ()
) -> Submission:
    """Do what ``submit`` does within a transaction."""
    before = [_submission(row) for row in connection.execute(_submissions().where(BOT.c.name == name))]
    _check_content(before, digest)
    _check_claim(connection, name, author, reserved)
    number = len(before) + 1
    version = version_id(connection, Entrant(name, digest, f"submitted {name}@{number}"))
    values = {
        "bot_version_id": version,
        "bot_id": connection.execute(select(BOT.c.id).where(BOT.c.name == name)).scalar_one(),
        "number": number,
        "author": author,
        "content": zlib.compress(content, 6),
        "submitted": datetime.now(UTC),
    }
    connection.execute(insert(SUBMISSION).values(values))
    return _find(connection, name, str(number))


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
    with store.reading() as connection:
        _check_claim(connection, name, author, reserved)


def _check_claim(connection: Connection, name: str, author: str | None, reserved: Iterable[str]) -> None:
    query = select(BOT.c.name, SUBMISSION.c.author).join(BOT, BOT.c.id == SUBMISSION.c.bot_id).distinct()
    owners = {row.name: row.author for row in connection.execute(query)}
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
    query = _submissions() if name is None else _submissions().where(BOT.c.name == name)
    with store.reading() as connection:
        return tuple(_submission(row) for row in connection.execute(query))


def find_submission(store: Store, reference: str) -> Submission:
    """Return the version that ``name``, ``name@newest``, ``name@2`` or ``name@3fa9c1d2`` (the beginning of its hash) refers to.

    Retired versions are found only by number or hash. Raises SubmissionError.
    """
    name, _, which = reference.partition("@")
    with store.reading() as connection:
        return _find(connection, name, which or NEWEST)


def content(store: Store, submission: Submission) -> bytes:
    """Return the content that was submitted."""
    query = (
        select(SUBMISSION.c.content)
        .join(BOT, BOT.c.id == SUBMISSION.c.bot_id)
        .where(BOT.c.name == submission.name, SUBMISSION.c.number == submission.number)
    )
    with store.reading() as connection:
        packed: bytes = connection.execute(query).scalar_one()
    return zlib.decompress(packed)


def retire(store: Store, submission: Submission) -> None:
    """Retire a version, so that no new tournament can enter it; its results stay. Raises SubmissionError if it is retired already."""
    if submission.retired is not None:
        raise SubmissionError(f"{submission.label} was already retired on {submission.retired:%Y-%m-%d}")
    bot = select(BOT.c.id).where(BOT.c.name == submission.name).scalar_subquery()
    with store.writing() as connection:
        connection.execute(
            update(SUBMISSION).where(SUBMISSION.c.bot_id == bot, SUBMISSION.c.number == submission.number).values(retired=datetime.now(UTC))
        )


def appearances(store: Store, submission: Submission) -> tuple[Appearance, ...]:
    """Return the record of a version, tournament by tournament."""
    query = (
        select(
            TOURNAMENT.c.name,
            func.count(),
            func.count().filter(SEAT.c.rank == 1),
            func.count(SEAT.c.fault),
        )
        .select_from(SEAT)
        .join(MATCH, MATCH.c.id == SEAT.c.match_id)
        .join(TOURNAMENT, TOURNAMENT.c.id == MATCH.c.tournament_id)
        .join(VERSION, VERSION.c.id == SEAT.c.bot_version_id)
        .join(BOT, BOT.c.id == VERSION.c.bot_id)
        .where(VERSION.c.digest == submission.digest, BOT.c.name == submission.name)
        .group_by(TOURNAMENT.c.id)
        .order_by(TOURNAMENT.c.id)
    )
    with store.reading() as connection:
        return tuple(Appearance(*row) for row in connection.execute(query))


def _submissions() -> Select[Any]:
    columns = [SUBMISSION.c[key] for key in ("number", "author", "submitted", "retired")]
    return (
        select(BOT.c.name, VERSION.c.digest, PERSON.c.name.label("person"), *columns)
        .select_from(SUBMISSION)
        .join(VERSION, VERSION.c.id == SUBMISSION.c.bot_version_id)
        .join(BOT, BOT.c.id == SUBMISSION.c.bot_id)
        .join(PERSON, PERSON.c.id == SUBMISSION.c.author, isouter=True)
        .order_by(BOT.c.name, SUBMISSION.c.number)
    )


def _submission(row: Row[Any]) -> Submission:
    by = shown_name(row.author, row.person) if row.author else ""
    return Submission(row.name, row.number, row.digest, row.author, by, row.submitted, row.retired)


def _find(connection: Connection, name: str, which: str) -> Submission:
    versions = [_submission(row) for row in connection.execute(_submissions().where(BOT.c.name == name))]
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
    kept = (
        select(BOT.c.name, VERSION.c.digest)
        .join(BOT, BOT.c.id == VERSION.c.bot_id)
        .where(VERSION.c.id.in_(select(CONTENT.c.bot_version_id).union(select(SUBMISSION.c.bot_version_id))))
    )
    with store.reading() as connection:
        known = {(row.name, row.digest) for row in connection.execute(kept)}
    return tuple(each for each in entrants if (each.name, each.digest) not in known)


def keep_contents(store: Store, contents: Mapping[Entrant, bytes]) -> None:
    """Store these contents for versions that are stored without one; ignore the others."""
    with store.writing() as connection:
        for entrant, content in contents.items():
            query = (
                select(VERSION.c.id)
                .join(BOT, BOT.c.id == VERSION.c.bot_id)
                .where(BOT.c.name == entrant.name, VERSION.c.digest == entrant.digest)
            )
            version = connection.execute(query).scalar_one_or_none()
            if (
                version is not None
                and connection.execute(select(CONTENT.c.bot_version_id).where(CONTENT.c.bot_version_id == version)).first() is None
            ):
                connection.execute(insert(CONTENT).values(bot_version_id=version, content=zlib.compress(content, 6)))
