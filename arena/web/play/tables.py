"""The tables of a server and their matches, with limits on their number and memory.

A match is played like any other, in its own thread; a person is a player whose ``choose`` waits for an answer.
"""

from __future__ import annotations

import logging
import os
import secrets
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Final

from arena.entries.fitness import check_plays
from arena.entries.preflight import distinct_names
from arena.executors.isolation import BEST, IsolationError, admit, choose_level
from arena.tournament.match import play_match
from arena.tournament.seeds.keys import SEED_BITS
from arena.web.play.chat import Chat
from arena.web.play.hints import Adviser, adviser_of
from arena.web.play.lobby import Listed, listed
from arena.web.play.person import Failed, Person
from arena.web.play.seating import Chair, LeftError, Stage, TableError, Visitor, is_same
from arena.web.play.table import PATIENCE, PlayTable
from arena.web.settings import MIB, WebSettings
from bots.host.bot_process import HostFaultError
from bots.host.player import Player
from bots.host.player_pool import PlayerPool, is_reference
from bots.loader.version import BotError
from bots.protocol import ClockSpec
from bots.runtime import MEMORY
from bots.sandbox import SandboxError, UnfitError
from engine.core import Game, Move
from engine.records import Fault, Ticket
from leaderboard.errors import StoreError
from leaderboard.storage.human_matches import add_human_match
from leaderboard.storage.store import Store

_log: Final = logging.getLogger("arena.web")
BOT_CLOCK: Final = ClockSpec(start=10.0, move=5.0)
_OVER_SECONDS: Final = 3600.0
_POOL_MEMORY: Final = 64 * MIB
"""Bytes that a table's sandbox takes besides its bots."""
_REFERENCE_MEMORY: Final = 128 * MIB
"""Bytes that a reference bot takes, with its search tree, in five seconds."""


class Tables:
    """All tables of this server; its methods may be called from any thread."""

    def __init__(self, settings: WebSettings, *, choose: Callable[[], str] = lambda: BEST, patience: float = PATIENCE) -> None:
        self._settings = settings
        self._memory = machine_memory() // 2 if settings.play_memory is None else settings.play_memory
        self._choose = choose
        self._patience = patience
        self._tables: dict[str, PlayTable] = {}
        self._threads: dict[str, threading.Thread] = {}
        self._lock = threading.Lock()
        self._again = threading.Lock()

    def find(self, table: str) -> PlayTable | None:
        """Return the table of that id, if there is one."""
        self._sweep()
        return self._tables.get(table)

    @property
    def open_tables(self) -> tuple[PlayTable, ...]:
        """The tables that are not over, and those whose bots have not ended yet."""
        with self._lock:
            return self._open()

    def open(
        self,
        game: Game,
        chairs: Sequence[Chair],
        visitor: Visitor,
        *,
        seed: int | None = None,
        opening: Sequence[Move] = (),
        is_listed: bool = False,
    ) -> PlayTable:
        """Return a new table.

        Raises TableError if there are too many, or if a bot may not play here, and OptionsError for what the game does not allow.
        """
        self._sweep()
        seed = secrets.randbits(SEED_BITS) if seed is None else seed
        game.check_start(len(chairs), seed)
        if all(chair.version for chair in chairs):
            raise TableError("no seat is for a person", 422)
        try:
            for chair in chairs:
                if chair.version:
                    check_plays(chair.version, game)
            admit([chair.version for chair in chairs if chair.version], choose_level(self._choose()), trusted=self._settings.trust_bots)
        except (BotError, IsolationError) as error:
            raise TableError(str(error), 422) from None
        table = PlayTable(secrets.token_urlsafe(9), game, list(chairs), seed, tuple(opening), self._patience, self._settings.pace)
        table.maker = next((number for number, chair in enumerate(chairs) if chair.key), 0)
        table.visitor, table.idle_seconds, table.is_listed = visitor, self._settings.idle_seconds, is_listed
        table.chat = Chat() if self._settings.chat else None
        self._equip(table)
        with self._lock:
            self._check_room(table)
            self._tables[table.id] = table
        return table

    def _equip(self, table: PlayTable) -> None:
        table.adviser = adviser_of(table.game)
        table.memory = memory_of(table.chairs, self._settings.runtime.most_memory, hints=table.has_hints())

    def _open(self) -> tuple[PlayTable, ...]:
        def has_bots(table: PlayTable) -> bool:
            thread = self._threads.get(table.id)
            return thread is not None and thread.is_alive()

        return tuple(table for table in self._tables.values() if (table.is_open and not table.is_paused) or has_bots(table))

    def _check_room(self, table: PlayTable) -> None:
        """Raise TableError if there are too many tables with this one, or too little memory for its bots."""
        others, settings = self._open(), self._settings
        if sum(each.visitor.browser == table.visitor.browser for each in others) >= settings.tables_of_one:
            raise TableError(f"you have {settings.tables_of_one} tables already; finish a match, or close its page and wait a little", 429)
        if sum(each.visitor.address == table.visitor.address for each in others) >= settings.tables_of_one * settings.visitors:
            raise TableError("too many tables were made from your address; wait until one is free", 429)
        if len(others) >= settings.tables:
            raise TableError("all tables are taken; try again later", 503)
        if table.memory > self._memory:
            raise TableError("this server has not enough memory for so many bots; choose fewer", 422)
        if table.memory + sum(each.memory for each in others) > self._memory:
            raise TableError("bots at other tables use all the memory; try again later, or with fewer bots", 503)

    def start(self, table: PlayTable) -> None:
        """Start the match. Raises TableError if a seat is free or the match has begun."""
        with self._lock:
            if table.stage is not Stage.LOBBY:
                raise TableError("the match has begun already")
            if not table.is_ready():
                raise TableError("a seat is still free")
            names = distinct_names([chair.name for chair in table.chairs])
            for chair, name in zip(table.chairs, names, strict=True):
                chair.name = name
            table.to(Stage.PLAYING)
            self._run(table)

    def _run(self, table: PlayTable) -> None:
        thread = threading.Thread(target=self._play, args=(table,), name=f"table {table.id}", daemon=True)
        self._threads[table.id] = thread
        thread.start()

    def wake(self, table: PlayTable) -> None:
        """Note that one of its people is there; a paused match goes on if there is room for it."""
        table.attend()
        with self._lock:
            if table.stage is not Stage.PLAYING or not table.is_paused:
                return
            thread = self._threads.get(table.id)
            if thread is not None and thread.is_alive():
                return  # its bots are just being ended; the page asks again
            try:
                self._check_room(table)
            except TableError as error:
                table.notice = f"The match goes on when there is room for it: {error}."
                return
            table.notice = ""
            table.pause(is_paused=False)
            self._run(table)

    def play_again(self, table: PlayTable, seat: int, visitor: Visitor) -> str:
        """Return the id of the table where the people of this one play again, for whom their seats are kept. Raises TableError."""
        if table.stage is not Stage.OVER:
            raise TableError("the match is not over")
        with self._again:
            if table.rematch:
                return table.rematch
            chairs = [replace(chair, gone="") for chair in table.chairs if chair.version or chair.key]
            again = self.open(table.game, chairs, visitor, is_listed=False)
            again.maker = next(number for number, chair in enumerate(chairs) if chair.key == table.chairs[seat].key)
            table.link(again.id)
        if len(again.people()) == 1:
            self.start(again)
        return again.id

    def mine(self, key: str) -> list[Listed]:
        """Return the tables of the person with this key, those first where it is their turn."""
        with self._lock:
            tables = [table for table in self._tables.values() if table.is_open]
        found = [listed(table, key) for table in tables if any(is_same(chair.key, key) for chair in table.chairs)]
        return sorted(found, key=lambda each: (not each.is_turn, -each.since.timestamp()))

    def close(self) -> None:
        """Abandon all matches."""
        with self._lock:
            tables, threads = list(self._tables.values()), list(self._threads.values())
        for table in tables:
            table.to(Stage.CLOSED)
        for thread in threads:
            thread.join(10)

    def _play(self, table: PlayTable) -> None:
        try:
            level = choose_level(self._choose())
            names = tuple(chair.name for chair in table.chairs)
            ticket = Ticket(table.ticket, names, 0, 0, names, table.seed)
            with PlayerPool(level, game=table.game, runtime=self._settings.runtime) as pool:
                players = _players(table, pool)

                def settle(_index: int, seat: int, move: Move, fault: Fault | None) -> Move:
                    if fault is not None:
                        table.fail(seat, fault)
                    return move

                played = play_match(
                    table.game,
                    ticket,
                    players,
                    table.moved,
                    clock=BOT_CLOCK,
                    opening=table.moves,
                    faults=dict(table.faults),
                    settle=settle,
                )
            table.result = replace(played, isolation=str(level))
            versions = tuple(chair.version.digest if chair.version else "" for chair in table.chairs)
            with Store.join(self._settings.db) as store:
                add_human_match(store, table.result, versions)
            table.match = ticket.id
            table.to(Stage.OVER)
        except LeftError:
            if table.stage is Stage.PLAYING:
                table.pause()
        except StoreError as error:
            _log.error("a match at a table could not be stored: %s", error)
            table.to(Stage.OVER, "the match could not be stored")
        except (HostFaultError, SandboxError, UnfitError, IsolationError, OSError) as error:
            _log.error("a match at a table can't be played: %s", error)
            table.to(Stage.CLOSED, "this server can't play the match at the moment")
        except Exception:  # noqa: BLE001  # nothing else catches it, and those at the table must be told
            _log.exception("a match at a table failed")
            table.to(Stage.CLOSED, "this server failed to play the match")

    def _sweep(self) -> None:
        """Close tables in the lobby that nobody has open, and forget those that have long been over, or are too many."""
        with self._lock:
            for table in list(self._tables.values()):
                if table.stage is Stage.LOBBY and table.is_idle:
                    table.to(Stage.CLOSED, "nobody was at the table any more")
            used = {table.id for table in self._open()}
            over = sorted((table for table in self._tables.values() if table.id not in used), key=lambda table: table.touched)
            surplus = max(0, len(over) - self._settings.tables)
            for number, table in enumerate(over):
                limit = _OVER_SECONDS if table.stage is Stage.OVER else _OVER_SECONDS / 6
                if number < surplus or monotonic() - table.touched > limit:
                    del self._tables[table.id]
                    self._threads.pop(table.id, None)


def _players(table: PlayTable, pool: PlayerPool) -> list[Player]:
    adviser = Adviser(pool, table.adviser, table.game, len(table.chairs)) if table.adviser and table.has_hints() else None
    players: list[Player] = []
    for seat, chair in enumerate(table.chairs):
        if chair.version is None:
            players.append(Person(table, seat, adviser))
        else:
            players.append(Failed() if seat in table.faults else pool.seat(chair.version))
    return players


def memory_of(chairs: Sequence[Chair], most: int = MEMORY, *, hints: bool = False) -> int:
    """Return the bytes that the bots of a table may take: submitted bots up to ``most`` each, reference bots far less.

    With ``hints``, a reference bot more gives those.
    """
    versions = [chair.version for chair in chairs if chair.version is not None]
    submitted = sum(not is_reference(version) for version in versions)
    reference = len(versions) - submitted + hints
    return _POOL_MEMORY + submitted * most + reference * _REFERENCE_MEMORY if submitted + reference else 0


def machine_memory() -> int:
    """Return the bytes of memory of this machine, or of this process's control group if that is less."""
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        limit = Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii").strip()
    except OSError:
        return physical
    return min(physical, int(limit)) if limit.isdecimal() else physical
