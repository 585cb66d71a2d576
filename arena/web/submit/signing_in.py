"""Signing in with a token, once per browser, and signing out.

The cookie is only sent from pages of this server (``SameSite=Strict``), and no script can read it; posts are also checked by ``from_here``.
"""

from __future__ import annotations

import re
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from arena.web.errors import NO_TOKEN
from arena.web.protection.limits import from_here, rate_limits
from arena.web.rendering.templates import render
from arena.web.settings import site_url
from leaderboard.storage.people import LASTS, begin_session, end_session, person_of_session
from leaderboard.storage.store import Store

router = APIRouter(prefix="/my", include_in_schema=False, default_response_class=HTMLResponse)
COOKIE: Final = "author"
NO_STORE: Final = {"cache-control": "no-store"}
"""The headers of pages whose content depends on who is signed in."""
_SECRET: Final = re.compile("[A-Za-z0-9_-]{43}")
_AFTERWARDS: Final = re.compile("(?:my|submit)(?:/[A-Za-z0-9_-]{1,64})*")
"""The pages of this server to which signing in may redirect, so that no link can send a visitor to another site."""


def signed_in(request: Request) -> str | None:
    """Return the id of the person who is signed in, according to the request's cookie, or None."""
    secret = _secret_of(request)
    store: Store = request.app.state.queries.store
    return person_of_session(store, secret) if secret else None


def sign_in(request: Request, answer: Response, token: str) -> bool:
    """Sign in the browser that gets ``answer``; return False for a wrong token. Raises HTTPException (429) after too many wrong tokens."""
    if rate_limits(request).author(request, token) is None:
        return False
    store: Store = request.app.state.checks.join()
    if (secret := begin_session(store, token)) is None:
        return False
    if old := _secret_of(request):
        end_session(store, old)
    _set(request, answer, secret, int(LASTS.total_seconds()))
    return True


def sign_out(request: Request, answer: Response) -> None:
    """End the session of the request, in the browser and on the server."""
    if secret := _secret_of(request):
        end_session(request.app.state.checks.join(), secret)
    _set(request, answer, "", 0)


def _set(request: Request, answer: Response, secret: str, seconds: int) -> None:
    path, is_secure = site_url(request, "/"), request.url.scheme == "https"
    answer.set_cookie(COOKIE, secret, max_age=seconds, path=path, httponly=True, samesite="strict", secure=is_secure)


def _secret_of(request: Request) -> str:
    secret = request.cookies.get(COOKIE, "")
    return secret if _SECRET.fullmatch(secret) else ""


def ask_to_sign_in(request: Request, afterwards: str, *, wrong: str = "", status: int = 401, is_signed_in: bool = False) -> HTMLResponse:
    """Return the page with the form for signing in; once the visitor has signed in, it redirects to the page ``afterwards``."""
    afterwards = afterwards if _AFTERWARDS.fullmatch(afterwards) else "my"
    values = {"afterwards": afterwards, "wrong": {"token": wrong} if wrong else {}, "is_signed_in": is_signed_in}
    return render(request, "sign_in.html", status=status, headers=NO_STORE, **values)


@router.post("/sign-in", dependencies=[Depends(from_here)])
def begin(
    request: Request, token: Annotated[str, Form(max_length=200)] = "", afterwards: Annotated[str, Form(max_length=200)] = ""
) -> Response:
    """Sign in; if the token is wrong, show the form again, without the token."""
    chosen = afterwards if _AFTERWARDS.fullmatch(afterwards) else "my"
    answer = RedirectResponse(site_url(request, f"/{chosen}"), 303, NO_STORE)
    return answer if sign_in(request, answer, token.strip()) else ask_to_sign_in(request, chosen, wrong=NO_TOKEN)


@router.get("/sign-in")
def form(request: Request) -> HTMLResponse:
    """Show the form for signing in. A personal link has the token after ``#``, which isn't sent to the server; the page fills it in."""
    return ask_to_sign_in(request, "my", status=200, is_signed_in=signed_in(request) is not None)


@router.post("/sign-out", dependencies=[Depends(from_here)])
def end(request: Request) -> Response:
    """Sign the visitor out in this browser."""
    answer = RedirectResponse(site_url(request, "/my"), 303, NO_STORE)
    sign_out(request, answer)
    return answer
