"""``Law``, and ``Trial``: a random match on which laws are checked, and which can be replayed up to any position."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from shlex import quote as shell_quote
from typing import Any, Final, NamedTuple, NoReturn

from engine.core import Game, Move, OptionValue, State

LONGEST: Final = 20_000
"""The largest number of decisions in a random match."""
POSITIONS: Final = 40
"""By default, a law is checked in about this many positions of a match."""
KEPT: Final = 300
"""About how many different moves of a match are kept; laws try them in other positions, where most are illegal."""


class LawError(Exception):
    """Raised if a law is broken; the message says how."""


class SkipError(Exception):
    """Raised by a check that has nothing to check; the message says why."""


@dataclass(frozen=True, slots=True)
class Law:
    """A law that games must obey. ``check`` checks it on one random match and raises LawError if it is broken."""

    name: str
    sentence: str
    check: Callable[[Trial], None]


def law(name: str, sentence: str) -> Callable[[Callable[[Trial], None]], Law]:
    """Return a decorator that turns a function into a law; the function checks one random match."""
    return lambda check: Law(name, sentence, check)


def broken(sentence: str) -> NoReturn:
    """Raise LawError with the sentence as its message."""
    raise LawError(sentence)


def require_error(expected: type[Exception], call: Callable[[], object], what: str) -> None:
    """Raise LawError unless the call raises the expected error, with no cause or with a cause of the expected type."""
    try:
        call()
    except Exception as error:
        cause = error.__cause__ or error
        if isinstance(error, expected) and isinstance(cause, expected):
            return
        raise LawError(f"{what} raises {type(cause).__name__} ({cause}), not {expected.__name__}") from error
    broken(f"{what} is accepted; it must raise {expected.__name__}")


@dataclass(frozen=True, slots=True)
class Table:
    """A table, at which matches are played: the name of a game, its options, and the number of players."""

    game: str
    options: Mapping[str, OptionValue]
    players: int

    def command(self, seed: int) -> str:
        """Return the shell command that checks only the random match with that seed."""
        options = "".join(f" --option {shell_quote(f'{key}={_written(value)}')}" for key, value in self.options.items())
        return f"arena game check {shell_quote(self.game)} --players {self.players}{options} --seed {seed} --games 1"

    def __str__(self) -> str:
        options = "".join(f" {key}={_written(value)}" for key, value in self.options.items())
        return f"{self.game}{options} for {self.players}"


def _written(value: OptionValue) -> str:
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


class Snapshot(NamedTuple):
    """The parts of a position that are compared when it is reached again; ``events`` are the events of the move that led to it."""

    text: str
    events: tuple[str, ...]
    actor: int | None
    moves: tuple[str, ...]


def snapshot(state: State) -> Snapshot:
    """Return the parts of the position that are compared."""
    return Snapshot(state.text, tuple(state.events), state.actor, tuple(map(str, state.list_moves())))


def require_same(one: Snapshot | State, other: Snapshot | State, sentence: str) -> None:
    """Raise LawError, with the sentence and the first difference, if the positions differ."""
    first, second = (each if isinstance(each, Snapshot) else snapshot(each) for each in (one, other))
    for name, mine, theirs in zip(("text", "events", "actor", "legal moves"), first, second, strict=True):
        if mine != theirs:
            broken(f"{sentence}: {name} {_apart(str(mine), str(theirs))}")


def _apart(one: str, other: str) -> str:
    at = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    start = max(at - 15, 0)
    return f"{one[start : start + 40]!r} instead of {other[start : start + 40]!r}"


class Trial:
    """A random match. It is played when the object is created, and laws then replay it.

    If an exception ends the match, it is kept as ``failure``; the moves before it can still be checked.
    """

    def __init__(self, game: Game, table: Table, seed: int, longest: int = LONGEST) -> None:
        self.game: Any = game  # its facts may be class attributes, which compiled code can't see
        self.table = table
        self.seed = seed
        self.at = 0
        """The number of decisions before the position that is being checked."""
        self.moves: list[Move] = []
        self.marks: list[int] = []
        """A hash of the snapshot of each position up to a failure; a replay that reaches the position must have the same hash."""
        self.other_moves: dict[Move, None] = {}
        self.failure: BaseException | None = None
        self.is_over = False
        try:
            self._play(longest)
        except (Exception, SystemExit) as error:  # noqa: BLE001  # a game's code may raise anything
            self.failure = error

    def new(self) -> State:
        """Return the first position."""
        state: State = self.game.new(self.table.players, self.seed)
        return state

    def _play(self, longest: int) -> None:
        rng = Random(self.seed)
        state = self.new()
        self.marks.append(hash(snapshot(state)))
        while state.actor is not None and len(self.moves) < longest:
            moves = list(state.list_moves())
            if not moves:
                broken(f"seat {state.actor} has to decide, but there is no legal move")
            move = moves[rng.randrange(len(moves))]
            if len(self.other_moves) < KEPT:
                self.other_moves.update(dict.fromkeys(rng.sample(moves, min(len(moves), 4))))
            state.play(move)
            self.moves.append(move)
            self.marks.append(hash(snapshot(state)))
        self.is_over = state.actor is None

    def walk(self, most: int = POSITIONS, *, has_end: bool = True) -> Iterator[State]:
        """Replay the match on one state object and yield it at about ``most`` positions, each time with ``self.at`` up to date.

        The first position is always among them, and the last one if ``has_end``.
        """
        last = len(self.marks) - 1
        chosen = {*range(0, last, max(last // most, 1)), *([last] if has_end else [])}
        state = self.new()
        for index in range(last + 1):
            self.at = index
            if index in chosen:
                yield state
            if index < last:
                state.play(self.moves[index])

    def steps(self, state: State) -> Iterator[tuple[int, Move, int]]:
        """Play the recorded moves on ``state``, the initial position. After each, yield the seat, the move, and how many were legal."""
        for index, move in enumerate(self.moves):
            self.at = index
            actor, legal = state.actor, state.count_moves()
            assert actor is not None, "a move was played here before"
            state.play(move)
            self.at = index + 1
            yield actor, move, legal

    def go_on(self, state: State, most: int = 60) -> None:
        """Play up to ``most`` recorded moves, from index ``at`` on. Raises LawError if a position differs from the recorded match."""
        start = self.at
        for index in range(start, min(start + most, len(self.marks) - 1)):
            self.at = index + 1
            state.play(self.moves[index])
            if hash(snapshot(state)) != self.marks[index + 1]:
                sentence = f"it continues differently after decision {index}, '{self.moves[index]}'"
                require_same(state, self.state_at(index + 1), sentence)
                broken(sentence)
        self.at = start

    def state_at(self, index: int) -> State:
        """Return the position before decision ``index``, by replaying the moves before it."""
        state = self.new()
        for move in self.moves[:index]:
            state.play(move)
        return state
