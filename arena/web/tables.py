"""Tables at which persons play, with bots and each other: who sits where, whose turn it is, what each seat may see. It knows no page.

A match is played by ``arena.match`` as any other, in a thread of its own; a person is a player whose ``choose`` waits for an answer.
"""

from __future__ import annotations

import hmac
import secrets
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from time import monotonic, sleep
from typing import Final

from arena.isolation import BEST, IsolationError, admit, choose_level
from arena.match import play_match
from arena.seating import distinct_names
from arena.seeds import SEED_BITS
from bots.calling import BotFaultError
from bots.host import Player
from bots.house import House
from bots.loading import BotError, BotVersion
from bots.protocol import Clock, ClockSpec, MatchEnd, MatchInfo
from bots.remote import HostFaultError
from bots.sandbox import SandboxError
from engine.core import EngineError, Game, Move, State, View
from engine.following import Chronicle, News
from engine.records import FaultKind, MatchResult, Ticket
from leaderboard.casual import add_casual
from leaderboard.errors import StoreError
from leaderboard.store import Store

PATIENCE: Final = 900.0
"""Seconds that a person may think; then the substitute plays on for him."""
_LOBBY_SECONDS: Final = 3600.0
_OVER_SECONDS: Final = 3600.0
BOT_CLOCK: Final = ClockSpec(start=10.0, move=5.0)


class TableError(Exception):
    """What can't be done at a table; ``status`` is what HTTP calls it."""

    def __init__(self, sentence: str, status: int = 409) -> None:
        super().__init__(sentence)
        self.status = status


class Stage(StrEnum):
    """How far a table is."""

    LOBBY = "lobby"
    PLAYING = "playing"
    OVER = "over"
    CLOSED = "closed"


class _LeftError(Exception):
    """No person is at the table any more, or the server stops: the match is given up and not kept."""


@dataclass(slots=True)
class Chair:
    """One seat: a bot's version, or a person, who has come when there is a ``key`` (a secret, by which the browser is known again)."""

    name: str = ""
    version: BotVersion | None = None
    key: str = ""

    @property
    def is_free(self) -> bool:
        """Whether a person may still sit down."""
        return self.version is None and not self.key


@dataclass(frozen=True, slots=True)
class Look:
    """What one seat sees (None: a spectator): the position as far as it may be known, the one before the last move, all that was told."""

    table: Table
    seat: int | None
    stage: Stage
    view: View[State]
    before: State | None
    news: tuple[News, ...]
    is_asked: bool


class _Person(Player):
    """A person in a match."""

    is_timed = False

    def __init__(self, table: Table, seat: int) -> None:
        self._table = table
        self._seat = seat

    def start(self, info: MatchInfo, chronicle: Chronicle) -> None:
        self._table.begin(chronicle)

    def choose(self, view: View[State], clock: Clock) -> Move:
        return self._table.ask(self._seat)

    def finish(self, end: MatchEnd) -> None:
        return None

    def cpu_seconds(self) -> float:
        return 0.0


@dataclass(eq=False)
class Table:
    """One table; its methods may be called from any thread. ``number`` counts what has changed, for those who wait for news."""

    id: str
    game: Game
    chairs: list[Chair]
    seed: int
    opening: tuple[Move, ...] = ()
    patience: float = PATIENCE
    pace: float = 0.0
    stage: Stage = Stage.LOBBY
    number: int = 0
    problem: str = ""
    result: MatchResult | None = None
    touched: float = field(default_factory=monotonic)
    isolation: str = ""
    match: str = ""
    """The id under which it was kept, once it is."""
    maker: int = 0
    """The seat of who made the table."""

    def __post_init__(self) -> None:
        self._changed = threading.Condition()
        self._state = self.game.new(len(self.chairs), self.seed)
        self._before: State | None = None
        self._chronicle = Chronicle(self._state)
        self._decided = 0
        self._asked: int | None = None
        self._answer: Move | None = None
        self._gone: set[int] = set()

    # In the lobby

    def seat_of(self, key: str) -> int | None:
        """The seat of whoever has this key."""
        if not key:
            return None
        found = (number for number, chair in enumerate(self.chairs) if chair.key and hmac.compare_digest(chair.key.encode(), key.encode()))
        return next(found, None)

    def join(self, name: str) -> str:
        """Sit down on the first free seat; gives the key. Raises TableError."""
        with self._changed:
            if self.stage is not Stage.LOBBY:
                raise TableError("the match has begun already")
            chair = next((chair for chair in self.chairs if chair.is_free), None)
            if chair is None:
                raise TableError("no seat is free any more")
            chair.name, chair.key = name, secrets.token_urlsafe(24)
            self._tell()
            return chair.key

    def is_ready(self) -> bool:
        """Whether every seat is taken."""
        return not any(chair.is_free for chair in self.chairs)

    # While it is played

    def begin(self, chronicle: Chronicle) -> None:
        """The match has begun; what happens in it will be written there."""
        with self._changed:
            self._chronicle = chronicle

    def moved(self, state: State, _move: Move) -> None:
        """A move has been played."""
        with self._changed:
            self._before, self._state = self._state, state.copy()
            was = self._chronicle.news(-1, self._decided)
            self._decided += len(was)
            shown = self._decided >= len(self.opening) and any(self.chairs[news.seat].version for news in was) and state.actor is not None
            self._tell()
        if shown and self.pace:
            sleep(self.pace)
        self._unless_closed()

    def ask(self, seat: int) -> Move:
        """Wait for the person's move. Raises BotFaultError when none comes."""
        until = monotonic() + self.patience
        with self._changed:
            self._asked, self._answer = seat, None
            self._tell()
            while self._answer is None and self.stage is not Stage.CLOSED and (left := until - monotonic()) > 0:
                self._changed.wait(left)
            self._asked = None
            self._unless_closed()
            if (answer := self._taken()) is not None:
                return answer
            self._gone.add(seat)
            if all(number in self._gone for number, chair in enumerate(self.chairs) if chair.version is None):
                self.problem = "nobody was at the table any more"
                raise _LeftError
            raise BotFaultError(FaultKind.MOVE_TIMEOUT, f"no move came within {self.patience:g} s")

    def _taken(self) -> Move | None:
        return self._answer

    def _unless_closed(self) -> None:
        if self.stage is Stage.CLOSED:
            raise _LeftError

    def answer(self, seat: int, index: int, notation: str) -> None:
        """The person's move for decision ``index``. Raises TableError for what is not to be decided, or not legal."""
        with self._changed:
            if self.stage is not Stage.PLAYING or self._asked != seat or index != self._decided or self._answer is not None:
                raise TableError("that is not yours to decide now")
            try:
                move = self.game.parse(notation)
            except EngineError as error:
                raise TableError(str(error), 422) from None
            if not self._state.view(seat).position.is_legal(move):
                raise TableError(f"'{notation}' is not legal here", 422)
            self._answer = move
            self._changed.notify_all()

    def look(self, seat: int | None) -> Look:
        """What the seat sees now."""
        with self._changed:
            self.touched = monotonic()
            viewer = -1 if seat is None else seat
            before = self._before.view(viewer).position if self._before is not None else None
            news = tuple(self._chronicle.news(viewer, 0)[: self._decided])
            is_asked = seat is not None and self._asked == seat and self._answer is None
            return Look(self, seat, self.stage, self._state.view(viewer), before, news, is_asked)

    def to(self, stage: Stage, problem: str = "") -> None:
        """Go on to another stage."""
        with self._changed:
            if self.stage is not Stage.CLOSED:
                self.stage = stage
            self.problem = self.problem or problem
            self._tell()

    def _tell(self) -> None:
        self.number += 1
        self.touched = monotonic()
        self._changed.notify_all()


class Tables:
    """All tables of this server; its methods may be called from any thread."""

    def __init__(
        self, db: str, *, trusted: bool, most: int, pace: float, choose: Callable[[], str] = lambda: BEST, patience: float = PATIENCE
    ) -> None:
        self._db = db
        self._trusted = trusted
        self._most = most
        self._pace = pace
        self._choose = choose
        self._patience = patience
        self._tables: dict[str, Table] = {}
        self._threads: dict[str, threading.Thread] = {}
        self._lock = threading.Lock()
        self.watching = 0
        """How many visitors follow a table now; counted in the server's event loop."""

    def find(self, table: str) -> Table | None:
        """The table of that id."""
        self._sweep()
        return self._tables.get(table)

    def open(self, game: Game, chairs: Sequence[Chair], *, seed: int | None = None, opening: Sequence[Move] = ()) -> Table:
        """A new table.

        Raises TableError when there are too many, or a bot may not play here, and OptionsError for what the game does not allow.
        """
        self._sweep()
        seed = secrets.randbits(SEED_BITS) if seed is None else seed
        game.check_start(len(chairs), seed)
        if all(chair.version for chair in chairs):
            raise TableError("no seat is for a person", 422)
        try:
            admit([chair.version for chair in chairs if chair.version], choose_level(self._choose()), trusted=self._trusted)
        except (BotError, IsolationError) as error:
            raise TableError(str(error), 422) from None
        found = Table(secrets.token_urlsafe(9), game, list(chairs), seed, tuple(opening), self._patience, self._pace)
        found.maker = next((number for number, chair in enumerate(chairs) if chair.key), 0)
        with self._lock:
            if len(self._tables) >= self._most:
                raise TableError("all tables are taken; try again later", 503)
            self._tables[found.id] = found
        return found

    def start(self, table: Table) -> None:
        """Let the match begin. Raises TableError when a seat is free or it has begun."""
        with self._lock:
            if table.stage is not Stage.LOBBY:
                raise TableError("the match has begun already")
            if not table.is_ready():
                raise TableError("somebody has yet to sit down")
            names = distinct_names([chair.name for chair in table.chairs])
            for chair, name in zip(table.chairs, names, strict=True):
                chair.name = name
            table.to(Stage.PLAYING)
            thread = threading.Thread(target=self._play, args=(table,), name=f"table {table.id}", daemon=True)
            self._threads[table.id] = thread
            thread.start()

    def close(self) -> None:
        """Give up all matches."""
        with self._lock:
            tables, threads = list(self._tables.values()), list(self._threads.values())
        for table in tables:
            table.to(Stage.CLOSED)
        for thread in threads:
            thread.join(10)

    def _play(self, table: Table) -> None:
        try:
            level = choose_level(self._choose())
            names = tuple(chair.name for chair in table.chairs)
            ticket = Ticket(secrets.token_hex(8), names, 0, 0, names, table.seed)
            with House(level) as house:
                players = [house.seat(chair.version) if chair.version else _Person(table, seat) for seat, chair in enumerate(table.chairs)]
                played = play_match(table.game, ticket, players, table.moved, clock=BOT_CLOCK, opening=table.opening)
            table.result = replace(played, isolation=str(level))
            versions = tuple(chair.version.digest if chair.version else "" for chair in table.chairs)
            with Store.join(self._db) as store:
                add_casual(store, table.result, versions)
            table.match = ticket.id
            table.to(Stage.OVER)
        except _LeftError:
            table.to(Stage.CLOSED)
        except StoreError:
            table.to(Stage.OVER, "the match could not be stored")
        except (HostFaultError, SandboxError, IsolationError, OSError):
            table.to(Stage.CLOSED, "this server can't play the match at the moment")
        except Exception:  # noqa: BLE001  # nobody is there to catch it, and those at the table must learn of it
            table.to(Stage.CLOSED, "this server failed to play the match")

    def _sweep(self) -> None:
        """Forget tables that nobody has looked at for long."""
        with self._lock:
            now = monotonic()
            for table in list(self._tables.values()):
                limit = {Stage.LOBBY: _LOBBY_SECONDS, Stage.OVER: _OVER_SECONDS, Stage.CLOSED: _OVER_SECONDS / 6}.get(table.stage)
                if limit is not None and now - table.touched > limit:
                    table.to(Stage.CLOSED)
                    del self._tables[table.id]
                    self._threads.pop(table.id, None)
