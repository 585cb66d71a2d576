"""The tables of a server, with limits on their number and memory. They are stored, so that nothing is lost when the server restarts.

A match is paused, and its bots are stopped, while none of its people has it open; it continues when one of them comes back.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime
from time import time
from typing import Final, Self

from arena.bots import BEST, IsolationError, admit, check_plays, choose_level, find_bot
from arena.spec.secret import SEED_BITS
from arena.web.cache import Cache
from arena.web.errors import HostLog, TableError
from arena.web.games import OfferedGames
from arena.web.play.lobby import Lobby, lobby_of
from arena.web.play.table import Room, Table
from arena.web.play.table_bots import machine_memory
from arena.web.settings import WebSettings
from bots.clock import running_time
from bots.errors import BotError
from bots.loader.version import BotVersion
from bots.messages import decode_options, encode_options
from engine.core import EngineError, Game, Move, OptionsError
from engine.core.errors import ArenaError
from leaderboard.errors import StoreError
from leaderboard.storage.play_tables import (
    DAMAGED,
    Chair,
    Stage,
    StoredTable,
    add_table,
    change_table,
    match_of_table,
    remove_table,
    stored_tables,
)
from leaderboard.storage.store import Store

_OVER_SECONDS: Final = 3600.0
"""How long a table is kept after its match."""
_PAUSED_SECONDS: Final = 7 * 86400.0
"""The longest pause of a match."""
_MOST_PAUSED: Final = 1000
_SWEEP_SECONDS: Final = 30.0
_SENT: Final = 128
"""The number of responses about tables that are kept in memory; each is at most a few hundred KiB long."""
_FULL: Final = "The match will continue when there is room"


class GoneError(ArenaError):
    """A stored table can't continue. The message is for the people at the table."""


class Tables:
    """All tables of this server. Its methods may be called from any thread, but its coroutines must run in the server's event loop."""

    def __init__(self, room: Room, games: OfferedGames, rows: Sequence[StoredTable]) -> None:
        self._room = room
        self._lock = room.lock
        self._settings = room.settings
        self._games = games
        most = room.settings.play_memory
        self._memory = machine_memory() // 2 if most is None else most
        self._isolation = BEST
        self._tables: dict[str, Table] = {}
        self._stored = {row.id: row for row in rows}
        """The tables that are not in memory: those from before a restart, and those that have been paused for a long time."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._matches: set[asyncio.Task[None]] = set()
        self._host = HostLog()
        self._swept = 0.0
        self.is_stopping = False
        """Whether the server is stopping, so that all streams of events end."""
        self.changes: Final = room.changes
        self.sent: Final = Cache(_SENT)
        """The latest responses about tables; each is created once for all requests for the same state."""

    @classmethod
    def load(cls, settings: WebSettings, games: OfferedGames) -> Self:
        """Return the tables of the database. Raises StoreError."""
        store = Store.join(settings.db)
        tables = cls(Room(settings, store), games, stored_tables(store))
        if damaged := [row.id for row in tables._stored.values() if row.problem == DAMAGED]:
            tables._host.tell(f"tables are closed because their rows in the database are damaged: {', '.join(damaged)}")
        for row in list(tables._stored.values()):
            if row.stage is Stage.LOBBY:
                tables._restore(row.id)
        return tables

    async def begin(self) -> None:
        """Play matches in this event loop from now on."""
        self._loop = asyncio.get_running_loop()

    async def close(self) -> None:
        """Stop all matches; they resume when the server restarts."""
        self.stop()
        if self._matches:
            await asyncio.wait(self._matches, timeout=10)
        self._room.store.close()

    def stop(self) -> None:
        """Let all matches and streams of events end soon."""
        self.is_stopping = True
        self.changes.note()
        for table in list(self._tables.values()):
            table.stop()

    def find(self, key: str) -> Table | None:
        """Return the table whose id is ``key``, or None if there is none. Raises StoreError."""
        self._sweep()
        return self._tables.get(key) or self._restore(key)

    def holds(self, table: Table) -> bool:
        """Return whether the table is still in memory and the server is not stopping."""
        return self._tables.get(table.id) is table and not self.is_stopping

    def open(
        self,
        game: Game,
        chairs: Sequence[Chair],
        *,
        browser: str,
        address: str,
        seed: int | None = None,
        opening: Sequence[Move] = (),
        continues: str = "",
        is_listed: bool = False,
    ) -> Table:
        """Create a table; ``browser`` and ``address`` are the key and the address of the person who creates it, for the limits.

        Raises TableError (too many tables, or a bot may not play here), OptionsError (the game rejects the seats) and StoreError.
        """
        self._sweep()
        seed = secrets.randbits(SEED_BITS) if seed is None else seed
        game.check_start(len(chairs), seed)
        if not any(chair.is_person for chair in chairs):
            raise TableError("at least one seat must be for a person", 422)
        try:
            bots = self._bots_of(chairs)
            for version in bots.values():
                check_plays(version, game)
            admit(list(bots.values()), choose_level(self._isolation), trusted=self._settings.trust_bots)
        except (BotError, IsolationError, GoneError) as error:
            raise TableError(str(error), 422) from None
        row = StoredTable(
            id=secrets.token_urlsafe(9),
            game=game.name,
            options=json.dumps(encode_options(dict(game.options)), sort_keys=True),
            seed=seed,
            ticket=secrets.token_hex(8),
            chairs=tuple(chairs),
            moves=tuple(map(str, opening)),
            maker=next((number for number, chair in enumerate(chairs) if chair.key == browser), 0),
            browser=browser,
            listed=is_listed,
            since=datetime.now(UTC).replace(microsecond=0),
            continues=continues,
        )
        table = Table(row, game, bots, self._room)
        table.address = address
        with self._lock:
            self._check_room(table)
            add_table(self._room.store, row)
            self._tables[table.id] = table
            table.note()
        return table

    def _bots_of(self, chairs: Sequence[Chair]) -> dict[str, BotVersion]:
        bots = {}
        for chair in chairs:
            if chair.bot:
                try:
                    bots[chair.bot] = version = find_bot(chair.bot, self._room.store, in_process=False)
                except BotError:
                    raise GoneError(f"the bot {chair.bot} is no longer on this server, so the match can't go on") from None
                if version.digest != chair.digest:
                    raise GoneError(f"the bot {chair.bot} has changed since this match began, so the match can't go on")
        return bots

    def _busy(self) -> tuple[Table, ...]:
        """Return the tables that are open and not paused, or whose bots are still running."""
        return tuple(table for table in self._tables.values() if table.is_running or (table.is_open and not table.is_paused))

    def _check_room(self, table: Table) -> None:
        """Raise TableError if there would be too many tables with this one, or too little memory for its bots."""
        others, settings = [each for each in self._busy() if each is not table], self._settings
        if sum(each.row.browser == table.row.browser for each in others) >= settings.tables_of_one:
            raise TableError(f"you have {settings.tables_of_one} tables already; finish a match, or leave a table", 429)
        if table.address and sum(each.address == table.address for each in others) >= settings.tables_of_one * settings.visitors:
            raise TableError("there are too many tables from your address; wait until one of them is over", 429)
        if len(others) >= settings.tables:
            raise TableError("all tables are taken; try again later", 503)
        if table.memory > self._memory:
            raise TableError("this server does not have enough memory for so many bots; choose fewer", 422)
        if table.memory + sum(each.memory for each in others) > self._memory:
            raise TableError("bots at other tables use all the memory; try again later, or with fewer bots", 503)

    def start(self, table: Table) -> None:
        """Start the match. Raises StoreError, and TableError if a seat is free or the match has begun."""
        table.start()
        self._run(table)

    def _run(self, table: Table) -> None:
        assert self._loop is not None, "the server has not been started"
        self._loop.call_soon_threadsafe(self._begin_match, table)

    def _begin_match(self, table: Table) -> None:
        task = asyncio.ensure_future(table.run(self._isolation))
        self._matches.add(task)
        task.add_done_callback(self._matches.discard)

    def wake(self, table: Table) -> None:
        """Record that one of the table's players has it open; a paused match continues if there is room for it."""
        table.attend()
        with self._lock:
            if not table.is_paused or not self.holds(table):
                return
            try:
                self._check_room(table)
            except TableError as error:
                if table.notice != (notice := f"{_FULL}: {error}."):
                    table.notice = notice
                    table.note()
                return
            if table.notice.startswith(_FULL):
                table.notice = ""
            table.resume()
        self._run(table)

    def play_again(self, table: Table, seat: int, address: str) -> str:
        """Return the id of the table for a rematch, where the people of this table have seats. Raises TableError."""
        if table.stage is not Stage.OVER:
            raise TableError("the match is not over")
        with self._lock:
            if table.rematch:
                return table.rematch
            chairs = [chair for chair in table.seats if chair.bot or chair.key]
            try:
                again = self.open(table.game, chairs, browser=table.seats[seat].key, address=address)
            except OptionsError as error:  # too few are left
                raise TableError(str(error)) from None
            table.rematch = again.id
            table.note()
        if len(again.people()) == 1:
            self.start(again)
        return again.id

    def lobby(self, key: str) -> Lobby:
        """Return the lobby for the person with this key. Raises StoreError."""
        self._sweep()
        with self._lock:
            return lobby_of(self._tables.values(), self._stored.values(), key)

    def match_at(self, key: str) -> str | None:
        """Return the id of the match finished at a table that is no longer in memory, or None. Raises StoreError."""
        return None if key in self._tables else match_of_table(self._room.store, key)

    def ended(self, key: str) -> StoredTable | None:
        """Return the stored row of the table with that id, or None if the table is in memory or does not exist."""
        return self._stored.get(key)

    def _restore(self, key: str) -> Table | None:
        """Load a stored table into memory, with its match paused; return None if there is none or it can't continue."""
        with self._lock:
            if key in self._tables or key not in self._stored:
                return self._tables.get(key)
            row = self._stored[key]
            if row.stage is Stage.CLOSED:
                return None
            try:
                table = self._table_of(row)
            except GoneError as error:
                row.stage, row.problem = Stage.CLOSED, str(error)
                change_table(self._room.store, key, stage=row.stage, problem=row.problem)
                return None
            if row.stage is Stage.PLAYING:
                table.notice = f"The server was restarted; the match goes on from decision {len(row.moves) + 1}."
            self._tables[key] = table
            del self._stored[key]
            return table

    def _table_of(self, row: StoredTable) -> Table:
        bots = self._bots_of(row.chairs)
        if not all(0 <= number < len(row.chairs) for number in (row.maker, *row.faults)):
            raise GoneError(DAMAGED)
        try:
            return Table(row, self._games.find(row.game, decode_options(json.loads(row.options))), bots, self._room)
        except (EngineError, ValueError, TypeError, AttributeError, AssertionError):
            raise GoneError(f"the game {row.game} has changed since this match began, so the match can't go on") from None

    def _sweep(self) -> None:
        """Close lobby tables that nobody has open; remove tables that have been over or paused for too long or exceed the limit."""
        with self._lock:
            for table in list(self._tables.values()):
                if table.stage is Stage.LOBBY and table.is_idle:
                    table.close("everybody had left the table")
            if running_time() - self._swept < _SWEEP_SECONDS and len(self._tables) <= 2 * self._settings.tables:
                return
            self._swept = running_time()
            busy = {table.id for table in self._busy()}
            rest = sorted((table for table in self._tables.values() if table.id not in busy), key=lambda table: table.touched)
            surplus = max(0, len(rest) - self._settings.tables)
            for number, table in enumerate(rest):
                limit = _OVER_SECONDS if table.stage is not Stage.CLOSED else _OVER_SECONDS / 6
                if number < surplus or (running_time() - table.touched > limit and table.is_idle):
                    self._put_away(table)
            self._prune()

    def _put_away(self, table: Table) -> None:
        """Remove a table from memory; a paused table stays in the database."""
        del self._tables[table.id]
        if table.is_paused:
            table.row.touched = datetime.now(UTC)
            self._stored[table.id] = table.row
        elif not table.match:
            self._remove(table.id)

    def _prune(self) -> None:
        """Remove stored tables that are old, or too many."""
        oldest = sorted(self._stored, key=lambda key: self._stored[key].touched)
        for number, key in enumerate(oldest):
            row = self._stored[key]
            limit = _PAUSED_SECONDS if row.stage is Stage.PLAYING else _OVER_SECONDS
            if number < len(oldest) - _MOST_PAUSED or time() - row.touched.timestamp() > limit:
                del self._stored[key]
                self._remove(key)

    def _remove(self, key: str) -> None:
        try:
            remove_table(self._room.store, key)
        except StoreError as error:
            self._host.tell(f"a table can't be removed: {error}")
