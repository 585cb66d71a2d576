"""Stores people, the authors of bots. Other tables refer to a person by a random id, and contain no names.

Therefore seals and bundles don't contain names, and deleting a person doesn't change sealed data.

A person signs in with a token of 256 random bits, which is stored as a plain SHA-256. Unlike a password, it can't be guessed, so the hash
need not be slow. Nobody can sign in with what the database contains.

Signing in with a browser begins a session, whose secret is stored in the same way. A session ends when it expires, on sign-out, or when the
person's token is revoked.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Final

from sqlmodel import Session, col, delete, select, update
from sqlmodel.sql.expression import SelectOfScalar

from engine.text import name_key, quote
from leaderboard.errors import StoreError
from leaderboard.names import PERSON_ID, PersonNameError, person_name, shown_name
from leaderboard.storage.database import Database
from leaderboard.storage.tables import BrowserSession, Person, PublicPerson, Submission

__all__ = ["Person", "PublicPerson"]

TOKEN_PREFIX: Final = "arena_"  # noqa: S105  # not a whole token
"""The prefix of every token, which lets scanners for leaked secrets recognise tokens."""


class PersonError(StoreError):
    """A person can't be found, added or deleted; the message says why."""


def people(database: Database) -> tuple[Person, ...]:
    """Return all people, in the order in which they were added."""
    with database.session() as session:
        return tuple(session.exec(select(Person).order_by(col(Person.created), Person.id)))


def find_person(database: Database, called: str) -> Person:
    """Return the person with that name, id or pseudonym. Raises PersonError."""
    key = name_key(called)
    for each in people(database):
        if key in {each.id, name_key(each.shown)}:
            return each
    raise PersonError(f"there is nobody called {quote(called)} in {database.name}; 'arena people list' lists everybody")


def names_of(database: Database) -> dict[str, str]:
    """Return the name or pseudonym of every person, by id."""
    with database.session() as session:
        return {person: shown_name(person, name) for person, name in session.exec(select(Person.id, Person.name))}


def with_names(database: Database, text: str) -> str:
    """Return a text with people's ids replaced by their names."""
    names = names_of(database) if PERSON_ID.search(text) else {}
    return PERSON_ID.sub(lambda match: names.get(match[0], match[0]), text)


def ids_of(database: Database, names: Iterable[str]) -> dict[str, str]:
    """Return the ids of the people with these names, by name; add the people who are new.

    Raises PersonError, without adding anybody, if a name is not allowed.
    """
    found: dict[str, str] = {}
    with database.transaction() as session:
        known = dict(session.exec(select(Person.key, Person.id)).all())
        for each in names:
            try:
                name = person_name(each)
            except PersonNameError as error:
                raise PersonError(f"the name {quote(each)} {error}") from None
            key = name_key(name)
            if key not in known:
                known[key] = _add(session, name)
            found[each] = known[key]
    return found


def _add(session: Session, name: str) -> str:
    person = f"person-{secrets.token_hex(4)}"
    while session.get(Person, person) is not None:
        person = f"person-{secrets.token_hex(4)}"
    session.add(Person(id=person, name=name, key=name_key(name)))
    return person


def make_token(database: Database, person: str) -> str:
    """Create and return a person's token, which can't be shown again; revoke the old one and end its sessions. Raises PersonError."""
    token = TOKEN_PREFIX + secrets.token_urlsafe(32)
    _set_token(database, person, digest_of(token))
    return token


def end_token(database: Database, person: str) -> None:
    """Revoke a person's token, and end its sessions. Raises PersonError."""
    _set_token(database, person, None)


def _set_token(database: Database, person: str, digest: str | None) -> None:
    with database.transaction() as session:
        stored = session.get(Person, person)
        if stored is None or stored.deleted is not None:
            raise PersonError(f"{shown_name(person, None)} has been deleted and can no longer sign in")
        stored.token, stored.linked = digest, None if digest is None else datetime.now(UTC)
        _end_sessions(session, person)


def _end_sessions(session: Session, person: str) -> None:
    session.exec(delete(BrowserSession).where(col(BrowserSession.person) == person))


def person_of_token(database: Database, token: str) -> str | None:
    """Return the id of the person with this token, or None if the token is unknown or has been revoked."""
    with database.session() as session:
        return session.exec(_holder(token)).one_or_none()


def _holder(token: str) -> SelectOfScalar[str]:
    return select(Person.id).where(Person.token == digest_of(token))


def delete_person(database: Database, person: Person, why: str) -> None:
    """Permanently remove a person's name, token, sessions, unfinished and refused submissions, and the check reports of their bots.

    The versions of the person's bots and all results stay. Raises PersonError if the person was already deleted.
    """
    with database.transaction(erases=True) as session:
        stored = session.get_one(Person, person.id)
        if stored.deleted is not None:
            raise PersonError(f"{stored.shown} was already deleted")
        stored.name = stored.key = stored.token = stored.linked = None
        stored.deleted, stored.why = datetime.now(UTC), why
        _end_sessions(session, person.id)
        is_theirs = col(Submission.author) == person.id
        session.exec(delete(Submission).where(is_theirs, col(Submission.number).is_(None)))
        session.exec(update(Submission).where(is_theirs).values(report=""))


def digest_of(token: str) -> str:
    """Return the digest that is stored for a token or a session's secret."""
    return hashlib.sha256(token.encode(errors="surrogatepass")).hexdigest()


LASTS: Final = timedelta(days=30)
_OF_PERSON: Final = 20
"""The most sessions of a person; another sign-in ends the oldest session."""


def begin_session(database: Database, token: str, *, now: datetime | None = None) -> str | None:
    """Begin a session for the person with that token. Return the session's secret (never shown again), or None for an unknown token."""
    now = now or datetime.now(UTC)
    secret = secrets.token_urlsafe(32)
    with database.transaction() as session:
        person = session.exec(_holder(token)).one_or_none()
        if person is None:
            return None
        session.exec(delete(BrowserSession).where(col(BrowserSession.expires) <= now))
        of_person = select(BrowserSession).where(BrowserSession.person == person).order_by(col(BrowserSession.expires).desc())
        for surplus in session.exec(of_person.offset(_OF_PERSON - 1)):
            session.delete(surplus)
        session.add(BrowserSession(digest=digest_of(secret), person=person, expires=now + LASTS))
    return secret


def person_of_session(database: Database, secret: str, *, now: datetime | None = None) -> str | None:
    """Return the id of the person whose session has this secret, or None if there is no such session or it is over."""
    with database.session() as session:
        found = session.get(BrowserSession, digest_of(secret))
    return None if found is None or found.expires <= (now or datetime.now(UTC)) else found.person


def end_session(database: Database, secret: str) -> None:
    """End the session with this secret, if there is one."""
    with database.transaction() as session:
        session.exec(delete(BrowserSession).where(col(BrowserSession.digest) == digest_of(secret)))
