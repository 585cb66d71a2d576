"""A table as it is stored, and made again from that."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from time import time

from arena.entries.bot_resolution import find_bot
from arena.web.data.offered_games import OfferedGames
from arena.web.play.chat import Chat, Line
from arena.web.play.seating import Chair, Stage, Visitor
from arena.web.play.table import PlayTable
from bots.errors import BotError
from bots.messages import decode_options, encode_options
from engine.core import EngineError
from engine.core.errors import ArenaError
from engine.records import Fault, FaultKind
from leaderboard.storage.play_tables import DAMAGED, StoredChair, StoredFault, StoredLine, StoredTable
from leaderboard.storage.store import Store


class GoneError(ArenaError):
    """A stored table that can't go on; the text is a sentence for those at the table."""


def record_of(table: PlayTable) -> StoredTable:
    """Return what is stored of a table besides its moves and lines."""
    chairs = [
        StoredChair(chair.name, chair.label, chair.version.digest if chair.version else "", chair.key, chair.gone) for chair in table.chairs
    ]
    faults = [StoredFault(seat, fault.kind.value, fault.index, fault.detail) for seat, fault in table.faults.items()]
    return StoredTable(
        table.id,
        table.game.name,
        json.dumps(encode_options(dict(table.game.options)), sort_keys=True),
        table.seed,
        table.ticket,
        tuple(chairs),
        tuple(faults),
        table.maker,
        table.visitor.browser,
        table.is_listed,
        table.stage.value,
        table.problem,
        table.match,
        table.rematch,
        datetime.fromtimestamp(int(table.since), UTC),
        table.continues,
    )


def line_of(line: Line) -> StoredLine:
    """Return a line as it is stored."""
    return StoredLine(line.seat, line.name, line.text, line.at)


def table_of(record: StoredTable, moves: Sequence[str], lines: Sequence[StoredLine], store: Store, offered: OfferedGames) -> PlayTable:
    """Return the table that was stored, with the match paused where it was. Raises GoneError, which says why it can't go on."""
    chairs = [_chair(each, store) for each in record.chairs]
    try:
        faults = {each.seat: Fault(FaultKind(each.kind), each.index, each.detail) for each in record.faults}
        stage, _ = Stage(record.stage), (chairs[record.maker], [chairs[seat] for seat in faults])
    except (ValueError, IndexError):
        raise GoneError(DAMAGED) from None
    try:
        game = offered.find(record.game, decode_options(json.loads(record.options)))
        table = PlayTable(record.id, game, chairs, record.seed, [game.parse(move) for move in moves], ticket=record.ticket, faults=faults)
    except (EngineError, ValueError, TypeError, AttributeError, AssertionError):
        raise GoneError(f"the game {record.game} is not as it was when this match began, so the match can't go on") from None
    table.stage, table.problem = stage, record.problem
    table.match, table.rematch, table.maker, table.continues = record.match, record.rematch, record.maker, record.continues
    table.is_listed, table.visitor = record.listed, Visitor("", record.browser)
    table.since = record.since.timestamp()
    table.is_paused = table.stage is Stage.PLAYING
    table.chat = Chat(Line(each.seat, each.name, each.text, each.at) for each in lines)
    return table


def closed_table(record: StoredTable, problem: str) -> StoredTable:
    """Return the record of a table that can't go on."""
    return replace(record, stage=Stage.CLOSED.value, problem=problem)


def is_old(touched: datetime, seconds: float) -> bool:
    """Return whether that was longer ago."""
    return time() - touched.timestamp() > seconds


def _chair(stored: StoredChair, store: Store) -> Chair:
    if not stored.bot:
        return Chair(stored.name, key=stored.key, gone=stored.gone)
    try:
        version = find_bot(stored.bot, store, in_process=False)
    except BotError:
        raise GoneError(f"the bot {stored.bot} is not here any more, so the match can't go on") from None
    if version.digest != stored.digest:
        raise GoneError(f"the bot {stored.bot} has changed since this match began, so the match can't go on")
    return Chair(stored.name, version, label=stored.bot)
