"""The pages about signed-in authors' own bots, including data that only they and the host may read."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Final

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
from arena.web.data.names import format_of
from arena.web.data.queries import queries_of
from arena.web.errors import NotFoundError, RefusedError
from arena.web.pages.signing_in import ask_to_sign_in
from arena.web.pages.submissions import show_replay
from arena.web.prefix import site_url
from arena.web.protection.rate_limits import from_here
from arena.web.protection.sessions import NO_STORE, is_host, signed_in
from arena.web.rendering.templates import query, render
from arena.web.submit.challenges import ChallengeResult, challengers, read_challenge, rivals
from arena.web.submit.uploads import uploads
from leaderboard.records.stored import StoredMatch
from leaderboard.storage.store import StoredTournament
from leaderboard.storage.submissions import allow_challenges
from leaderboard.storage.uploads import StoredUpload

router = APIRouter(prefix="/my", include_in_schema=False, default_response_class=HTMLResponse)
MATCHES: Final = 12


@router.get("")
def my_bots(request: Request, tournament: Annotated[str | None, Query(alias="in", max_length=80)] = None) -> HTMLResponse:
    """Show all bots of the author who is signed in, and one of their tournaments, the newest unless another is named."""
    author = signed_in(request)
    return ask_to_sign_in(request, "my", status=200) if author is None else _page(request, author, tournament)


def _page(request: Request, author: str, tournament: str | None, *, problem: str = "", status: int = 200) -> HTMLResponse:
    queries = queries_of(request)
    mine = find_my_bots(queries, author)
    names = list(dict.fromkeys(each.tournament for each in mine.entries))
    chosen = tournament if tournament in names else names[0] if names else None
    part = None if chosen is None else _part(request, author, queries.tournament(chosen), mine)
    values = {"mine": mine, "tournaments": names, "part": part, "problem": problem, "is_host": is_host(request)}
    return render(request, "my_bots.html", status=status, headers=NO_STORE, **values)


@dataclass(frozen=True, slots=True)
class Part:
    """The part of the page about one tournament; ``next_rounds`` is by bot, ``failed_in`` by the matches' ids."""

    tournament: StoredTournament
    entries: tuple[MyEntry, ...]
    next_rounds: dict[str, NextRound | None]
    comparisons: tuple[Comparison, ...]
    matches: tuple[MyMatch, ...]
    faults: tuple[FaultGroup, ...]
    failed_in: dict[str, StoredMatch]
    challengers: tuple[str, ...]
    rivals: tuple[str, ...]
    challenges: tuple[tuple[StoredUpload, ChallengeResult | None], ...]


def _part(request: Request, author: str, tournament: StoredTournament, mine: MyBots) -> Part:
    queries = queries_of(request)
    entries = tuple(each for each in mine.entries if each.tournament == tournament.name)
    groups = group_faults(my_faults(queries, author, tournament))
    return Part(
        tournament,
        entries,
        {each.bot: find_next_round(queries, tournament, each.bot) for each in entries},
        tuple(compare_versions(queries, tournament, new.bot, old.bot) for old, new in pairwise(entries) if _is_next(old, new)),
        my_matches(queries, author, tournament, limit=MATCHES),
        groups,
        queries.by_id(match for each in groups for match, _ in each.matches),
        *_challenges(request, author, tournament),
    )


def _challenges(
    request: Request, author: str, tournament: StoredTournament
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[tuple[StoredUpload, ChallengeResult | None], ...]]:
    """Return the author's bots that may challenge others, those others, and the challenges with their results."""
    queries = queries_of(request)
    if not request.app.state.settings.challenges or format_of(tournament) != "ladder":
        return (), (), ()
    known = uploads(request).challenges(author, tournament.name)
    return (
        challengers(queries, tournament, author),
        rivals(queries, tournament, author),
        tuple((each, read_challenge(each)) for each in known),
    )


def _is_next(old: MyEntry, new: MyEntry) -> bool:
    """Whether two entries that follow each other are versions of one bot."""
    return bool(new.label) and new.label.partition("@")[0] == old.label.partition("@")[0]


@router.post("/challenge", dependencies=[Depends(from_here)])
def challenge(
    request: Request,
    ladder: Annotated[str, Form(max_length=200)] = "",
    bot: Annotated[str, Form(max_length=200)] = "",
    rival: Annotated[str, Form(max_length=200)] = "",
) -> Response:
    """Queue a challenge of one of the author's bots to another bot of its ladder."""
    author = signed_in(request)
    if author is None:
        return ask_to_sign_in(request, "my")
    try:
        uploads(request).admission.take_challenge(queries_of(request), author, ladder, bot, rival)
    except RefusedError as error:
        return _page(request, author, ladder, problem=f"{error}.", status=error.status)
    return RedirectResponse(site_url(request, f"/my{query({'in': ladder})}#challenges"), 303)


@router.post("/challenges", dependencies=[Depends(from_here)])
def allow(request: Request, allowed: Annotated[str, Form(max_length=5)] = "") -> Response:
    """Set whether other authors may challenge the author's bots."""
    author = signed_in(request)
    if author is None:
        return ask_to_sign_in(request, "my")
    allow_challenges(uploads(request).join(), author, is_allowed=bool(allowed))
    return RedirectResponse(site_url(request, "/my#challenges"), 303)


@router.get("/challenge/{challenge}/{number}")
def challenge_replay(request: Request, challenge: str, number: int) -> HTMLResponse:
    """Show a match of a challenge of the author's in the viewer."""
    author = signed_in(request)
    if author is None:
        return ask_to_sign_in(request, f"my/challenge/{challenge}/{number}")
    known = uploads(request).find(challenge, is_challenge=True)
    if known is None or known.author != author:
        raise NotFoundError("You have no such challenge here, or it has been deleted.")
    title = f"{known.name} against {known.against}, match {number}"
    return show_replay(request, known, number, 0, title=title, back=f"/my{query({'in': known.ladder})}")


@router.get("/log/{match}/{seat}")
def log(request: Request, match: str, seat: int) -> HTMLResponse:
    """Show the stored log of one of the author's bots in a match: its output, its traceback, its times."""
    author = signed_in(request)
    if author is None:
        return ask_to_sign_in(request, f"my/log/{match}/{seat}")
    kept = my_log(queries_of(request), author, match, seat)
    return render(request, "my_log.html", headers=NO_STORE, kept=kept)
