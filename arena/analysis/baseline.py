"""The cost of having to decide (``costs_of``), a correction to the chances from which the effects of decisions are computed.

A value function suits some players better than others: a bot that plays according to it seems to gain with each decision, and a bad player
seems to lose with each of its own decisions and to gain with each decision of its rivals. Such gains don't explain why a bot won. Each
question (the kinds of moves that a position offers) therefore gets a cost: a number, the same for all seats, that is added to the logarithm
of the chance of the seat to move. Costs are chosen so that, on average over the match, a decision at a question leaves the chance of the
seat that makes it unchanged. In a short match, all questions share one cost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Final, NamedTuple

import numpy as np

from arena.analysis.match_analysis import Vector
from engine.core import State

ENOUGH: Final = 40
"""In matches with fewer decisions than this, all questions share one cost, since many of them come up just once."""
PRIOR: Final = 0.005
"""The weight with which each cost (see the module) is pulled towards zero. The weight of a decision is up to 0.25."""
MOST: Final = 2.0
"""Costs (see the module) lie between ``-MOST`` and ``MOST``; they are added to the logarithm of a chance."""
_STEPS: Final = 20
_NEARLY: Final = 1e-9


class Valued(NamedTuple):
    """A position: each seat's chance by the value function, the seat to move (-1 if none), and its question (see ``question_of``)."""

    chances: Vector
    seat: int
    question: str


class Step(NamedTuple):
    """A decision: the position before it, and the positions that chance could have brought after it, each with its probability."""

    before: Valued
    after: Sequence[tuple[float, Valued]]


def question_of(state: State) -> str:
    """Return the question of a position: the distinct first words of its legal moves, in brackets if only one move is legal.

    A first token that is not a word, such as a square (``b2``) or a card (``KS``), is replaced by ``move``.
    """
    words = {str(move).partition(" ")[0] for move in state.list_moves()}
    text = " ".join(sorted({word if word.isalpha() and not word.isupper() else "move" for word in words}))
    return f"({text})" if state.count_moves() == 1 else text


def with_cost(valued: Valued, costs: Mapping[str, float]) -> Vector:
    """Return a position's chances, adjusted by the cost of its ``question_of``. Their sum, and any chance of 0 or 1, stay the same."""
    cost = costs.get(valued.question)
    if cost is None:
        return valued.chances
    weights = [each * (float(np.exp(cost)) if seat == valued.seat else 1.0) for seat, each in enumerate(valued.chances)]
    scale = sum(valued.chances) / sum(weights)
    return tuple(weight * scale for weight in weights)


def costs_of(match: Sequence[Step], in_secret: Set[str] = frozenset()) -> dict[str, float]:
    """Return the cost of each question of a match, computed with Newton's method.

    Questions that seats answer ``in_secret`` have no cost, nor does solo play. Below ``ENOUGH`` decisions, all questions share one cost.
    """
    steps = [step for step in match if step.before.question and step.before.question not in in_secret]
    if not steps:
        return {}
    questions = sorted({step.before.question for step in steps})
    number = {question: index if len(match) >= ENOUGH else 0 for index, question in enumerate(questions)}
    size = max(number.values()) + 1
    # Each line is a position with its weight in the change at a decision: its share after the decision, minus one before it.
    lines = [(at, *each) for at, step in enumerate(steps) for each in (*step.after, (-1.0, step.before))]
    decision = np.array([line[0] for line in lines])
    share = np.array([line[1] for line in lines])
    chances = np.array([line[2].chances for line in lines])
    mover = np.array([line[2].seat for line in lines])
    asked = np.array([number.get(line[2].question, -1) for line in lines])
    seat = np.array([step.before.seat for step in steps])[decision]
    row = np.array([number[step.before.question] for step in steps])[decision]
    costly = np.flatnonzero(asked >= 0)
    everyone = np.arange(len(lines))
    costs = np.zeros(size)
    for _ in range(_STEPS):
        weights = chances.copy()
        weights[costly, mover[costly]] *= np.exp(costs[asked[costly]])
        weights /= weights.sum(axis=1, keepdims=True)
        own = weights[everyone, seat]
        change = np.bincount(row, share * own, size) - PRIOR * costs
        slope = -PRIOR * np.eye(size)
        by_cost = share * own * ((mover == seat) - weights[everyone, mover])
        np.add.at(slope, (row[costly], asked[costly]), by_cost[costly])
        step_taken = np.clip(np.linalg.solve(slope, -change), -1.0, 1.0)
        costs = np.clip(costs + step_taken, -MOST, MOST)
        if np.abs(step_taken).max() < _NEARLY:
            break
    return {question: float(costs[index]) for question, index in number.items()}
