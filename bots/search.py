"""A tree search over hidden information to build bots on, with your own values, priors and budget.

Each node of the search samples what the seat does not know, walks down a tree that all samples share, and values one new position at the
end of its turn. It works for any number of seats: each seat that decides plays for its own value. `SearchResult` lists what was tried:

    >>> from random import Random
    >>> from bots import Clock
    >>> from bots.search import search
    >>> from bots.values import utilities
    >>> from engine import find_game
    >>> state = find_game("tongiaki").new(3, seed=7)
    >>> result = search(state.view(0), Clock(), Random(1), value=utilities, nodes=60)
    >>> result.move == result.candidates[0].move, result.nodes
    (True, 60)

As a bot, held to the budget of its clock:

    >>> class Searcher:
    ...     def start(self, info):
    ...         self.rng = Random(info.seed)
    ...
    ...     def choose(self, view, clock):
    ...         result = search(view, clock, self.rng, nodes=200)
    ...         self.nodes = result.nodes
    ...         return result.move

This is the search of the bot ``mcts`` (``bots/reference/search/tree.py`` cites its sources). Equal seeds give equal results, unless time
cuts a search short.
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
"""A number for each seat, in seat order: how good a position is for it, on any scale. It is also called for finished games."""

Prior: TypeAlias = Callable[[State, Sequence[Move]], Sequence[float]]
"""A score for each of the moves, for the seat that has to decide: moves with higher scores are tried first and more often."""

_NODES: Final = 1000


@dataclass(frozen=True, slots=True)
class Candidate:
    """A move of the searched position: the number of nodes in which it was tried, and their mean value for the seat."""

    move: Move
    visits: int
    value: float


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The move that was tried most, the number of nodes searched (0 for a forced move), and all moves tried, most visits first."""

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
    """Search for the best move of the seat that has to decide.

    - ``value`` evaluates positions; by default, from the points that `bots.evaluate` expects.
    - ``prior`` scores moves; by default, by the game's rules of thumb (`bots.values.score_moves`), or if it has none, all alike.
      ``temperature`` is the difference in scores at which a move has 2.7 times the prior weight.
    - ``nodes`` is how many positions to look at; None is as many as the clock allows: its nodes, or 60 % of the decision's CPU time, and
      never more than 1/30 of what is left in its bank; 1000 without any limit. The clock's limits always hold.
    - ``exploration`` weighs the prior against the values seen (PUCT), in standard deviations of these values.
    - ``width`` is how many of a position's moves are tried at first; every 50 visits add one, up to 48.
    - ``rollout`` is the most moves that are played by the prior, to the end of the turn, before a new position is valued.

    Raises ValueError if the seat has nothing to decide, if a setting is out of range, if ``value`` or ``prior`` does not return a finite
    number for each seat or move, and in games that hide which moves a seat has (hands of cards). Raises LookupError in a game without an
    expert if no ``value`` is given.
    """
    if view.actor != view.seat:
        raise ValueError(f"seat {view.seat} has nothing to decide here, so there is nothing to search")
    _check(nodes=nodes, width=width, exploration=exploration, temperature=temperature, rollout=rollout)
    legal = view.legal_moves
    if len(legal) == 1:
        return SearchResult(legal[0], 0, ())
    heuristic = _heuristic(view, value, prior)
    sample(view, rng)  # refuses games that can't be sampled, by name
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
            raise  # a value played it
        raise ValueError(f"what seats may do is hidden in {view.game.name}: this search can't play it, but the bot mcts can") from error
    tried = tree.candidates(view.seat)
    move = tried[0].move if tried else legal.random(rng)  # too few nodes to get past other seats' hidden choices
    return SearchResult(move, done, tried)


class _Tree(Tree):
    """The tree of ``mcts``, with the caller's value for its leaves."""

    def __init__(self, root: State, heuristic: Heuristic[Any], params: SearchParams, rng: random.Random, leaf: Value | None) -> None:
        super().__init__(root, heuristic, params, rng)
        self._leaf = leaf

    def candidates(self, seat: int) -> tuple[Candidate, ...]:
        """Return the moves tried at the seat's first decision, which may come after hidden choices of others."""
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
    """The heuristic of a game, if it has one, with the scores of ``prior``."""

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
    """Stands for the heuristic of a game that has none: all moves have the same score, and there is no evaluation."""

    def choose(self, view: View[State], rng: random.Random) -> Move:
        return view.legal_moves.random(rng)

    def scores(self, state: State, moves: Sequence[Move]) -> list[float]:
        return [0.0] * len(moves)

    def evaluate(self, state: State) -> list[float]:
        raise LookupError(f"{state.game.name} has no expert to value its positions; pass value to search")


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
    """Return how many nodes to look at if time allows."""
    if clock.nodes is not None:
        return max(1, clock.nodes if nodes is None else min(nodes, clock.nodes))
    if nodes is not None:
        return nodes
    return _NODES if clock.seconds is None and clock.bank is None else inf


def _numbers(name: str, numbers: Sequence[float], count: int, what: str) -> list[float]:
    """Return the result of the caller's function as a list. Raises ValueError unless it has ``count`` finite numbers."""
    if len(numbers) != count:
        raise ValueError(f"{name} returned {len(numbers)} numbers for {count} {what}")
    if not isfinite(sum(numbers)):
        raise ValueError(f"{name} returned a number that is not finite: {list(numbers)}")
    return list(numbers)


def _check(nodes: int | None, width: int, exploration: float, temperature: float, rollout: int) -> None:
    for name, given, least in (("nodes", nodes, 1), ("width", width, 1), ("exploration", exploration, 0), ("rollout", rollout, 0)):
        if given is not None and not given >= least:
            raise ValueError(f"{name} is at least {least}, not {given}")
    if not temperature > 0:
        raise ValueError(f"temperature is above 0, not {temperature}")
