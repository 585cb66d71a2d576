"""The tables of a server, with limits on their number and memory; they are stored, so that a restart of the server loses nothing.

A match is played like any other, in its own thread; a person is a player whose ``choose`` waits for an answer. A match that nobody looks at
is paused, and its bots are ended; it continues when one of its people comes back.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from time import time
from typing import Final

from arena.bots import BEST, IsolationError, admit, check_plays, choose_level
from arena.spec.secret import SEED_BITS
from arena.web.cache import Cache
from arena.web.errors import TableError
from arena.web.games import OfferedGames
from arena.web.play.lobby import Lobby, lobby_of
from arena.web.play.match_runner import hint_bot_of, machine_memory, memory_of, play
from arena.web.play.seats import Seat, Stage, Visitor
from arena.web.play.table import PlayTable
from arena.web.play.table_store import GoneError, TableStore, record_of
from arena.web.settings import WebSettings
from bots.clock import running_time
from bots.errors import BotError
from engine.core import Game, Move, OptionsError
from leaderboard.storage.play_tables import StoredTable

_OVER_SECONDS: Final = 3600.0
"""The time for which a table is kept after its match."""
_PAUSED_SECONDS: Final = 7 * 86400.0
"""The longest pause of a match."""
_MOST_PAUSED: Final = 1000
_SWEEP_SECONDS: Final = 30.0
_END_SECONDS: Final = 2.0
"""The time for which a match that is paused may still end its bots before it goes on."""
_SENT: Final = 128
"""The number of states and texts of tables in memory; each has at most a few hundred KiB."""
_FULL: Final = "The match goes on when there is room"


class Tables:
    """All tables of this server; its methods may be called from any thread."""

    def __init__(self, settings: WebSettings, games: OfferedGames) -> None:
        self._settings = settings
        self._games = games
        self._memory = machine_memory() // 2 if settings.play_memory is None else settings.play_memory
        self._isolation = BEST
        self._tables: dict[str, PlayTable] = {}
        self._threads: dict[str, threading.Thread] = {}
        self._stored: dict[str, StoredTable] = {}
        self._lock = threading.RLock()
        self._restoring = threading.RLock()
        self._store = TableStore(settings.db)
        self._is_loaded = False
        self._swept = 0.0
        self.is_stopping = False
        """Whether the server is stopping, so that followers of tables should disconnect."""
        self.number = 0
        """The number of changes of any table, for lists of them."""
        self.sent: Final = Cache(_SENT, is_patient=False)
        """The latest responses about tables, each made once for all who request the same state of a table."""

    def find(self, table: str) -> PlayTable | None:
        """Return the table of that id, if there is one. Raises StoreError."""
        self._load()
        self._sweep()
        return self._tables.get(table) or self._restore(table)

    def open(
        self,
        game: Game,
        seats: Sequence[Seat],
        visitor: Visitor,
        *,
        seed: int | None = None,
        opening: Sequence[Move] = (),
        continues: str = "",
        is_listed: bool = False,
    ) -> PlayTable:
        """Return a new table.

        Raises TableError if there are too many, or if a bot may not play here, and OptionsError for values that the game does not allow.
        """
        self._load()
        self._sweep()
        seed = secrets.randbits(SEED_BITS) if seed is None else seed
        game.check_start(len(seats), seed)
        versions = [seat.version for seat in seats if seat.version]
        if len(versions) == len(seats):
            raise TableError("no seat is for a person", 422)
        try:
            for version in versions:
                check_plays(version, game)
            admit(versions, choose_level(self._isolation), trusted=self._settings.trust_bots)
        except (BotError, IsolationError) as error:
            raise TableError(str(error), 422) from None
        maker = next((number for number, seat in enumerate(seats) if seat.key), 0)
        table = PlayTable(secrets.token_urlsafe(9), game, list(seats), seed, tuple(opening), continues=continues, maker=maker)
        table.visitor, table.is_listed = visitor, is_listed
        with self._lock:
            self._equip(table)
            self._check_room(table)
            self._tables[table.id] = table
        self._note(table)
        return table

    def _equip(self, table: PlayTable) -> None:
        """Give a table this server's settings, and store its changes from now on."""
        table.pace, table.idle_seconds = self._settings.pace, self._settings.idle_seconds
        talks = self._settings.chat and sum(seat.is_person for seat in table.seats) > 1  # nobody talks to bots
        table.chat = table.chat if talks else None
        table.hint_bot = hint_bot_of(table.game)
        table.memory = memory_of(table.seats, self._settings.runtime.most_memory, hints=table.has_hints())
        table.on_change = partial(self._note, table)

    def _open(self) -> tuple[PlayTable, ...]:
        """Return the tables that are not over, or whose bots have not ended yet."""
        return tuple(table for table in self._tables.values() if (table.is_open and not table.is_paused) or self._has_bots(table))

    def _has_bots(self, table: PlayTable) -> bool:
        thread = self._threads.get(table.id)
        return thread is not None and thread.is_alive()

    def _check_room(self, table: PlayTable) -> None:
        """Raise TableError if there are too many tables with this one, or too little memory for its bots."""
        others, settings = [each for each in self._open() if each is not table], self._settings
        if sum(each.visitor.browser == table.visitor.browser for each in others) >= settings.tables_of_one:
            raise TableError(f"you have {settings.tables_of_one} tables already; finish a match, or leave one", 429)
        address = table.visitor.address  # unknown for a table from before a restart
        if address and sum(each.visitor.address == address for each in others) >= settings.tables_of_one * settings.visitors:
            raise TableError("too many tables were made from your address; wait until one is free", 429)
        if len(others) >= settings.tables:
            raise TableError("all tables are taken; try again later", 503)
        if table.memory > self._memory:
            raise TableError("this server does not have enough memory for so many bots; choose fewer", 422)
        if table.memory + sum(each.memory for each in others) > self._memory:
            raise TableError("bots at other tables use all the memory; try again later, or with fewer bots", 503)

    def start(self, table: PlayTable) -> None:
        """Start the match. Raises TableError if a seat is free or the match has begun."""
        with self._lock:
            table.start()
            self._run(table)

    def _run(self, table: PlayTable) -> None:
        what = table, self._settings, self._isolation, self._store
        thread = threading.Thread(target=play, args=what, name=f"table {table.id}", daemon=True)
        self._threads[table.id] = thread
        thread.start()

    def wake(self, table: PlayTable) -> None:
        """Record that one of its people is there; a paused match continues if there is room for it."""
        table.attend()
        if table.is_paused and (ending := self._threads.get(table.id)) is not None:
            ending.join(_END_SECONDS)
        with self._lock:
            if table.stage is not Stage.PLAYING or not table.is_paused or self._has_bots(table) or not self.holds(table):
                return
            try:
                self._check_room(table)
            except TableError as error:
                table.tell(f"{_FULL}: {error}.")
                return
            if table.notice.startswith(_FULL):
                table.notice = ""
            table.pause(is_paused=False)
            self._run(table)

    def play_again(self, table: PlayTable, seat: int, visitor: Visitor) -> str:
        """Return the id of the table where the people of this one play again, with seats reserved for them. Raises TableError."""
        if table.stage is not Stage.OVER:
            raise TableError("the match is not over")
        with self._lock:
            if table.rematch:
                return table.rematch
            seats = [replace(each, gone="") for each in table.seats if each.version or each.key]
            try:
                again = self.open(table.game, seats, visitor)
            except OptionsError as error:  # too few are left
                raise TableError(str(error)) from None
            again.maker = next(number for number, each in enumerate(seats) if each.key == table.seats[seat].key)
            with table.changing():
                table.rematch = again.id
        if len(again.people()) == 1:
            self.start(again)
        return again.id

    def lobby(self, key: str) -> Lobby:
        """Return the tables that the lobby shows the person with this key. Raises as ``find`` does."""
        self._load()
        self._sweep()
        with self._lock:
            tables, stored = list(self._tables.values()), list(self._stored.values())
        return lobby_of(tables, stored, key)

    # What is stored

    def _load(self) -> None:
        """Read the stored tables, once. Raises StoreError."""
        with self._restoring:
            if not self._is_loaded:
                self._stored = {record.id: record for record in self._store.load()}
                self._is_loaded = True  # even if a single table fails
                for key in [key for key, record in self._stored.items() if record.stage == Stage.LOBBY]:
                    self._restore(key)

    def holds(self, table: PlayTable) -> bool:
        """Return whether this is the current table of its id: it has not been forgotten, and the server is not stopping."""
        return self._tables.get(table.id) is table and not self.is_stopping

    def _restore(self, key: str) -> PlayTable | None:
        """Return a stored table that is not in memory, with its match paused; None if there is none."""
        with self._restoring:
            if key in self._tables or key not in self._stored:
                return self._tables.get(key)
            record = self._stored[key]
            if record.stage in {Stage.OVER, Stage.CLOSED}:
                return None
            try:
                table = self._store.restore(record, self._games)
            except GoneError as error:
                record.stage, record.problem = Stage.CLOSED.value, str(error)
                self._store.save_closed(record)
                return None
            if record.stage == Stage.PLAYING:
                table.notice = f"The server was restarted; the match goes on from decision {len(table.live.moves) + 1}."
            self._equip(table)
            with self._lock:
                self._tables[key] = table
                del self._stored[key]
            return table

    def match_at(self, key: str) -> str | None:
        """Return the id of the match that was finished at a table which is no longer in memory. Raises StoreError."""
        self._load()
        return None if key in self._tables else self._store.match_at(key)

    def ended(self, key: str) -> StoredTable | None:
        """Return the stored form of a table from before the last restart that can't go on."""
        return self._stored.get(key)

    def _note(self, table: PlayTable) -> None:
        """Write the changes to a table."""
        self.number += 1
        self._store.save(table)

    def close(self) -> None:
        """Stop all matches; the server goes on with them when it is started again."""
        with self._lock:
            tables, threads = list(self._tables.values()), list(self._threads.values())
        for table in tables:
            table.stop()
        for thread in threads:
            thread.join(10)
        self._store.close()
        self.sent.close()

    def _sweep(self) -> None:
        """Close tables in the lobby that nobody has open, and remove tables that have been over or paused for long, or exceed the limit."""
        with self._lock:
            for table in list(self._tables.values()):
                if table.stage is Stage.LOBBY and table.is_idle:
                    table.end(Stage.CLOSED, "everybody had left the table")
            if running_time() - self._swept < _SWEEP_SECONDS and len(self._tables) <= 2 * self._settings.tables:
                return
            self._swept = running_time()
            used = {table.id for table in self._open()}
            rest = sorted((table for table in self._tables.values() if table.id not in used), key=lambda table: table.touched)
            surplus = max(0, len(rest) - self._settings.tables)
            for number, table in enumerate(rest):
                limit = _OVER_SECONDS if table.stage is not Stage.CLOSED else _OVER_SECONDS / 6
                if number < surplus or (running_time() - table.touched > limit and table.is_idle):
                    self._put_away(table)
            self._prune()

    def _put_away(self, table: PlayTable) -> None:
        """Forget a table; a paused one can be found again in the database."""
        del self._tables[table.id]
        self._threads.pop(table.id, None)
        self._store.forget(table.id)
        if table.is_paused:
            self._stored[table.id] = record_of(table)
        elif not table.match:
            self._store.remove(table.id)

    def _prune(self) -> None:
        """Remove stored tables that are old, or too many."""
        oldest = sorted(self._stored, key=lambda key: self._stored[key].touched)
        for number, key in enumerate(oldest):
            record = self._stored[key]
            limit = _PAUSED_SECONDS if record.stage == Stage.PLAYING else _OVER_SECONDS
            if number < len(oldest) - _MOST_PAUSED or time() - record.touched.timestamp() > limit:
                del self._stored[key]
                self._store.remove(key)
