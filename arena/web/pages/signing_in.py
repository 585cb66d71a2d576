"""Signing in with a token, once for a browser, and signing out."""

from __future__ import annotations

import re
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from arena.web.errors import NO_TOKEN
from arena.web.prefix import site_url
from arena.web.protection.rate_limits import from_here
from arena.web.protection.sessions import NO_STORE, sign_in, sign_out, signed_in
from arena.web.rendering.templates import render

router = APIRouter(prefix="/my", include_in_schema=False, default_response_class=HTMLResponse)
_AFTERWARDS: Final = re.compile("(?:my|submit)(?:/[A-Za-z0-9_-]{1,64})*")
"""The pages of this server to which signing in may redirect, so that no link can send a visitor to another site."""


def ask_to_sign_in(request: Request, afterwards: str, *, wrong: str = "", status: int = 401, is_signed_in: bool = False) -> HTMLResponse:
    """Return the page with the form, which redirects to the page ``afterwards``."""
    afterwards = afterwards if _AFTERWARDS.fullmatch(afterwards) else "my"
    values = {"afterwards": afterwards, "wrong": {"token": wrong} if wrong else {}, "is_signed_in": is_signed_in}
    return render(request, "sign_in.html", status=status, headers=NO_STORE, **values)


@router.post("/sign-in", dependencies=[Depends(from_here)])
def begin(
    request: Request, token: Annotated[str, Form(max_length=200)] = "", afterwards: Annotated[str, Form(max_length=200)] = ""
) -> Response:
    """Sign in; a wrong token is never sent back."""
    chosen = afterwards if _AFTERWARDS.fullmatch(afterwards) else "my"
    answer = RedirectResponse(site_url(request, f"/{chosen}"), 303, NO_STORE)
    return answer if sign_in(request, answer, token.strip()) else ask_to_sign_in(request, chosen, wrong=NO_TOKEN)


@router.get("/sign-in")
def form(request: Request) -> HTMLResponse:
    """Show the form, which a personal link fills in: its token comes after ``#``, which browsers don't send to servers."""
    return ask_to_sign_in(request, "my", status=200, is_signed_in=signed_in(request) is not None)


@router.post("/sign-out", dependencies=[Depends(from_here)])
def end(request: Request) -> Response:
    """Sign out of this browser."""
    answer = RedirectResponse(site_url(request, "/my"), 303, NO_STORE)
    sign_out(request, answer)
    return answer
