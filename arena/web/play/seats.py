"""The seats of a table, its stages, and the people at it: a browser has one secret for all its tables, and the name last given."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from urllib.parse import quote, unquote

from fastapi import Request, Response

from arena.web.protection.limits import address_of
from arena.web.settings import site_url
from bots.loader.version import BotVersion
from engine.core.errors import ArenaError
from engine.text import short

GUEST: Final = "Guest"
"""The name of a person who gave none."""
SECRET: Final = "player"  # noqa: S105  # the name of a cookie
NAME: Final = "player-name"
LONGEST_NAME: Final = 20
_NEW_SECRET: Final = "arena.new_secret"  # noqa: S105  # the part of a request's ASGI scope that has it
_SECRET: Final = re.compile("[A-Za-z0-9_-]{32}")
_SECONDS: Final = 30 * 86400


class PausedError(ArenaError):
    """The match can't continue now, because the table is closed or none of its people is there. Its bots are ended."""


class Stage(StrEnum):
    """The stages of a table."""

    LOBBY = "lobby"
    PLAYING = "playing"
    OVER = "over"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Visitor:
    """The maker of a table: the key by which the address is counted, and the digest of a browser's key."""

    address: str
    browser: str


NOBODY: Final = Visitor("", "")


@dataclass(slots=True)
class Seat:
    """One seat: a bot's version, or a person, who has sat down once there is a ``key``: the digest of a secret that only their browser has.

    ``gone`` is the reason why a person no longer plays, although the match continues: they have resigned or left.
    """

    name: str = ""
    version: BotVersion | None = None
    key: str = ""
    gone: str = ""
    label: str = ""
    """The source by which a bot is resolved again; its name may contain more."""

    @property
    def is_person(self) -> bool:
        """Whether the seat is for a person."""
        return self.version is None

    @property
    def is_free(self) -> bool:
        """Whether a person may still sit down."""
        return self.version is None and not self.key and not self.gone


def key_digest(secret: str) -> str:
    """Return the stored digest of a browser's secret; empty for an empty one. The secret is random and has 192 bits, so a plain SHA-256 of
    it can't be reversed by guessing.
    """
    return hashlib.sha256(secret.encode()).hexdigest() if secret else ""


def is_same(digest: str, other: str) -> bool:
    """Return whether two digests are equal and not empty, in constant time."""
    return bool(digest) and hmac.compare_digest(digest, other)


def secret_of(request: Request) -> str:
    """Return the browser's secret, empty if it has none yet or sends something else."""
    secret = request.cookies.get(SECRET, "")
    return secret if _SECRET.fullmatch(secret) else ""


def key_of(request: Request) -> str:
    """Return the key that the visitor's seats hold: the digest of the browser's secret, empty if it has none."""
    return key_digest(secret_of(request))


def new_key(request: Request) -> str:
    """Return the visitor's key; a browser without a secret gets a new one, which ``remember`` stores there."""
    return key_of(request) or key_digest(request.scope.setdefault(_NEW_SECRET, secrets.token_urlsafe(24)))


def visitor_of(request: Request) -> Visitor:
    """Return the visitor for whom a table of this browser is counted."""
    return Visitor(address_of(request), new_key(request))


def remember(request: Request, answer: Response, name: str) -> None:
    """Store the secret, and the person's name if they gave one, in the browser."""
    secret: str = request.scope.get(_NEW_SECRET, "") or secret_of(request)
    path, secure = site_url(request, "/play"), request.url.scheme == "https"
    for cookie, value in ((SECRET, secret), (NAME, quote(clean_name(name)) if name.strip() else "")):
        if value:
            answer.set_cookie(cookie, value, max_age=_SECONDS, path=path, httponly=True, samesite="lax", secure=secure)


def known_name(request: Request) -> str:
    """Return the name last given in this browser, or ``Guest``."""
    return clean_name(unquote(request.cookies.get(NAME, "")[:400], errors="replace"))


def clean_name(name: str) -> str:
    """Return a person's name, fit for a table."""
    return short(name, LONGEST_NAME) or GUEST
