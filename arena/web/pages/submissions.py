"""The page for submitting a bot, and the page of an upload's result."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, File, Form, Request, UploadFile
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from arena.web.errors import NO_TOKEN, NotFoundError, RefusedError
from arena.web.prefix import site_url
from arena.web.protection.rate_limits import from_here, rate_limits
from arena.web.rendering.templates import render
from arena.web.submit.admission import LONGEST_NAME, SUFFIXES
from arena.web.submit.checking import read_report
from arena.web.submit.terms import ladders
from arena.web.submit.uploads import first_matches, uploads

router = APIRouter(prefix="/submit", include_in_schema=False, default_response_class=HTMLResponse)


@router.get("")
def form(request: Request) -> HTMLResponse:
    """Show the form."""
    return _form(request)


def _form(
    request: Request, *, name: str = "", ladder: str | None = None, wrong: dict[str, str] | None = None, status: int = 200
) -> HTMLResponse:
    open_ladders = ladders(request.app.state.queries.store)
    chosen = ladder if ladder is not None else (open_ladders[0] if open_ladders else "")
    values = {"name": name, "ladder": chosen, "ladders": open_ladders, "wrong": wrong or {}, "games": request.app.state.games.choices()}
    limits = {"suffixes": SUFFIXES, "longest": LONGEST_NAME}
    return render(request, "submit.html", status=status, headers={"cache-control": "no-store"}, **values, **limits)


@router.post("", dependencies=[Depends(from_here)])
def submit(
    request: Request,
    token: Annotated[str, Form()] = "",
    name: Annotated[str, Form()] = "",
    ladder: Annotated[str, Form()] = "",
    game: Annotated[str, Form(max_length=200)] = "",
    file: Annotated[UploadFile | None, File()] = None,
) -> Response:
    """Take the form; an error is shown next to its field, and the token is never sent back."""
    author = rate_limits(request).author(request, token.strip())
    if author is None:
        return _form(request, name=name, ladder=ladder, wrong={"token": NO_TOKEN}, status=401)
    if file is None or not file.filename:
        return _form(request, name=name, ladder=ladder, wrong={"file": "Choose a file."}, status=422)
    try:
        with rate_limits(request).upload_of(author):
            taken = uploads(request).take(author, name.strip(), file.filename, file.file.read(), ladder=ladder, game=game)
    except RefusedError as error:
        return _form(request, name=name, ladder=ladder, wrong={error.field: f"{error}."}, status=error.status)
    return RedirectResponse(site_url(request, f"/submit/{taken.id}"), 303)


@router.get("/queue")
def queue(request: Request) -> HTMLResponse:
    """Show how many uploads are waiting, being checked, and decided. Authors are not shown."""
    return render(request, "queue.html", headers={"cache-control": "no-store"}, counts=uploads(request).count())


@router.get("/{upload}")
def report(request: Request, upload: str) -> HTMLResponse:
    """Show an upload's state and result to anyone who has its address."""
    known = uploads(request).find(upload)
    if known is None:
        raise NotFoundError("There is no such upload, or its report has been deleted; an accepted bot stays in its ladder.")
    matches = first_matches(request.app.state.queries, known)
    return render(request, "upload.html", headers={"cache-control": "no-store"}, upload=known, report=read_report(known), matches=matches)
