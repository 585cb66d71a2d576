"""One table at which people play with bots and each other: who sits where, whose turn it is, what each seat may see.

``tables`` holds all tables of a server, and runs their matches.
"""

from __future__ import annotations

import hmac
import secrets
import threading
from dataclasses import dataclass, field
from enum import StrEnum
from time import monotonic, sleep
from typing import Final

from bots.child.invoke import BotFaultError
from bots.host.player import Player
from bots.loader.version import BotVersion
from bots.protocol import Clock, MatchEnd, MatchInfo
from engine.core import EngineError, Game, Move, State, View
from engine.records import FaultKind, MatchResult
from engine.replay.observer import Chronicle, News

PATIENCE: Final = 900.0
"""Seconds that a person may think, after which the substitute takes over."""
IDLE_SECONDS: Final = 120.0
"""Seconds without any of its players looking, after which a table's match is given up."""
_LOOK_SECONDS: Final = 5.0
_KEPT: Final = 80
"""Of the positions before the present one, those that pages can ask for."""


class TableError(Exception):
    """Something that can't be done at a table; ``status`` is the HTTP status."""

    def __init__(self, sentence: str, status: int = 409) -> None:
        super().__init__(sentence)
        self.status = status


class Stage(StrEnum):
    """The stages of a table."""

    LOBBY = "lobby"
    PLAYING = "playing"
    OVER = "over"
    CLOSED = "closed"


class LeftError(Exception):
    """No person is at the table any more, or the server stops: the match is abandoned and not kept."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who made a table: an address as it is counted, and the key of a browser."""

    address: str
    browser: str


@dataclass(slots=True)
class Chair:
    """One seat: a bot's version, or a person, who has sat down once there is a ``key`` (a secret that only that browser has)."""

    name: str = ""
    version: BotVersion | None = None
    key: str = ""

    @property
    def is_free(self) -> bool:
        """Whether a person may still sit down."""
        return self.version is None and not self.key


@dataclass(frozen=True, slots=True)
class Look:
    """What one seat (None: a spectator) may see: the position, the one before the last move, and all news."""

    table: PlayTable
    seat: int | None
    stage: Stage
    view: View[State]
    before: State | None
    news: tuple[News, ...]
    is_asked: bool


class Person(Player):
    """A person in a match."""

    is_timed = False

    def __init__(self, table: PlayTable, seat: int) -> None:
        self._table = table
        self._seat = seat

    def start(self, info: MatchInfo, chronicle: Chronicle) -> None:
        """The match begins."""
        self._table.begin(chronicle)

    def choose(self, view: View[State], clock: Clock) -> Move:
        """Wait for the person's move."""
        return self._table.ask(self._seat)

    def finish(self, end: MatchEnd) -> None:
        """Do nothing: the page shows the end."""

    def cpu_seconds(self) -> float:
        """Return 0, since a person uses no CPU time."""
        return 0.0


@dataclass(eq=False)
class PlayTable:
    """One table; its methods may be called from any thread. ``number`` counts changes, for those who wait for them."""

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
    """The id of the stored match, once there is one."""
    maker: int = 0
    """The seat of whoever made the table."""
    visitor: Visitor = Visitor("", "")  # a frozen record
    memory: int = 0
    """The bytes that its bots may take."""
    idle_seconds: float = IDLE_SECONDS

    def __post_init__(self) -> None:
        self._changed = threading.Condition()
        self._state = self.game.new(len(self.chairs), self.seed)
        self._before: State | None = None
        self._past: dict[int, State] = {0: self._state}
        self._chronicle = Chronicle(self._state)
        self._decided = 0
        self._asked: int | None = None
        self._answer: Move | None = None
        self._gone: set[int] = set()
        self._attended = monotonic()

    @property
    def is_open(self) -> bool:
        """Whether it is not over."""
        return self.stage in {Stage.LOBBY, Stage.PLAYING}

    @property
    def is_idle(self) -> bool:
        """Whether none of its players has looked at it for long."""
        return monotonic() - self._attended > self.idle_seconds

    def attend(self) -> None:
        """Note that one of its players looks at it."""
        self._attended = monotonic()

    # In the lobby

    def seat_of(self, key: str) -> int | None:
        """Return the seat of whoever has this key."""
        if not key:
            return None
        seats = (number for number, chair in enumerate(self.chairs) if chair.key and hmac.compare_digest(chair.key.encode(), key.encode()))
        return next(seats, None)

    def join(self, name: str) -> str:
        """Take the first free seat; return its key. Raises TableError."""
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
        """Note that the match has begun, with the chronicle of what happens in it."""
        with self._changed:
            self._chronicle = chronicle

    def moved(self, state: State, _move: Move) -> None:
        """A move has been played."""
        with self._changed:
            self._before, self._state = self._state, state.copy()
            was = self._chronicle.news(-1, self._decided)
            self._decided += len(was)
            self._past[self._decided] = self._state
            self._past.pop(self._decided - _KEPT, None)
            shown = self._decided >= len(self.opening) and any(self.chairs[news.seat].version for news in was) and state.actor is not None
            self._tell()
        if shown and self.pace:
            sleep(self.pace)
        self._unless_closed()

    def ask(self, seat: int) -> Move:
        """Wait for the person's move. Raises BotFaultError if none comes, LeftError if nobody is left."""
        until = monotonic() + self.patience
        with self._changed:
            self._asked, self._answer = seat, None
            self._tell()
            while self._answer is None and self.stage is not Stage.CLOSED and (left := until - monotonic()) > 0:
                self._unless_closed()
                self._changed.wait(min(left, _LOOK_SECONDS, self.idle_seconds))
            self._asked = None
            self._unless_closed()
            if (answer := self._taken()) is not None:
                return answer
            self._gone.add(seat)
            if all(number in self._gone for number, chair in enumerate(self.chairs) if chair.version is None):
                self.problem = "nobody was at the table any more"
                raise LeftError
            raise BotFaultError(FaultKind.MOVE_TIMEOUT, f"no move came within {self.patience:g} s")

    def _taken(self) -> Move | None:
        return self._answer

    def _unless_closed(self) -> None:
        if self.stage is not Stage.CLOSED and self.is_idle:
            self.problem = self.problem or "nobody was at the table any more"
        if self.stage is Stage.CLOSED or self.is_idle:
            raise LeftError

    def answer(self, seat: int, index: int, notation: str) -> None:
        """Take a person's move for decision ``index``. Raises TableError if it is not theirs to decide now, or not legal."""
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

    def look_back(self, seat: int | None, at: int) -> Look | None:
        """Return what the seat saw after ``at`` decisions, without any question to it; None if that is too long ago, or still to come."""
        with self._changed:
            now, before = self._past.get(at), self._past.get(at - 1)
            if now is None:
                return None
            viewer = -1 if seat is None else seat
            news = tuple(self._chronicle.news(viewer, 0)[:at])
            return Look(self, seat, Stage.PLAYING, now.view(viewer), before.view(viewer).position if before else None, news, is_asked=False)

    def look(self, seat: int | None) -> Look:
        """Return what the seat sees now."""
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
