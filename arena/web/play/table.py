"""One table at which people play against bots and each other: its stored row, the current match, its bots, and a counter of changes.

A person's move is played by the request that brings it; ``run`` plays all other moves. Each change is stored before it takes effect, so
that a restarted server continues where the previous one stopped. The module ``tables`` manages all tables of a server.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field, replace
from threading import RLock
from time import time
from typing import Any, Final

from arena.bots import IsolationError, admit, choose_level, distinct_names
from arena.play.match import Match
from arena.web.errors import TableError
from arena.web.play.table_bots import Unasked, hint_bot_of, hint_of, memory_of
from arena.web.settings import WebSettings
from bots.clock import running_time
from bots.errors import BotError, BotFaultError, HostFaultError, SandboxError, UnfitError
from bots.host.player_pool import Player, PlayerPool
from bots.loader.version import BotVersion
from bots.protocol import ClockSpec
from engine.core import EngineError, Game, Move, State, View
from engine.core.observer import News
from engine.records import Fault, FaultKind, MatchResult, Ticket
from engine.text import one_line
from leaderboard.errors import StoreError
from leaderboard.storage.database import Patience
from leaderboard.storage.play_tables import Chair, Line, Stage, StoredTable, change_table, finish_table
from leaderboard.storage.store import Store

LONGEST_LINE: Final = 200
"""The most characters in a chat message."""
KEPT_LINES: Final = 100
PATIENCE: Final = 900.0
"""The seconds that a person may think before the substitute takes over."""
HINT_SECONDS: Final = 15.0
"""The most seconds that a hint may take."""
BOT_CLOCK: Final = ClockSpec(start=10.0, move=5.0)
_KEPT: Final = 80
"""The number of earlier positions that pages can request."""
_LOOK_SECONDS: Final = 5.0
"""How often, in seconds, a match checks whether one of its players is still there."""
_UNFIT: Final = "A bot at this table can't be played here at the moment, so the match is paused."
_UNSTORED: Final = "The match can't be stored at the moment, so it is paused."
_log: Final = logging.getLogger("arena.web")


class Changes:
    """A counter of changes, for which coroutines can wait. ``note`` may be called from any thread."""

    def __init__(self) -> None:
        self.number = 0
        self._waiting: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = set()

    def note(self) -> None:
        """Count a change and wake the waiting coroutines."""
        self.number += 1
        for loop, event in tuple(self._waiting):
            with suppress(RuntimeError):  # the loop has been closed
                loop.call_soon_threadsafe(event.set)

    async def after(self, number: int, seconds: float) -> None:
        """Wait until there have been more than ``number`` changes, but for at most ``seconds``."""
        waits = asyncio.get_running_loop(), asyncio.Event()
        self._waiting.add(waits)
        try:
            if self.number == number:
                await asyncio.wait_for(waits[1].wait(), seconds)
        except TimeoutError:
            return
        finally:
            self._waiting.discard(waits)


@dataclass(frozen=True, slots=True)
class Room:
    """What all tables of a server share: settings, database, one lock, and the counter of changes at any table."""

    settings: WebSettings
    store: Store
    lock: RLock = field(default_factory=RLock)
    changes: Changes = field(default_factory=Changes)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What one seat (None for a spectator) may see of the table at some moment; ``is_asked`` is whether the seat's move is awaited.

    ``before`` is the position before the last move.
    """

    table: Table
    seat: int | None
    stage: Stage
    is_asked: bool
    view: View[State]
    before: State | None
    news: tuple[News, ...]


class Table:
    """One table. Its methods may be called from any thread, but its coroutines must run in the server's event loop.

    ``bots`` maps the labels of its bots to their versions.
    """

    def __init__(self, row: StoredTable, game: Game, bots: Mapping[str, BotVersion], room: Room) -> None:
        self.row: Final = row
        self.game: Final = game
        self.address = ""
        """The address of the person who created the table, for the limit per address; unknown after a restart."""
        self.changes: Final = Changes()
        self.notice = ""
        """A sentence that everybody at the table sees at the moment."""
        self.rematch = ""
        """The id of the table for the rematch."""
        self.is_running = False
        """Whether the match is being played, or its bots are still running."""
        self.result: MatchResult | None = None
        self.asked: int | None = None
        """The seat of the person whose move is awaited."""
        self.touched = self._attended = self._asked_at = running_time()
        self._bots = bots
        self._settings = room.settings
        self._store = room.store
        self._lock = room.lock
        self._all_changes = room.changes
        self._pool: PlayerPool | None = None
        self._is_stopping = False
        self._hint: tuple[int, Future[Move | None]] | None = None
        self._states: dict[int, State] = {}
        self._match = self._new_match([Unasked() for _ in row.chairs])
        self._keep()
        self._catch_up(self._match)
        hint_bot = hint_bot_of(game) if sum(chair.is_person for chair in row.chairs) == 1 else None
        self.hint_bot: Final = hint_bot
        """The bot that gives hints; None unless exactly one person plays, against bots."""
        versions = [bots[chair.bot] for chair in row.chairs if chair.bot]
        self.memory: Final = memory_of(versions, room.settings.runtime.most_memory, hints=hint_bot is not None)
        """The most bytes of memory that its bots may use."""

    # State

    @property
    def id(self) -> str:
        """The id of the table."""
        return self.row.id

    @property
    def seats(self) -> tuple[Chair, ...]:
        """The seats, in the order of play."""
        return self.row.chairs

    @property
    def stage(self) -> Stage:
        """The stage of the table."""
        return self.row.stage

    @property
    def faults(self) -> Mapping[int, Fault]:
        """The faults of the seats for which the substitute plays."""
        return self.row.faults

    @property
    def match(self) -> str:
        """The id of the stored match; empty until the match is over."""
        return self.row.ticket if self.stage is Stage.OVER else ""

    @property
    def is_open(self) -> bool:
        """Whether the table is neither over nor closed."""
        return self.stage in {Stage.LOBBY, Stage.PLAYING}

    @property
    def is_paused(self) -> bool:
        """Whether the match waits until one of its people comes back."""
        return self.stage is Stage.PLAYING and not self.is_running

    @property
    def is_idle(self) -> bool:
        """Whether none of its players has opened it for a long time."""
        return running_time() - self._attended > self._settings.idle_seconds

    @property
    def has_chat(self) -> bool:
        """Whether the table has a chat: chats are enabled, and more than one person plays."""
        return self._settings.chat and sum(chair.is_person for chair in self.seats) > 1

    @property
    def news(self) -> str:
        """The data of an event about the table: the number of changes, and the stage."""
        return f"{self.changes.number} {self.stage.value}"

    def attend(self) -> None:
        """Record that one of the table's players has it open."""
        self._attended = running_time()

    def seat_of_key(self, key: str) -> int | None:
        """Return the seat of the person whose secret has the digest ``key``, or None if that person has no seat here."""
        return next((number for number, chair in enumerate(self.seats) if chair.belongs_to(key)), None)

    def people(self) -> list[int]:
        """Return the seats of the people who still play: those who have not left, resigned or otherwise forfeited."""
        return [number for number, chair in enumerate(self.seats) if chair.key and number not in self.faults]

    def is_ready(self) -> bool:
        """Whether every seat is taken."""
        return not any(chair.is_free for chair in self.seats)

    def deadline(self) -> float | None:
        """Return the seconds until the substitute takes over from the person to move, or None if no time limit is running."""
        if self.asked is None or self.people() == [self.asked]:
            return None
        return max(0.0, self._asked_at + PATIENCE - running_time())

    def look(self, seat: int | None, at: int | None = None) -> Snapshot:
        """Return what the seat may see now, or after ``at`` decisions. Raises TableError if that position is not kept."""
        viewer = -1 if seat is None else seat
        with self._lock:
            number = len(self.row.moves) if at is None else at
            if number not in self._states:
                raise TableError("that position of the match is no longer kept", 404)
            before = self._states.get(number - 1)
            is_asked = at is None and seat is not None and self.asked == seat
            return Snapshot(
                self,
                seat,
                self.stage if at is None else Stage.PLAYING,
                is_asked,
                self._states[number].view(viewer),
                before.view(viewer).position if before else None,
                tuple(self._match.chronicle.news(viewer, 0)[:number]),
            )

    # Actions of people

    def join(self, name: str, key: str, seat: int | None = None) -> None:
        """Take a free seat, by default the first one; a person who already sits at the table changes seats. Raises TableError."""
        with self._lock:
            self._check_lobby()
            free = [number for number, chair in enumerate(self.seats) if chair.is_free]
            if not free:
                raise TableError("all seats are taken")
            if seat is not None and seat not in free:
                raise TableError("that seat is not free")
            before, taken = self.seat_of_key(key), free[0] if seat is None else seat
            if before is None:
                self._change(chairs=self._with(taken, Chair(name, key=key)))
                return
            chairs = list(self.seats)
            chairs[before], chairs[taken] = chairs[taken], chairs[before]
            self._change(chairs=tuple(chairs), maker=taken if self.row.maker == before else self.row.maker)

    def start(self) -> None:
        """Begin the match, with a unique name for every seat. Raises TableError if a seat is free or the match has begun."""
        with self._lock:
            self._check_lobby()
            if not self.is_ready():
                raise TableError("a seat is still free")
            names = distinct_names([chair.name for chair in self.seats])
            chairs = tuple(replace(chair, name=name) for chair, name in zip(self.seats, names, strict=True))
            self.is_running = True
            self._change(chairs=chairs, stage=Stage.PLAYING)

    def _check_lobby(self) -> None:
        if self.stage is not Stage.LOBBY:
            raise TableError("the match has already begun")

    def _with(self, number: int, chair: Chair) -> tuple[Chair, ...]:
        return (*self.seats[:number], chair, *self.seats[number + 1 :])

    def answer(self, seat: int, index: int, notation: str) -> None:
        """Play a person's move for decision ``index``. Raises TableError if it is not that seat's turn or the move is illegal."""
        with self._lock:
            self._check_asked(seat, index)
            try:
                move = self.game.parse(notation)
            except EngineError as error:
                raise TableError(str(error), 422) from None
            if not self._states[index].view(seat).position.is_legal(move):
                raise TableError(f"'{notation}' is not legal in this position", 422)
            self.notice = ""
            self._play(move)

    def _check_asked(self, seat: int, index: int) -> None:
        if (self.asked, len(self.row.moves)) != (seat, index):
            raise TableError("it is not your turn")

    def resign(self, number: int) -> None:
        """Let the substitute play for a person from now on. Raises TableError."""
        with self._lock:
            if self.stage is not Stage.PLAYING or number in self.faults:
                raise TableError("you don't play in this match")
            self._fail(number, FaultKind.RESIGNED, f"{self.seats[number].name} has resigned")

    def leave(self, number: int) -> None:
        """Leave the table: free the seat before the match, or let the substitute play during it. A table without people is closed."""
        with self._lock:
            chair = self.seats[number]
            facts: dict[str, Any] = {}
            if self.stage is Stage.LOBBY:
                facts["chairs"] = self._with(number, Chair())
            elif self.stage is Stage.PLAYING:
                facts["chairs"] = self._with(number, replace(chair, key=""))
            chairs = facts.get("chairs", self.seats)
            people = [at for at in self.people() if at != number]
            if self.is_open and not any(each.key for each in chairs):
                facts |= {"stage": Stage.CLOSED, "problem": "everybody has left the table"}
            elif self.row.maker not in people and people:
                facts["maker"] = people[0]
            if self.stage is Stage.PLAYING and number not in self.faults:
                self._fail(number, FaultKind.RESIGNED, f"{chair.name} has left", **facts)
            elif facts:
                self._change(**facts)

    def say(self, seat: int, text: str) -> None:
        """Add a message to the chat, with control and bidirectional characters escaped. Raises TableError."""
        if not self.has_chat:
            raise TableError("there is no chat at this table", 403)
        if len(text) > LONGEST_LINE:
            raise TableError(f"a chat message can have at most {LONGEST_LINE} characters", 422)
        if not (cleaned := one_line(text, 10 * LONGEST_LINE)):
            raise TableError("the chat message is empty", 422)
        with self._lock:
            line = Line(seat, self.seats[seat].name, cleaned, int(time()))
            self._change(chat=(*self.row.chat, line)[-KEPT_LINES:])

    def hint(self, seat: int, index: int) -> Move:
        """Return a strong bot's move for decision ``index``, which is computed only once. Raises TableError if no hint can be given."""
        with self._lock:
            self._check_asked(seat, index)
            if self.hint_bot is None:
                raise TableError("there are no hints at this table")
            is_new = self._hint is None or (self._hint[0] != index and self._hint[1].done())
            number, found = self._hint = (index, Future()) if is_new or self._hint is None else self._hint
        if is_new:
            try:
                found.set_result(self._find_hint(seat))
            finally:
                if not found.done():
                    found.set_result(None)
        with suppress(TimeoutError):
            if number == index and (move := found.result(HINT_SECONDS)) is not None:
                return move
        raise TableError("no hint can be given at the moment", 503)

    def _find_hint(self, seat: int) -> Move | None:
        with self._lock:
            match, pool = self._match, self._pool
            view = match.chronicle.view(seat, match.state)
        if pool is None or self.hint_bot is None:
            return None
        try:
            move = hint_of(self.hint_bot, pool, self.game, len(self.seats), view, match.chronicle)
        except (BotFaultError, HostFaultError, SandboxError, UnfitError, OSError) as error:
            _log.error("no hint could be given: %s", error.detail if isinstance(error, BotFaultError) else error)
            return None
        return move if view.position.is_legal(move) else None

    # Storage

    def _change(self, **facts: Any) -> None:
        """Store new values of columns, unless the match is over, and notify everybody; the caller holds the lock. Raises StoreError."""
        if self.result is None:
            change_table(self._store, self.id, **facts)
        for name, value in facts.items():
            setattr(self.row, name, value)
        for number, fault in self.faults.items():
            self._match.fail(number, fault)
        self.note()

    def note(self) -> None:
        """Notify everybody who is waiting for a change. Hold the lock when calling this after changing data that it guards."""
        state = self._match.state
        asked = state.actor if self.stage is Stage.PLAYING and self.is_running and state.actor in self.people() else None
        self.asked = asked if asked is not None and state.count_moves() > 1 else None
        self.touched = running_time()
        self.changes.note()
        self._all_changes.note()

    def _fail(self, number: int, kind: FaultKind, detail: str, **facts: Any) -> None:
        fault = Fault(kind, len(self.row.moves), one_line(detail))
        self._change(faults={**self.faults, number: fault}, **facts)

    def _play(self, move: Move) -> None:
        """Store a move and play it; the caller holds the lock."""
        faults = self._match.faults
        facts = {"faults": faults} if faults != self.faults else {}
        change_table(self._store, self.id, moves=(*self.row.moves, str(move)), **facts)
        self.row.moves, self.row.faults = (*self.row.moves, str(move)), faults
        self._match.play(move)
        self._keep()
        self._asked_at = running_time()
        self.note()

    def _keep(self) -> None:
        number = len(self._match.chronicle)
        self._states[number] = self._match.state.copy()
        self._states.pop(number - _KEPT, None)

    def close(self, problem: str) -> None:
        """Close the table; ``problem`` is the reason. Raises StoreError."""
        with self._lock:
            self._change(stage=Stage.CLOSED, problem=problem)

    # Playing the match

    def resume(self) -> None:
        """Mark the match as running. The caller must hold the lock, and call ``run`` afterwards."""
        self.is_running, self._asked_at = True, running_time()
        self.note()

    def stop(self) -> None:
        """Pause the match as soon as possible, because the server is stopping."""
        self._is_stopping = True
        self.changes.note()

    async def run(self, isolation: str) -> None:
        """Play the match until it is over, closed or paused."""
        problem = ""
        try:
            await asyncio.to_thread(self._seat_bots, isolation)
            await self._go_on()
        except BotError as error:
            _log.error("a match at a table is paused: %s", error)
            self.notice = _UNFIT
        except StoreError as error:
            _log.error("a match at a table is paused: %s", error)
            self.notice = _UNSTORED
        except (HostFaultError, SandboxError, UnfitError, IsolationError, OSError) as error:
            _log.error("a match at a table can't be played: %s", error)
            problem = "this server can't play the match at the moment"
        except Exception:  # noqa: BLE001  # nothing else catches it, and the people at the table must be notified
            _log.exception("a match at a table failed")
            problem = "this server failed to play the match"
        finally:
            await asyncio.to_thread(self._end, problem)

    async def _go_on(self) -> None:
        """Play all moves that people don't choose, until the match is over, closed or paused."""
        settings = self._settings
        while self.stage is Stage.PLAYING and not self._is_stopping and not self.is_idle:
            number = self.changes.number
            if self._match.state.actor is None:
                await asyncio.to_thread(self._finish)
            elif self.asked is None:
                is_persons = await asyncio.to_thread(self._decide)
                if not is_persons and self.people() and self._match.state.actor is not None:
                    await asyncio.sleep(settings.pace)
            elif (left := self._asked_at + PATIENCE - running_time()) > 0:
                await self.changes.after(number, min(left, _LOOK_SECONDS, settings.idle_seconds))
            elif self.people() == [self.asked]:
                self.notice = f"Nobody made a move for {PATIENCE / 60:g} minutes, so the match is paused."
                return
            else:
                await asyncio.to_thread(self._time_out, len(self.row.moves))

    def _seat_bots(self, isolation: str) -> None:
        level = choose_level(isolation)
        # the server may have been restarted with weaker isolation
        admit([self._bots[chair.bot] for chair in self.seats if chair.bot], level, trusted=self._settings.trust_bots)
        if self.notice == _UNFIT:
            self.notice = ""
        self._pool = PlayerPool(level, game=self.game, runtime=self._settings.runtime)
        chairs = enumerate(self.seats)
        match = self._new_match(
            [Unasked() if chair.is_person or at in self.faults else self._pool.seat(self._bots[chair.bot]) for at, chair in chairs]
        )
        try:
            match.start()
            self._catch_up(match)
        except BaseException:
            match.close()
            raise
        with self._lock:  # people may have moved meanwhile
            self._catch_up(match)
            self._match = match
            self.note()

    def _new_match(self, players: list[Player]) -> Match:
        names = tuple(chair.name for chair in self.seats)
        return Match(self.game, Ticket(self.row.ticket, names, 0, 0, names, self.row.seed), players, BOT_CLOCK)

    def _catch_up(self, match: Match) -> None:
        """Play the table's moves that ``match`` does not have yet. Raises EngineError if one of them is not a move of this game."""
        for text in self.row.moves[len(match.chronicle) :]:
            for number, fault in self.faults.items():
                if fault.index <= len(match.chronicle):
                    match.fail(number, fault)
            match.play(self.game.parse(text))
            if match is self._match:
                self._keep()
        for number, fault in self.faults.items():
            match.fail(number, fault)

    def _decide(self) -> bool:
        """Play a move that no person chooses. Return whether that move was a person's only legal move."""
        actor = self._match.state.actor
        move, _ = self._match.decide()
        _patiently(self._play_on, move)
        return actor in self.people()

    def _play_on(self, move: Move) -> None:
        with self._lock:
            if self.stage is Stage.PLAYING:
                self._play(move)

    def _time_out(self, index: int) -> None:
        """Let the substitute play for a person who has not made decision ``index`` in time."""
        with self._lock:
            if self.asked is not None and len(self.row.moves) == index:
                self._fail(self.asked, FaultKind.MOVE_TIMEOUT, f"no move was made within {PATIENCE / 60:g} minutes")

    def _finish(self) -> None:
        assert self._pool is not None, "the bots have been seated"
        result = replace(self._match.finish(), isolation=str(self._pool.level))
        _patiently(finish_table, self._store, self.id, result, [chair.digest for chair in self.seats])
        with self._lock:
            self.result, self.row.stage = result, Stage.OVER
            self.note()

    def _end(self, problem: str) -> None:
        if self._hint is not None:
            self._hint[1].result()
        self._match.close()
        if self._pool is not None:
            self._pool.close()
        with self._lock:
            self._pool, self.is_running = None, False
            self.note()
        if problem:
            try:
                self.close(problem)
            except StoreError as error:
                _log.error("a table can't be closed: %s", error)


def _patiently(action: Callable[..., None], *arguments: Any) -> None:
    """Store something, and retry while the database is unavailable. Raises StoreError."""
    Patience(lambda sentence: _log.warning("%s", sentence))(action, *arguments)
