"""The pages of bots over all tournaments: the list of all, and a bot's career."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import HTMLResponse

from arena.web.data.bots import bot_rows, career
from arena.web.data.front import Shown, latest_of
from arena.web.data.queries import Queries, queries_of
from arena.web.play.table_form import bots_to_play
from arena.web.rendering.rendering import Sent, answer, prepare, show

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
PAGE: Final = 200
"""Bots on a page of their list."""
MATCHES: Final = 3


@router.get("/bots")
def bots(request: Request, page: Annotated[int, Query(ge=1, le=100_000)] = 1) -> Response:
    """List every bot that took part in anything."""
    queries = queries_of(request)
    return answer(request, queries.keep(("bots page", page), lambda: _bots(request, page)))


def _bots(request: Request, page: int) -> Sent:
    queries = queries_of(request)
    names = list(queries.bots())
    rows = bot_rows(queries, names[(page - 1) * PAGE : page * PAGE])
    more = page + 1 if len(names) > page * PAGE else None
    return prepare(request, "bots.html", rows=rows, page=page, more=more, number=len(names))


@router.get("/bots/{bot}")
def bot_everywhere(request: Request, bot: str) -> Response:
    """Show a bot's versions, and how it did in each tournament."""
    queries = queries_of(request)
    versions = queries.versions(bot)
    career_of = career(queries, bot)
    values = {"versions": versions, "submissions": queries.submissions(bot), "career": career_of, "latest": _latest(queries, bot)}
    can_play = request.app.state.settings.allow_play and bot in bots_to_play(queries.store)
    return show(request, "career.html", bot=bot, can_play=can_play, **values)


def _latest(queries: Queries, bot: str) -> tuple[Shown, ...]:
    tournaments = [queries.tournament(name) for name, _ in reversed(queries.tournaments_of(bot))]
    return latest_of(queries, tournaments[:MATCHES], MATCHES, bot)
