"""The browsers of people at tables: one secret for all tables of a browser, and the name last given."""

from __future__ import annotations

import re
import secrets
from typing import Final
from urllib.parse import quote, unquote

from fastapi import Request, Response

from arena.web.play.seats import GUEST, Visitor, key_digest
from arena.web.prefix import site_url
from arena.web.protection.rate_limits import address_of
from engine.text import short

SECRET: Final = "player"  # noqa: S105  # the name of a cookie
NAME: Final = "player-name"
LONGEST_NAME: Final = 20
_NEW_SECRET: Final = "arena.new_secret"  # noqa: S105  # the part of a request's ASGI scope that has it
_SECRET: Final = re.compile("[A-Za-z0-9_-]{32}")
_SECONDS: Final = 30 * 86400


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
