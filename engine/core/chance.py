"""Lists the possible outcomes of chance and the positions they lead to, with probabilities, and counts move sequences (``perft``)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import TYPE_CHECKING, Final, NamedTuple

from engine.core.errors import PositionError
from engine.core.moves import Move

if TYPE_CHECKING:  # a state imports this module
    from engine.core.state import State

MOST: Final = 10_000
"""The default limit on the number of positions that ``worlds_after`` lists."""


class ChanceOutcome(NamedTuple):
    """A possible outcome of a chance event: the event in the game's notation, such as ``roll 6``, and its probability."""

    event: str
    probability: float


class World(NamedTuple):
    """A possible position and its weight, ``share``. The shares of all positions, or of a fair sample of them, add up to 1."""

    share: float
    state: State


def worlds_after(state: State, move: Move, most: int = MOST) -> list[World]:
    """Return every position that a legal move may lead to, with its probability (a single position if no chance is involved).

    The state is not changed. Raises the errors of ``State.chance``, and PositionError if there are more positions than ``most``.
    """
    worlds = []
    for share, events in histories(lambda given: state.chance(move, given), most):
        after = state.copy()
        after.resolve(events)
        after.play(move)
        worlds.append(World(share, after))
    return worlds


def check_happened(given: Sequence[str], events: Sequence[str]) -> None:
    """Raise PositionError unless ``events``, the events of a move, contain the ``given`` events in the same order."""
    rest = iter(events)
    for event in given:
        if event not in rest:
            raise PositionError(f"'{event:.60}' is not an event of the move, or not in this order")


def check_events(events: Sequence[str]) -> None:
    """Raise PositionError unless ``events`` is a sequence of strings."""
    if isinstance(events, str) or not all(isinstance(each, str) for each in events):
        raise PositionError(f"events must be a list of strings such as ['roll 6'], not {events!r:.60}")


def histories(following: Callable[[tuple[str, ...]], Sequence[ChanceOutcome]], most: int) -> list[tuple[float, tuple[str, ...]]]:
    """Return all complete sequences of chance events with their probabilities; ``following`` returns the outcomes that may come next.

    Raises PositionError if there are more than ``most`` sequences.
    """
    found: list[tuple[float, tuple[str, ...]]] = []
    waiting: list[tuple[float, tuple[str, ...]]] = [(1.0, ())]
    while waiting:
        share, events = waiting.pop()
        outcomes = following(events)
        if not outcomes:
            found.append((share, events))
        waiting += [(share * probability, (*events, event)) for event, probability in reversed(outcomes)]
        if len(found) + len(waiting) > most:
            raise PositionError(f"chance has more than {most} possible results, which are too many to list")
    return found


def perft(state: State, depth: int) -> int:
    """Return the number of sequences of exactly ``depth`` legal moves from the state; sequences that end the game sooner don't count."""
    if depth == 0:
        return 1
    if depth == 1:
        return state.count_moves()
    count = 0
    for move in state.list_moves():
        child = state.copy()
        child.play(move)
        count += perft(child, depth - 1)
    return count


def advance(state: State, moves: int, rng: Random) -> None:
    """Play this many random moves, each ``legal_moves[rng.randrange(len(legal_moves))]``; stop early if the game ends."""
    for _ in range(moves):
        count = state.count_moves()
        if not count:
            return
        state.play(state.list_moves()[rng.randrange(count)])
