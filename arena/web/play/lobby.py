"""The lobby: the lists of tables, and the form for a new table, with its game, its seats, and the match that it continues."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import Any, Final, TypeAlias

from fastapi import Request
from starlette.exceptions import HTTPException

from arena.bots import find_bot
from arena.entries.game_choice import GameChoice
from arena.web.errors import NotFoundError, UnusableError
from arena.web.games import NotOfferedError, OfferedGames
from arena.web.play.table import Table
from arena.web.play.table_bots import hint_bot_of
from arena.web.queries import queries_of
from bots.errors import BotError
from bots.loader.reference_bots import REFERENCE_BOTS
from engine.core import EngineError, Game, Move
from engine.records import Replay
from engine.registry import NoGameError, find_game, game_or_only
from engine.replay.format import read_replay
from engine.replay.verifier import game_of
from leaderboard.errors import StoreError
from leaderboard.storage.play_tables import Chair, Stage, StoredTable, find_human_match, human_match_replay
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import versions

MOST_SEATS: Final = 12
ME: Final = "me"
PERSON: Final = "person"
_MOST_BOTS: Final = 200
_USUAL_BOT: Final = "greedy"


@dataclass(frozen=True, slots=True)
class ListedTable:
    """A table in a list. ``names`` are the players at the table, and ``free`` is the number of free seats.

    ``is_turn`` is whether it is the visitor's turn; ``is_continued`` is whether its match continues an earlier one, with the same deck.
    """

    id: str
    game: str
    names: tuple[str, ...]
    free: int
    stage: str
    since: datetime
    is_turn: bool = False
    is_paused: bool = False
    is_continued: bool = False


Lobby: TypeAlias = tuple[list[ListedTable], list[ListedTable]]


def lobby_of(tables: Iterable[Table], stored: Iterable[StoredTable], key: str) -> Lobby:
    """Return the lobby for the person with this key: the person's own tables, and tables that anybody may join or watch.

    Tables at which it is the person's turn, and public tables with free seats, come first. ``stored`` are tables that are not in memory.
    """
    mine, public = [], []
    for table in tables:
        if not table.is_open:
            continue
        if table.seat_of_key(key) is not None:
            mine.append(_listed(table, key))
        elif table.row.listed and not table.is_paused:
            public.append(_listed(table, key))
    for row in stored:
        if row.stage is Stage.PLAYING and any(chair.belongs_to(key) for chair in row.chairs):
            mine.append(_stored(row))
    mine.sort(key=lambda each: (not each.is_turn, -each.since.timestamp()))
    public.sort(key=lambda each: (not each.free, -each.since.timestamp()))
    return mine, public


def _listed(table: Table, key: str) -> ListedTable:
    asked = table.row.maker if table.stage is Stage.LOBBY and table.is_ready() else table.asked
    is_turn = asked is not None and table.seats[asked].belongs_to(key)
    return _stored(table.row, is_turn=is_turn, is_paused=table.is_paused)


def _stored(row: StoredTable, *, is_turn: bool = True, is_paused: bool = True) -> ListedTable:
    """Return the list entry of a table, by default one that is not in memory and waits until one of its people comes back."""
    names = tuple(chair.name for chair in row.chairs if not chair.is_free)
    free = len(row.chairs) - len(names)
    return ListedTable(row.id, row.game, names, free, row.stage.value, row.since, is_turn, is_paused, is_continued=bool(row.continues))


@dataclass(frozen=True, slots=True)
class Prefix:
    """A match up to a position: the moves until then, the players' names, and whose turn it is."""

    game: Game
    players: int
    seed: int
    moves: tuple[Move, ...]
    names: tuple[str, ...]
    actor: int


def bots_to_play(store: Store) -> tuple[str, ...]:
    """Return the bots that may sit at a table: reference bots, then submitted versions that are not retired, newest first."""
    submitted = sorted((each for each in versions(store) if not each.is_retired), key=lambda each: each.sent, reverse=True)
    return (*REFERENCE_BOTS, *(each.label for each in submitted[:_MOST_BOTS]))


@cache
def opponents_of(game: str) -> tuple[str, str]:
    """Return the names of the bots for "Play now": a strong one and the weakest that play the game (empty if there is none)."""
    try:
        rules: Any = find_game(game)
        strong = hint_bot_of(rules)
    except EngineError:
        return "", ""
    return (strong.name if strong else "", "random") if rules.max_players > 1 else ("", "")


@dataclass(frozen=True, slots=True)
class FormValues:
    """The values in the form for a new table: those that a visitor sent, or the defaults.

    The keys of ``options`` are fields ``GAME.OPTION``; options not given are empty. If ``is_private``, the lobby does not list the table.
    """

    name: str
    game: str
    seats: tuple[str, ...]
    options: Mapping[str, str]
    is_private: bool = False


def default_values(prefix: Prefix | None, name: str, game: str) -> FormValues:
    """Return the defaults: a seat for the visitor and one for a bot. If a match is continued, the visitor gets the seat to move."""
    seats = (ME, _USUAL_BOT) if prefix is None else tuple(ME if seat == prefix.actor else _USUAL_BOT for seat in range(prefix.players))
    return FormValues(name, game, seats, {})


def offered_games(request: Request) -> OfferedGames:
    """Return the games that people can play on this server."""
    offered: OfferedGames = request.app.state.games
    return offered


def play_now(offered: OfferedGames, game: str, against: str, name: str) -> FormValues:
    """Return the form's values for "Play now": the visitor begins, against as many copies of one bot as the game needs."""
    try:
        facts: Any = offered.find(game_or_only(game))  # a game that is not compiled may have class attributes
        players = min(max(2, facts.min_players), facts.max_players)
    except EngineError:
        players = 2  # creating the table will report the error
    return FormValues(name, game, (ME, *(against for _ in range(players - 1))), {}, is_private=True)


def completed(given: FormValues, games: Sequence[GameChoice]) -> FormValues:
    """Return the values of the form, with one of these games chosen and a value for every option."""
    names = [each.name for each in games if not each.problem]
    fields = [f"{each.name}.{option.name}" for each in games for option in each.options]
    game = given.game if given.game in names else next(iter(names), "")
    return replace(given, game=game, options={field: given.options.get(field, "") for field in fields})


def most_seats(games: Sequence[GameChoice]) -> int:
    """Return the number of seats on the form: enough for the largest game."""
    return min(max((each.most for each in games), default=0), MOST_SEATS) or 2


def game_of_form(offered: OfferedGames, game: str, fields: Mapping[str, str]) -> Game:
    """Return the game with the options in the fields ``GAME.OPTION``. Raises OptionsError."""
    name = game_or_only(game)
    return offered.of_fields(name, {key.removeprefix(f"{name}."): value for key, value in fields.items() if key.startswith(f"{name}.")})


def seats_of(wanted: Sequence[str], store: Store, name: str, key: str) -> list[Chair]:
    """Return the seats in the order of the form, without empty ones; ``name`` and ``key`` are the visitor's. Raises UnusableError."""
    wanted = [each for each in wanted if each]
    if len(wanted) > MOST_SEATS:
        raise UnusableError("seat", f"a table can have at most {MOST_SEATS} seats")
    if wanted.count(ME) != 1:
        raise UnusableError("seat", "take exactly one seat yourself")
    people = {ME: Chair(name, key=key), PERSON: Chair()}
    known = bots_to_play(store)
    return [people[each] if each in people else _bot_seat(each, known, store) for each in wanted]


def _bot_seat(label: str, known: Collection[str], store: Store) -> Chair:
    if label not in known:
        raise UnusableError("seat", f"there is no bot '{label:.60}' to play with")
    try:
        return Chair(label, label, find_bot(label, store, in_process=False).digest)
    except BotError as error:
        raise UnusableError("seat", str(error)) from None


def prefix_of(request: Request, match: str, at: int) -> Prefix:
    """Return the match up to the position before decision ``at``. Raises HTTPException if it can't be continued from there."""
    replay = _replay_of(request, match)
    try:
        with suppress(NoGameError):  # game_of reports what to install
            offered_games(request).find(replay.game, replay.options)
    except NotOfferedError as error:
        raise UnusableError("match", str(error)) from None
    if at >= len(replay.decisions):
        raise UnusableError("at", f"the match has {len(replay.decisions)} decisions; continue from a position before the last decision")
    rules = game_of(replay)
    moves = tuple(rules.parse(decision.move) for decision in replay.decisions[:at])
    return Prefix(rules, replay.players, replay.seed, moves, replay.names, replay.decisions[at].seat)


def _replay_of(request: Request, match: str) -> Replay:
    queries = queries_of(request)
    if find_human_match(queries.store, match) is not None:
        return read_replay(human_match_replay(queries.store, match))
    try:
        stored = queries.match(match).match
    except StoreError:
        raise NotFoundError(f"There is no match '{match:.40}' here.") from None
    tournament = queries.tournament(stored.tournament)
    if not queries.is_block_over(tournament, stored):
        raise HTTPException(403, queries.why_hidden(tournament))
    return read_replay(queries.store.replay(stored.id))
