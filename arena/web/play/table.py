"""One table at which people play with bots and each other: whose turn it is, what each seat may see, who has given up.

``tables`` holds all tables of a server, and runs their matches.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import monotonic, sleep, time
from typing import Final

from arena.entries.preflight import distinct_names
from arena.web.play.chat import Chat, Line, clean
from arena.web.play.history import History, Seen
from arena.web.play.seating import NOBODY, Chair, LeftError, Stage, TableError, Visitor, seat_of, take_seat
from bots.errors import BotFaultError
from bots.loader.version import BotVersion
from engine.core import EngineError, Game, Move, State
from engine.core.observer import Chronicle
from engine.records import Fault, FaultKind, MatchResult

__all__ = ["Chair", "LeftError", "Look", "PlayTable", "Stage", "TableError", "Visitor"]

PATIENCE: Final = 900.0
"""Seconds that a person may think, after which the substitute takes over."""
IDLE_SECONDS: Final = 120.0
"""Seconds without any of its players looking, after which a table's match is paused."""
HINT_SECONDS: Final = 15.0
"""Seconds that a hint may take."""
_LOOK_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True)
class Look:
    """What one seat (None: a spectator) may see of the table, and whether it is asked for a move."""

    table: PlayTable
    seat: int | None
    stage: Stage
    seen: Seen
    is_asked: bool


@dataclass(eq=False)
class PlayTable:
    """One table; its methods may be called from any thread. ``number`` counts changes, for those who wait for them.

    A match begins with the moves of ``opening``, and so does one that goes on. ``ticket`` is the id that it will be stored by;
    ``continues`` is the match whose moves and deck it goes on with, as ``ID@DECISION``, or empty.
    """

    id: str
    game: Game
    chairs: list[Chair]
    seed: int
    opening: Sequence[Move] = ()
    patience: float = PATIENCE
    pace: float = 0.0
    stage: Stage = Stage.LOBBY
    number: int = 0
    problem: str = ""
    notice: str = ""
    """What those at the table should know at the moment, a sentence."""
    result: MatchResult | None = None
    touched: float = field(default_factory=monotonic)
    since: float = field(default_factory=time)
    """When it was made, in seconds since 1970."""
    match: str = ""
    """The id of the stored match, once there is one."""
    maker: int = 0
    """The seat of whoever made the table."""
    visitor: Visitor = NOBODY
    memory: int = 0
    """The bytes that its bots may take."""
    idle_seconds: float = IDLE_SECONDS
    is_listed: bool = False
    """Whether the lobby shows it to everybody."""
    is_paused: bool = False
    adviser: BotVersion | None = None
    """The bot that gives hints, if there is one for the game."""
    chat: Chat | None = field(default_factory=Chat)
    """What was written at the table; None if the host wants no chat, or nobody is there to talk to."""
    rematch: str = ""
    """The id of the table where its people play again."""
    ticket: str = field(default_factory=lambda: secrets.token_hex(8))
    faults: dict[int, Fault] = field(default_factory=dict)
    continues: str = ""
    on_change: Callable[[], None] = lambda: None
    on_line: Callable[[Line], None] = lambda _line: None

    def __post_init__(self) -> None:
        self._changed = threading.Condition()
        self._history = History(self.game.new(len(self.chairs), self.seed), self.opening)
        self._asked: int | None = None
        self._until = 0.0
        self._answer: Move | None = None
        self._wish = -1
        self._hint: tuple[int, Move | None] = (-1, None)
        self._attended = monotonic()
        self._is_stopped = False

    @property
    def is_open(self) -> bool:
        """Whether it is not over."""
        return self.stage in {Stage.LOBBY, Stage.PLAYING}

    @property
    def is_idle(self) -> bool:
        """Whether none of its players has looked at it for long."""
        return monotonic() - self._attended > self.idle_seconds

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves so far."""
        with self._changed:
            return tuple(self._history.moves)

    def attend(self) -> None:
        """Note that one of its players looks at it."""
        self._attended = monotonic()

    # In the lobby

    def seat_of(self, secret: str) -> int | None:
        """Return the seat of whoever has this secret."""
        return seat_of(self.chairs, secret)

    def join(self, name: str, secret: str, seat: int | None = None) -> None:
        """Take a free seat, the first one unless it is named; who sits elsewhere changes seats. Raises TableError."""
        with self._changed:
            if self.stage is not Stage.LOBBY:
                raise TableError("the match has begun already")
            before, taken = take_seat(self.chairs, name, secret, seat)
            if self.maker == before:
                self.maker = taken
            self._tell()

    def is_ready(self) -> bool:
        """Whether every seat is taken."""
        return not any(chair.is_free for chair in self.chairs)

    def set_off(self) -> None:
        """Begin the match, in which every seat has a name of its own. Raises TableError if a seat is free or the match has begun."""
        with self._changed:
            if self.stage is not Stage.LOBBY:
                raise TableError("the match has begun already")
            if not self.is_ready():
                raise TableError("a seat is still free")
            for chair, name in zip(self.chairs, distinct_names([chair.name for chair in self.chairs]), strict=True):
                chair.name = name
            self.stage = Stage.PLAYING
            self._tell()

    def people(self) -> list[int]:
        """Return the seats of the people who are still there."""
        return [
            seat for seat, chair in enumerate(self.chairs) if chair.is_person and chair.key and not chair.gone and seat not in self.faults
        ]

    # While it is played

    def begin(self, chronicle: Chronicle) -> None:
        """Note that the match has begun or goes on; the chronicle is about to hear of all that happens in it, from the beginning."""
        with self._changed:
            self._history.follow(chronicle)

    def moved(self, state: State, move: Move) -> None:
        """A move has been played, perhaps one of those that the match begins with."""
        with self._changed:
            if self._history.is_behind():
                return
            actor = self._history.state.actor
            self._history.add(state.copy(), move)
            shown = actor is not None and not self._is_answered(actor) and state.actor is not None
            self._tell()
        if shown and self.pace and self.people():
            sleep(self.pace)
        self._unless_closed()

    def _is_answered(self, seat: int) -> bool:
        return self.chairs[seat].is_person and seat not in self.faults

    def fail(self, seat: int, fault: Fault) -> None:
        """Note that the substitute plays for the seat from now on."""
        with self._changed:
            self.faults.setdefault(seat, fault)

    def ask(self, seat: int, *, again: bool = False) -> Move | None:
        """Wait for the person's move; None if a hint is wanted first, after which this is called ``again``.

        Raises BotFaultError if none comes or the person has resigned, LeftError if nobody is there.
        """
        with self._changed:
            if not again:
                self._asked, self._answer, self._until = seat, None, monotonic() + self.patience
                self._tell()
            while self._answer is None and self._wish != len(self._history.moves) and not self.chairs[seat].gone:
                self._unless_closed()
                left = self._until - monotonic()
                if left <= 0:
                    self._give_up(seat)
                self._changed.wait(min(left, _LOOK_SECONDS, self.idle_seconds))
            if self._answer is None and not self.chairs[seat].gone:
                return None
            self._asked = None
            self._unless_closed()
            if self.chairs[seat].gone:
                raise BotFaultError(FaultKind.RESIGNED, self.chairs[seat].gone)
            return self._answer

    def _give_up(self, seat: int) -> None:
        self._asked = None
        if self.people() == [seat]:
            self.notice = f"Nobody made a move for {_minutes(self.patience)}, so the match is paused."
            raise LeftError
        raise BotFaultError(FaultKind.MOVE_TIMEOUT, f"no move came within {_minutes(self.patience)}")

    def _unless_closed(self) -> None:
        if self.stage is Stage.CLOSED or self.is_idle or self._is_stopped:
            self._asked = None
            raise LeftError

    def answer(self, seat: int, index: int, notation: str) -> None:
        """Take a person's move for decision ``index``. Raises TableError if it is not theirs to decide now, or not legal."""
        with self._changed:
            self._check_asked(seat, index)
            try:
                move = self.game.parse(notation)
            except EngineError as error:
                raise TableError(str(error), 422) from None
            if not self._history.state.view(seat).position.is_legal(move):
                raise TableError(f"'{notation}' is not legal here", 422)
            self._answer, self.notice = move, ""
            self._changed.notify_all()

    def _check_asked(self, seat: int, index: int) -> None:
        if self.stage is not Stage.PLAYING or self._asked != seat or index != len(self._history.moves) or self._answer is not None:
            raise TableError("that is not yours to decide now")

    def has_hints(self) -> bool:
        """Whether hints are given: to a person who plays with bots alone."""
        return self.adviser is not None and sum(chair.is_person for chair in self.chairs) == 1

    def hint(self, seat: int, index: int) -> Move:
        """Wait for what a strong bot would play for decision ``index``. Raises TableError if there is no such advice."""
        with self._changed:
            self._check_asked(seat, index)
            if not self.has_hints():
                raise TableError("there are no hints at this table")
            until = monotonic() + HINT_SECONDS
            self._wish = index if self._hint[0] != index else -1
            self._changed.notify_all()
            while self._hint[0] != index and self._asked == seat and (left := until - monotonic()) > 0:
                self._changed.wait(left)
            if self._hint[0] != index or self._hint[1] is None:
                raise TableError("no hint can be given at the moment", 503)
            return self._hint[1]

    def wished(self, move: Move | None) -> None:
        """Answer those who wait for a hint; None if there is none."""
        with self._changed:
            self._hint, self._wish = (len(self._history.moves), move), -1
            self._changed.notify_all()

    def give_up(self, seat: int, words: str) -> None:
        """Have the substitute play on for a person, who has resigned or left. Raises TableError."""
        with self._changed:
            chair = self.chairs[seat]
            if self.stage is not Stage.PLAYING or chair.gone or seat in self.faults:
                raise TableError("you don't play in this match")
            chair.gone = words
            self._tell()

    def leave(self, seat: int) -> None:
        """Get up: the seat is free again before the match, and played on by the substitute during it. Nobody left: the table is closed."""
        with self._changed:
            chair = self.chairs[seat]
            if self.stage is Stage.LOBBY:
                self.chairs[seat] = Chair()
            elif self.stage is Stage.PLAYING:
                chair.gone, chair.key = chair.gone or f"{chair.name} has left", ""
            if not (people := self.people()) and self.is_open and not any(each.key for each in self.chairs):
                self.stage, self.problem = Stage.CLOSED, "everybody has left the table"
            elif self.maker not in people and people:
                self.maker = people[0]
            self._tell()

    def say(self, seat: int, text: str) -> None:
        """Write a line into the chat. Raises TableError."""
        line = clean(text)
        with self._changed:
            if self.chat is None:
                raise TableError("there is no chat at this table", 403)
            written = Line(seat, self.chairs[seat].name, line, int(time()))
            self.chat.add(written)
            self.on_line(written)
            self._tell()

    def moment(self) -> tuple[int, int | None]:
        """Return what changes whenever anything changes that somebody sees: the number of changes, and the seat that is asked."""
        with self._changed:
            self.touched = monotonic()
            return self.number, self._asked if self._answer is None else None

    def look_back(self, seat: int | None, at: int) -> Look | None:
        """Return what the seat saw after ``at`` decisions, without any question to it; None if that is too long ago, or still to come."""
        with self._changed:
            seen = self._history.seen(seat, at)
            return None if seen is None else Look(self, seat, Stage.PLAYING, seen, is_asked=False)

    def look(self, seat: int | None) -> Look:
        """Return what the seat sees now."""
        with self._changed:
            self.touched = monotonic()
            seen = self._history.seen(seat)
            assert seen is not None, "the present is kept"
            is_asked = seat is not None and self._asked == seat and self._answer is None
            return Look(self, seat, self.stage, seen, is_asked)

    def asked(self) -> tuple[list[int], float | None]:
        """Return the seats of the people who are asked, and the seconds until the substitute takes over; None if it won't."""
        with self._changed:
            if self._asked is None or self._answer is not None:
                return [], None
            left = None if self.people() == [self._asked] else max(0.0, self._until - monotonic())
            return [self._asked], left

    def link(self, rematch: str) -> None:
        """Note the table where its people play again."""
        with self._changed:
            self.rematch = rematch
            self._tell()

    def tell(self, notice: str) -> None:
        """Tell those at the table a sentence."""
        with self._changed:
            if self.notice != notice:
                self.notice = notice
                self._tell()

    def stop(self) -> None:
        """Have the match pause at once, since the server stops."""
        with self._changed:
            self._is_stopped = True
            self._changed.notify_all()

    def pause(self, *, is_paused: bool = True) -> None:
        """Note that the match rests, or goes on."""
        with self._changed:
            self.is_paused = is_paused
            self._tell()

    def to(self, stage: Stage, problem: str = "") -> None:
        """Go on to another stage."""
        with self._changed:
            if self.stage is not Stage.CLOSED:
                self.stage = stage
            self.is_paused = False
            self.problem = self.problem or problem
            self._tell()

    def _tell(self) -> None:
        self.number += 1
        self.touched = monotonic()
        self._changed.notify_all()
        self.on_change()


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:g} minutes" if seconds >= 60 else f"{seconds:g} s"
