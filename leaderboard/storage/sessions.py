"""Sessions of contestants who have signed in with their token in a browser.

A session's secret is 256 random bits, of which only the SHA-256 is stored, as of tokens: the content of the database lets nobody in. A
session ends at its expiry, when it is signed out of, and when its token is revoked.
"""

from __future__ import annotations

import secrets
from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy import delete, insert, select

from leaderboard.storage.database import Database
from leaderboard.storage.tables import SESSION, TOKEN
from leaderboard.storage.tokens import digest_of

LASTS: Final = timedelta(days=30)
_OF_TOKEN: Final = 20
"""Sessions of one token, the newest; whoever signs in once more ends the oldest."""


def begin_session(database: Database, token: str, *, now: datetime | None = None) -> str | None:
    """Begin a session of the token's author and return its secret, which can't be shown again; None if the token is wrong or revoked."""
    now = now or datetime.now(UTC)
    secret = secrets.token_urlsafe(32)
    with database.writing() as connection:
        valid = select(TOKEN.c.id).where(TOKEN.c.digest == digest_of(token), TOKEN.c.revoked.is_(None))
        number = connection.execute(valid).scalar_one_or_none()
        if number is None:
            return None
        connection.execute(insert(SESSION).values(digest=digest_of(secret), token_id=number, expires=now + LASTS))
        of_token = select(SESSION.c.digest).where(SESSION.c.token_id == number).order_by(SESSION.c.expires.desc())
        surplus = connection.execute(of_token.offset(_OF_TOKEN).limit(1000)).scalars().all()
        connection.execute(delete(SESSION).where((SESSION.c.expires <= now) | SESSION.c.digest.in_(surplus)))
    return secret


def author_of_session(database: Database, secret: str, *, now: datetime | None = None) -> str | None:
    """Return the author whose session it is; None if there is none, it is over, or its token was revoked."""
    query = (
        select(TOKEN.c.author)
        .join(SESSION, SESSION.c.token_id == TOKEN.c.id)
        .where(SESSION.c.digest == digest_of(secret), SESSION.c.expires > (now or datetime.now(UTC)), TOKEN.c.revoked.is_(None))
    )
    with database.reading() as connection:
        author: str | None = connection.execute(query).scalar_one_or_none()
    return author


def end_session(database: Database, secret: str) -> None:
    """End a session, if there is one."""
    with database.writing() as connection:
        connection.execute(delete(SESSION).where(SESSION.c.digest == digest_of(secret)))
