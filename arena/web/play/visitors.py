"""The browsers of people at tables: one secret for all tables of a browser, and the name that was given last."""

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
_SECRET: Final = re.compile("[A-Za-z0-9_-]{32}")
_SECONDS: Final = 30 * 86400


def secret_of(request: Request) -> str:
    """Return the browser's secret, empty if it has none yet or sends something else."""
    secret = request.cookies.get(SECRET, "")
    return secret if _SECRET.fullmatch(secret) else ""


def new_secret(request: Request) -> str:
    """Return the browser's secret, a new one if it has none yet."""
    return secret_of(request) or secrets.token_urlsafe(24)


def visitor_of(request: Request, secret: str) -> Visitor:
    """Return whom a table of this browser is counted for."""
    return Visitor(address_of(request), key_digest(secret))


def remember(request: Request, answer: Response, secret: str, name: str = "") -> None:
    """Have the browser keep its secret, and the name that its person gave."""
    path, secure = site_url(request, "/play"), request.url.scheme == "https"
    answer.set_cookie(SECRET, secret, max_age=_SECONDS, path=path, httponly=True, samesite="lax", secure=secure)
    if name:
        answer.set_cookie(NAME, quote(name), max_age=_SECONDS, path=path, httponly=True, samesite="lax", secure=secure)


def known_name(request: Request) -> str:
    """Return the name that was given last in this browser, or ``Guest``."""
    return clean_name(unquote(request.cookies.get(NAME, "")[:400], errors="replace"))


def clean_name(name: str) -> str:
    """Return a person's name, fit for a table."""
    return short(name, LONGEST_NAME) or "Guest"
