"""What authors who have signed in may see about their own bots, also in the API, and the pages about it.

``author`` is always the id of the owner of a token (`RateLimits.author`). Other authors' data raise the same `NotFoundError` as data that
do not exist. A page with these data is for one reader: send it with ``cache-control: private, no-store``, and keep it in no cache. Details
of faults may name the host's folders: show them ``without_folders``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from math import sqrt
from typing import Annotated, Final
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from arena.analysis.fault_groups import FaultGroup, group_faults
from arena.analysis.standings import Standing
from arena.entries.orders import OrderError, Reason, leave, planned_end
from arena.formats.ladder import MOST_IDLE
from arena.formats.orders import Orders
from arena.report.orders_table import order_about
from arena.spec.spec import SpecError
from arena.spec.tables import LadderPlan
from arena.web.errors import NotFoundError, UnusableError
from arena.web.pages.bots import result_of
from arena.web.protection.limits import from_here
from arena.web.queries import Queries, queries_of
from arena.web.rendering.templates import render
from arena.web.settings import site_url
from arena.web.submit.signing_in import NO_STORE, ask_to_sign_in, signed_in
from arena.web.submit.uploads import places_in_queue, uploads
from bots.loader.params import split_reference
from engine.records import Fault
from engine.text import counted
from leaderboard.records.stored import WAITING, Order, OrderKind, StoredMatch
from leaderboard.statistics.summary import HeadToHead
from leaderboard.storage.matches import DatedMatch, LedgerEntry, RatingChange, faults, read_log, with_tracebacks
from leaderboard.storage.people import names_of
from leaderboard.storage.store import StoredTournament
from leaderboard.storage.submissions import Submission, submissions
from leaderboard.storage.uploads import Upload, uploads_of

router = APIRouter(prefix="/my", include_in_schema=False, default_response_class=HTMLResponse)
FAULTS: Final = 500
"""The number of newest faults of a bot that are grouped."""
_NAMED: Final = 5
"""The number of rivals named for the next round."""
_UPLOADS: Final = 20
_DEVIATIONS: Final = 1.96
"""Standard errors on either side in an interval of 95 %."""
_NO_SEAT: Final = "No bot of yours played in that seat of a match here."
MATCHES: Final = 12


@dataclass(frozen=True, slots=True)
class MyUpload:
    """An upload; ``place`` counts those that are checked next from 1, and is None once its check has begun."""

    id: str
    name: str
    ladder: str
    game: str
    sent: datetime
    state: str
    place: int | None
    reason: str
    label: str
    entrant: str


@dataclass(frozen=True, slots=True)
class MyEntry:
    """A bot in a tournament, under the name ``bot`` there; ``label`` is its version, empty if the host has entered a file.

    ``place`` and ``line`` are None before its first match. ``round`` is the
    one before which it joined, from 1; None while it waits for the next.
    """

    tournament: str
    game: str
    bot: str
    label: str
    version: str
    round: int | None
    place: int | None
    bots: int
    line: Standing | None


@dataclass(frozen=True, slots=True)
class MyBots:
    """The uploads (newest first), versions (by name and number) and tournaments (newest first) of the author of that name."""

    author: str
    uploads: tuple[MyUpload, ...]
    versions: tuple[Submission, ...]
    entries: tuple[MyEntry, ...]


def find_my_bots(queries: Queries, author: str) -> MyBots:
    """Return the author's uploads, versions and entries."""
    places = places_in_queue(queries.store)
    sent = tuple(_upload(each, places.get(each.number)) for each in uploads_of(queries.store, author, _UPLOADS))
    versions = tuple(each for each in submissions(queries.store) if each.author == author)
    entries: list[MyEntry] = []
    for tournament in map(queries.tournament, reversed(queries.tournament_names())):
        own = own_bots(queries, tournament, author)
        for entrant in tournament.entrants:
            if entrant.name in own:
                result = result_of(queries, tournament, entrant.name, entrant.digest)
                joined = None if entrant.joined == WAITING else entrant.joined + 1
                place, line = result.place, result.line
                label = own[entrant.name]
                entry = (tournament.name, tournament.game, entrant.name, label, entrant.digest, joined, place, result.bots, line)
                entries.append(MyEntry(*entry))
    return MyBots(names_of(queries.store)[author], sent, versions, tuple(entries))


def _upload(upload: Upload, place: int | None) -> MyUpload:
    same = {name: getattr(upload, name) for name in ("id", "name", "ladder", "game", "sent", "label", "entrant")}
    reason = upload.reason if upload.is_over else ""  # until then it is the machine's, and for the host
    return MyUpload(**same, state=upload.state.value, place=place, reason=reason)


def own_bots(queries: Queries, tournament: StoredTournament, author: str) -> dict[str, str]:
    """Return the names of the author's bots in a tournament, each with its version's label, which is empty for a file of the host's.

    A submitted version belongs to its submitter, any other bot to the author named in the tournament file.
    """
    return {bot: label for bot, (owner, label) in _owners(queries, tournament).items() if owner == author}


def _owners(queries: Queries, tournament: StoredTournament) -> dict[str, tuple[str, str]]:
    """Return the author and the version's label of each bot that has an author."""

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
    """Return a match as visitors see it, with the details of the faults of the author's bots."""
    own = own_bots(queries, tournament, author)
    if not any(seat.fault for seat in match.seats if seat.bot in own):
        return match
    [whole] = queries.look_up_whole((match.id,))
    return replace(match, seats=tuple(full if full.bot in own else seat for seat, full in zip(match.seats, whole.match.seats, strict=True)))


@dataclass(frozen=True, slots=True)
class MyMatch:
    """A match of the author's ``bot``; ``change`` is None while its rating after it is not known. ``has_replay``: it may be watched."""

    bot: str
    listed: DatedMatch
    change: RatingChange | None
    has_replay: bool


def my_matches(queries: Queries, author: str, tournament: StoredTournament, limit: int) -> tuple[MyMatch, ...]:
    """Return the newest matches of the author's bots in a tournament, newest first."""
    bots = own_bots(queries, tournament, author)
    newest = {match.id: each for each in bots for match in queries.store.recent_matches(tournament, bot=each, limit=limit)}
    found = sorted(queries.look_up(tuple(newest)), key=lambda each: (-each.finished.timestamp(), each.match.id))
    matches = []
    for listed in found[:limit]:
        name = newest[listed.match.id]
        match = with_own_words(queries, tournament, listed.match, author)
        change = queries.changes(tournament, match.id).get(name)
        matches.append(MyMatch(name, DatedMatch(match, listed.finished), change, queries.is_block_over(tournament, match)))
    return tuple(matches)


def my_faults(queries: Queries, author: str, tournament: StoredTournament) -> tuple[LedgerEntry, ...]:
    """Return the newest faults of the author's bots in a tournament, newest first, with their tracebacks."""
    own = own_bots(queries, tournament, author)
    entries = [each for name in own for each in faults(queries.store, tournament, name, newest=FAULTS)]
    if len(own) > 1:
        finished = {each.match.id: each.finished for each in queries.look_up_whole(tuple(each.match for each in entries))}
        entries.sort(key=lambda each: finished[each.match], reverse=True)
    return with_tracebacks(queries.store, entries[:FAULTS])


@dataclass(frozen=True, slots=True)
class MyLog:
    """The stored log of a bot in a match: times in seconds, the end of its output, and, if it failed, traceback and last messages."""

    match: str
    tournament: str
    seat: int
    bot: str
    isolation: str
    score: int | float
    rank: int
    decisions: int
    seconds: float
    cpu_seconds: float
    peak_memory: int | None
    fault: Fault | None
    log: str
    traceback: str
    messages: tuple[str, ...]
    has_replay: bool


def my_log(queries: Queries, author: str, match: str, seat: int) -> MyLog:
    """Return the log of a seat of the author's in a match, by its id or the beginning of its id.

    Raises NotFoundError, the same for a seat of another author as for one that does not exist.
    """
    with suppress(NotFoundError):
        public = queries.match(match).match
        tournament = queries.tournament(public.tournament)
        own = own_bots(queries, tournament, author)
        if seat in range(len(public.seats)) and public.seats[seat].bot in own:
            return _log_of(queries, tournament, with_own_words(queries, tournament, public, author), seat)
    raise NotFoundError(_NO_SEAT)


def _log_of(queries: Queries, tournament: StoredTournament, match: StoredMatch, seat: int) -> MyLog:
    kept = read_log(queries.store, match.id, seat)
    played = match.seats[seat]
    measured = {name: getattr(played, name) for name in ("score", "rank", "decisions", "seconds", "cpu_seconds", "peak_memory", "fault")}
    return MyLog(
        match=match.id,
        tournament=tournament.name,
        seat=seat,
        bot=played.bot,
        isolation=match.isolation,
        **measured,
        log=kept.log,
        traceback=kept.traceback,
        messages=kept.messages,
        has_replay=queries.is_block_over(tournament, match),
    )


@dataclass(frozen=True, slots=True)
class SharedOpponent:
    """An opponent that two bots have met, with the share of matches in which each was above it."""

    opponent: str
    share: float
    other_share: float
    matches: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two bots of a tournament: ``direct`` if they have met, and all opponents that both have met.

    ``difference`` is the mean over these of how much more often ``bot`` was above them than ``other``, weighted by the lower number of
    matches, with its standard ``error``; both are None without such opponents.
    """

    bot: str
    other: str
    direct: HeadToHead | None
    shared: tuple[SharedOpponent, ...]
    difference: float | None
    error: float | None


def compare_versions(queries: Queries, tournament: StoredTournament, bot: str, other: str) -> Comparison:
    """Compare two bots of a tournament. Bots of one author never share a table, so versions meet only through others."""
    contests = queries.stats(tournament).contests
    shared: list[SharedOpponent] = []
    weights, variances = 0, 0.0
    for entrant in tournament.entrants:
        one, two = contests.get((bot, entrant.name)), contests.get((other, entrant.name))
        if one is not None and two is not None:
            weight = min(one.matches, two.matches)
            shared.append(SharedOpponent(entrant.name, one.share, two.share, weight))
            weights += weight
            variances += weight**2 * sum(((each.high - each.low) / (2 * _DEVIATIONS)) ** 2 for each in (one, two))
    difference = sum(each.matches * (each.share - each.other_share) for each in shared) / weights if weights else None
    error = sqrt(variances) / weights if weights else None
    return Comparison(bot, other, contests.get((bot, other)), tuple(shared), difference, error)


@dataclass(frozen=True, slots=True)
class NextRound:
    """When a bot of a ladder plays next: in ``round``, counted from 1; None if it plays no more, and then ``notes`` say why.

    ``rivals`` are those of ``others`` whose ratings are nearest to its own, nearest first: a round is paired when it begins, among bots of
    about the same strength. ``is_running`` says whether a run is in progress, without which nothing is played.
    """

    ladder: str
    bot: str
    round: int | None
    players: int
    others: int
    rivals: tuple[str, ...]
    is_running: bool
    notes: tuple[str, ...]


def find_next_round(queries: Queries, tournament: StoredTournament, bot: str) -> NextRound | None:
    """Return when a bot plays next; None if the tournament is no ladder, or its game is not installed."""
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
    means = {line.bot: line.mu for line in queries.standings(tournament)}
    start, owners = queries.spec(tournament).rating.mu, _owners(queries, tournament)
    author = owners[bot][0] if bot in owners else bot
    others = [
        each.name for each in tournament.entrants if owners.get(each.name, (each.name,))[0] != author and each.name not in orders.gone
    ]
    nearest = sorted(others, key=lambda name: abs(means.get(name, start) - means.get(bot, start)))
    return NextRound(
        ladder=tournament.name,
        bot=bot,
        round=None if is_over else number + 1,
        players=plan.players,
        others=len(others),
        rivals=tuple(nearest[:_NAMED]),
        is_running=queries.state(tournament).is_running,
        notes=tuple(notes),
    )


def withdraw(request: Request, author: str, ladder: str, bot: str) -> Order:
    """Take one of the author's bots out of a ladder, by the order that its host would give.

    Raises NotFoundError, and UnusableError for what is no ladder, is over, or would have too few bots left.
    """
    queries = queries_of(request)
    tournament = queries.tournament(ladder)
    if bot not in own_bots(queries, tournament, author):
        raise NotFoundError("You have no bot of that name in this ladder.")
    try:
        given = leave(uploads(request).join(), tournament, bot, Reason("withdrawn", "its author"))
    except OrderError as error:
        raise UnusableError("bot", str(error), 409) from None
    queries.reread(ladder)
    return given.order


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
