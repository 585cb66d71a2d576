"""The browsers of people at tables: one secret for all tables of a browser, and the name last given."""

from __future__ import annotations

import re
import secrets
from typing import Final
from urllib.parse import quote, unquote

from fastapi import Request, Response

from arena.web.play.seats import Visitor, key_digest
from arena.web.prefix import site_url
from arena.web.protection.rate_limits import address_of
from engine.text import short

SECRET: Final = "player"  # noqa: S105  # the name of a cookie
NAME: Final = "player-name"
LONGEST_NAME: Final = 20
KEY: Final = "arena.key"
"""The part of a request's ASGI scope that has the digest of the browser's secret, if another server has passed the request on."""
_NEW_SECRET: Final = "arena.new_secret"  # noqa: S105  # likewise a name
_SECRET: Final = re.compile("[A-Za-z0-9_-]{32}")
_SECONDS: Final = 30 * 86400


def secret_of(request: Request) -> str:
    """Return the browser's secret, empty if it has none yet or sends something else."""
    secret = request.cookies.get(SECRET, "")
    return secret if _SECRET.fullmatch(secret) else ""


def key_of(request: Request) -> str:
    """Return the digest of the browser's secret, empty if it has none; another server passes on the digest alone."""
    key: str | None = request.scope.get(KEY)
    return key_digest(secret_of(request)) if key is None else key


def new_key(request: Request) -> str:
    """Return the digest of the browser's secret; one that has none yet gets a new one, which ``remember`` stores there."""
    if key := key_of(request):
        return key
    return key_digest(request.scope.setdefault(_NEW_SECRET, secrets.token_urlsafe(24)))


def has_new_secret(request: Request) -> bool:
    """Whether the browser has got its secret with this request."""
    return _NEW_SECRET in request.scope


def visitor_of(request: Request) -> Visitor:
    """Return the visitor for whom a table of this browser is counted."""
    return Visitor(address_of(request), new_key(request))


def remember(request: Request, answer: Response, name: str = "") -> None:
    """Store the secret and the person's name in the browser."""
    secret: str = secret_of(request) or request.scope.get(_NEW_SECRET, "")
    path, secure = site_url(request, "/play"), request.url.scheme == "https"
    if secret:  # another server has it
        answer.set_cookie(SECRET, secret, max_age=_SECONDS, path=path, httponly=True, samesite="lax", secure=secure)
    if name:
        answer.set_cookie(NAME, quote(name), max_age=_SECONDS, path=path, httponly=True, samesite="lax", secure=secure)


def cookies_to_pass(request: Request) -> str:
    """Return the header with the cookies that another server may see: all but the secret."""
    return f"{NAME}={request.cookies.get(NAME, '')}"


def known_name(request: Request) -> str:
    """Return the name last given in this browser, or ``Guest``."""
    return clean_name(unquote(request.cookies.get(NAME, "")[:400], errors="replace"))


def clean_name(name: str) -> str:
    """Return a person's name, fit for a table."""
    return short(name, LONGEST_NAME) or "Guest"
