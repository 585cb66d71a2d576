"""Laws about moves: legality, lists, notation, and the refusal of illegal moves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any, Final, final

from engine.conformance.trials import Law, LawError, Snapshot, Trial, broken, law, snapshot
from engine.core import EngineError, IllegalMoveError, InvalidMoveError, Move, State

_MANY: Final = 60
"""How many of a position's moves are checked one by one."""
_DRAWS: Final = 60
"""The average number of draws of each move of a position; only one in a million correct games deviates from it by three quarters."""
_NO_MOVES: Final = ("", " ", "\x00", "no such move", "-1", "{}", "x" * 500, "\u2603")
"""Texts that are moves of hardly any game."""


@final
class ForeignMove(Move):
    """A move of no game."""

    def __str__(self) -> str:
        return "a move of another game"

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return 0


def some(items: Sequence[Move], rng: Random) -> Sequence[Move]:
    """Return the items, or some of them where there are many."""
    return items if len(items) <= _MANY else [*items[:5], *rng.sample(list(items), _MANY - 10), *items[-5:]]


@law("move-order", "list_moves gives Moves, each once, in the same order at each call.")
def move_order(trial: Trial) -> None:
    for state in trial.walk():
        first, again = list(state.list_moves()), list(state.list_moves())
        for move in first:
            if not isinstance(move, Move):
                broken(f"list_moves gives {move!r:.80}, which is not an engine.Move")
        if first != again:
            broken("list_moves gives a different list the second time")
        twice = _first_twice(list(map(str, first)))
        if twice is not None:
            broken(f"list_moves has '{twice}' twice")
        if len(set(first)) != len(first):
            broken("list_moves has two moves that are equal, though they are written differently")


def _first_twice(names: Sequence[str]) -> str | None:
    known: set[str] = set()
    for name in names:
        if name in known:
            return name
        known.add(name)
    return None


@law("actor", "A seat has to decide, and has legal moves, exactly until the game is over.")
def actor(trial: Trial) -> None:
    for state in trial.walk():
        who, moves, outcome = state.actor, state.list_moves(), state.outcome
        if who is not None and (type(who) is not int or not 0 <= who < state.players):
            broken(f"the actor is {who!r:.60}, which is not one of the seats 0 to {state.players - 1}")
        if who is None and moves:
            broken(f"nobody has to decide, but there are {len(moves)} legal moves")
        if who is not None and not moves:
            broken(f"seat {who} has to decide, but there is no legal move")
        if (who is None) != (outcome is not None):
            broken(f"the actor is {who}, but the outcome is {outcome!r:.60}: there is an outcome exactly when nobody has to decide")
        if state.players != trial.table.players:
            broken(f"'players' is {state.players!r:.60} in a game of {trial.table.players}")


@law("is-legal", "is_legal is true for every move in the list, and false for all others.")
def is_legal(trial: Trial) -> None:
    rng = Random(trial.seed)
    for state in trial.walk():
        listed = state.list_moves()
        legal = set(listed)
        for move in some(listed, rng):
            if state.is_legal(move) is not True:
                broken(f"is_legal is false for '{move}', which is in the list")
        for move in some(trial.other_moves, rng):
            if move not in legal and state.is_legal(move) is not False:
                broken(f"is_legal is true for '{move}', which is not in the list")
        if state.is_legal(ForeignMove()) is not False:
            broken("is_legal accepts a move of another game")


@law("count-moves", "count_moves is the length of the list.")
def count_moves(trial: Trial) -> None:
    for state in trial.walk():
        count, listed = state.count_moves(), len(state.list_moves())
        if count != listed:
            broken(f"count_moves is {count}, but the list has {listed}")


@law("legal-moves", "legal_moves answers bool, len, in and iteration as the list does.")
def legal_moves(trial: Trial) -> None:
    for state in trial.walk():
        listed, moves = list(state.list_moves()), state.legal_moves
        if list(moves) != listed:
            broken("legal_moves yields other moves than list_moves")
        if len(moves) != len(listed) or bool(moves) != bool(listed):
            broken(f"legal_moves has length {len(moves)} and is {bool(moves)}, but the list has {len(listed)} moves")
        if listed and (moves[0] != listed[0] or moves[-1] != listed[-1] or listed[0] not in moves):
            broken("the first or last move of legal_moves differs from the list's")
        if "no move" in moves or ForeignMove() in moves:
            broken("legal_moves has items that are not moves of this game")


@law("random-move", "random_move gives each legal move equally often, and equal ones for equal rngs.")
def random_move(trial: Trial) -> None:
    is_counted = False
    for state in trial.walk(has_end=False):
        listed = list(state.list_moves())
        for seed in range(3):
            move, again = state.random_move(Random(seed)), state.random_move(Random(seed))
            if move not in listed:
                broken(f"random_move gives '{move}', which is not legal")
            if move != again:
                broken("random_move gives different moves for equal rngs")
        if not is_counted and 2 <= len(listed) <= 12:
            is_counted = True
            rng = Random(trial.seed)
            drawn = Counter(state.random_move(rng) for _ in range(_DRAWS * len(listed)))
            for move in listed:
                if abs(drawn[move] - _DRAWS) > _DRAWS * 3 // 4:
                    broken(f"random_move gives '{move}' {drawn[move]} times in {_DRAWS * len(listed)}, not about {_DRAWS} times")


@law("illegal-move", "Playing a move that is not legal raises IllegalMoveError and leaves the state as it was.")
def illegal_move(trial: Trial) -> None:
    for state in trial.walk():
        legal = set(state.list_moves())
        tried = [move for move in trial.other_moves if move not in legal]
        if tried:
            tried = [tried[0], tried[len(tried) // 2], tried[-1]]
        for move in (*tried, *_read(trial, "no such move", legal)):
            _refused(state, move, IllegalMoveError, f"'{move}', which is not legal,")


def _read(trial: Trial, text: str, legal: set[Move]) -> tuple[Move, ...]:
    """Return the move that the game reads in the text, or nothing if it refuses the text or the move is legal."""
    try:
        move: Move = trial.game.parse(text)
    except InvalidMoveError:
        return ()
    return () if move in legal else (move,)


@law("foreign-move", "Playing a move of another game raises InvalidMoveError and leaves the state as it was.")
def foreign_move(trial: Trial) -> None:
    for state in trial.walk(12):
        _refused(state, ForeignMove(), InvalidMoveError, "a move of another game")


def _refused(state: State, move: Move, expected: type[EngineError], what: str) -> None:
    before = _all_of(state)
    try:
        state.play(move)
    except expected:
        pass
    except EngineError as error:
        raise LawError(f"playing {what} raises {type(error).__name__}, not {expected.__name__}") from error
    except Exception as error:
        raise LawError(f"playing {what} raises {type(error).__name__} ({error}), not {expected.__name__}") from error
    else:
        broken(f"{what} is played without an error")
    after = _all_of(state)
    if after != before:
        difference = before[0].difference(after[0]) or f"the key or outcome {before[1:]} against {after[1:]}"
        broken(f"playing {what} is refused, but changes the state: {difference}")


def _all_of(state: State) -> tuple[Snapshot, Any, Any]:
    return snapshot(state), state.key, state.outcome


@law("notation", "A move is written as one printable line, and parse reads it back as an equal move.")
def notation(trial: Trial) -> None:
    rng = Random(trial.seed)
    for state in trial.walk():
        legal = set(state.list_moves())
        for move in some(state.list_moves(), rng):
            text = str(move)
            if not text or not text.isprintable() or text.strip() != text:
                broken(f"{text!r:.80} is not a notation: it must be one printable line, without spaces around it")
            read = trial.game.parse(text)
            if read != move or hash(read) != hash(move) or str(read) != text:
                broken(f"parse reads '{text}' as '{read}', which is not equal to the move, or has a different hash")
    for text in _NO_MOVES:
        try:
            read = trial.game.parse(text)
        except InvalidMoveError:
            continue
        if str(read) != text or (read not in legal and state.is_legal(read)):
            broken(f"parse reads {text!r:.60} as '{read}'; a text that is not a notation must raise InvalidMoveError")


@law("explain", "Game.explain puts each legal move in words.")
def explain(trial: Trial) -> None:
    rng = Random(trial.seed)
    for state in trial.walk(12):
        for move in some(state.list_moves(), rng):
            words = trial.game.explain(move)
            if not isinstance(words, str) or not words.strip():
                broken(f"explain gives {words!r:.60} for '{move}'; it gives a sentence, or at least the notation")


LAWS: Final[tuple[Law, ...]] = (
    actor,
    move_order,
    count_moves,
    is_legal,
    legal_moves,
    random_move,
    illegal_move,
    foreign_move,
    notation,
    explain,
)
