"""People: the authors of bots. Other tables refer to a person by a random id; the name is stored only here.

Seals and bundles therefore contain no names, and deleting a person changes no sealed data. Names for display come from here.

A person signs in with a token of 256 random bits, stored as a plain SHA-256: unlike a password that people choose it can't be guessed, so
the hash need not be slow. The content of the database is not enough to submit.

Signing in with it in a browser begins a session, whose secret is stored in the same way. A session ends at its expiry, at sign-out, and
when the person's token ends.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy import Connection, delete, insert, select, update

from engine.text import quote
from leaderboard.errors import StoreError
from leaderboard.person_names import PERSON_ID, PersonNameError, name_key, person_name
from leaderboard.storage.database import Database
from leaderboard.storage.tables import ORDER, PERSON, SEASON, SESSION, TOURNAMENT, UPLOAD

TOKEN_PREFIX: Final = "arena_"  # noqa: S105  # only the prefix of one
"""The prefix of every token, by which scanners for leaked secrets can recognise it."""


class PersonError(StoreError):
    """A person can't be found, added or deleted; the message says why."""


@dataclass(frozen=True, slots=True)
class Person:
    """A person by id. ``name`` is what is shown: a pseudonym once the person is ``deleted``, and then ``why`` is the host's reason.

    ``linked`` is when the present token was made, None without one.
    """

    id: str
    name: str
    created: datetime
    linked: datetime | None
    deleted: datetime | None
    why: str


def shown_name(person: str, name: str | None) -> str:
    """Return a person's name, or the pseudonym of one who has none."""
    return name or f"former author {person.removeprefix('person-')}"


def people(database: Database) -> tuple[Person, ...]:
    """Return everybody, in the order in which they were added."""
    keys = ("id", "name", "created", "linked", "deleted", "why")
    query = select(*(PERSON.c[key] for key in keys)).order_by(PERSON.c.created, PERSON.c.id)
    with database.reading() as connection:
        rows = connection.execute(query).all()
    return tuple(Person(**row._asdict() | {"name": shown_name(row.id, row.name)}) for row in rows)


def find_person(database: Database, called: str) -> Person:
    """Return the person of that name, id or pseudonym. Raises PersonError."""
    key = name_key(called)
    for each in people(database):
        if key in {each.id, name_key(each.name)}:
            return each
    raise PersonError(f"there is nobody called {quote(called)} in {database.name}; 'arena people list' lists everybody")


def names_of(database: Database) -> dict[str, str]:
    """Return everybody's name, or pseudonym, by id."""
    with database.reading() as connection:
        return {person: shown_name(person, name) for person, name in connection.execute(select(PERSON.c.id, PERSON.c.name))}


def with_names(database: Database, text: str) -> str:
    """Return a sentence with names in place of the ids in it."""
    names = names_of(database) if PERSON_ID.search(text) else {}
    return PERSON_ID.sub(lambda match: names.get(match[0], match[0]), text)


def ids_of(database: Database, names: Iterable[str]) -> dict[str, str]:
    """Return the id of each of these people by name; those who are new are added, all or nobody.

    Raises PersonError for a name that is not allowed.
    """
    found: dict[str, str] = {}
    with database.writing() as connection:
        known: dict[str, str] = {
            row.key: row.id for row in connection.execute(select(PERSON.c.key, PERSON.c.id).where(PERSON.c.key.is_not(None)))
        }
        for each in names:
            try:
                name = person_name(each)
            except PersonNameError as error:
                raise PersonError(f"the name {quote(each)} {error}") from None
            key = name_key(name)
            if key not in known:
                known[key] = _add(connection, name)
            found[each] = known[key]
    return found


def _add(connection: Connection, name: str) -> str:
    person = f"person-{secrets.token_hex(4)}"
    while connection.execute(select(PERSON.c.id).where(PERSON.c.id == person)).first() is not None:
        person = f"person-{secrets.token_hex(4)}"
    connection.execute(insert(PERSON).values(id=person, name=name, key=name_key(name), created=datetime.now(UTC), why=""))
    return person


def make_token(database: Database, person: str) -> str:
    """Return a new token of a person, which can't be shown again. It ends the one before, with its sessions. Raises PersonError."""
    token = TOKEN_PREFIX + secrets.token_urlsafe(32)
    _set_token(database, person, digest_of(token))
    return token


def end_token(database: Database, person: str) -> None:
    """End a person's token, with its sessions. Raises PersonError."""
    _set_token(database, person, None)


def _set_token(database: Database, person: str, digest: str | None) -> None:
    values: dict[str, object] = {"token": digest, "linked": None if digest is None else datetime.now(UTC)}
    with database.writing() as connection:
        if not connection.execute(update(PERSON).where(PERSON.c.id == person, PERSON.c.deleted.is_(None)).values(values)).rowcount:
            raise PersonError(f"{shown_name(person, None)} has been deleted, and can no longer sign in")
        connection.execute(delete(SESSION).where(SESSION.c.person == person))


def person_of_token(database: Database, token: str) -> str | None:
    """Return the id of the person with this token; None if no person has it, or it has ended."""
    with database.reading() as connection:
        person: str | None = connection.execute(select(PERSON.c.id).where(PERSON.c.token == digest_of(token))).scalar_one_or_none()
    return person


def delete_person(database: Database, person: Person, why: str) -> None:
    """Remove name, token, sessions and uploads of a person permanently. Their versions of bots, and all results, stay.

    Raises PersonError if that is done already.
    """
    values = {"name": None, "key": None, "token": None, "linked": None, "deleted": datetime.now(UTC), "why": why}
    with database.writing(erases=True) as connection:
        if not connection.execute(update(PERSON).where(PERSON.c.id == person.id, PERSON.c.deleted.is_(None)).values(values)).rowcount:
            raise PersonError(f"{person.name} was already deleted")
        connection.execute(delete(SESSION).where(SESSION.c.person == person.id))
        connection.execute(delete(UPLOAD).where(UPLOAD.c.author == person.id))


def find_mentions(database: Database, name: str) -> tuple[str, ...]:
    """Return the host's texts that contain these words: orders to ladders, by tournament and number, and files of seasons."""
    words = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)
    columns = (TOURNAMENT.c.name, ORDER.c.number, ORDER.c.why, ORDER.c.detail, ORDER.c.by)
    query = select(*columns).join(TOURNAMENT, TOURNAMENT.c.id == ORDER.c.tournament_id).order_by(TOURNAMENT.c.id, ORDER.c.number)
    with database.reading() as connection:
        orders = [f"order {number} of '{cup}'" for cup, number, *texts in connection.execute(query) if words.search(" ".join(texts))]
        seasons = connection.execute(select(SEASON.c.name, SEASON.c.text).order_by(SEASON.c.name))
        return (*orders, *(f"the file of the season '{name}'" for name, text in seasons if words.search(text)))


def digest_of(token: str) -> str:
    """Return the digest that is stored for a token, or for another secret of 256 random bits."""
    return hashlib.sha256(token.encode(errors="surrogatepass")).hexdigest()


LASTS: Final = timedelta(days=30)
_OF_PERSON: Final = 20
"""The most sessions of one person; one more sign-in ends the oldest."""


def begin_session(database: Database, token: str, *, now: datetime | None = None) -> str | None:
    """Begin a session of the person with that token and return its secret, which can't be shown again; None if nobody has it."""
    now = now or datetime.now(UTC)
    secret = secrets.token_urlsafe(32)
    with database.writing() as connection:
        person = connection.execute(select(PERSON.c.id).where(PERSON.c.token == digest_of(token))).scalar_one_or_none()
        if person is None:
            return None
        connection.execute(insert(SESSION).values(digest=digest_of(secret), person=person, expires=now + LASTS))
        of_person = select(SESSION.c.digest).where(SESSION.c.person == person).order_by(SESSION.c.expires.desc())
        surplus = connection.execute(of_person.offset(_OF_PERSON).limit(1000)).scalars().all()
        connection.execute(delete(SESSION).where((SESSION.c.expires <= now) | SESSION.c.digest.in_(surplus)))
    return secret


def person_of_session(database: Database, secret: str, *, now: datetime | None = None) -> str | None:
    """Return the id of the person with this session; None if there is no such session, or it is over."""
    query = select(SESSION.c.person).where(SESSION.c.digest == digest_of(secret), SESSION.c.expires > (now or datetime.now(UTC)))
    with database.reading() as connection:
        person: str | None = connection.execute(query).scalar_one_or_none()
    return person


def end_session(database: Database, secret: str) -> None:
    """End a session, if there is one."""
    with database.writing() as connection:
        connection.execute(delete(SESSION).where(SESSION.c.digest == digest_of(secret)))
