"""The match in progress at a table: its history, the person it waits for and until when, and what each seat may see."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from time import monotonic, sleep
from typing import TYPE_CHECKING, Final

from arena.web.errors import TableError
from arena.web.play.seats import PausedError, Stage
from bots.errors import BotFaultError
from engine.core import EngineError, Move, State, View
from engine.core.observer import Chronicle, News
from engine.records import FaultKind

if TYPE_CHECKING:
    from arena.web.play.table import PlayTable

HINT_SECONDS: Final = 15.0
"""Seconds that a hint may take."""
_LOOK_SECONDS: Final = 5.0
_KEPT: Final = 80
"""The number of earlier positions that pages can request."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What a seat (None: a spectator) saw at some moment: the position, the one before the last move, and all news."""

    view: View[State]
    before: State | None
    news: tuple[News, ...]


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

    def observed(self, seat: int | None, at: int | None = None) -> Observation:
        """Return the view of the seat, now or after ``at`` decisions. Raises TableError if that is too long ago, or still to come."""
        at = len(self.moves) if at is None else at
        if at not in self._past:
            raise TableError("that position of the match is no longer kept", 404)
        viewer = -1 if seat is None else seat
        before = self._past.get(at - 1)
        news = tuple(self._chronicle.news(viewer, 0)[:at])
        return Observation(self._past[at].view(viewer), before.view(viewer).position if before else None, news)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What one seat (None: a spectator) may see of the table, and whether it is asked for a move."""

    table: PlayTable
    seat: int | None
    stage: Stage
    observed: Observation
    is_asked: bool


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
            self._turn = turn = Turn(seat, len(self._history.moves), monotonic() + self._table.patience)
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
                left = turn.until - monotonic()
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
            until = monotonic() + HINT_SECONDS
            turn.wants_hint = not turn.hints
            self._changed.notify_all()
            while not turn.hints and self._turn is turn and (left := until - monotonic()) > 0:
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
                return Snapshot(self._table, seat, Stage.PLAYING, observed, is_asked=False)
            return Snapshot(self._table, seat, self._table.stage, observed, is_asked=seat is not None and self._asked == seat)

    @property
    def _asked(self) -> int | None:
        """The seat of the person whose move is awaited."""
        return None if self._turn is None or self._turn.move is not None else self._turn.seat

    def asked(self) -> tuple[list[int], float | None]:
        """Return the seats of the people who are asked, and the seconds until the substitute takes over (None if it won't)."""
        with self._changed:
            if self._turn is None or self._asked is None:
                return [], None
            left = None if self._table.people() == [self._asked] else max(0.0, self._turn.until - monotonic())
            return [self._asked], left

    def moment(self) -> tuple[int, int | None]:
        """Return a value that changes with every visible change: the number of changes, and the seat that is asked."""
        with self._changed:
            self._table.touched = monotonic()
            return self._table.number, self._asked


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:g} minutes" if seconds >= 60 else f"{seconds:g} s"
