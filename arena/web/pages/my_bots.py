"""The pages about signed-in authors' own bots, including data that only they and the host may read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Final
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from arena.analysis.fault_groups import FaultGroup, group_faults
from arena.web.data.my_bots import (
    Comparison,
    MyBots,
    MyEntry,
    MyMatch,
    NextRound,
    compare_versions,
    find_my_bots,
    find_next_round,
    my_faults,
    my_log,
    my_matches,
)
from arena.web.data.queries import queries_of
from arena.web.pages.signing_in import ask_to_sign_in
from arena.web.prefix import site_url
from arena.web.protection.rate_limits import from_here
from arena.web.protection.sessions import NO_STORE, signed_in
from arena.web.rendering.templates import render
from arena.web.submit.uploads import withdraw
from leaderboard.records.stored import StoredMatch
from leaderboard.storage.store import StoredTournament

router = APIRouter(prefix="/my", include_in_schema=False, default_response_class=HTMLResponse)
MATCHES: Final = 12


@router.get("")
def my_bots(request: Request, tournament: Annotated[str | None, Query(alias="in", max_length=80)] = None) -> HTMLResponse:
    """Show all bots of the author who is signed in, and one of their tournaments, the newest unless another is named."""
    author = signed_in(request)
    if author is None:
        return ask_to_sign_in(request, "my", status=200)
    queries = queries_of(request)
    mine = find_my_bots(queries, author)
    names = list(dict.fromkeys(each.tournament for each in mine.entries))
    chosen = tournament if tournament in names else names[0] if names else None
    part = None if chosen is None else _part(request, author, queries.tournament(chosen), mine)
    return render(request, "my_bots.html", headers=NO_STORE, mine=mine, tournaments=names, part=part)


@dataclass(frozen=True, slots=True)
class Part:
    """The part of the page about one tournament; ``next_rounds`` is by bot, ``faults_elsewhere`` by tournament, ``failed_in`` by match."""

    tournament: StoredTournament
    entries: tuple[MyEntry, ...]
    next_rounds: dict[str, NextRound | None]
    comparisons: tuple[Comparison, ...]
    matches: tuple[MyMatch, ...]
    faults: tuple[FaultGroup, ...]
    faults_elsewhere: Mapping[str, int]
    failed_in: dict[str, StoredMatch]


def _part(request: Request, author: str, tournament: StoredTournament, mine: MyBots) -> Part:
    queries = queries_of(request)
    entries = tuple(each for each in mine.entries if each.tournament == tournament.name)
    groups = group_faults(my_faults(queries, author, tournament))
    elsewhere = Counter[str]()
    for each in mine.entries:
        if each.tournament != tournament.name and each.line is not None:
            elsewhere[each.tournament] += each.line.faults
    return Part(
        tournament,
        entries,
        {each.bot: find_next_round(queries, tournament, each.bot) for each in entries},
        tuple(compare_versions(queries, tournament, new.bot, old.bot) for old, new in pairwise(entries) if _is_next(old, new)),
        my_matches(queries, author, tournament, MATCHES),
        tuple(sorted(groups, key=lambda each: -each.count)),
        +elsewhere,
        queries.by_id(match for each in groups for match, _ in each.matches),
    )


def _is_next(old: MyEntry, new: MyEntry) -> bool:
    """Whether two entries that follow each other are versions of one bot."""
    return bool(new.label) and new.label.partition("@")[0] == old.label.partition("@")[0]


@router.post("/leave", dependencies=[Depends(from_here)])
def withdraw_bot(
    request: Request, ladder: Annotated[str, Form(max_length=200)] = "", bot: Annotated[str, Form(max_length=200)] = ""
) -> Response:
    """Take one of the author's bots out of a ladder."""
    author = signed_in(request)
    if author is None:
        return ask_to_sign_in(request, "my")
    withdraw(request, author, ladder, bot)
    return RedirectResponse(site_url(request, f"/my?{urlencode({'in': ladder})}"), 303, NO_STORE)


@router.get("/log/{match}/{seat}")
def log(request: Request, match: str, seat: int) -> HTMLResponse:
    """Show the stored log of one of the author's bots in a match: its output, its traceback, its times."""
    author = signed_in(request)
    if author is None:
        return ask_to_sign_in(request, f"my/log/{match}/{seat}")
    kept = my_log(queries_of(request), author, match, seat)
    return render(request, "my_log.html", headers=NO_STORE, kept=kept)
