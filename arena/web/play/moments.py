"""Find the better move: the decisions with which a player lost most in a match, to be decided again and compared with the best moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
from fastapi import Request, Response
from fastapi.responses import JSONResponse
from limits import RateLimitItemPerHour
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from arena.analysis.match_analysis import INACCURACY
from arena.web.analyses.analyses import BUSY, SECONDS, analyses_of, answer_or_progress
from arena.web.analyses.jobs import Failure, MatchAnswer, MatchJob, MoveAnswer, MoveJob
from arena.web.errors import NotFoundError, UnusableError
from arena.web.play.reasons import difference
from arena.web.play.seat_view import view_of_replay
from arena.web.prefix import site_url
from arena.web.protection.rate_limits import address_of, rate_limits
from arena.web.rendering.sharing import SharedReplay
from arena.web.rendering.templates import render
from arena.web.viewer.analysed import whole_of
from arena.web.viewer.schema import Analysis, Better, Mark
from engine.core import InvalidMoveError
from engine.render import drawing
from engine.render.drawing import named
from engine.replay.format import read_replay
from engine.replay.verifier import ReplayTimeline, timeline_of
from engine.text import figure

MOST: Final = 3
"""The most decisions of a player that are asked for again."""
_MOVES: Final = RateLimitItemPerHour(120)
"""The number of moves that one address may have compared."""
_MOVE_SECONDS: Final = 10.0
_NO_STORE: Final = {"cache-control": "no-store"}


class Verdict(msgspec.Struct, frozen=True):
    """Whether a move is as good as the best one, and how good it is; ``answer`` says, of one that is not, which is better and why."""

    is_right: bool
    words: str
    answer: str
    best: Better


class ChosenMove(BaseModel):
    """The move that a visitor chose instead of decision ``at``, counted from 0, in notation."""

    at: int = Field(ge=0, le=1_000_000)
    move: str = Field(max_length=400)


def moments_page(request: Request, shared: SharedReplay, seat: int) -> Response:
    """Show the moments of a seat, counted from 1; the analysis is started unless it exists. Raises HTTPException."""
    check_analyses(request)
    if not 1 <= seat <= len(shared.names):
        seats = len(shared.names)
        raise NotFoundError(f"This match has {seats} seat{'' if seats == 1 else 's'}, so there is no seat {seat}.")
    places: list[int] = []
    margin = progress = sentence = ""
    answer = answer_or_progress(request, shared.key, lambda: MatchJob(shared.read(), SECONDS), SECONDS)
    if isinstance(answer, MatchAnswer):
        replay = read_replay(shared.read())
        marks = [mark for mark in answer.analysis.marks if mark.better is not None and replay.decisions[mark.index].seat == seat - 1]
        places = sorted(mark.index for mark in sorted(marks, key=lambda mark: -mark.lost)[:MOST])
        margin = margin_of(answer.analysis, replay.scores)
    elif isinstance(answer, Failure):
        sentence = answer.sentence
    elif isinstance(answer, str):
        progress = answer
    return render(
        request,
        "moments.html",
        headers=_NO_STORE,
        shared=shared,
        address=site_url(request, shared.path),
        back=site_url(request, shared.page),
        explore=site_url(request, f"{shared.path}/explore"),
        name=shared.names[seat - 1],
        places=places,
        margin=margin,
        progress=progress,
        sentence=sentence,
    )


def moment_view(request: Request, shared: SharedReplay, at: int) -> Response:
    """Return what the seat of one of the moments could see and choose, as JSON. Raises HTTPException."""
    _find_mark(request, shared, at)
    return Response(msgspec.json.encode(view_of_replay(timeline_of(read_replay(shared.read())), at)), media_type="application/json")


def judge_move(request: Request, shared: SharedReplay, chosen: ChosenMove) -> Response:
    """Return the verdict on a move: status 200 with it, 202 while the move is compared. Raises HTTPException."""
    return answer_with(verdict_on(request, shared, chosen))


def answer_with(verdict: Verdict | None) -> Response:
    """Return the verdict as JSON; None is status 202."""
    if verdict is None:
        return JSONResponse({"state": "waiting"}, 202, _NO_STORE)
    return Response(msgspec.json.encode(verdict), media_type="application/json", headers=_NO_STORE)


def verdict_on(request: Request, shared: SharedReplay, chosen: ChosenMove) -> Verdict | None:
    """Return the verdict on a move, or None while it is compared. Raises HTTPException."""
    analysis, mark, better = _find_mark(request, shared, chosen.at)
    timeline = timeline_of(read_replay(shared.read()))
    state = timeline.states[chosen.at]
    try:
        move = state.game.parse(chosen.move)
    except InvalidMoveError as error:
        raise UnusableError("move", f"{error}") from None
    if move not in state.legal_moves:
        raise UnusableError("move", f"'{move}' is not legal in this position")
    loss: float | None = 0.0
    if move == timeline.moves[chosen.at]:
        loss = mark.lost
    elif str(move) != better.notation:
        loss = _loss(request, shared, MoveJob(shared.read(), chosen.at, str(move), better.notation, _MOVE_SECONDS))
    return None if loss is None else _verdict(analysis, timeline, mark, better, str(move), loss)


def _verdict(analysis: Analysis, timeline: ReplayTimeline, mark: Mark, better: Better, move: str, loss: float) -> Verdict:
    margin, lost = _margin(analysis, timeline.replay.scores), _amount(analysis, loss)
    played, state = timeline.moves[mark.index], timeline.states[mark.index]
    sketch = drawing.sketch(state, state.game.parse(better.notation))  # without an arrow from where the match went on
    drawn = "" if sketch is None else f'<g class="better">{sketch.markup}</g>'
    best = f"The best move found: {better.words}{', drawn in green' if drawn else ''}."
    is_right, answer = move == better.notation or loss <= margin, ""
    other = played if move == better.notation else state.game.parse(move)
    by = difference(state, state.game.parse(better.notation), other, timeline.names)
    if move == better.notation:
        deed = named(drawing.describe_move(state, played), timeline.names)
        words = f"That is the best move found. Played in the match, and worse by {_amount(analysis, mark.lost)}: {deed}."
        words += f" Yours gains that by {by}." if by else ""
    elif is_right:
        words = f"That is within {_amount(analysis, margin)} of the best. {best}"
    else:
        words = f"That {'was played in the match, and ' if move == str(played) else ''}gives away {lost}."
        yours = named(drawing.describe_move(state, other), timeline.names)
        answer = f"{best} {f'It gains {lost} by {by}' if by else f'Yours: {yours}'}."
    return Verdict(is_right, words, answer, Better(better.notation, better.words, drawn))


def _margin(analysis: Analysis, scores: Sequence[float]) -> float:
    """Return the loss up to which a move is right: that of an inaccuracy."""
    return INACCURACY * (1.0 if analysis.unit == "chance" else whole_of(scores[0]))


def margin_of(analysis: Analysis, scores: Sequence[float]) -> str:
    """Return that loss in words."""
    return _amount(analysis, _margin(analysis, scores))


def _amount(analysis: Analysis, loss: float) -> str:
    if analysis.unit == "points":
        return f"{figure(round(loss, 1))} points"
    points = figure(round(100 * loss, 1))
    return f"{points} percentage point{'' if points == '1' else 's'} of winning chance"


def check_analyses(request: Request) -> None:
    """Raise NotFoundError where visitors can't have matches analysed."""
    if not request.app.state.settings.has_analyses:
        raise NotFoundError("Matches are not analysed on this server; use 'arena analyse'.")


def _find_mark(request: Request, shared: SharedReplay, at: int) -> tuple[Analysis, Mark, Better]:
    """Return the analysis of the match with one of its marks. Raises HTTPException."""
    check_analyses(request)
    if at >= shared.decisions:
        raise NotFoundError(f"This match has {shared.decisions} decisions, so there is no decision {at + 1}.")
    answer = analyses_of(request).find(shared.key)
    if not isinstance(answer, MatchAnswer):
        raise HTTPException(409, "This match has not been analysed here yet; reload the page.")
    for mark in answer.analysis.marks:
        if mark.index == at and mark.better is not None:
            return answer.analysis, mark, mark.better
    raise NotFoundError(f"No better move was found at decision {at + 1}.")


def _loss(request: Request, shared: SharedReplay, job: MoveJob) -> float | None:
    """Return how much the move of a job loses, or None while it is compared. Raises HTTPException."""
    analyses, who, key = analyses_of(request), address_of(request), ("move", shared.key, job.at, job.move)
    answer = analyses.find(key)
    if isinstance(answer, MoveAnswer):
        return answer.loss
    if isinstance(answer, Failure):
        raise HTTPException(422, answer.sentence)
    if not analyses.is_asked(key):
        if analyses.is_full(who):
            raise HTTPException(503, BUSY, {"retry-after": "60"})
        rate_limits(request).count(_MOVES, "move", who, "Too many moves from your address; try again later.")
        if not analyses.ask(key, job, who):
            raise HTTPException(503, BUSY, {"retry-after": "60"})
    return None
