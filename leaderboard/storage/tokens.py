"""Tokens by which a server knows contestants: made, checked, listed, revoked. Who may be handed one is the host's business.

A token is 256 random bits, so a plain SHA-256 is enough to keep it by: there is nothing to guess and no need to make guessing slow, as
there is with passwords that people choose. Whoever reads the database can't submit with what is in it.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from sqlalchemy import insert, select, update

from leaderboard.errors import StoreError
from leaderboard.storage.database import Database
from leaderboard.storage.tables import TOKEN

PREFIX: Final = "arena_"
"""What every token begins with, so that scanners for leaked secrets can know it."""
_BYTES: Final = 32


class TokenError(StoreError):
    """A token that can't be made or revoked; the text says why."""


@dataclass(frozen=True, slots=True)
class Token:
    """A token as it is listed: its number, whose it is, when it was made and, if so, revoked. The token itself is not known."""

    number: int
    author: str
    created: datetime
    revoked: datetime | None


def new_token(database: Database, author: str) -> str:
    """A new token for an author; this is the only time that it can be seen."""
    token = PREFIX + secrets.token_urlsafe(_BYTES)
    with database.writing() as connection:
        connection.execute(insert(TOKEN).values(digest=_digest(token), author=author, created=datetime.now(UTC)))
    return token


def author_of(database: Database, token: str) -> str | None:
    """Whose token it is; None if it is nobody's, or revoked."""
    query = select(TOKEN.c.author).where(TOKEN.c.digest == _digest(token), TOKEN.c.revoked.is_(None))
    with database.reading() as connection:
        author: str | None = connection.execute(query).scalar_one_or_none()
    return author


def tokens(database: Database) -> tuple[Token, ...]:
    """All tokens, oldest first."""
    query = select(TOKEN.c.id, TOKEN.c.author, TOKEN.c.created, TOKEN.c.revoked).order_by(TOKEN.c.id)
    with database.reading() as connection:
        return tuple(Token(*row) for row in connection.execute(query))


def revoke(database: Database, number: int) -> Token:
    """Take a token out of use for good. Raises TokenError when there is none of that number, or it is revoked already."""
    found = next((token for token in tokens(database) if token.number == number), None)
    if found is None:
        raise TokenError(f"there is no token {number}; 'arena token list' shows those there are")
    if found.revoked is not None:
        raise TokenError(f"token {number} of {found.author} was revoked on {found.revoked:%Y-%m-%d} already")
    with database.writing() as connection:
        connection.execute(update(TOKEN).where(TOKEN.c.id == number).values(revoked=datetime.now(UTC)))
    return found


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
