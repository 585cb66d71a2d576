"""People who have signed in with their token: the cookie of their session, and the pages that ask for it.

The cookie is only sent from pages of this server (``SameSite=Strict``), and no script can read it; posts are also checked by ``from_here``.
"""

from __future__ import annotations

import re
from typing import Final

from fastapi import Request, Response

from arena.web.prefix import site_url
from arena.web.protection.rate_limits import rate_limits
from leaderboard.storage.people import LASTS, begin_session, end_session, person_of_session
from leaderboard.storage.store import Store

COOKIE: Final = "author"
NO_STORE: Final = {"cache-control": "no-store"}
"""For pages whose content depends on the session."""
_SECRET: Final = re.compile("[A-Za-z0-9_-]{43}")


def signed_in(request: Request) -> str | None:
    """Return the id of the person whose session came with the request, or None."""
    secret = _secret_of(request)
    store: Store = request.app.state.queries.store
    return person_of_session(store, secret) if secret else None


def sign_in(request: Request, answer: Response, token: str) -> bool:
    """Begin a session in the browser that gets the answer; return False for a wrong token. Raises HTTPException (429) after too many."""
    if rate_limits(request).author(request, token) is None:
        return False
    store: Store = request.app.state.uploads.join()
    if (secret := begin_session(store, token)) is None:
        return False
    if old := _secret_of(request):
        end_session(store, old)
    _set(request, answer, secret, int(LASTS.total_seconds()))
    return True


def sign_out(request: Request, answer: Response) -> None:
    """End the session of the request, in the browser and here."""
    if secret := _secret_of(request):
        end_session(request.app.state.uploads.join(), secret)
    _set(request, answer, "", 0)


def _set(request: Request, answer: Response, secret: str, seconds: int) -> None:
    path, is_secure = site_url(request, "/"), request.url.scheme == "https"
    answer.set_cookie(COOKIE, secret, max_age=seconds, path=path, httponly=True, samesite="strict", secure=is_secure)


def _secret_of(request: Request) -> str:
    secret = request.cookies.get(COOKIE, "")
    return secret if _SECRET.fullmatch(secret) else ""
