"""A search tree for games with any number of seats, chance and secret choices, guided by a game's heuristic.

This is information-set search as described by Cowling, Powley and Whitehouse ("Information Set Monte Carlo Tree Search", 2012), with the
selection rule of AlphaZero (PUCT). Each walk samples the hidden information again, and all walks share one tree. A node stands for
everything that has become public since the root: moves, and the tiles and dice that they revealed. All states that reach a node therefore
have the same legal moves, and a move's value is its average over the hidden information. All choices that a seat still hides lead to the
same node, since nobody can react to a choice before it is revealed. A revealed choice becomes part of the key of the next node. In each
node, the seat to move maximises its own value (max^n); a turn with several decisions takes several nodes.

These were the findings against ``expert`` with two seats and few nodes. In Tongiaki, the search is much weaker if leaves are not played to
the end of the turn: it wins 57% instead of 78% in 30 blocks. In Sunda to Sahul, it loses to the expert if leaves are evaluated without
the points that the next tiles can take. Counting them (``takings``) is better than playing two more tiles in the same time. Exploration
must be scaled by the spread of the values, which is ten times as large in one game as in the other.
"""

from __future__ import annotations

import random
from collections.abc import Hashable
from dataclasses import dataclass
from math import exp, sqrt
from typing import Any, Final

from bots.reference.heuristics.base import Heuristic, Ranked
from bots.reference.search.candidate_moves import candidate_moves, ranked
from bots.reference.search.value import Spread, outcome_values, point_values
from bots.reference.valuation.base import ValueFunction
from engine.core import Move, State

SEALED: Final = "sealed"
"""The key of a node that follows a hidden choice."""

UNKNOWN_SPREAD: Final = 0.05
"""The standard deviation of values that is assumed at first."""


@dataclass(frozen=True, slots=True)
class SearchParams:
    """The parameters of a search; the defaults were found in matches. A spread is the standard deviation of the values found so far.

    - ``curiosity``: the weight of the prior against the values, in spreads, so that one number suits games with few and with many points
    - ``temperature``: the difference in score, in points, at which a move has 2.7 times the prior weight
    - ``doubt``: how much worse than its node an untried move is assumed to be, in spreads
    - ``width``, ``growth``, ``most``: ``width`` moves of a node are tried, and one more for every ``growth`` visits, but at most ``most``
    - ``patience``: the visit at which all moves of a node are listed; before that, only the most promising moves are
    - ``longest``: the most decisions that are played after a leaf before it is evaluated
    """

    curiosity: float = 8.0
    temperature: float = 2.0
    doubt: float = 0.4
    width: int = 12
    growth: int = 50
    most: int = 48
    patience: int = 8
    longest: int = 20


class Node:
    """A point in the game as all seats know it, with the statistics of its moves. Values are for the seat to move there (``actor``)."""

    __slots__ = ("actor", "children", "counts", "is_whole", "moves", "priors", "scores", "total", "totals", "visits")

    def __init__(self, actor: int) -> None:
        self.actor = actor
        self.visits = 0
        self.total = 0.0
        self.is_whole = False
        self.moves: list[Move] = []
        self.scores: list[float] = []
        self.priors: list[float] = []
        self.counts: list[int] = []
        self.totals: list[float] = []
        self.children: dict[Hashable, Node] = {}

    def open(self, choices: Ranked, params: SearchParams, *, is_whole: bool) -> None:
        """Add moves, best first; ``is_whole`` says whether they are all legal moves. Moves already listed keep their statistics."""
        known = {move: index for index, move in enumerate(self.moves)}
        fresh = [entry for entry in choices if entry[1] not in known][: params.most]
        scores = self.scores = self.scores + [score for score, _ in fresh]
        self.moves = self.moves + [move for _, move in fresh]
        self.counts += [0] * len(fresh)
        self.totals += [0.0] * len(fresh)
        self.is_whole = is_whole
        top = max(scores, default=0.0)
        weights = [exp((score - top) / params.temperature) for score in scores]
        total = sum(weights)
        self.priors = [weight / total for weight in weights]

    def select(self, params: SearchParams, spread: float) -> int:
        """Return the index of the move to try next. It has the best sum of its mean value and a bonus for rarely tried moves."""
        counts, totals, priors = self.counts, self.totals, self.priors
        drive = params.curiosity * spread * sqrt(self.visits + 1)
        unknown = self.total / self.visits - params.doubt * spread if self.visits else 0.5
        best, most = 0, -1e9
        for index in range(min(len(counts), params.width + self.visits // params.growth)):
            count = counts[index]
            value = (totals[index] / count if count else unknown) + drive * priors[index] / (1 + count)
            if value > most:
                best, most = index, value
        return best

    def favourite(self) -> int:
        """Return the index of the move that was tried most often, with ties broken by value."""
        return max(range(len(self.moves)), key=lambda index: (self.counts[index], self.totals[index], self.priors[index]))


class Tree:
    """A search from one position."""

    def __init__(
        self, root: State, heuristic: Heuristic[Any], params: SearchParams, rng: random.Random, value: ValueFunction | None = None
    ) -> None:
        """Create a tree without walks. Leaves are evaluated with ``value`` or, without it, with the heuristic's points."""
        assert root.actor is not None, "there is nothing to search when the game is over"
        self.root = Node(root.actor)
        self._state = root
        self._heuristic = heuristic
        self._params = params
        self._rng = rng
        self._value = value
        self._spread = Spread(UNKNOWN_SPREAD)

    def walk(self) -> None:
        """Sample the hidden information, descend to a new position, evaluate it, and back the value up along the path."""
        state = self._state.copy()
        state.determinize(self._rng)
        spread = self._spread.now()
        node = self.root
        way: list[tuple[Node, int]] = []
        sealed: list[Move] = []
        mover = -1
        while node.is_whole or self._opens(node, state):
            mover = node.actor
            index = node.select(self._params, spread)
            move = node.moves[index]
            way.append((node, index))
            state.play(move)
            if state.actor is None:
                self._tell(way, self._worth(state, mover))
                return
            node = self._next(node, move, state, sealed)
        worth = self._worth(state, mover, None if node.moves else node)
        node.visits += 1
        node.total += worth[node.actor]
        self._tell(way, worth)

    def favourite(self, seat: int) -> Move | None:
        """Return the most tried move at the seat's first decision (other seats may choose before it), or None if none was tried."""
        node: Node | None = self.root
        while node is not None and node.actor != seat:
            node = node.children.get(SEALED)
        return node.moves[node.favourite()] if node is not None and node.moves else None

    def _next(self, node: Node, move: Move, state: State, sealed: list[Move]) -> Node:
        key: Hashable
        if state.has_hidden_choice(node.actor):
            sealed.append(move)
            key = SEALED
        else:
            key = (move, state.events, *sealed)
            sealed.clear()
        child = node.children.get(key)
        if child is None:
            assert state.actor is not None
            child = node.children[key] = Node(state.actor)
        return child

    def _tell(self, way: list[tuple[Node, int]], worth: list[float]) -> None:
        """Add the position's values to the nodes along the path, each for the seat that moved there."""
        self._spread.add(worth[self.root.actor])
        for node, index in way:
            value = worth[node.actor]
            node.visits += 1
            node.total += value
            node.counts[index] += 1
            node.totals[index] += value

    def _opens(self, node: Node, state: State) -> bool:
        """List the moves of a node: promising moves at its second visit, and all moves later. Return whether any are listed."""
        if node is self.root:
            node.open(ranked(self._heuristic, state, self._rng), self._params, is_whole=True)
        elif node.visits >= self._params.patience:
            node.open(ranked(self._heuristic, state), self._params, is_whole=True)
        elif node.visits and not node.moves:
            choices, is_whole = candidate_moves(self._heuristic, state)
            node.open(choices, self._params, is_whole=is_whole)
        return bool(node.moves)

    def _worth(self, state: State, mover: int, leaf: Node | None = None) -> list[float]:
        """Return each seat's value after candidate moves have been played to the end of the turn; this also lists the moves of ``leaf``."""
        more: list[float] | None = None
        for _ in range(self._params.longest):
            if state.actor is None or self._heuristic.is_quiet(state, mover):
                break
            choices, is_whole = candidate_moves(self._heuristic, state)
            if leaf is not None:
                leaf.open(choices, self._params, is_whole=is_whole)
                leaf = None
            more = self._heuristic.takings(state, choices)
            if more is not None:
                break
            state.play(choices[0][1] if choices else state.random_move(self._rng))
        if self._value is None or state.players == 1:
            return self._points_worth(state, more)
        worths = self._value.worths(state)
        share = self._value.share_in_leaves
        if share == 1.0:
            return worths
        by_points = self._points_worth(state, more)
        return [share * own + (1.0 - share) * other for own, other in zip(worths, by_points, strict=True)]

    def _points_worth(self, state: State, more: list[float] | None) -> list[float]:
        outcome = state.outcome
        if outcome is not None:
            return outcome_values(outcome)
        points = self._heuristic.evaluate(state)
        return point_values(points if more is None else [own + taken for own, taken in zip(points, more, strict=True)])
