"""The JSON API for submitting bots, with a token in the header ``Authorization: Bearer``."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, File, Form, HTTPException, Path, Request, UploadFile
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel

from arena.entries.check_report import report_data
from arena.web.api.models import Item, Problem, Refusal
from arena.web.api.routes import ERRORS, PREFIX
from arena.web.errors import NO_TOKEN, NotFoundError, RefusedError, UnusableError
from arena.web.protection.rate_limits import rate_limits
from arena.web.submit.checking import read_report
from arena.web.submit.uploads import first_matches, uploads
from leaderboard.storage.uploads import StoredUpload, UploadState

_bearer = HTTPBearer(auto_error=False, description="a token that the host handed out (arena token new)")
router = APIRouter(prefix=f"{PREFIX}/submissions", tags=["submitting"], responses={**ERRORS, 401: {"model": Problem}})


class FirstMatch(BaseModel):
    """A match of the new version: bots and ranks by seat."""

    id: str
    bots: list[str]
    ranks: list[int]


class UploadItem(Item):
    """An upload: its state, the ``stage`` that its check has come to, with ``done`` of ``all`` matches over, of which the bot failed in
    ``failed``, and its ``decisions``; the report of its check (as in ``arena bots check --json``), and the version it has become.
    """

    id: str
    name: str
    game: str
    state: Literal["waiting", "checking", "accepted", "failed"]
    sent: datetime
    stage: Literal["", "build", "start", "play"]
    done: int
    all: int
    failed: int
    decisions: int
    problem: str
    label: str
    ladder: str
    entrant: str
    notes: list[str]
    build_log: str
    report: dict[str, Any] | None
    matches: list[FirstMatch]


def author_of_request(request: Request, credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]) -> str:
    """Return the author whose token came with the request. Raises HTTPException (401)."""
    author = rate_limits(request).author(request, credentials.credentials) if credentials else None
    if author is None:
        raise HTTPException(
            401, NO_TOKEN if credentials else "Send a token: 'Authorization: Bearer TOKEN'.", {"www-authenticate": "Bearer"}
        )
    return author


Author = Annotated[str, Depends(author_of_request)]


@router.post("", status_code=202, responses={409: {"model": Refusal}, 400: {"model": Problem}, 413: {"description": "Too many bytes."}})
def send(
    request: Request,
    author: Author,
    file: Annotated[UploadFile, File(description="a file or an archive")],
    name: Annotated[str, Form(min_length=1, max_length=200, description="the bot's name")],
    ladder: Annotated[str, Form(max_length=200, description="the ladder to enter; empty: none")] = "",
    game: Annotated[str, Form(max_length=200, description="what to check it with, without a ladder")] = "",
    players: Annotated[list[int] | None, Form(max_length=6, description="sizes of tables to check it at, without a ladder")] = None,
) -> UploadItem:
    """Submit a bot, which is checked in the background, kept if it passes, and entered into the ladder."""
    try:
        with rate_limits(request).upload_of(author):
            taken = uploads(request).take(
                author, name, file.filename or "", file.file.read(), ladder=ladder, game=game, players=players or ()
            )
    except RefusedError as error:
        raise UnusableError(error.field, str(error), error.status) from None
    return _item(request, taken)


@router.get("/{upload}")
def read(request: Request, author: Author, upload: Annotated[str, Path(max_length=64, pattern="^[A-Za-z0-9_-]+$")]) -> UploadItem:
    """The state and the result of one of your uploads."""
    known = uploads(request).find(upload)
    if known is None or known.author != author:
        raise NotFoundError("You have no such upload here, or its report has been deleted.")
    return _item(request, known)


def _item(request: Request, upload: StoredUpload) -> UploadItem:
    matches = first_matches(request.app.state.queries, upload)
    report = read_report(upload)
    return UploadItem.of(
        upload,
        state=upload.state.value,
        all=upload.planned,
        problem=upload.reason if upload.state is UploadState.FAILED else "",
        notes=[upload.note] if upload.note else [],
        report=None if report is None else report_data(report),
        matches=[FirstMatch(id=each.id, bots=[seat.bot for seat in each.seats], ranks=list(each.ranks)) for each in matches],
    )
