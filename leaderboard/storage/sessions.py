"""Sessions of people who have signed in with their token in a browser.

A session's secret is 256 random bits, of which only the SHA-256 is stored, as for tokens: the database alone lets nobody sign in. A
session ends at its expiry, when it is signed out of, and when the person's token ends.
"""

from __future__ import annotations

import secrets
from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy import delete, insert, select

from leaderboard.storage.database import Database
from leaderboard.storage.people import digest_of
from leaderboard.storage.server_tables import SESSION
from leaderboard.storage.tables import PERSON

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
    """Return the id of the person whose session it is; None if there is none, or it is over."""
    query = select(SESSION.c.person).where(SESSION.c.digest == digest_of(secret), SESSION.c.expires > (now or datetime.now(UTC)))
    with database.reading() as connection:
        person: str | None = connection.execute(query).scalar_one_or_none()
    return person


def sessions_of(database: Database, person: str) -> tuple[datetime, ...]:
    """Return when each session of a person expires."""
    with database.reading() as connection:
        return tuple(connection.execute(select(SESSION.c.expires).where(SESSION.c.person == person).order_by(SESSION.c.expires)).scalars())


def end_session(database: Database, secret: str) -> None:
    """End a session, if there is one."""
    with database.writing() as connection:
        connection.execute(delete(SESSION).where(SESSION.c.digest == digest_of(secret)))
