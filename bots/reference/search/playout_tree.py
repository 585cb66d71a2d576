"""A search tree that needs no knowledge of its game. Positions are evaluated by playing random moves to the end.

This is single-observer information-set search with UCB1 (Cowling, Powley and Whitehouse, "Information Set Monte Carlo Tree Search", 2012).
Each walk samples what the seat at the root does not know. All walks share one tree, whose nodes are the situations that this seat can
distinguish. Other seats' legal moves may differ between walks, like the cards in their hands. Each walk therefore chooses only among moves
that are legal in it, and a move's bonus depends on how often it could have been chosen. In each node, the seat to move maximises its own
value (max^n). As in every search of this kind, rivals are assumed to see what the root's seat sees.
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
"""The weight of the bonus for rarely tried moves, in standard deviations of the values found so far. UCB1 uses the square root of 2."""
UNKNOWN_SPREAD: Final = 0.5
"""The standard deviation of values that is assumed at first. It is that of random wins and losses."""
SEALED: Final = "sealed"
"""The key of the node that follows a choice hidden from the seat at the root."""


class _Edge:
    """A move of a node: how often it was tried, the total value of those walks, and how often it was legal (``chances``)."""

    __slots__ = ("chances", "move", "total", "visits")

    def __init__(self, move: Move) -> None:
        self.move = move
        self.visits = 0
        self.total = 0.0
        self.chances = 0


class _Node:
    """A situation as the seat at the root sees it, with the edges of all moves that were legal there in at least one walk."""

    __slots__ = ("children", "edges")

    def __init__(self) -> None:
        self.edges: dict[Move, _Edge] = {}
        self.children: dict[Hashable, _Node] = {}


class PlayoutTree:
    """A tree search for the best move of the seat to move."""

    def __init__(self, view: View[State], rng: random.Random) -> None:
        self._view = view
        self._rng = rng
        self._root = _Node()
        self._reveals = not view.game.sends_positions  # if so, hidden choices are revealed by the next open choice
        self._spread = Spread(UNKNOWN_SPREAD)

    def walk(self) -> None:
        """Sample the hidden information, descend to a move that has not been tried yet, play randomly to the end, and back up the
        values."""
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
        """Return the move that was tried most often, with ties broken by value, or a random move before the first walk."""
        legal = [self._root.edges[move] for move in self._view.legal_moves if move in self._root.edges]
        if not legal:
            return self._view.legal_moves.random(self._rng)
        return max(legal, key=lambda edge: (edge.visits, edge.total)).move

    def _select(self, node: _Node, state: State) -> _Edge:
        """Return a random legal move that has not been tried yet, or else the move with the best sum of mean value and bonus."""
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
        """Add the final values to the edges along the path, each for the seat that chose the move."""
        self._spread.add(worth[self._view.seat])
        for edge, actor in way:
            edge.visits += 1
            edge.total += worth[actor]
