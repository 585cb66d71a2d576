"""The page for submitting a bot, and the page of its result."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Depends, File, Form, Path, Request, UploadFile
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from markupsafe import Markup

from arena.entries.check_report import CheckReport, CheckStage
from arena.report.orders_table import order_about
from arena.run.orders import planned_end
from arena.season.entry import open_ladders
from arena.web.errors import UnusableError
from arena.web.protection.limits import from_here
from arena.web.queries import queries_of
from arena.web.rendering.templates import render
from arena.web.settings import site_url
from arena.web.submit.admission import LONGEST_NAME, SUFFIXES, submit
from arena.web.submit.my_bots import MATCHES, entered_ladder, find_next_round, my_check_replay, my_submission
from arena.web.submit.queue import kept_replays, places_in_queue, read_report
from arena.web.submit.signing_in import NO_STORE, ask_to_sign_in, signed_in
from arena.web.viewer.documents import document_of, write
from engine.replay.format import read_replay
from engine.replay.verifier import timeline_of
from engine.text import counted
from leaderboard.storage.people import names_of
from leaderboard.storage.submissions import Submission, SubmissionState, count_waiting

router = APIRouter(prefix="/submit", include_in_schema=False, default_response_class=HTMLResponse)
NOT_SIGNED_IN: Final = "You are no longer signed in: sign in, and submit again."
Seats = Annotated[int, Path(ge=0, le=99)]
_EMPTY: Final = {"name": "", "game": "", "players": ""}


@router.get("")
def form(request: Request) -> HTMLResponse:
    """Show the form for submitting a bot, or the form for signing in if the visitor is not signed in."""
    return _form(request, signed_in(request))


def _form(
    request: Request, author: str | None, *, wrong: dict[str, str] | None = None, status: int = 200, **given: str | None
) -> HTMLResponse:
    queries = queries_of(request)
    store, names = queries.store, queries.tournament_names()
    known = () if author is None else open_ladders(store, request.app.state.settings.now())  # this reads every tournament
    ladders = tuple(each for each in known if each not in names or not queries.is_complete(queries.tournament(each)))
    chosen = given.get("ladder")
    ladder = chosen if chosen is not None else (ladders[0] if ladders else "")
    values = {
        "author": author and names_of(store)[author],
        "ladders": ladders,
        "wrong": wrong or {},
        "games": request.app.state.games.choices(),
    }
    limits = {"suffixes": SUFFIXES, "longest": LONGEST_NAME, "counts": count_waiting(store)}
    return render(request, "submit.html", status=status, headers=NO_STORE, given={"ladder": ladder, **_EMPTY, **given}, **values, **limits)


@router.post("", dependencies=[Depends(from_here)])
def send(
    request: Request,
    name: Annotated[str, Form()] = "",
    ladder: Annotated[str, Form()] = "",
    game: Annotated[str, Form(max_length=200)] = "",
    players: Annotated[str, Form(max_length=1)] = "",
    file: Annotated[UploadFile | None, File()] = None,
) -> Response:
    """Submit the bot in the form; if a field is wrong, show the form again, filled in and with the error next to that field."""
    author = signed_in(request)
    given = {"name": name, "ladder": ladder, "game": game, "players": players}
    if author is None:
        return _form(request, None, wrong={"token": NOT_SIGNED_IN}, status=401, **given)
    if file is None or not file.filename:
        return _form(request, author, wrong={"file": "Choose a file."}, status=422, **given)
    seats = [int(players)] if players.isdecimal() and not ladder else []
    try:
        sent = submit(request, author, name, file, ladder=ladder, game=game, players=seats)
    except UnusableError as error:
        return _form(request, author, wrong={error.field: f"{error.detail}."}, status=error.status_code, **given)
    return RedirectResponse(site_url(request, f"/submit/{sent.id}"), 303)


@router.get("/{submission}")
def report(request: Request, submission: str) -> HTMLResponse:
    """Show a submission's state and result to its author; for anybody else it does not exist."""
    author = signed_in(request)
    if author is None:
        return ask_to_sign_in(request, f"submit/{submission}")
    known = my_submission(request, author, submission)
    report = read_report(known)
    queries = queries_of(request)
    ladder = entered_ladder(queries, known)
    return render(
        request,
        "submission.html",
        headers=NO_STORE,
        submission=known,
        place=places_in_queue(queries.store).get(known.id),
        report=report,
        steps=steps(known, report),
        replays=kept_replays(report) if report else (),
        matches=() if ladder is None else queries.store.recent_matches(ladder, bot=known.entrant, limit=MATCHES),
        ladder=ladder,
        next=None if ladder is None else find_next_round(queries, ladder, known.entrant),
        order="" if ladder is None else order_about(ladder, known.entrant),
        end="" if ladder is None else planned_end(ladder),
    )


@router.get("/{submission}/replays/{players}/{seat}")
def check_replay(request: Request, submission: str, players: Seats, seat: Seats) -> Response:
    """Return, as a file, the replay of a match in which the author's bot failed during its check."""
    author = signed_in(request)
    if author is None:
        return ask_to_sign_in(request, f"submit/{submission}")
    text = my_check_replay(request, author, submission, players, seat)
    name = f"check-of-{players}-seat-{seat}.json"
    headers = NO_STORE | {"content-disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type="application/json", headers=headers)


@router.get("/{submission}/replays/{players}/{seat}/watch")
def watch(request: Request, submission: str, players: Seats, seat: Seats) -> HTMLResponse:
    """Show, in the viewer, the replay of a match in which the author's bot failed during its check."""
    author = signed_in(request)
    if author is None:
        return ask_to_sign_in(request, f"submit/{submission}")
    known, text = my_submission(request, author, submission), my_check_replay(request, author, submission, players, seat)
    document = Markup(write(document_of(timeline_of(read_replay(text)))))  # noqa: S704  # our own JSON, with < > & escaped
    title = f"{known.name}, checked with {players} players"
    return render(
        request,
        "own_replay.html",
        headers=NO_STORE,
        title=title,
        back=f"/submit/{submission}",
        game=known.game,
        document=document,
    )


def steps(submission: Submission, report: CheckReport | None) -> list[tuple[str, str]]:
    """Return the steps of a check, in order, as pairs: a step's state (to-do, now, done, failed), and what is known about it, in words."""
    stages = [CheckStage.START, CheckStage.PLAY]
    reached = report.stage if report is not None else submission.stage
    at = stages.index(CheckStage(reached)) if reached else len(stages) if submission.label else -1
    is_good = submission.state is not SubmissionState.REFUSED or (report is not None and report.is_passed)
    now = "now" if not submission.is_over and report is None else "done" if is_good else "failed"
    lines = [("done", "Read: the file is valid")]
    for place, stage in enumerate(stages):
        state = now if place == at else "done" if place < at else "to-do"
        lines.append((state, _WORDS[stage, state] + _details(stage, state, submission, report)))
    return lines


def _details(stage: CheckStage, state: str, submission: Submission, report: CheckReport | None) -> str:
    if stage is CheckStage.START and state == "done" and report is not None and report.start_seconds is not None:
        return f" in {report.start_seconds:.1f} s"
    if stage is not CheckStage.PLAY or state == "to-do":
        return ""
    done, planned, failed, decisions = (
        (submission.done, submission.planned, submission.failed, submission.decisions)
        if report is None
        else (report.matches, report.planned, len(report.troubles), report.decisions)
    )
    played = f": {done} of {planned} {'match' if planned == 1 else 'matches'} over"
    how = f"failed in {failed}" if failed else f"no failure in {counted(decisions, 'decision')}" if decisions else "no decision yet"
    return f"{played}, {how}"


_WORDS = {
    (CheckStage.START, "to-do"): "Start",
    (CheckStage.START, "now"): "Starting",
    (CheckStage.START, "done"): "Started",
    (CheckStage.START, "failed"): "It did not start",
    (CheckStage.PLAY, "to-do"): "Play",
    (CheckStage.PLAY, "now"): "Playing",
    (CheckStage.PLAY, "done"): "Played",
    (CheckStage.PLAY, "failed"): "Played",
}
