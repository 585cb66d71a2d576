"""Laws, and the random games that they are checked on: the moves played, and the way back to each position."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from shlex import quote as shell_quote
from typing import Any, Final, NamedTuple, NoReturn, TypeAlias

from engine.core import Game, Move, OptionValue, Outcome, Score, State
from engine.records import Chance, Decision, Replay
from engine.replay.format import chance_of

Check: TypeAlias = Callable[["Trial"], None]
CheckOfAll: TypeAlias = Callable[["Sequence[Trial]"], None]


class LawError(Exception):
    """A law is broken; the sentence says how.

    The complaint shows the moves of ``trial`` (by default the one being checked) up to decision ``at`` (by default ``trial.at``).
    """

    def __init__(self, sentence: str, *, trial: Trial | None = None, at: int | None = None) -> None:
        super().__init__(sentence)
        self.trial = trial
        self.at = at


class SkipError(Exception):
    """Raised by a check that has nothing to check; the text says why."""


@dataclass(frozen=True, slots=True)
class Law:
    """One law: ``check`` looks at one random game at a time, or ``check_all`` at all of them together."""

    name: str
    sentence: str
    check: Check | None = None
    check_all: CheckOfAll | None = None


def law(name: str, sentence: str) -> Callable[[Check], Law]:
    """Make a law of a function that checks one random game."""
    return lambda check: Law(name, sentence, check=check)


def law_of_all(name: str, sentence: str) -> Callable[[CheckOfAll], Law]:
    """Make a law of a function that checks all random games together."""
    return lambda check: Law(name, sentence, check_all=check)


def broken(sentence: str) -> NoReturn:
    """Raise LawError."""
    raise LawError(sentence)


LONGEST: Final = 20_000
"""The most decisions that a random game may have."""
POSITIONS: Final = 40
"""How many positions of a game a law looks at, unless it says otherwise."""
KEPT: Final = 300
"""How many moves of other positions are kept, to be tried where they are not legal."""


@dataclass(frozen=True, slots=True)
class Table:
    """A game by its name, its options, and a number of players."""

    game: str
    options: Mapping[str, OptionValue]
    players: int

    def command(self, seed: int) -> str:
        """Return the command that checks the random game of that seed alone."""
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
    """What is compared of a position when it is reached again: its text, the events before it, who decides, and the legal moves."""

    text: str
    events: tuple[str, ...]
    actor: int | None
    moves: tuple[str, ...]

    def difference(self, other: Snapshot) -> str:
        """Return the first thing that differs, in words, or nothing."""
        for name, one, two in zip(("text", "events", "actor", "legal moves"), self, other, strict=True):
            if one != two:
                return f"{name} {_apart(one, two)}"
        return ""


def snapshot(state: State) -> Snapshot:
    """Return the parts of the position that are compared."""
    return Snapshot(state.text, tuple(state.events), state.actor, tuple(map(str, state.list_moves())))


def require_same(one: Snapshot | State, other: Snapshot | State, sentence: str) -> None:
    """Raise LawError with the sentence and the first thing that differs, if anything does."""
    first, second = (each if isinstance(each, Snapshot) else snapshot(each) for each in (one, other))
    if difference := first.difference(second):
        broken(f"{sentence}: {difference}")


def _apart(one: object, other: object) -> str:
    first, second = str(one), str(other)
    at = next((i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second)))
    start = max(at - 15, 0)
    return f"{first[start : start + 40]!r} against {second[start : start + 40]!r}"


class Trial:
    """A random game: it is played once when it is made, and laws walk through it again.

    An exception during that first play is kept as ``failure``; the moves before it can still be checked.
    """

    def __init__(self, game: Game, table: Table, seed: int, longest: int = LONGEST) -> None:
        self.game: Any = game  # its facts may be stated on the class, which compiled code can't see
        self.table = table
        self.seed = seed
        self.at = 0
        """The number of decisions before the position that is being checked."""
        self.moves: list[Move] = []
        self.decisions: list[Decision] = []
        self.marks: list[int] = []
        """A hash of the snapshot of each position, to compare with when it is reached again; none for a position where that failed."""
        self.other_moves: list[Move] = []
        self.chance: list[Chance] = []
        self.outcome: Outcome | None = None
        self.failure: Exception | None = None
        self.is_begun = False
        self.is_over = False
        self._play(longest)
        self.at = 0

    def __str__(self) -> str:
        return f"{self.table}, seed {self.seed}"

    def new(self) -> State:
        """Return the first position."""
        state: State = self.game.new(self.table.players, self.seed)
        return state

    def _play(self, longest: int) -> None:
        rng = Random(self.seed)
        kept: dict[Move, None] = {}
        try:
            state = self.new()
            snapshot(state)
            self.is_begun = True
            while state.actor is not None and len(self.moves) < longest:
                self.at = len(self.moves)
                moves = state.list_moves()
                if not moves:
                    raise LawError(f"seat {state.actor} has to decide, but there is no legal move")
                move = moves[rng.randrange(len(moves))]
                self._keep(kept, moves, rng)
                decision = Decision(state.actor, str(move), len(moves))
                self.marks.append(hash(snapshot(state)))
                state.play(move)
                self.decisions.append(decision)
                self.moves.append(move)
                self.chance += [Chance(self.at, event) for event in chance_of(self.game, state)]
            self.at = len(self.moves)
            self.marks.append(hash(snapshot(state)))
            self.outcome = state.outcome
            self.is_over = state.actor is None
        except (Exception, SystemExit) as error:  # noqa: BLE001  # a game's code may raise anything
            self.failure = error if isinstance(error, Exception) else LawError("it calls sys.exit")
        self.other_moves = list(kept)

    @staticmethod
    def _keep(kept: dict[Move, None], moves: Sequence[Move], rng: Random) -> None:
        if len(kept) < KEPT:
            for move in moves if len(moves) <= 4 else rng.sample(list(moves), 4):
                kept[move] = None

    def walk(self, most: int = POSITIONS, *, has_end: bool = True) -> Iterator[State]:
        """Play the game again, and yield up to ``most`` of its positions, always as the same state object; ``at`` is the decisions so far.

        Among them are the first ones, and the last one if ``has_end``.
        """
        last = min(len(self.moves), len(self.marks) - 1)
        chosen = _spread(last + 1 if has_end else last, most)
        state = self.new()
        for index in range(last + 1):
            self.at = index
            if index in chosen:
                yield state
            if index < last:
                state.play(self.moves[index])

    def steps(self, state: State) -> Iterator[tuple[int, Move, int]]:
        """Play the recorded moves on a first position; after each, yield the seat that made it, the move, and the number of legal moves."""
        for index, move in enumerate(self.moves):
            self.at = index
            actor, legal = state.actor, state.count_moves()
            assert actor is not None, "a move was played here before"
            state.play(move)
            self.at = index + 1
            yield actor, move, legal

    def go_on(self, state: State, most: int = 60) -> None:
        """Play the recorded moves from ``at`` on the state, and raise LawError at the first position that differs from the first play."""
        for index in range(self.at, min(self.at + most, len(self.moves))):
            state.play(self.moves[index])
            if index + 1 < len(self.marks) and hash(snapshot(state)) != self.marks[index + 1]:
                difference = snapshot(state).difference(snapshot(self.state_at(index + 1)))
                sentence = f"it goes on in another way: after decision {index}, '{self.decisions[index].move}', {difference}"
                raise LawError(sentence, at=index + 1)

    def state_at(self, index: int) -> State:
        """Return the position before decision ``index``, played again from the beginning."""
        state = self.new()
        for move in self.moves[:index]:
            state.play(move)
        return state

    def whole(self) -> None:
        """Raise SkipError unless the game was played to its end."""
        if not self.is_over:
            raise SkipError("no game came to its end")

    def prefix(self, at: int) -> Replay:
        """Return the decisions before number ``at`` as a replay; unless it is the whole game, its result is left blank."""
        players = self.table.players
        scores: tuple[Score, ...] = (0,) * players
        ranks, end = (1,) * players, "broken off"
        if self.outcome is not None and at >= len(self.moves):
            scores, ranks, end = tuple(self.outcome.scores), tuple(self.outcome.ranks), str(self.outcome.ending)
        return Replay(
            game=str(self.game.name),
            options=dict(self.game.options),
            players=players,
            seed=self.seed,
            names=tuple(f"random {seat}" for seat in range(players)),
            decisions=tuple(self.decisions[:at]),
            chance=tuple(chance for chance in self.chance if chance.index < at),
            forfeits=(),
            scores=scores,
            ranks=ranks,
            end=end,
            rules_version=self.game.rules_version,
        )


def _spread(count: int, most: int) -> frozenset[int]:
    """Return up to ``most`` of the numbers below ``count``: the first three, the last two, and others evenly between."""
    if count <= most:
        return frozenset(range(count))
    ends = {0, 1, 2, count - 1, count - 2} if most > 8 else {0, count - 1}
    between = most - len(ends)
    return frozenset(ends | {(each + 1) * count // (between + 1) for each in range(between)})
