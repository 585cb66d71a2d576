"""The browsers of people at tables: one secret for all tables of a browser, the name last given, and the member who has signed in."""

from __future__ import annotations

import re
import secrets
from typing import Final
from urllib.parse import quote, unquote

from fastapi import Request, Response

from arena.web.errors import TableError
from arena.web.play.seats import GUEST, Visitor, key_digest
from arena.web.prefix import site_url
from arena.web.protection.rate_limits import address_of
from engine.text import short
from leaderboard.storage.members import Member, find_member
from leaderboard.storage.store import Store

SECRET: Final = "player"  # noqa: S105  # the name of a cookie
NAME: Final = "player-name"
LONGEST_NAME: Final = 20
_KEY: Final = "arena.key"
"""The part of a request's ASGI scope that has the visitor's key, once it is known."""
_MEMBER: Final = "arena.member"
_NEW_SECRET: Final = "arena.new_secret"  # noqa: S105  # likewise a name
_SECRET: Final = re.compile("[A-Za-z0-9_-]{32}")
_SECONDS: Final = 30 * 86400


def secret_of(request: Request) -> str:
    """Return the browser's secret, empty if it has none yet or sends something else."""
    secret = request.cookies.get(SECRET, "")
    return secret if _SECRET.fullmatch(secret) else ""


def store_of(request: Request) -> Store:
    """Return the database of the request's application, for reading."""
    store: Store = request.app.state.queries.store
    return store


def key_of(request: Request) -> str:
    """Return the key that the visitor's seats hold: a member's, or the digest of the browser's secret, empty if it has none.

    Raises StoreError.
    """
    key: str | None = request.scope.get(_KEY)
    if key is None:
        digest = key_digest(secret_of(request))
        store = store_of(request)
        member = request.scope[_MEMBER] = find_member(store, digest=digest) if digest else None
        if digest and not member and find_member(store, key=digest):
            digest = ""  # the secret that a member's browser had before the name was claimed
        key = request.scope[_KEY] = member.key if member else digest
    return key


def member_of(request: Request) -> Member | None:
    """Return the member who has signed in with this browser, or None. Raises StoreError."""
    key = key_of(request)
    if _MEMBER not in request.scope:
        request.scope[_MEMBER] = find_member(store_of(request), key=key) if key else None
    member: Member | None = request.scope[_MEMBER]
    return member


def new_key(request: Request) -> str:
    """Return the visitor's key; a browser without a secret gets a new one, which ``remember`` stores there."""
    if key := key_of(request):
        return key
    return key_digest(request.scope.setdefault(_NEW_SECRET, secrets.token_urlsafe(24)))


def visitor_of(request: Request) -> Visitor:
    """Return the visitor for whom a table of this browser is counted."""
    return Visitor(address_of(request), new_key(request))


def remember(request: Request, answer: Response, name: str = "") -> None:
    """Store the secret and the person's name in the browser."""
    secret: str = request.scope.get(_NEW_SECRET, "") or secret_of(request)
    path, secure = site_url(request, "/play"), request.url.scheme == "https"
    if secret:
        answer.set_cookie(SECRET, secret, max_age=_SECONDS, path=path, httponly=True, samesite="lax", secure=secure)
    if name:
        answer.set_cookie(NAME, quote(name), max_age=_SECONDS, path=path, httponly=True, samesite="lax", secure=secure)


def renew_secret(request: Request) -> str:
    """Return a new secret for the browser, which ``remember`` stores there."""
    secret: str = secrets.token_urlsafe(24)
    request.scope[_NEW_SECRET] = secret
    return secret


def sign_in_as(request: Request, answer: Response, secret: str) -> None:
    """Store another secret in the browser, in place of its own."""
    request.scope[_NEW_SECRET] = secret
    remember(request, answer)


def known_name(request: Request) -> str:
    """Return the member's name, or the one last given in this browser, or ``Guest``."""
    return member.name if (member := member_of(request)) else clean_name(unquote(request.cookies.get(NAME, "")[:400], errors="replace"))


def chosen_name(request: Request, name: str) -> str:
    """Return the name under which a visitor plays: their own as a member, else the one given. Raises TableError if a member has it."""
    if member := member_of(request):
        return member.name
    if find_member(store_of(request), name=clean_name(name)):
        raise TableError(f"the name '{clean_name(name)}' belongs to somebody; choose another, or sign in if it is yours", 422)
    return clean_name(name)


def clean_name(name: str) -> str:
    """Return a person's name, fit for a table."""
    return short(name, LONGEST_NAME) or GUEST
