"""A tree search over hidden information, which a bot can use with its own value function, prior and budget.

For each node, the search samples what the seat does not know, walks down a tree that all samples share, and evaluates one new position at
the end of a turn. It works for any number of seats; each seat maximises its own value. The `SearchResult` lists the moves that were tried:

    >>> from random import Random
    >>> from bots import Clock
    >>> from bots.search import search
    >>> from bots.values import utilities
    >>> from engine import find_game
    >>> state = find_game("tongiaki").new(3, seed=7)
    >>> result = search(state.view(0), Clock(), Random(1), value=utilities, nodes=60)
    >>> result.move == result.candidates[0].move, result.nodes
    (True, 60)

A bot that uses it and keeps to the limits of its clock:

    >>> class Searcher:
    ...     def start(self, info):
    ...         self.rng = Random(info.seed)
    ...
    ...     def choose(self, view, clock):
    ...         result = search(view, clock, self.rng, nodes=200)
    ...         self.nodes = result.nodes
    ...         return result.move

The bot ``mcts`` searches in the same way (``bots/reference/search/tree.py`` cites the sources). Equal seeds give equal results, unless a
time limit ends the search.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any, Final, TypeAlias

from bots.protocol import Clock
from bots.reference.heuristics.base import Heuristic, Ranked
from bots.reference.heuristics.registry import find_heuristic
from bots.reference.search.deadline import Deadline
from bots.reference.search.sampling import sample
from bots.reference.search.tree import SEALED, Node, SearchParams, Tree
from engine.core import IllegalMoveError, Move, OptionsError, State, View

__all__ = ["Candidate", "Prior", "SearchResult", "Value", "search"]

Value: TypeAlias = Callable[[State], Sequence[float]]
"""Returns how good a position is for each seat, in seat order, on any scale. This function is also called for finished games."""

Prior: TypeAlias = Callable[[State, Sequence[Move]], Sequence[float]]
"""Returns a score for each of the given moves of the seat whose turn it is. Moves with higher scores are tried first and more often."""

_NODES: Final = 1000


@dataclass(frozen=True, slots=True)
class Candidate:
    """A move in the searched position, the number of nodes that were spent on it, and the mean value of these nodes for the seat."""

    move: Move
    visits: int
    value: float


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The move that was tried most often, the number of nodes searched (0 for a forced move), and all moves tried, most visited first."""

    move: Move
    nodes: int
    candidates: tuple[Candidate, ...]


def search(
    view: View[State],
    clock: Clock,
    rng: random.Random,
    *,
    value: Value | None = None,
    prior: Prior | None = None,
    nodes: int | None = _NODES,
    exploration: float = 8.0,
    temperature: float = 2.0,
    width: int = 12,
    rollout: int = 20,
) -> SearchResult:
    """Search for the best move of the seat to move.

    - ``value`` evaluates positions; by default, the points expected by `bots.evaluate` are used.
    - ``prior`` scores moves; the default is the game's rules of thumb (`bots.values.score_moves`) or, if it has none, equal scores.
      ``temperature`` is the difference in scores at which a move has 2.7 times the prior weight.
    - ``nodes`` is how many positions to look at, within the clock's limits. With None, the search stops at the clock's limit of nodes or
      after 60% of the decision's CPU time (at most 1/30 of what is left in the bank) or, without such limits, after 1000 nodes.
    - ``exploration`` weighs the prior against the values seen (PUCT), in standard deviations of these values.
    - ``width`` is how many of a position's moves are tried at first; every 50 visits add one more move, up to 48 moves.
    - ``rollout`` is the largest number of moves that the prior plays, at most to the end of the turn, before a new position is evaluated.

    Raises ValueError if it isn't the seat's turn, if a setting is out of range, if ``value`` or ``prior`` does not return a finite number
    for each seat or move, and for a game that hides which moves a seat has (such as a game with hands of cards). Raises LookupError if
    the game has no expert and no ``value`` is given.
    """
    if view.actor != view.seat:
        raise ValueError(f"it isn't seat {view.seat}'s turn, so there is nothing to search")
    _check(nodes=nodes, width=width, exploration=exploration, temperature=temperature, rollout=rollout)
    legal = view.legal_moves
    if len(legal) == 1:
        return SearchResult(legal[0], 0, ())
    heuristic = _heuristic(view, value, prior)
    sample(view, rng)  # raises for games that can't be sampled
    root = view.position.copy()
    root.read_only = False
    params = SearchParams(curiosity=exploration, temperature=temperature, width=width, longest=rollout)
    heuristic.unveil(root)
    tree = _Tree(root, heuristic, params, rng, value)
    done, most = 0, _most(nodes, clock)
    deadline = Deadline(clock)
    try:
        while done < most and not (done and deadline.has_passed()):
            tree.walk()
            done += 1
    except IllegalMoveError as error:
        if find_heuristic(view.game) is not None:
            raise  # the caller's value function played an illegal move
        raise ValueError(f"{view.game.name} hides seats' legal moves, which this search can't handle; the bot 'mcts' can") from error
    tried = tree.candidates(view.seat)
    move = tried[0].move if tried else legal.random(rng)  # too few nodes to get past other seats' hidden choices
    return SearchResult(move, done, tried)


class _Tree(Tree):
    """The tree of ``mcts``, with its leaves evaluated by the caller's function."""

    def __init__(self, root: State, heuristic: Heuristic[Any], params: SearchParams, rng: random.Random, leaf: Value | None) -> None:
        super().__init__(root, heuristic, params, rng)
        self._leaf = leaf

    def candidates(self, seat: int) -> tuple[Candidate, ...]:
        """Return the moves tried at the seat's first decision, which may come after hidden choices of other seats."""
        node: Node | None = self.root
        while node is not None and node.actor != seat:
            node = node.children.get(SEALED)
        if node is None:
            return ()
        order = sorted(range(len(node.moves)), key=lambda index: (node.counts[index], node.totals[index], node.priors[index]), reverse=True)
        return tuple(Candidate(node.moves[index], count, node.totals[index] / count) for index in order if (count := node.counts[index]))

    def _points_worth(self, state: State, more: list[float] | None) -> list[float]:
        if self._leaf is None:
            return super()._points_worth(state, more)
        return _numbers("value", self._leaf(state), state.players, "seats")


class _Guide(Heuristic[State]):
    """The heuristic of a game, if it has one, but with scores from ``prior``."""

    def __init__(self, game: Heuristic[Any], prior: Prior) -> None:
        self._game = game
        self._prior = prior

    def choose(self, view: View[State], rng: random.Random) -> Move:
        return self._game.choose(view, rng)

    def scores(self, state: State, moves: Sequence[Move]) -> list[float]:
        return _numbers("prior", self._prior(state, moves), len(moves), "moves")

    def evaluate(self, state: State) -> list[float]:
        return self._game.evaluate(state)

    def unveil(self, state: State) -> None:
        self._game.unveil(state)

    def candidates(self, state: State) -> Ranked | None:
        ranked = self._game.candidates(state)
        if ranked is None:
            return None
        moves = [move for _, move in ranked]
        return list(zip(self.scores(state, moves), moves, strict=True))

    def kind_of(self, move: Move) -> Hashable:
        return self._game.kind_of(move)

    def is_quiet(self, state: State, mover: int) -> bool:
        return self._game.is_quiet(state, mover)

    def takings(self, state: State, choices: Ranked) -> list[float] | None:
        return self._game.takings(state, choices)


class _Unknown(Heuristic[State]):
    """Stands in for the heuristic of a game that has none: all moves have the same score, and positions can't be evaluated."""

    def choose(self, view: View[State], rng: random.Random) -> Move:
        return view.legal_moves.random(rng)

    def scores(self, state: State, moves: Sequence[Move]) -> list[float]:
        return [0.0] * len(moves)

    def evaluate(self, state: State) -> list[float]:
        raise LookupError(f"{state.game.name} has no expert to evaluate its positions; pass a 'value' to search")


def _heuristic(view: View[State], value: Value | None, prior: Prior | None) -> Heuristic[Any]:
    try:
        game = find_heuristic(view.game)
    except OptionsError as error:  # a game that is not installed
        raise LookupError(str(error)) from None
    if game is None:
        game = _Unknown()
        if value is None:
            game.evaluate(view.position)
    return game if prior is None else _Guide(game, prior)


def _most(nodes: int | None, clock: Clock) -> float:
    if clock.nodes is not None:
        return max(1, clock.nodes if nodes is None else min(nodes, clock.nodes))
    if nodes is not None:
        return nodes
    return _NODES if clock.seconds is None and clock.bank is None else inf


def _numbers(name: str, numbers: Sequence[float], count: int, what: str) -> list[float]:
    """Return the result of the caller's function as a list. Raises ValueError unless it consists of ``count`` finite numbers."""
    if len(numbers) != count:
        raise ValueError(f"{name} returned a sequence of length {len(numbers)} instead of {count}, the number of {what}")
    if not isfinite(sum(numbers)):
        raise ValueError(f"{name} returned a number that is not finite: {list(numbers)}")
    return list(numbers)


def _check(nodes: int | None, width: int, exploration: float, temperature: float, rollout: int) -> None:
    for name, given, least in (("nodes", nodes, 1), ("width", width, 1), ("exploration", exploration, 0), ("rollout", rollout, 0)):
        if given is not None and not given >= least:
            raise ValueError(f"{name} must be at least {least}, not {given}")
    if not temperature > 0:
        raise ValueError(f"temperature must be above 0, not {temperature}")
