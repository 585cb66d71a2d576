"""A search tree that needs no knowledge of its game: positions are valued by playing random moves to the end.

Single-observer information-set search with the rule UCB1 (Cowling, Powley and Whitehouse, "Information Set Monte Carlo Tree Search",
2012): each walk fills in what the seat at the root does not know, and all walks share one tree, whose nodes are what that seat can tell
apart. Which moves others have may differ from walk to walk, as with the cards in their hands; so each walk chooses among those that are
legal in it, and a move's bonus depends on how often it could have been chosen. Each node is played for what is best for the seat that
decides there (max^n).

It knows no more of rivals than that: they are taken to see what the root's seat sees, as in every search of this kind.
"""

from __future__ import annotations

import random
from collections.abc import Hashable
from math import log, sqrt
from typing import Final

from bots.reference.search.sampling import sample
from bots.reference.search.value import Spread, outcome_values
from engine.core import Move, State, View

CURIOSITY: Final = 1.4
"""The weight of the bonus for moves that were tried little, in standard deviations of the values found so far (UCB1 has the root of 2)."""
UNKNOWN_SPREAD: Final = 0.5
"""The spread that is assumed at first: that of a win or a loss."""
SEALED: Final = "sealed"
"""The key of the node after a choice that is hidden from the seat at the root."""


class _Edge:
    """A move of a node: how often it was tried, the total value of these walks, and how often it was legal."""

    __slots__ = ("chances", "move", "total", "visits")

    def __init__(self, move: Move) -> None:
        self.move = move
        self.visits = 0
        self.total = 0.0
        self.chances = 0


class _Node:
    """A node, as far as the seat at the root can distinguish: the edges of the moves that were legal there in some walk."""

    __slots__ = ("children", "edges")

    def __init__(self) -> None:
        self.edges: dict[Move, _Edge] = {}
        self.children: dict[Hashable, _Node] = {}


class PlayoutTree:
    """One search for a seat that has to decide."""

    def __init__(self, view: View[State], rng: random.Random) -> None:
        self._view = view
        self._rng = rng
        self._root = _Node()
        self._reveals = not view.game.sends_positions  # then hidden choices come to light with the next open one
        self._spread = Spread(UNKNOWN_SPREAD)

    def walk(self) -> None:
        """Sample the hidden information, descend to a move that was not tried yet, play to the end at random, and back the values up."""
        state = sample(self._view, self._rng)
        node = self._root
        way: list[tuple[_Edge, int]] = []
        sealed: list[Move] = []
        is_known = True
        while is_known and (actor := state.actor) is not None:
            edge = self._select(node, state)
            is_known = edge.visits > 0
            way.append((edge, actor))
            state.play(edge.move)
            node = self._next(node, edge.move, actor, state, sealed)
        outcome = state.outcome
        self._tell(way, outcome_values(state.playout(self._rng) if outcome is None else outcome))

    def favourite(self) -> Move:
        """Return the move that was tried most; of several, the one of the highest value, and before the first walk any."""
        legal = [self._root.edges[move] for move in self._view.legal_moves if move in self._root.edges]
        if not legal:
            return self._view.legal_moves.random(self._rng)
        return max(legal, key=lambda edge: (edge.visits, edge.total)).move

    def _select(self, node: _Node, state: State) -> _Edge:
        """Return a legal move that was not tried yet, at random, or else the one with the best mean and bonus."""
        moves = state.list_moves()
        edges = node.edges
        legal: list[_Edge] = []
        for move in moves:
            edge = edges.get(move)
            if edge is None:
                edge = edges[move] = _Edge(move)
            edge.chances += 1
            legal.append(edge)
        fresh = [edge for edge in legal if not edge.visits]
        if fresh:
            return fresh[self._rng.randrange(len(fresh))]
        drive = CURIOSITY * self._spread.now()
        return max(legal, key=lambda edge: edge.total / edge.visits + drive * sqrt(log(edge.chances) / edge.visits))

    def _next(self, node: _Node, move: Move, actor: int, state: State, sealed: list[Move]) -> _Node:
        """Return the node that a move has led to, made if it is new."""
        key: Hashable
        if actor != self._view.seat and state.has_hidden_choice(actor):
            if self._reveals:
                sealed.append(move)
            key = (SEALED, state.events_for(self._view.seat))
        else:
            key = (move, state.events_for(self._view.seat), *sealed)
            sealed.clear()
        child = node.children.get(key)
        if child is None:
            child = node.children[key] = _Node()
        return child

    def _tell(self, way: list[tuple[_Edge, int]], worth: list[float]) -> None:
        """Back up the final values to the seats that decide along the path."""
        self._spread.add(worth[self._view.seat])
        for edge, actor in way:
            edge.visits += 1
            edge.total += worth[actor]
