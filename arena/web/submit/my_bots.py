"""What signed-in authors may see about their own bots, in the API and on pages.

``author`` is always the id of the owner of a token (`RateLimits.author`). Other authors' data raise the same `NotFoundError` as data that
do not exist. A page with these data is for one reader: send it with ``cache-control: private, no-store``, and don't cache it. Details of
faults may contain names of the host's folders: show them ``without_folders``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Annotated, Final
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from arena.analysis.fault_groups import group_faults
from arena.formats.ladder import MOST_IDLE
from arena.formats.orders import Orders
from arena.report.orders_table import order_about
from arena.run.orders import OrderError, Reason, leave, planned_end
from arena.spec.spec import SpecError
from arena.spec.tables import LadderPlan
from arena.web.errors import NotFoundError, UnusableError
from arena.web.pages.bots import Result, result_of
from arena.web.protection.limits import from_here
from arena.web.queries import Queries, queries_of
from arena.web.rendering.templates import render
from arena.web.settings import site_url
from arena.web.submit.queue import places_in_queue
from arena.web.submit.signing_in import NO_STORE, ask_to_sign_in, signed_in
from bots.loader.version import split_reference
from engine.text import counted
from leaderboard.records import Order, OrderKind, StoredMatch
from leaderboard.storage.matches import DatedMatch, LedgerEntry, faults, read_log, with_tracebacks
from leaderboard.storage.people import names_of
from leaderboard.storage.store import StoredTournament
from leaderboard.storage.submissions import Submission, find_replay, find_sent, submissions

router = APIRouter(prefix="/my", include_in_schema=False, default_response_class=HTMLResponse)
FAULTS: Final = 500
"""How many of a bot's newest faults are grouped on its author's page."""
_NO_SEAT: Final = "No match with that id has one of your bots in that seat."
MATCHES: Final = 12


def my_submission(request: Request, author: str, submission: str) -> Submission:
    """Return the author's submission of that id. Raises NotFoundError."""
    known = find_sent(queries_of(request).store, submission)
    if known is None or known.author != author:
        raise NotFoundError("You have not submitted such a bot to this server, or it was refused and its report has been deleted.")
    return known


def my_check_replay(request: Request, author: str, submission: str, players: int, seat: int) -> str:
    """Return the replay of a match in which the author's bot failed during its check. Raises NotFoundError."""
    text = find_replay(queries_of(request).store, my_submission(request, author, submission), players, seat)
    if text is None:
        raise NotFoundError("No replay of that match is kept.")
    return text


def my_submissions(queries: Queries, author: str) -> list[tuple[Submission, int | None]]:
    """Return the author's submissions, newest first, each with its place (from 1) in the queue of checks, or None if it is not waiting."""
    places = places_in_queue(queries.store)
    return [(each, places.get(each.id)) for each in reversed(submissions(queries.store, author))]


def my_entries(queries: Queries, author: str) -> list[tuple[Result, str]]:
    """Return the author's bots in all tournaments, newest first, each with its version's label (empty if it was not submitted)."""
    return [
        (result_of(queries, tournament, entrant.name, entrant.digest), own[entrant.name])
        for tournament in map(queries.tournament, reversed(queries.tournament_names()))
        if (own := own_bots(queries, tournament, author))
        for entrant in tournament.entrants
        if entrant.name in own
    ]


def own_bots(queries: Queries, tournament: StoredTournament, author: str) -> dict[str, str]:
    """Return the names of the author's bots in a tournament, each with its version's label (empty if it was not submitted).

    A submitted version belongs to its submitter, any other bot to the author named in the tournament file.
    """
    return {bot: label for bot, (owner, label) in _owners(queries, tournament).items() if owner == author}


def _owners(queries: Queries, tournament: StoredTournament) -> dict[str, tuple[str, str]]:

    def make() -> dict[str, tuple[str, str]]:
        digests = {entrant.name: entrant.digest for entrant in tournament.entrants}
        owners = {}
        for bot in queries.spec(tournament).bots:
            name = split_reference(bot.source)[0].partition("@")[0]
            submission = queries.submissions(name).get(digests.get(bot.name, ""))
            owner, label = (bot.author, "") if submission is None else (submission.author, submission.label)
            if owner:
                owners[bot.name] = owner, label
        return owners

    try:
        return queries.keep_unplayed(tournament, "owners", make)
    except SpecError:  # its game is not installed
        return {}


def with_own_words(queries: Queries, tournament: StoredTournament, match: StoredMatch, author: str) -> StoredMatch:
    """Return a match as visitors see it, plus the details of the faults of the author's bots."""
    own = own_bots(queries, tournament, author)
    if not any(seat.fault for seat in match.seats if seat.bot in own):
        return match
    [whole] = queries.look_up_whole((match.id,))
    return replace(match, seats=tuple(full if full.bot in own else seat for seat, full in zip(match.seats, whole.match.seats, strict=True)))


def my_matches(queries: Queries, author: str, tournament: StoredTournament, limit: int) -> list[tuple[str, DatedMatch]]:
    """Return the newest matches of the author's bots in a tournament, newest first, as pairs of a bot's name and its match."""
    bots = own_bots(queries, tournament, author)
    newest = {match.id: each for each in bots for match in queries.store.recent_matches(tournament, bot=each, limit=limit)}
    found = sorted(queries.look_up(tuple(newest)), key=lambda each: (-each.finished.timestamp(), each.match.id))
    matches = []
    for listed in found[:limit]:
        bot, match = newest[listed.match.id], with_own_words(queries, tournament, listed.match, author)
        matches.append((bot, DatedMatch(match, listed.finished)))
    return matches


def my_faults(queries: Queries, author: str, tournament: StoredTournament) -> tuple[LedgerEntry, ...]:
    """Return the newest faults of the author's bots in a tournament, newest first, with their tracebacks."""
    own = own_bots(queries, tournament, author)
    entries = [each for name in own for each in faults(queries.store, tournament, name, newest=FAULTS)]
    if len(own) > 1:
        finished = {each.match.id: each.finished for each in queries.look_up_whole(tuple(each.match for each in entries))}
        entries.sort(key=lambda each: finished[each.match], reverse=True)
    return with_tracebacks(queries.store, entries[:FAULTS])


def find_seat(queries: Queries, author: str, match: str, seat: int) -> tuple[StoredTournament, StoredMatch]:
    """Return the tournament and the match in which the author's bot had that seat; ``match`` is the match's id or the beginning of it.

    Raises NotFoundError, the same for another author's seat as for a seat that does not exist.
    """
    with suppress(NotFoundError):
        public = queries.match(match).match
        tournament = queries.tournament(public.tournament)
        if seat in range(len(public.seats)) and public.seats[seat].bot in own_bots(queries, tournament, author):
            return tournament, with_own_words(queries, tournament, public, author)
    raise NotFoundError(_NO_SEAT)


def entered_ladder(queries: Queries, submission: Submission) -> StoredTournament | None:
    """Return the ladder that the submitted version has entered, or None if there is none, or if pages don't show it or its results yet."""
    with suppress(NotFoundError):
        if submission.entrant:
            ladder = queries.tournament(submission.ladder)
            queries.entrant(ladder, submission.entrant)
            return ladder
    return None


@dataclass(frozen=True, slots=True)
class NextRound:
    """When a ladder bot plays next. ``round`` counts from 1; it is None if the bot won't play again, and ``notes`` has the reason.

    ``is_running`` is whether a run is in progress; otherwise nothing is played.
    """

    ladder: str
    bot: str
    round: int | None
    is_running: bool
    notes: tuple[str, ...]


def find_next_round(queries: Queries, tournament: StoredTournament, bot: str) -> NextRound | None:
    """Return when a bot plays next, or None if the tournament is not a ladder or its game is not installed."""
    with suppress(SpecError):
        plan = queries.spec(tournament).schedule
        if isinstance(plan, LadderPlan):
            return _next_round(queries, tournament, plan, bot)
    return None


def _next_round(queries: Queries, tournament: StoredTournament, plan: LadderPlan, bot: str) -> NextRound:
    orders, begun = Orders(tournament.orders), queries.status(tournament).round
    first = begun - 1 if queries.entrant(tournament, bot).joined == begun - 1 else begun  # it may have joined the round in progress
    notes = [each for each in (order_about(tournament, bot), planned_end(tournament)) if each]
    number = next((each for each in range(first, first + MOST_IDLE) if orders.plays(bot, each)), first)
    if plan.rounds is not None and number >= plan.rounds:
        notes.append(f"the ladder has {counted(plan.rounds, 'round')}, and all have begun; its host may add more")
    is_leaving = any(each.kind == OrderKind.LEAVE and each.bot == bot and each.after <= begun for each in tournament.orders)
    is_over = is_leaving or orders.is_over(number) or (plan.rounds is not None and number >= plan.rounds)
    return NextRound(
        ladder=tournament.name,
        bot=bot,
        round=None if is_over else number + 1,
        is_running=queries.state(tournament).is_running,
        notes=tuple(notes),
    )


def withdraw(request: Request, author: str, ladder: str, bot: str) -> Order:
    """Withdraw one of the author's bots from a ladder, with the order that the ladder's host would give to do so.

    Raises NotFoundError, and UnusableError if the tournament is not a ladder, is over, or would have too few bots left.
    """
    queries = queries_of(request)
    tournament = queries.tournament(ladder)
    if bot not in own_bots(queries, tournament, author):
        raise NotFoundError("You have no bot of that name in this ladder.")
    try:
        given = leave(request.app.state.checks.join(), tournament, bot, Reason("withdrawn", "its author"))
    except OrderError as error:
        raise UnusableError("bot", str(error), 409) from None
    queries.reread(ladder)
    return given.order


@router.get("")
def my_bots(request: Request, tournament: Annotated[str | None, Query(alias="in", max_length=80)] = None) -> HTMLResponse:
    """Show all bots of the author who is signed in, and one of their tournaments (the newest, unless one is named)."""
    author = signed_in(request)
    if author is None:
        return ask_to_sign_in(request, "my", status=200)
    queries = queries_of(request)
    entries = my_entries(queries, author)
    names = list(dict.fromkeys(each.tournament.name for each, _ in entries))
    chosen = tournament if tournament in names else names[0] if names else None
    return render(
        request,
        "my_bots.html",
        headers=NO_STORE,
        author=names_of(queries.store)[author],
        submissions=my_submissions(queries, author),
        tournaments=names,
        part=None if chosen is None else _part(queries, author, queries.tournament(chosen), entries),
    )


def _part(queries: Queries, author: str, tournament: StoredTournament, everywhere: Sequence[tuple[Result, str]]) -> dict[str, object]:
    entries = [(each, label) for each, label in everywhere if each.tournament == tournament]
    groups = group_faults(my_faults(queries, author, tournament))
    elsewhere = Counter[str]()
    for each, _ in everywhere:
        if each.tournament != tournament and each.line is not None:
            elsewhere[each.tournament.name] += each.line.faults
    return {
        "tournament": tournament,
        "entries": entries,
        "next_rounds": {each.bot: find_next_round(queries, tournament, each.bot) for each, _ in entries},
        "matches": my_matches(queries, author, tournament, MATCHES),
        "faults": sorted(groups, key=lambda each: -each.count),
        "faults_elsewhere": +elsewhere,
        "failed_in": queries.by_id(match for each in groups for match, _ in each.matches),
    }


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
    queries = queries_of(request)
    tournament, played = find_seat(queries, author, match, seat)
    return render(
        request,
        "my_log.html",
        headers=NO_STORE,
        match=played,
        seat=played.seats[seat],
        kept=read_log(queries.store, played.id, seat),
        has_replay=queries.is_block_over(tournament, played),
    )
