"""Separates the effects of decisions from the effects of chance (``split_match``); they add up to each seat's result (``accounts_of``).

Let ``V`` be the value before a decision, ``Q`` the value after its move, averaged over possible chance events, and ``V'`` the value after
the actual chance event. Then ``skill = Q - V`` and ``luck = V' - Q``. Over a match, they add up to the result minus the first value
(docs/analysis.md). Values include the cost of having to decide (``baseline``), so that over the match, decisions of each kind change the
chances of their seats by zero on average.

Secret choices count only when they are revealed, all at once, and their joint effect is split: each seat is credited with the effect of its
choice against random choices of the others, and the rest is split equally. On average, choices should not
affect their own seats. If they do, the average effect is moved, at each choice, from its own seat to the others that chose with it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from arena.analysis.baseline import Step, Valued, costs_of, question_of, with_cost
from arena.analysis.match_analysis import Account, DecisionAnalysis, Unit, Vector
from arena.analysis.position_value import WORLDS, Judge, mean
from arena.analysis.worlds import possible_worlds
from bots.reference.valuation.base import wins_of
from engine.core import Move, Outcome, State, World
from engine.records import Replay
from engine.replay.verifier import ReplayTimeline


@dataclass(frozen=True, slots=True)
class Split:
    """The split of a match: ``chances`` by frame; ``expected``, ``skill`` and ``luck`` by decision (all shorter if time ran out).

    ``hidden`` has the decisions whose choice is still secret afterwards. ``setup`` is the first frame's chances minus the equal share.
    """

    chances: tuple[Vector, ...]
    expected: tuple[Vector, ...]
    skill: tuple[Vector, ...]
    luck: tuple[Vector, ...]
    setup: Vector
    hidden: frozenset[int]
    is_whole: bool


def split_match(timeline: ReplayTimeline, judge: Judge, is_over: Callable[[], bool]) -> Split:
    """Return the values of a match's frames and the changes between them, until ``is_over`` is True; the first frame is always valued."""
    states, decisions = timeline.states, timeline.replay.decisions
    frames = [_valued(judge, states[0], judge.worth(states[0]))]
    for state in states[1:]:
        if is_over():
            break
        frames.append(_valued(judge, state, judge.worth(state)))
    steps: list[Step] = []
    for at in range(len(frames) - 1):
        if is_over():
            break
        steps.append(Step(frames[at], _possible(timeline, judge, at) or [(1.0, frames[at + 1])]))
    known = len(steps)
    hidden = frozenset(at for at in range(known) if states[at + 1].has_hidden_choice(decisions[at].seat))
    secret = _secret_choices(hidden, known)
    in_secret = {frames[at].question for first, last in secret for at in range(first, last + 1)}
    costs = costs_of(steps, in_secret)
    chances = [with_cost(frame, costs) for frame in frames]
    expected = [mean(len(chances[0]), ((share, with_cost(after, costs)) for share, after in step.after)) for step in steps]
    skill = [minus(expected[at], chances[at]) for at in range(known)]
    luck = [minus(chances[at + 1], expected[at]) for at in range(known)]
    for first, last in secret:
        shares = _shares(timeline, judge, first, last, plus(*skill[first : last + 1]))
        skill[first : last + 1] = shares
    _level(skill, [decision.seat for decision in decisions], [frame.question for frame in frames], secret)
    start = equal_share(judge.unit, timeline.replay.players)
    setup = tuple(each - start for each in chances[0])
    return Split(tuple(chances), tuple(expected), tuple(skill), tuple(luck), setup, hidden, known == timeline.end)


def accounts_of(split: Split, decisions: Sequence[DecisionAnalysis], replay: Replay, unit: Unit) -> tuple[Account, ...]:
    """Return each seat's account, which is its result as a sum of effects."""
    result = list(map(float, replay.scores)) if unit is Unit.POINTS else wins_of(Outcome(replay.scores, replay.ranks, replay.end))
    start = equal_share(unit, replay.players)
    accounts = []
    for seat, setup in enumerate(split.setup):
        own = sum(each.skill[seat] for each in decisions if each.seat == seat)
        rivals = sum(each.skill[seat] for each in decisions if each.seat != seat)
        luck = sum(each.luck[seat] for each in decisions)
        rest = result[seat] - start - setup - own - rivals - luck
        unsplit = 0.0 if split.is_whole else rest
        forfeits = rest if split.is_whole and replay.forfeits else 0.0
        accounts.append(Account(seat, start, setup, own, rivals, luck, unsplit, forfeits, result[seat]))
    return tuple(accounts)


def equal_share(unit: Unit, players: int) -> float:
    """Return the value of the match to each seat before anything is known: an equal chance, or 0 points in solo play."""
    return 1 / players if unit is Unit.CHANCE else 0.0


def chosen_in_secret(timeline: ReplayTimeline, at: int) -> dict[int, Move]:
    """Return the secret choices that are still hidden in frame ``at``, by seat."""
    state = timeline.states[at]
    chosen = {}
    for seat in range(state.players):
        if state.has_hidden_choice(seat):
            last = max(index for index in range(at) if timeline.replay.decisions[index].seat == seat)
            chosen[seat] = timeline.moves[last]
    return chosen


def guesses(before: State, seat: int, seed: int, samples: int) -> list[State]:
    """Return random positions consistent with what the seat knows in ``before``; the secret choices of others are random, too."""
    positions = []
    for number in range(samples):
        guess = before.copy()
        guess.redact(seat)
        guess.determinize(Random(seed + number))
        positions.append(guess)
    return positions


def after_choices(begun: Sequence[State], choices: Mapping[int, Move], seed: int) -> list[World]:
    """Play each position on until all secret choices are revealed, and return the results. Seats without ``choices`` choose at random."""
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
    """Return the difference between two vectors, for each seat."""
    return tuple(a - b for a, b in zip(one, other, strict=True))


def plus(*vectors: Sequence[float]) -> Vector:
    """Return the sum of vectors, for each seat."""
    return tuple(sum(each) for each in zip(*vectors, strict=True))


def _valued(judge: Judge, state: State, worth: Sequence[float]) -> Valued:
    """Return a position's worth, its seat to move and its question; the latter two are empty in solo play and at the end."""
    if state.actor is None or judge.unit is Unit.POINTS:
        return Valued(tuple(worth), -1, "")
    return Valued(tuple(worth), state.actor, question_of(state))


def _possible(timeline: ReplayTimeline, judge: Judge, at: int) -> list[tuple[float, Valued]]:
    """Return the positions that were possible after decision ``at``, with their shares; empty if it left nothing to chance."""
    before, then, move = timeline.states[at], timeline.states[at + 1], timeline.moves[at]
    if then.has_hidden_choice(timeline.replay.decisions[at].seat):
        return []
    worlds = possible_worlds(before, move, then, chosen_in_secret(timeline, at), Random(judge.seed_of(at)), WORLDS)
    return [(share, _valued(judge, state, worth)) for share, state, worth in judge.worths(worlds)]


def _secret_choices(hidden: frozenset[int], known: int) -> list[tuple[int, int]]:
    """Return the first and the last decision of each round of secret choices, all before ``known``."""
    spans = []
    first: int | None = None
    for at in range(known):
        if at in hidden and first is None:
            first = at
        elif at not in hidden and first is not None:
            spans.append((first, at))
            first = None
    return spans


def _shares(timeline: ReplayTimeline, judge: Judge, first: int, last: int, change: Vector) -> list[Vector]:
    """Return the share of each choice, from decision ``first`` to ``last``, in their joint effect."""
    seed = judge.seed_of(first)
    begun = guesses(timeline.states[first], -1, seed, judge.samples)
    choices = {timeline.replay.decisions[at].seat: timeline.moves[at] for at in range(first, last + 1)}
    usual = judge.expectation(after_choices(begun, {}, seed))
    alone = [minus(judge.expectation(after_choices(begun, {seat: move}, seed)), usual) for seat, move in choices.items()]
    rest = minus(change, plus(*alone))
    return [tuple(part + left / len(alone) for part, left in zip(each, rest, strict=True)) for each in alone]


def _level(skill: list[Vector], seats: Sequence[int], questions: Sequence[str], spans: Sequence[tuple[int, int]]) -> None:
    """Take from each secret choice the average effect that choices at its question have on their own seats; the other seats share it."""
    together = [range(first, last + 1) for first, last in spans if last > first]
    brought: dict[str, list[float]] = defaultdict(list)
    for span in together:
        for at in span:
            brought[questions[at]].append(skill[at][seats[at]])
    for span in together:
        for at in span:
            average = sum(brought[questions[at]]) / len(brought[questions[at]])
            change = list(skill[at])
            for other in span:
                change[seats[other]] += -average if other == at else average / (len(span) - 1)
            skill[at] = tuple(change)
