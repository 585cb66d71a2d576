"""Tables as the lobby lists them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from arena.web.play.seating import Stage, is_same
from arena.web.play.table import PlayTable
from leaderboard.storage.play_tables import StoredTable


@dataclass(frozen=True, slots=True)
class Listed:
    """A table in a list: ``names`` are those who sit there, ``free`` the number of free seats; ``is_turn`` if whoever asks is to move,
    ``is_continued`` if its match goes on with the moves and the deck of an earlier one.
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
class Lists:
    """The tables that the lobby shows a visitor: theirs, and those that anybody may join or watch. ``problem`` is why there are none."""

    mine: tuple[Listed, ...]
    public: tuple[Listed, ...]
    problem: str = ""


def listed(table: PlayTable, key: str) -> Listed:
    """Return the table as it is listed for whoever has that key."""
    asked, _ = table.asked()
    is_turn = any(is_same(table.chairs[seat].key, key) for seat in asked)
    if table.stage is Stage.LOBBY:
        is_turn = table.is_ready() and is_same(table.chairs[table.maker].key, key)
    return Listed(
        table.id,
        table.game.name,
        tuple(chair.name for chair in table.chairs if not chair.is_free),
        sum(chair.is_free for chair in table.chairs),
        table.stage.value,
        datetime.fromtimestamp(int(table.since), UTC),
        is_turn,
        table.is_paused,
        bool(table.continues),
    )


def listed_record(record: StoredTable, *, is_mine: bool) -> Listed:
    """Return a stored table as it is listed; its match goes on when one of its people comes."""
    names = tuple(chair.name for chair in record.chairs if chair.name)
    return Listed(
        record.id, record.game, names, len(record.chairs) - len(names), record.stage, record.since, is_turn=is_mine, is_paused=True
    )
