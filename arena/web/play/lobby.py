"""The lists of tables in the lobby."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from arena.web.play.seats import Stage, is_same
from arena.web.play.table import PlayTable
from leaderboard.storage.play_tables import StoredTable


@dataclass(frozen=True, slots=True)
class ListedTable:
    """A table in a list: ``names`` are those who sit there, ``free`` the number of free seats.

    ``is_turn``: it is the visitor's turn there; ``is_continued``: its match continues an earlier one with its moves and deck.
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


@dataclass(frozen=True, slots=True)
class Lobby:
    """The lobby of a visitor: their own tables, those with their turn first, and tables that anybody may join or watch, those with free
    seats first.
    """

    mine: tuple[ListedTable, ...] = ()
    public: tuple[ListedTable, ...] = ()


def lobby_of(tables: Iterable[PlayTable], stored: Iterable[StoredTable], key: str) -> Lobby:
    """Return the lobby for the person with this key, from tables in memory and others that are only stored."""
    mine, public = [], []
    for table in tables:
        if not table.is_open:
            continue
        if table.seat_of_key(key) is not None:
            mine.append(_listed(table, key))
        elif table.is_listed and not table.is_paused:
            public.append(_listed(table, key))
    for record in stored:
        if record.stage in {Stage.LOBBY, Stage.PLAYING} and any(is_same(chair.key, key) for chair in record.chairs):
            mine.append(_stored(record))
    mine.sort(key=lambda each: (not each.is_turn, -each.since.timestamp()))
    public.sort(key=lambda each: (not each.free, -each.since.timestamp()))
    return Lobby(tuple(mine), tuple(public))


def _listed(table: PlayTable, key: str) -> ListedTable:
    if table.stage is Stage.LOBBY:
        is_turn = table.is_ready() and is_same(table.seats[table.maker].key, key)
    else:
        is_turn = any(is_same(table.seats[seat].key, key) for seat in table.live.asked()[0])
    names = tuple(seat.name for seat in table.seats if not seat.is_free)
    since = datetime.fromtimestamp(int(table.since), UTC)
    free, is_continued = len(table.seats) - len(names), bool(table.continues)
    return ListedTable(table.id, table.game.name, names, free, table.stage.value, since, is_turn, table.is_paused, is_continued)


def _stored(record: StoredTable) -> ListedTable:
    """Return a stored table of this person; its match continues when one of its people comes back."""
    names = tuple(chair.name for chair in record.chairs if chair.name)
    free = len(record.chairs) - len(names)
    return ListedTable(record.id, record.game, names, free, record.stage, record.since, is_turn=True, is_paused=True)
