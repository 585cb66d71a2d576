"""One table at which people play with bots and each other: who sits there, the state of its match, its chat and its notices.

``match_runner`` plays its match, and ``tables`` holds all tables of a server.
"""

from __future__ import annotations

import secrets
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import sleep, time
from typing import Final

from arena.bots import distinct_names
from arena.web.errors import TableError
from arena.web.play.seats import NOBODY, PausedError, Seat, Stage, Visitor, is_same
from bots.clock import running_time
from bots.errors import BotFaultError
from bots.loader.version import BotVersion
from engine.core import EngineError, Game, Move, State, View
from engine.core.observer import Chronicle, News
from engine.records import Fault, FaultKind, MatchResult
from engine.text import one_line
from leaderboard.storage.play_tables import KEPT_LINES, Line

LONGEST_LINE: Final = 200
"""The most characters of a line of the chat."""
PATIENCE: Final = 900.0
"""The seconds that a person may think before the substitute takes over."""
IDLE_SECONDS: Final = 120.0
"""The seconds after which a match is paused if none of its players looks at the table."""


HINT_SECONDS: Final = 15.0
"""Seconds that a hint may take."""
_LOOK_SECONDS: Final = 5.0
_KEPT: Final = 80
"""The number of earlier positions that pages can request."""


class History:
    """The moves, from the first position on. It takes no lock: its table does.

    A match that goes on after a pause is played from its beginning, so its new chronicle lags behind for a while; until it has caught up,
    seats get the news of the previous one.
    """

    def __init__(self, start: State, opening: Iterable[Move]) -> None:
        self.state: State = start
        self.moves: list[Move] = []
        self._past: dict[int, State] = {0: start}
        self._chronicle = self._coming = Chronicle(start)
        for move in opening:
            actor, state = self.state.actor, self.state.copy()
            assert actor is not None, "the match would be over"
            state.play(move)
            self._chronicle.record(actor, move, state)
            self.add(state, move)

    def add(self, state: State, move: Move) -> None:
        """Note a move that was played, and the position after it."""
        self.state = state
        self.moves.append(move)
        self._past[len(self.moves)] = state
        self._past.pop(len(self.moves) - _KEPT, None)

    def follow(self, chronicle: Chronicle) -> None:
        """Switch to a chronicle that is about to receive the whole match, once it has caught up."""
        self._coming = chronicle
        if not self.moves:
            self._chronicle = chronicle

    def is_behind(self) -> bool:
        """Return whether the chronicle has just received a move that is already known; switch to it once it has received all of them."""
        heard, known = len(self._coming), len(self.moves)
        if self._coming is self._chronicle or heard > known:
            return False
        if heard == known:
            self._chronicle = self._coming
        return True

    def observed(self, seat: int | None, at: int | None = None) -> tuple[View[State], State | None, tuple[News, ...]]:
        """Return the view of the seat, now or after ``at`` decisions, the position before, and all news.

        Raises TableError if that is too long ago, or still to come.
        """
        at = len(self.moves) if at is None else at
        if at not in self._past:
            raise TableError("that position of the match is no longer kept", 404)
        viewer = -1 if seat is None else seat
        before = self._past.get(at - 1)
        news = tuple(self._chronicle.news(viewer, 0)[:at])
        return self._past[at].view(viewer), before.view(viewer).position if before else None, news


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What one seat (None: a spectator) may see of the table at some moment, and whether it is asked for a move.

    ``before`` is the position before the last move.
    """

    table: PlayTable
    seat: int | None
    stage: Stage
    is_asked: bool
    view: View[State]
    before: State | None
    news: tuple[News, ...]


@dataclass(eq=False, slots=True)
class Turn:
    """A decision that a person is asked for: its number, when their time is up, and their move once there is one.

    ``hints`` has the hint once one was computed: a move, or None if there is none.
    """

    seat: int
    index: int
    until: float
    move: Move | None = None
    wants_hint: bool = False
    hints: list[Move | None] = field(default_factory=list)


class LiveMatch:
    """The match of a table, guarded by the table's lock. Its thread calls ``begin``, ``moved`` and ``ask``; visitors' requests the rest."""

    def __init__(self, table: PlayTable) -> None:
        self._table = table
        self._changed = table.changed
        self._history = History(table.game.new(len(table.seats), table.seed), table.opening)
        self._turn: Turn | None = None

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves so far."""
        with self._changed:
            return tuple(self._history.moves)

    def begin(self, chronicle: Chronicle) -> None:
        """Record that the match begins or continues; the chronicle will now receive all of it from the beginning."""
        with self._changed:
            self._history.follow(chronicle)

    def moved(self, state: State, move: Move) -> None:
        """Record a move, which may be one of the opening. Raises PausedError."""
        table = self._table
        with self._changed:
            if self._history.is_behind():
                return
            actor = self._history.state.actor
            is_bots = actor is not None and (not table.seats[actor].is_person or actor in table.faults)
            self._history.add(state.copy(), move)
            table.note_change()
        if is_bots and state.actor is not None and table.pace and table.people():
            sleep(table.pace)
        table.check_attended()

    def ask(self, seat: int, hint: Callable[[], Move | None]) -> Move:
        """Wait for the person's move; ``hint`` computes a hint if they want one.

        Raises BotFaultError if no move comes or the person has resigned, PausedError if nobody is there.
        """
        with self._changed:
            self._turn = turn = Turn(seat, len(self._history.moves), running_time() + self._table.patience)
            self._table.note_change()
        try:
            while self._wait(turn):
                move = hint()
                with self._changed:
                    turn.hints, turn.wants_hint = [move], False
                    self._changed.notify_all()
        finally:
            with self._changed:
                self._turn = None
        if turn.move is None:  # one that was accepted is stored, even if the server stops now
            self._table.check_attended()
        if turn.move is None or self._table.seats[seat].gone:
            raise BotFaultError(FaultKind.RESIGNED, self._table.seats[seat].gone)
        return turn.move

    def _wait(self, turn: Turn) -> bool:
        """Wait until there is a move or the person has gone; return True as soon as a hint is wanted."""
        table = self._table
        with self._changed:
            while turn.move is None and not table.seats[turn.seat].gone:
                if turn.wants_hint:
                    return True
                table.check_attended()
                left = turn.until - running_time()
                if left <= 0 and table.people() == [turn.seat]:
                    table.notice = f"Nobody made a move for {_minutes(table.patience)}, so the match is paused."
                    raise PausedError
                if left <= 0:
                    raise BotFaultError(FaultKind.MOVE_TIMEOUT, f"no move came within {_minutes(table.patience)}")
                self._changed.wait(min(left, _LOOK_SECONDS, table.idle_seconds))
        return False

    def answer(self, seat: int, index: int, notation: str) -> None:
        """Take a person's move for decision ``index``. Raises TableError if it is not theirs to decide now, or not legal."""
        with self._changed:
            turn = self._turn_of(seat, index)
            try:
                move = self._table.game.parse(notation)
            except EngineError as error:
                raise TableError(str(error), 422) from None
            if not self._history.state.view(seat).position.is_legal(move):
                raise TableError(f"'{notation}' is not legal here", 422)
            turn.move, self._table.notice = move, ""
            self._changed.notify_all()

    def hint(self, seat: int, index: int) -> Move:
        """Wait for a strong bot's move for decision ``index``. Raises TableError if there is no hint."""
        with self._changed:
            turn = self._turn_of(seat, index)
            if not self._table.has_hints():
                raise TableError("there are no hints at this table")
            until = running_time() + HINT_SECONDS
            turn.wants_hint = not turn.hints
            self._changed.notify_all()
            while not turn.hints and self._turn is turn and (left := until - running_time()) > 0:
                self._changed.wait(left)
            if not turn.hints or turn.hints[0] is None:
                raise TableError("no hint can be given at the moment", 503)
            return turn.hints[0]

    def _turn_of(self, seat: int, index: int) -> Turn:
        """Return the turn of a seat to make decision ``index``. Raises TableError if it is not its turn."""
        turn = self._turn
        if self._table.stage is not Stage.PLAYING or turn is None or (turn.seat, turn.index) != (seat, index) or turn.move is not None:
            raise TableError("it is not your decision")
        return turn

    def look(self, seat: int | None, at: int | None = None) -> Snapshot:
        """Return the view of the seat now or, without a decision to make, after ``at`` decisions. Raises TableError if that is too long
        ago, or still to come.
        """
        with self._changed:
            observed = self._history.observed(seat, at)
            if at is not None:
                return Snapshot(self._table, seat, Stage.PLAYING, False, *observed)
            return Snapshot(self._table, seat, self._table.stage, seat is not None and self._asked == seat, *observed)

    @property
    def _asked(self) -> int | None:
        """The seat of the person whose move is awaited."""
        return None if self._turn is None or self._turn.move is not None else self._turn.seat

    def asked(self) -> tuple[list[int], float | None]:
        """Return the seats of the people who are asked, and the seconds until the substitute takes over (None if it won't)."""
        with self._changed:
            if self._turn is None or self._asked is None:
                return [], None
            left = None if self._table.people() == [self._asked] else max(0.0, self._turn.until - running_time())
            return [self._asked], left

    def moment(self) -> tuple[int, int | None]:
        """Return a value that changes with every visible change: the number of changes, and the seat that is asked."""
        with self._changed:
            self._table.touched = running_time()
            return self._table.number, self._asked


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:g} minutes" if seconds >= 60 else f"{seconds:g} s"


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
    touched: float = field(default_factory=running_time)
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
    chat: deque[Line] | None = field(default_factory=lambda: deque(maxlen=KEPT_LINES))
    """The last lines; None if the host wants no chat, or nobody is there to talk to."""
    new_lines: list[Line] = field(default_factory=list)
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
        self._attended = running_time()
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
        self.touched = running_time()
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
        self._attended = running_time()

    @property
    def is_idle(self) -> bool:
        """Whether none of its players has opened it for a long time."""
        return running_time() - self._attended > self.idle_seconds

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
            line = Line(seat, self.seats[seat].name, cleaned, int(time()))
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
