"""The JSON API for an author's own bots, with a token in the header ``Authorization: Bearer``. Answers are for its reader alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel

from arena.analysis.fault_groups import FaultGroup, group_faults
from arena.web.api.models import Item, MatchItem, Problem
from arena.web.api.routes import ERRORS, PREFIX, Name, match_item
from arena.web.api.submissions import Author
from arena.web.data.my_bots import (
    FAULTS,
    MATCHES,
    Comparison,
    MyBots,
    MyLog,
    NextRound,
    compare_versions,
    find_my_bots,
    find_next_round,
    my_faults,
    my_log,
    my_matches,
    own_tournament,
)
from arena.web.data.queries import queries_of
from arena.web.errors import NotFoundError
from arena.web.rendering.templates import without_folders
from leaderboard.storage.faults import LedgerEntry
from leaderboard.storage.match_queries import RatingChange

router = APIRouter(prefix=f"{PREFIX}/mine", tags=["your own bots"], responses={**ERRORS, 401: {"model": Problem}})
Tournament = Annotated[str | None, Query(max_length=200, description="the newest that you have a bot in, unless this names one")]
Bot = Annotated[str | None, Query(max_length=40, description="only this bot of yours")]


class MyMatchItem(Item):
    """A match of your ``bot``; ``change`` is that of its rating, null if it is not known; ``has_replay`` says whether it may be watched."""

    bot: str
    change: RatingChange | None
    has_replay: bool
    match: MatchItem


class MyMatches(BaseModel):
    """The newest matches of your bots in a tournament, newest first."""

    tournament: str
    game: str
    matches: list[MyMatchItem]


class MyFaults(BaseModel):
    """The newest faults of your bots in a tournament, newest first, and the same by cause, the most frequent first."""

    tournament: str
    faults: list[LedgerEntry]
    groups: list[FaultGroup]


@router.get("")
def read_mine(request: Request, author: Author) -> MyBots:
    """Your uploads with their places in the queue, your versions, and how each does in its tournaments."""
    return find_my_bots(queries_of(request), author)


@router.get("/matches")
def list_my_matches(
    request: Request, author: Author, tournament: Tournament = None, bot: Bot = None, limit: Annotated[int, Query(ge=1, le=200)] = MATCHES
) -> MyMatches:
    """The newest matches of your bots in a tournament, with the changes of their ratings."""
    queries = queries_of(request)
    stored = own_tournament(queries, author, tournament, bot)
    matches = [
        MyMatchItem.of(each, match=match_item(queries, stored, each.listed)) for each in my_matches(queries, author, stored, bot, limit)
    ]
    return MyMatches(tournament=stored.name, game=stored.game, matches=matches)


@router.get("/faults")
def list_my_faults(
    request: Request, author: Author, tournament: Tournament = None, bot: Bot = None, limit: Annotated[int, Query(ge=1, le=FAULTS)] = FAULTS
) -> MyFaults:
    """The newest faults of your bots in a tournament, with their tracebacks, one by one and by cause."""
    queries = queries_of(request)
    stored = own_tournament(queries, author, tournament, bot)
    faults = [replace(each, detail=without_folders(each.detail)) for each in my_faults(queries, author, stored, bot, limit)]
    return MyFaults(tournament=stored.name, faults=faults, groups=list(group_faults(faults)))


@router.get("/matches/{match}")
def read_my_log(
    request: Request,
    author: Author,
    match: Name,
    seat: Annotated[int | None, Query(ge=0, le=99, description="your only one, if not given")] = None,
) -> MyLog:
    """What your bot printed in a match, its times, and, if it failed, its traceback and the last messages."""
    log = my_log(queries_of(request), author, match, seat)
    return log if log.fault is None else replace(log, fault=replace(log.fault, detail=without_folders(log.fault.detail)))


@router.get("/compare")
def compare_my_versions(
    request: Request,
    author: Author,
    bot: Annotated[str, Query(max_length=40, description="a bot of yours")],
    other: Annotated[str, Query(max_length=40, description="any bot of the tournament")],
    tournament: Tournament = None,
) -> Comparison:
    """Two bots of a tournament, such as versions of yours: by direct matches and by the opponents that both have met."""
    queries = queries_of(request)
    stored = own_tournament(queries, author, tournament, bot)
    queries.entrant(stored, other)
    return compare_versions(queries, stored, bot, other)


@router.get("/next")
def read_next_round(
    request: Request, author: Author, bot: Annotated[str, Query(max_length=40, description="a bot of yours")], tournament: Tournament = None
) -> NextRound:
    """When a bot of yours plays next in a ladder, and against whom, if known."""
    queries = queries_of(request)
    stored = own_tournament(queries, author, tournament, bot)
    if (coming := find_next_round(queries, stored, bot)) is None:
        raise NotFoundError(f"'{stored.name}' is not a ladder.")
    return coming
