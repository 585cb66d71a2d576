"""A position's value once its turn, and some turns after it, have been played on: what a value function does not see in mid-air.

``Foresight`` averages the game's value function over short continuations by its heuristic, from what the position leaves open. Only
estimates of luck use it (``match_luck``): they need a value that moves when a tile is drawn, not when its ships land.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import ceil
from random import Random
from typing import Any, Final

from arena.analysis.worlds import World, forget
from bots.reference.heuristics.base import Heuristic
from bots.reference.valuation.base import RankChances, ValueFunction
from engine.core import Move, State

TURNS: Final = 2
"""Turns that are played on, that of the position included; where a new tile is chosen freely, as at Sunda, they end before it."""
LONGEST: Final = 120
"""The most decisions that are played on."""
CONTINUATIONS: Final = 96
"""Continuations of a position: their mean is its value. Possible worlds have as many together."""

Facts = list[float]
"""The chance of each seat to come first, then of each two seats that the first ends above the second (ties half), in order."""


class Foresight:
    """Values positions of one game by playing on."""

    def __init__(self, value: ValueFunction, heuristic: Heuristic[Any] | None) -> None:
        self._value = value
        self._heuristic = heuristic

    @property
    def version(self) -> str:
        """What changes whenever a value may change."""
        return f"{self._value.version} {TURNS} {LONGEST} {CONTINUATIONS}"

    def at_once(self, state: State) -> Facts:
        """Return the value of a position as it is."""
        return facts_of(self._value.rank_chances(state))

    def of_position(self, state: State, chosen: Mapping[int, Move], rng: Random) -> Facts:
        """Return the value of what happened; ``chosen`` has what seats have chosen in secret."""
        return self._mean(state, chosen, rng, CONTINUATIONS)

    def of_worlds(self, worlds: Sequence[World], chosen: Mapping[int, Move], rng: Random) -> Facts:
        """Return the expectation of the value over what could have happened."""
        games = ceil(CONTINUATIONS / len(worlds))
        parts = [self._mean(state, chosen, rng, games) for _, state in worlds]
        shares = [share for share, _ in worlds]
        return [sum(share * fact for share, fact in zip(shares, facts, strict=True)) for facts in zip(*parts, strict=True)]

    def _mean(self, state: State, chosen: Mapping[int, Move], rng: Random, games: int) -> Facts:
        if state.outcome is not None or self._heuristic is None or self._heuristic.begins_anew(state):
            return self.at_once(state)
        ends = [self.at_once(self._played_on(state, chosen, rng, self._heuristic)) for _ in range(games)]
        return [sum(each) / games for each in zip(*ends, strict=True)]

    @staticmethod
    def _played_on(state: State, chosen: Mapping[int, Move], rng: Random, heuristic: Heuristic[Any]) -> State:
        """Return the position some turns later, the chance to come being drawn anew."""
        world = state.copy()
        forget(world, chosen)
        world.determinize(rng)
        turns, mover = 0, world.actor
        for _ in range(LONGEST):
            if world.actor != mover:
                turns, mover = turns + 1, world.actor
            if mover is None or turns >= TURNS or heuristic.begins_anew(world):
                break
            moves = world.list_moves()
            scores = heuristic.scores(world, moves) if len(moves) > 1 else [0.0]
            world.play(moves[max(range(len(moves)), key=scores.__getitem__)])
        return world


def facts_of(chances: RankChances) -> Facts:
    """Return what is adjusted, given every seat's chances of ranks; of a finished game that is its result.

    The ranks of two seats are taken as independent, which is near enough: any function of the position may be used.
    """
    seats = range(len(chances))
    return [chances[seat][0] for seat in seats] + [_above(chances[one], chances[other]) for one, other in combinations(seats, 2)]


def _above(one: Sequence[float], other: Sequence[float]) -> float:
    below = 1.0
    above = 0.0
    for mine, theirs in zip(one, other, strict=True):
        below -= theirs
        above += mine * (below + theirs / 2)
    return above
