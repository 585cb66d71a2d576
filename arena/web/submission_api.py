"""The JSON API for submitting bots, with a token in the header ``Authorization: Bearer``."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, File, Form, HTTPException, Path, Request, Response, UploadFile
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel

from arena.entries.check_report import report_data
from arena.run.orders import when
from arena.web.api import ERRORS, PREFIX, Problem, Refusal
from arena.web.errors import NO_TOKEN
from arena.web.protection.limits import rate_limits
from arena.web.queries import queries_of
from arena.web.settings import site_url
from arena.web.submit.admission import submit
from arena.web.submit.my_bots import MATCHES, NextRound, entered_ladder, find_next_round, my_check_replay, my_submission, withdraw
from arena.web.submit.queue import kept_replays, read_report
from leaderboard.storage.submissions import PublicSubmission, Submission

_bearer = HTTPBearer(auto_error=False, description="an author's token (after the # of a personal link)")
router = APIRouter(prefix=f"{PREFIX}/submissions", tags=["submitting"], responses={**ERRORS, 401: {"model": Problem}})
SubmissionId = Annotated[str, Path(max_length=64, pattern="^[A-Za-z0-9_-]+$")]


class FirstMatch(BaseModel):
    """A match that the new version has played: bots and ranks by seat."""

    id: str
    bots: list[str]
    ranks: list[int]


class FailedMatch(BaseModel):
    """A match in which the bot, in that seat, failed during its check; ``replay`` is the address of its replay on this server."""

    players: int
    seat: int
    replay: str


class SubmissionItem(PublicSubmission):
    """A submission: its progress, the report of its check (as in ``arena bots check --json``), and the ``replays`` kept of failed matches.
    If it was accepted, also the version that it became, the newest matches of that version, and when it plays next.
    """

    label: str
    report: dict[str, Any] | None
    matches: list[FirstMatch]
    next_round: NextRound | None
    replays: list[FailedMatch]


class Withdrawal(BaseModel):
    """The number of the order that withdraws a bot, and (in words) the round from which it no longer plays."""

    order: int
    since: str


def author_of_request(request: Request, credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]) -> str:
    """Return the id of the author whose token came with the request. Raises HTTPException (401)."""
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
    game: Annotated[str, Form(max_length=200, description="the game to check it with, if there is no ladder")] = "",
    players: Annotated[list[int] | None, Form(max_length=6, description="table sizes to check it at, if there is no ladder")] = None,
) -> SubmissionItem:
    """Submit a bot. It is checked in the background; if it passes, it is stored and entered into the ladder."""
    return _item(request, submit(request, author, name, file, ladder=ladder, game=game, players=players or ()))


@router.post("/leave", responses={409: {"model": Refusal}})
def withdraw_bot(
    request: Request,
    author: Author,
    ladder: Annotated[str, Form(max_length=200, description="the ladder")],
    bot: Annotated[str, Form(max_length=200, description="its name in the ladder")],
) -> Withdrawal:
    """Withdraw one of your bots from a ladder: it plays no new rounds, and its results still count. This can't be undone."""
    order = withdraw(request, author, ladder, bot)
    return Withdrawal(order=order.number, since=when(order))


@router.get("/{submission}")
def read(request: Request, author: Author, submission: SubmissionId) -> SubmissionItem:
    """The state and the result of one of your submissions."""
    return _item(request, my_submission(request, author, submission))


@router.get(
    "/{submission}/replays/{players}/{seat}",
    responses={200: {"content": {"application/json": {}}, "description": "A replay (docs/replay-format.md)."}},
    response_class=Response,
)
def read_check_replay(
    request: Request,
    author: Author,
    submission: SubmissionId,
    players: Annotated[int, Path(ge=1, le=99)],
    seat: Annotated[int, Path(ge=0, le=99)],
) -> Response:
    """The replay of a match in which your bot failed during its check."""
    return Response(my_check_replay(request, author, submission, players, seat), media_type="application/json")


def _item(request: Request, submission: Submission) -> SubmissionItem:
    queries = queries_of(request)
    ladder = entered_ladder(queries, submission)
    matches = () if ladder is None else queries.store.recent_matches(ladder, bot=submission.entrant, limit=MATCHES)
    report = read_report(submission)
    replays = f"{PREFIX}/submissions/{submission.id}/replays"
    facts = submission.model_dump(include=set(PublicSubmission.model_fields))
    return SubmissionItem(
        **facts | {"reason": submission.reason if submission.is_over else ""},
        label=submission.label,
        report=None if report is None else report_data(report),
        matches=[FirstMatch(id=each.id, bots=[seat.bot for seat in each.seats], ranks=list(each.ranks)) for each in matches],
        replays=[
            FailedMatch(players=players, seat=seat, replay=site_url(request, f"{replays}/{players}/{seat}"))
            for players, seat in (kept_replays(report) if report else ())
        ],
        next_round=None if ladder is None else find_next_round(queries, ladder, submission.entrant),
    )
