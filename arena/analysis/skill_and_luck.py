"""What decisions changed, apart from what chance changed: the sum that leads from an equal start to the result (``split_match``).

With ``V`` the value before a decision, ``Q`` the expectation of the value after its move over what chance could bring, and ``V'`` the value
after it: ``skill = Q - V``, ``luck = V' - Q``, and the sum of all is the result less the first value (docs/analysis.md).

Where seats choose in secret, what they chose counts only once it is revealed, all at once. What these choices changed together is shared:
each seat has what its choice changed against random choices of the others, and what is left is shared equally.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from arena.analysis.judging import Judge
from arena.analysis.match_analysis import Unit, Vector
from arena.analysis.worlds import World, possible_worlds
from engine.core import Move, State
from engine.replay.verifier import ReplayTimeline


@dataclass(frozen=True, slots=True)
class Split:
    """Values by frame, and vectors by decision; all but ``setup`` are shorter than the match if the time was over.

    ``hidden`` has the decisions after which what was chosen is still hidden.
    """

    chances: tuple[Vector, ...]
    expected: tuple[Vector, ...]
    skill: tuple[Vector, ...]
    luck: tuple[Vector, ...]
    setup: Vector
    hidden: frozenset[int]
    is_whole: bool


def split_match(timeline: ReplayTimeline, judge: Judge, is_over: Callable[[], bool]) -> Split:
    """Return the values of all frames and what changed them, as far as there is time; the first frame is always there."""
    states = timeline.states
    chances = [tuple(judge.worth(states[0]))]
    for state in states[1:]:
        if is_over():
            break
        chances.append(tuple(judge.worth(state)))
    expected: list[Vector] = []
    for at in range(len(chances) - 1):
        if is_over():
            break
        expected.append(_expected(timeline, judge, at, chances[at + 1]))
    known = len(expected)
    skill = [minus(expected[at], chances[at]) for at in range(known)]
    luck = [minus(chances[at + 1], expected[at]) for at in range(known)]
    hidden = frozenset(at for at in range(known) if _is_hidden(timeline, at))
    for first, last in _secret_choices(hidden, known):
        shares = _shares(timeline, judge, first, last, plus(*skill[first : last + 1]))
        skill[first : last + 1] = shares
    start = equal_share(judge.unit, timeline.replay.players)
    setup = tuple(each - start for each in chances[0])
    return Split(tuple(chances), tuple(expected), tuple(skill), tuple(luck), setup, hidden, known == timeline.end)


def equal_share(unit: Unit, players: int) -> float:
    """Return what each seat has before anything is known."""
    return 1 / players if unit is Unit.CHANCE else 0.0


def seed_of(at: int) -> int:
    """Return the seed of the worlds after decision ``at``: the same for all its moves."""
    return 1_000_003 * (at + 1)


def chosen_in_secret(timeline: ReplayTimeline, at: int) -> dict[int, Move]:
    """Return the moves by seat that are hidden in frame ``at``."""
    state = timeline.states[at]
    chosen = {}
    for seat in range(state.players):
        if state.has_hidden_choice(seat):
            last = max(index for index in range(at) if timeline.replay.decisions[index].seat == seat)
            chosen[seat] = timeline.moves[last]
    return chosen


def mean(value: Callable[[State], Sequence[float]], worlds: Sequence[World]) -> Vector:
    """Return the expectation of a value over possible worlds."""
    total = [0.0] * worlds[0].state.players
    for share, state in worlds:
        for seat, worth in enumerate(value(state)):
            total[seat] += share * worth
    return tuple(total)


def guesses(before: State, seat: int, seed: int, samples: int) -> list[State]:
    """Return positions that are possible as far as the seat knows: what others chose in secret, they chose at random."""
    found = []
    for number in range(samples):
        guess = before.copy()
        guess.redact(seat)
        guess.determinize(Random(seed + number))
        found.append(guess)
    return found


def after_choices(begun: Sequence[State], choices: Mapping[int, Move], seed: int) -> list[World]:
    """Return the positions after these choices by seat, as soon as everything is revealed; the choices of all others are random."""
    worlds = []
    for number, guess in enumerate(begun):
        rng = Random(seed + number)
        world = guess.copy()
        while world.actor is not None:
            world.play(choices[world.actor] if world.actor in choices else world.random_move(rng))
            if not any(world.has_hidden_choice(seat) for seat in range(world.players)):
                break
        worlds.append(World(1 / len(begun), world))
    return worlds


def minus(one: Sequence[float], other: Sequence[float]) -> Vector:
    """Return the difference by seat."""
    return tuple(a - b for a, b in zip(one, other, strict=True))


def plus(*vectors: Sequence[float]) -> Vector:
    """Return the sum by seat."""
    return tuple(sum(each) for each in zip(*vectors, strict=True))


def _expected(timeline: ReplayTimeline, judge: Judge, at: int, after: Vector) -> Vector:
    """Return the expectation over chance of the value after decision ``at``."""
    before, then, move = timeline.states[at], timeline.states[at + 1], timeline.moves[at]
    if then.has_hidden_choice(timeline.replay.decisions[at].seat):
        return after
    worlds = possible_worlds(before, move, then, chosen_in_secret(timeline, at), Random(seed_of(at)), judge.samples)
    return mean(judge.worth, worlds) if worlds else after


def _is_hidden(timeline: ReplayTimeline, at: int) -> bool:
    """Return whether what decision ``at`` chose is hidden after it."""
    return timeline.states[at + 1].has_hidden_choice(timeline.replay.decisions[at].seat)


def _secret_choices(hidden: frozenset[int], known: int) -> list[tuple[int, int]]:
    """Return the first and the last decision of each time at which seats chose in secret, all before ``known``."""
    found = []
    first: int | None = None
    for at in range(known):
        if at in hidden and first is None:
            first = at
        elif at not in hidden and first is not None:
            found.append((first, at))
            first = None
    return found


def _shares(timeline: ReplayTimeline, judge: Judge, first: int, last: int, change: Vector) -> list[Vector]:
    """Return the part of each of these choices in what they changed together."""
    begun = guesses(timeline.states[first], -1, seed_of(first), judge.samples)
    choices = {timeline.replay.decisions[at].seat: timeline.moves[at] for at in range(first, last + 1)}
    usual = mean(judge.worth, after_choices(begun, {}, seed_of(first)))
    alone = [minus(mean(judge.worth, after_choices(begun, {seat: move}, seed_of(first))), usual) for seat, move in choices.items()]
    rest = minus(change, plus(*alone))
    return [tuple(part + left / len(alone) for part, left in zip(each, rest, strict=True)) for each in alone]
