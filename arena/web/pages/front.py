"""The home page (the best bots of each game, a featured match, the newest tournaments), the list of all tournaments, and the search."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from arena.entries.game_choice import GameChoice, game_choices
from arena.formats.base import Place
from arena.run.results import Standing, chance_of_first
from arena.season.entry import readable
from arena.spec.spec import SpecError
from arena.web.pages.rounds import find_course, is_course_known, places, ranking
from arena.web.queries import Queries, State, queries_of
from arena.web.rendering.templates import PreparedPage, answer, format_words, game_title, prepare, show
from arena.web.settings import site_url
from engine.text import likelihood
from leaderboard.storage.matches import DatedMatch, MatchFilter
from leaderboard.storage.store import StoredTournament

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
_NAMED: Final = 3
"""The most bots that a sentence names if several share a place."""
_NEARLY_CERTAIN: Final = 0.95
"""With at least this chance of being the strongest, a leader's possible ranks are left out."""
_FEW: Final = {2: "two", 3: "three"}
"""A leader is said to be among the best few if its worst possible rank is one of these."""
PAGE: Final = 50
"""The number of tournaments on one page of the list."""
CARDS: Final = 6
"""The number of tournaments on the home page."""
_LOOKED_AT: Final = 30
"""The number of newest tournaments that are searched for the best result in each game."""
_WAIT_SECONDS: Final = 0.03
"""How many seconds to wait for the places of a card's tournament."""
_NEWEST_MATCHES: Final = 100
"""The number of newest matches from which the featured one is chosen."""
MOST_RESULTS: Final = 30
"""A search lists at most this many tournaments and this many bots; its page also shows how many more were found."""
LEAST_ID: Final = 4
"""The fewest characters of a match's id that a search accepts."""
_MOST_MATCHES: Final = 10
_LONGEST_ID: Final = 64


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a sentence: the name of a bot, or words between names."""

    text: str
    is_bot: bool = False


def lead_sentence(queries: Queries, tournament: StoredTournament) -> str:
    """Return who leads or has won, and how certain that is, as plain text."""
    return "".join(part.text for part in lead(queries, tournament))


def lead(queries: Queries, tournament: StoredTournament) -> tuple[Part, ...]:
    """Return ``lead_sentence`` in parts, so that a page can link the names of bots."""
    state = queries.state(tournament)
    number = len(tournament.entrants)
    if not state.played:
        return (Part(f"Nothing has been played yet; {'1 bot has' if number == 1 else f'{number} bots have'} entered."),)
    has_places = places(queries, tournament) is not None
    lines = queries.standings_if_known(tournament)
    best = [each.bot for each in ranking(queries, tournament, lines) if each.place == 1]
    if not best:
        return (Part(f"{_progress(state)} played."),)
    if number == 1:
        return Part(best[0], is_bot=True), Part(f" is the only bot: {_progress(state)} played.")
    if not has_places and is_open(lines):
        return _open(best, lines, state)
    if has_places and len(best) > 1 and not state.is_complete and queries.spec(tournament).schedule.format == "knockout":
        return (*_names(best), Part(f" are still in after {_progress(state)}."))
    course = find_course(queries, tournament)
    conclusion = f" {course.conclusion}" if course and course.conclusion else _by_rating(lines, best) if has_places else ""
    certain = certainty(lines, is_complete=state.is_complete) if not has_places and len(best) == 1 else ""
    return (*_names(best), Part(f"{_verb(len(best), state)}{certain}.{conclusion}"))


def _by_rating(lines: Sequence[Standing], best: Sequence[str]) -> str:
    """Return a sentence about the strongest bot according to the ratings, for formats in which other rules decide the places."""
    who = "it" if best == [lines[0].bot] else lines[0].bot
    chance = likelihood(chance_of_first(lines, lines[0].bot))
    how = "certainly the strongest" if lines[0].worst_rank == 1 else f"the strongest with {chance} probability"
    return f" By rating, {who} is {how}."


def is_open(lines: Sequence[Standing]) -> bool:
    """Whether the best bot is still unknown: more than half of the others may be better than the first bot in ``lines`` (best first)."""
    return bool(lines) and 2 * (lines[0].worst_rank - 1) > len(lines) - 1


def _open(best: Sequence[str], lines: Sequence[Standing], state: State) -> tuple[Part, ...]:
    near, others = lines[0].worst_rank - 1, len(lines) - 1
    whose = (
        "the other bot's" if others == 1 else "those of all other bots" if near == others else f"those of {near} of the {others} other bots"
    )
    overlap = f"its interval overlaps {whose}" if len(best) == 1 else "their intervals overlap those of other bots"
    begin = Part(f"Too {'close' if state.is_complete else 'early'} to tell: ")
    return begin, *_names(best), Part(f"{_verb(len(best), state)}, but {overlap} too much.")


def possible_ranks(line: Standing | None, place: Place | None = None) -> str:
    """Return a bot's possible ranks, such as 2 or 2-4, from its ``place`` in a final, else from ``line``; empty if both are None."""
    if place is not None and place.last is not None:
        best, worst = place.place, place.last
    elif line is not None:
        best, worst = line.best_rank, line.worst_rank
    else:
        return ""
    return str(best) if best == worst else f"{best}\N{EN DASH}{worst}"


def _names(bots: Sequence[str]) -> tuple[Part, ...]:
    shown = [Part(bot, is_bot=True) for bot in (bots if len(bots) <= _NAMED else bots[: _NAMED - 1])]
    others = len(bots) - len(shown)
    if others:
        shown.append(Part(f"{others} others"))
    parts: list[Part] = []
    for number, each in enumerate(shown):
        parts += [Part("" if number == 0 else " and " if number == len(shown) - 1 else ", "), each]
    return tuple(part for part in parts if part.text)


def _verb(number: int, state: State) -> str:
    if state.is_complete:
        return " won" if number == 1 else " share first place"
    return f" {'leads' if number == 1 else 'share the lead'} after {_progress(state)}"


def _progress(state: State) -> str:
    if state.total is None or state.is_complete:
        return f"{state.played:,} match{'' if state.played == 1 else 'es'}"
    return f"{state.played:,} of {state.total:,} matches"


def certainty(lines: Sequence[Standing], *, is_complete: bool) -> str:
    """Return the clause after "won" or "leads", from ``lines`` (best first): how likely the first bot, or another, is the strongest."""
    worst, likely = lines[0].worst_rank, max(lines, key=lambda line: line.mu)
    if worst == 1:
        return f", certainly {'the strongest' if is_complete else 'first'}"
    chance, other = chance_of_first(lines, lines[0].bot), chance_of_first(lines, likely.bot)
    if other > chance:
        return f"; {likely.bot}, whose interval is wider, is the strongest with {likelihood(other)} probability"
    among = f", and certainly among the best {_FEW[worst]}" if worst in _FEW and chance < _NEARLY_CERTAIN else ""
    return f"; it is the strongest with {likelihood(chance)} probability{among}"


@dataclass(frozen=True, slots=True)
class Card:
    """The summary of a tournament. ``lead`` is the sentence about who leads; ``format`` is empty if the game is not installed."""

    tournament: StoredTournament
    title: str
    format: str
    state: State
    lead: tuple[Part, ...] = ()

    @property
    def leaders(self) -> tuple[str, ...]:
        """The bots in first place, as named at the beginning of ``lead``; empty if ``lead`` doesn't begin with a bot."""
        return tuple(part.text for part in self.lead if part.is_bot) if self.lead and self.lead[0].is_bot else ()

    @property
    def is_settled(self) -> bool:
        """Whether the tournament is over or has a clear leader."""
        return self.state.is_complete or bool(self.leaders)


@dataclass(frozen=True, slots=True)
class Front:
    """The data of the home page.

    - ``best``: for each game, the tournament with the most matches; settled tournaments have priority
    - ``cards``: the newest tournaments; ``number``: how many tournaments there are in all
    - ``featured``: a match between the best bots, with its tournament
    """

    games: tuple[GameChoice, ...]
    number: int
    best: tuple[Card, ...]
    cards: tuple[Card, ...]
    featured: tuple[StoredTournament, DatedMatch] | None


def front(queries: Queries) -> Front:
    """Return the current data of the home page. Raises StoreError."""
    names = queries.tournament_names()
    newest = [card(queries, queries.tournament(name)) for name in reversed(names[-_LOOKED_AT:])]
    best: dict[str, Card] = {}
    for each in sorted(newest, key=lambda card: (card.is_settled, card.state.played), reverse=True):
        if each.state.played and each.format:
            best.setdefault(each.tournament.game, each)
    games = tuple(each for each in game_choices() if not each.problem and not each.is_family)
    featured = _featured(queries, [each.tournament for each in best.values()][:1])
    return Front(games, len(names), tuple(best.values()), tuple(newest[:CARDS]), featured)


def card(queries: Queries, tournament: StoredTournament) -> Card:
    """Return the summary of a tournament. If its places take long to compute, ``lead`` is empty until they are known."""
    state = queries.state(tournament)
    try:
        queries.spec(tournament)  # raises an error if the game is not installed
    except SpecError:
        return Card(tournament, tournament.game, "", state)
    is_known = is_course_known(queries, tournament, _WAIT_SECONDS)
    return Card(tournament, game_title(tournament.game), format_words(tournament), state, lead(queries, tournament) if is_known else ())


def latest_of(
    queries: Queries, tournaments: Sequence[StoredTournament], most: int, bot: str | None = None
) -> list[tuple[StoredTournament, DatedMatch]]:
    """Return the ``most`` newest matches of these tournaments (or of one bot in them), newest first, each with its tournament."""
    wanted = MatchFilter(bot=bot)
    newest = [(each, listed) for each in tournaments for listed in queries.matches(each, wanted).matches[:most]]
    return sorted(newest, key=lambda each: each[1].finished, reverse=True)[:most]


def _featured(queries: Queries, newest: Sequence[StoredTournament]) -> tuple[StoredTournament, DatedMatch] | None:
    """Return the newest of the visible matches without faults that have the fewest bots not among the best, or None if there are none."""
    best = [standing.bot for each in newest for standing in queries.standings(each)]

    def others(shown: tuple[StoredTournament, DatedMatch]) -> int:
        seats = shown[1].match.seats
        return sum(seat.bot not in best[: len(seats)] for seat in seats)

    clean = [each for each in latest_of(queries, newest, _NEWEST_MATCHES) if not any(seat.fault for seat in each[1].match.seats)]
    seen = [(tournament, listed) for tournament, listed in clean if queries.is_block_over(tournament, listed.match)]
    return min(seen, key=others, default=None)


@router.get("/")
def home(request: Request) -> Response:
    """Show the home page: the best bots of each game, a featured match, and the newest tournaments."""
    return answer(request, queries_of(request).keep("home page", lambda: _home(request)))


def _home(request: Request) -> PreparedPage:
    shown, settings = front(queries_of(request)), request.app.state.settings
    plays = shown.featured is not None and settings.has_replays and not settings.is_static  # a static page can't fetch the document
    return prepare(
        request,
        "home.html",
        front=shown,
        seasons=list(readable(queries_of(request).seasons())),
        plays=plays,
    )


@router.get("/tournaments")
def tournaments(request: Request, page: Annotated[int, Query(ge=1, le=100_000)] = 1) -> Response:
    """List all tournaments, newest first, with their leaders."""
    queries = queries_of(request)
    names = queries.tournament_names()[::-1]
    cards = [card(queries, queries.tournament(name)) for name in names[(page - 1) * PAGE : page * PAGE]]
    more = page + 1 if len(names) > page * PAGE else None
    return show(request, "tournaments.html", cards=cards, page=page, more=more, number=len(names))


@router.get("/search")
def find(request: Request, q: Annotated[str, Query(max_length=200)] = "") -> Response:
    """Show the games, tournaments, bots and matches found by a search. If the only result is a match, redirect to its page."""
    queries, wanted = queries_of(request), q.strip().casefold()
    games = {each.name: each.title for each in game_choices() if wanted and wanted in each.title.casefold() and not each.is_family}
    every = queries.tournament_names()[::-1]
    of_games = [name for name in every[:PAGE] if games and queries.tournament(name).game in games]
    names = list(dict.fromkeys(_fitting(every, wanted) + of_games))
    bots = _fitting(queries.bots(), wanted)
    is_id = wanted.isascii() and wanted.isalnum() and LEAST_ID <= len(wanted) <= _LONGEST_ID
    matches = queries.look_up(queries.store.find_ids(wanted, _MOST_MATCHES)) if is_id else ()
    if len(matches) == 1 and not names and not bots:
        return RedirectResponse(site_url(request, f"/m/{matches[0].match.id}"), 303)
    cards = [card(queries, queries.tournament(name)) for name in names[:MOST_RESULTS]]
    entered = {bot: queries.tournaments_of(bot) for bot in bots[:MOST_RESULTS]}
    found = {"games": games, "tournaments": names, "cards": cards, "bots": bots, "entered": entered, "matches": matches}
    return show(request, "search.html", q=q.strip()[:80], most=MOST_RESULTS, **found)


def _fitting(names: Iterable[str], wanted: str) -> list[str]:
    """Return the names that contain the text; those that begin with it come first, then shorter ones. An empty text finds nothing."""
    ranked = [(not name.casefold().startswith(wanted), len(name), name) for name in names if wanted and wanted in name.casefold()]
    return [name for *_, name in sorted(ranked, key=lambda each: each[:2])]  # ties stay in the given order
