"""Tokens by which a server recognises contestants: creating, checking, listing and revoking them.

A token is 256 random bits, stored as a plain SHA-256: unlike a password that people choose it can't be guessed, so guessing need not be
slow. The content of the database is not enough to submit.
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
"""The prefix of every token, by which scanners for leaked secrets can recognise it."""
_BYTES: Final = 32


class TokenError(StoreError):
    """A token that can't be created or revoked; the message says why."""


@dataclass(frozen=True, slots=True)
class Token:
    """A token as it is listed: its number, its author, when it was created and, if so, revoked. The token itself is not stored."""

    number: int
    author: str
    created: datetime
    revoked: datetime | None


def new_token(database: Database, author: str) -> str:
    """Create a token for an author and return it. It can't be shown again."""
    token = PREFIX + secrets.token_urlsafe(_BYTES)
    with database.writing() as connection:
        connection.execute(insert(TOKEN).values(digest=digest_of(token), author=author))
    return token


def author_of(database: Database, token: str) -> str | None:
    """Return the author a token belongs to; None if it is unknown or revoked."""
    query = select(TOKEN.c.author).where(TOKEN.c.digest == digest_of(token), TOKEN.c.revoked.is_(None))
    with database.reading() as connection:
        author: str | None = connection.execute(query).scalar_one_or_none()
    return author


def tokens(database: Database) -> tuple[Token, ...]:
    """Return all tokens, oldest first."""
    query = select(TOKEN.c.id, TOKEN.c.author, TOKEN.c.created, TOKEN.c.revoked).order_by(TOKEN.c.id)
    with database.reading() as connection:
        return tuple(Token(*row) for row in connection.execute(query))


def revoke(database: Database, number: int) -> Token:
    """Revoke a token for good. Raises TokenError if there is none of that number, or it is already revoked."""
    token = next((token for token in tokens(database) if token.number == number), None)
    if token is None:
        raise TokenError(f"there is no token {number}; 'arena token list' shows all")
    if token.revoked is not None:
        raise TokenError(f"token {number} of {token.author} was already revoked on {token.revoked:%Y-%m-%d}")
    with database.writing() as connection:
        connection.execute(update(TOKEN).where(TOKEN.c.id == number).values(revoked=datetime.now(UTC)))
    return token


def digest_of(token: str) -> str:
    """Return what is stored of a token, or of another secret of 256 random bits."""
    return hashlib.sha256(token.encode(errors="surrogatepass")).hexdigest()
