"""One table at which people play with bots and each other: who sits there, the state of its match, its chat and its notices.

``live_match`` has its match, ``match_runner`` plays that, and ``tables`` holds all tables of a server.
"""

from __future__ import annotations

import secrets
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic, time
from typing import Final

from arena.entries.preflight import distinct_names
from arena.web.errors import TableError
from arena.web.play.live_match import LiveMatch
from arena.web.play.seats import NOBODY, PausedError, Seat, Stage, Visitor, is_same
from bots.loader.version import BotVersion
from engine.core import Game, Move
from engine.records import Fault, MatchResult
from engine.text import one_line
from leaderboard.storage.play_tables import KEPT_LINES, StoredLine

LONGEST_LINE: Final = 200
"""The most characters of a line of the chat."""
PATIENCE: Final = 900.0
"""The seconds that a person may think before the substitute takes over."""
IDLE_SECONDS: Final = 120.0
"""The seconds after which a match is paused if none of its players looks at the table."""


@dataclass(eq=False)
class PlayTable:
    """One table; its methods may be called from any thread. ``number`` counts changes, for those who wait for them.

    A match, new or continued, begins with the moves of ``opening``. ``ticket`` is the id that it will be stored by; ``continues`` is the
    match whose moves and deck it takes over, as ``ID@DECISION``, or empty.
    """

    id: str
    game: Game
    seats: list[Seat]
    seed: int
    opening: Sequence[Move] = ()
    patience: float = PATIENCE
    pace: float = 0.0
    stage: Stage = Stage.LOBBY
    number: int = 0
    problem: str = ""
    notice: str = ""
    """A sentence for everybody at the table at the moment."""
    result: MatchResult | None = None
    touched: float = field(default_factory=monotonic)
    since: float = field(default_factory=time)
    """The time at which it was made, in seconds since 1970."""
    match: str = ""
    """The id of the stored match, once there is one."""
    maker: int = 0
    """The seat of the person who made the table."""
    visitor: Visitor = NOBODY
    memory: int = 0
    """The most bytes that its bots may take."""
    idle_seconds: float = IDLE_SECONDS
    is_listed: bool = False
    """Whether the lobby shows it to everybody."""
    is_paused: bool = False
    hint_bot: BotVersion | None = None
    """The bot that gives hints, if there is one for the game."""
    chat: deque[StoredLine] | None = field(default_factory=lambda: deque(maxlen=KEPT_LINES))
    """The last lines; None if the host wants no chat, or nobody is there to talk to."""
    new_lines: list[StoredLine] = field(default_factory=list)
    """The lines that are not stored yet."""
    rematch: str = ""
    """The id of the table where its people play again."""
    ticket: str = field(default_factory=lambda: secrets.token_hex(8))
    faults: dict[int, Fault] = field(default_factory=dict)
    """The faults of the seats for which the substitute plays."""
    continues: str = ""
    on_change: Callable[[], None] = lambda: None

    def __post_init__(self) -> None:
        self.changed = threading.Condition()
        self.live = LiveMatch(self)
        self._attended = monotonic()
        self._is_stopped = False

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Hold the table's lock for a change, and then notify all who wait for one."""
        with self.changed:
            yield
            self.note_change()

    def note_change(self) -> None:
        """Notify all who wait for a change; the caller holds the lock."""
        self.number += 1
        self.touched = monotonic()
        self.changed.notify_all()
        self.on_change()

    @property
    def news(self) -> str:
        """The data for followers of the table: the number of changes, and its stage."""
        return f"{self.number} {self.stage.value}"

    @property
    def is_open(self) -> bool:
        """Whether it is not over."""
        return self.stage in {Stage.LOBBY, Stage.PLAYING}

    # Who is there

    def attend(self) -> None:
        """Record that one of its players looks at it."""
        self._attended = monotonic()

    @property
    def is_idle(self) -> bool:
        """Whether none of its players has opened it for a long time."""
        return monotonic() - self._attended > self.idle_seconds

    def check_attended(self) -> None:
        """Raise PausedError if its match can't go on at the moment."""
        if self.stage is Stage.CLOSED or self.is_idle or self._is_stopped:
            raise PausedError

    def seat_of_key(self, key: str) -> int | None:
        """Return the seat of the person whose secret has this digest."""
        return next((number for number, seat in enumerate(self.seats) if is_same(seat.key, key)), None)

    def people(self) -> list[int]:
        """Return the seats of the people who are still there."""
        seats = enumerate(self.seats)
        return [number for number, seat in seats if seat.is_person and seat.key and not seat.gone and number not in self.faults]

    def is_ready(self) -> bool:
        """Whether every seat is taken."""
        return not any(seat.is_free for seat in self.seats)

    def has_hints(self) -> bool:
        """Whether hints are given: to a person who plays with bots alone, and not for a rating."""
        return self.hint_bot is not None and sum(seat.is_person for seat in self.seats) == 1

    # What people do

    def join(self, name: str, key: str, seat: int | None = None) -> None:
        """Take a free seat, by default the first one; a person who already sits at the table changes seats. Raises TableError."""
        with self.changing():
            self._check_lobby()
            free = [number for number, each in enumerate(self.seats) if each.is_free]
            if not free:
                raise TableError("all seats are taken")
            if seat is not None and seat not in free:
                raise TableError("that seat is not free")
            before, taken = self.seat_of_key(key), free[0] if seat is None else seat
            if before is None:
                self.seats[taken] = Seat(name, key=key)
                return
            self.seats[before], self.seats[taken] = self.seats[taken], self.seats[before]
            if self.maker == before:
                self.maker = taken

    def start(self) -> None:
        """Begin the match, in which every seat has a unique name. Raises TableError if a seat is free or the match has begun."""
        with self.changing():
            self._check_lobby()
            if not self.is_ready():
                raise TableError("a seat is still free")
            for seat, name in zip(self.seats, distinct_names([seat.name for seat in self.seats]), strict=True):
                seat.name = name
            self.stage = Stage.PLAYING

    def _check_lobby(self) -> None:
        if self.stage is not Stage.LOBBY:
            raise TableError("the match has already begun")

    def resign(self, number: int) -> None:
        """Have the substitute play on for a person. Raises TableError."""
        with self.changing():
            seat = self.seats[number]
            if self.stage is not Stage.PLAYING or seat.gone or number in self.faults:
                raise TableError("you don't play in this match")
            seat.gone = f"{seat.name} has resigned"

    def leave(self, number: int) -> None:
        """Leave the table. Before the match the seat is free again; during it the substitute plays on. A table without people is closed."""
        with self.changing():
            seat = self.seats[number]
            if self.stage is Stage.LOBBY:
                self.seats[number] = Seat()
            elif self.stage is Stage.PLAYING:
                seat.gone, seat.key = seat.gone or f"{seat.name} has left", ""
            if not (people := self.people()) and self.is_open and not any(each.key for each in self.seats):
                self.stage, self.problem = Stage.CLOSED, "everybody has left the table"
            elif self.maker not in people and people:
                self.maker = people[0]

    def say(self, seat: int, text: str) -> None:
        """Write a line into the chat, with control and bidirectional characters escaped. Raises TableError."""
        with self.changing():
            if self.chat is None:
                raise TableError("there is no chat at this table", 403)
            if len(text) > LONGEST_LINE:
                raise TableError(f"a line has at most {LONGEST_LINE} characters", 422)
            if not (cleaned := one_line(text, 10 * LONGEST_LINE)):
                raise TableError("that line is empty", 422)
            line = StoredLine(seat, self.seats[seat].name, cleaned, int(time()))
            self.chat.append(line)
            self.new_lines.append(line)

    # What the server notes

    def fail(self, seat: int, fault: Fault) -> None:
        """Record that the substitute plays for the seat from now on."""
        with self.changed:
            self.faults.setdefault(seat, fault)

    def tell(self, notice: str) -> None:
        """Show a sentence to everybody at the table."""
        if self.notice != notice:
            with self.changing():
                self.notice = notice

    def stop(self) -> None:
        """Pause the match at once, since the server stops."""
        with self.changed:
            self._is_stopped = True
            self.changed.notify_all()

    def pause(self, *, is_paused: bool = True) -> None:
        """Record that the match is paused, or continues."""
        with self.changing():
            self.is_paused = is_paused

    def end(self, stage: Stage, problem: str = "") -> None:
        """Record that the match is over, or the table closed."""
        with self.changing():
            if self.stage is not Stage.CLOSED:
                self.stage = stage
            self.is_paused = False
            self.problem = self.problem or problem
