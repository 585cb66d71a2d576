"""What the home page shows of everything in the store: tournaments as cards, runs, upsets, the latest matches, a match to look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from arena.entries.game_choice import GameChoice, game_choices
from arena.spec.spec import SpecError
from arena.web.data.course import is_course_known
from arena.web.data.format_names import format_title, game_title
from arena.web.data.queries import Queries, State
from arena.web.data.summary import Step, lead_sentence, podium
from leaderboard.statistics.upsets import Upset, find_upsets
from leaderboard.storage.match_queries import DatedMatch, MatchFilter
from leaderboard.storage.store import StoredTournament

CARDS: Final = 6
"""Tournaments on the home page; the list has all of them."""
MATCHES: Final = 6
UPSETS: Final = 3
_NEWEST: Final = 3
"""Tournaments in which upsets and the latest matches are looked for, the newest ones that have been played."""
_WAIT_SECONDS: Final = 0.03
"""How long a card waits for the places of its tournament."""
_LOOKED_AT: Final = 12
"""Matches among which the featured one is looked for."""


@dataclass(frozen=True, slots=True)
class Card:
    """A tournament in short. ``leader`` is None, and ``format`` empty, where its game is not installed."""

    tournament: StoredTournament
    title: str
    format: str
    state: State
    sentence: str = ""
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Shown:
    """A match of a tournament to show, with what makes it an upset, if it is one."""

    tournament: StoredTournament
    listed: DatedMatch
    upset: Upset | None = None

    @property
    def title(self) -> str:
        """What people call the game."""
        return game_title(self.tournament.game)


@dataclass(frozen=True, slots=True)
class Front:
    """The home page. ``games`` are those that can be played here; ``featured`` is a match whose replay anybody may see."""

    games: tuple[GameChoice, ...]
    number: int
    running: tuple[Card, ...]
    cards: tuple[Card, ...]
    upsets: tuple[Shown, ...]
    latest: tuple[Shown, ...]
    featured: Shown | None


def front(queries: Queries) -> Front:
    """Return what the home page shows now. Raises StoreError."""
    names = queries.tournament_names()
    cards = tuple(card(queries, queries.tournament(name)) for name in reversed(names[-CARDS:]))
    played = [each.tournament for each in cards if each.state.played and each.format][:_NEWEST]
    latest = latest_of(queries, played, max(MATCHES, _LOOKED_AT))
    upsets = tuple(each for tournament in played for each in _upsets(queries, tournament))
    newest = sorted(upsets, key=lambda each: each.listed.finished, reverse=True)[:UPSETS]
    games = tuple(each for each in game_choices() if not each.problem and not each.is_family)
    running = tuple(each for each in cards if each.state.is_running)
    return Front(games, len(names), running, cards, tuple(newest), latest[:MATCHES], _featured(queries, (*newest, *latest)))


def card(queries: Queries, tournament: StoredTournament) -> Card:
    """Return a tournament in short, without waiting for statistics: until they are there, without a sentence and a podium."""
    state = queries.state(tournament)
    try:
        plan = queries.spec(tournament).schedule.format
    except SpecError:
        return Card(tournament, tournament.game, "", state)
    title, format_name = game_title(tournament.game), format_title(plan)
    if not is_course_known(queries, tournament, _WAIT_SECONDS):
        return Card(tournament, title, format_name, state)
    return Card(tournament, title, format_name, state, lead_sentence(queries, tournament), podium(queries, tournament))


def latest_of(queries: Queries, tournaments: Sequence[StoredTournament], most: int, bot: str | None = None) -> tuple[Shown, ...]:
    """Return the newest matches of these tournaments, only those of the bot if one is given, newest first."""
    wanted = MatchFilter(bot=bot)
    found = [Shown(each, listed) for each in tournaments for listed in queries.matches(each, wanted).matches[:most]]
    return tuple(sorted(found, key=lambda each: each.listed.finished, reverse=True)[:most])


def _upsets(queries: Queries, tournament: StoredTournament) -> tuple[Shown, ...]:
    def make() -> tuple[Shown, ...]:
        beta = queries.spec(tournament).rating.beta
        found = {each.match: each for each in find_upsets(queries.store, tournament, beta=beta, most=UPSETS)}
        return tuple(Shown(tournament, each, found[each.match.id]) for each in queries.look_up(tuple(found)))

    return queries.keep_for(tournament, "upsets", make)


def _featured(queries: Queries, shown: Sequence[Shown]) -> Shown | None:
    """Return the first match whose replay may be shown, at a table if there is one."""
    for least in (2, 1):
        for each in shown:
            if len(each.listed.match.seats) >= least and queries.is_block_over(each.tournament, each.listed.match):
                return each
    return None
