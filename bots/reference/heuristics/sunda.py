"""The expert for Sunda to Sahul, which tries promising tiles with the next rival's answer, and compares the positions.

These ideas made it stronger in matches against ``greedy`` with the same seeds and seats:

- Choose both tiles of a turn together, since two tiles can close what one can't, especially lakes.
- Let the next rival take what is left for it before positions are compared.
- Don't expect islands with open vertices to be completed, since this hardly ever happens (see ``sunda_evaluation``). The expert therefore
  completes islands, which doubles their points, as soon as it can.
- From level 2 on, count 60% of the points that the next token in each tribe would add (``GROWTH``).
- Weigh a challenge by its odds instead of simulated dice.

At level 2, trying 10 first tiles and 5 second tiles instead of 6 and 3 helped as much as all of these ideas. Fear of future challenges, a
different weight of the rival's answer, and raids (the expert never makes any) did not matter.
"""

from __future__ import annotations

import random
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final, final

from bots.reference.heuristics.base import Aim, Heuristic, Plan, Ranked
from bots.reference.heuristics.sunda_evaluation import evaluate, odds
from bots.reference.heuristics.sunda_move_scores import NEVER, WIN, move_scores
from bots.reference.heuristics.sunda_placement import PlacementWeights, best_placement
from bots.reference.heuristics.sunda_placement_scores import PlacementScorer, hot_places
from bots.reference.heuristics.sunda_planning import SoloPlan
from bots.reference.heuristics.sunda_search import closers, is_quiet, kind_of, takings, unveil
from engine.core import Move, View
from engine.sunda import SundaMove, SundaState
from engine.sunda.board.claims import controller
from engine.sunda.board.trigrid import lozenge_of
from engine.sunda.notation.moves import AGREE, PLACE, SKIP, WAIT
from engine.sunda.position import CHOOSE, FIGHT, LAY


@dataclass(frozen=True, slots=True)
class Breadth:
    """How many moves are tried: first tiles of a turn, second tiles after each first tile, last tiles, and moves in other decisions."""

    firsts: int = 10
    seconds: int = 5
    lasts: int = 24
    others: int = 8


BREADTH: Final = Breadth()

ANSWERED: Final = 0.8
"""The weight of the cost of the next rival's answer. It is below 1, since the answer is only an estimate from move scores."""

FIRST: Final = 0.5
"""The chance that a given seat's choice is carried out first in a tick with two players."""

LONGEST_STEP: Final = 12
"""How many decisions are simulated at most, from a laid tile to the end of the step."""


WEIGHTS: Final = {
    Aim.LEAD: PlacementWeights(),  # close nodes, complete islands with own tokens, don't prepare nodes for others
    Aim.DAMAGE: PlacementWeights(own_next=0.0, rival_next=-1.5),  # leave as few nodes as possible for the next player to close
}
"""For each aim, the weights with which bots that don't search choose among hundreds of placements."""


@final
class SundaHeuristic(Heuristic[SundaState]):
    """The heuristic for Sunda to Sahul."""

    def choose(self, view: View[SundaState], rng: random.Random) -> Move:
        """Return the move with the largest lead after the next rival's answer. Ties are broken with ``rng``."""
        p = view.position.inside
        moves = view.position.list_moves()
        scores = move_scores(view.position, moves)
        state = view.sample(rng)
        if p.phase == FIGHT:
            return _best([(move, _after_fight(state, move, view.seat)) for move in moves], rng)
        if p.phase not in {LAY, CHOOSE}:
            return _best([(move, _after_right(state, move, view.seat)) for move in _top(moves, scores, BREADTH.others, rng)], rng)
        width = BREADTH.firsts if p.phase == LAY and p.step == 0 else BREADTH.lasts
        tried = _top(moves, scores, width, rng)
        if moves[-1] == SundaMove(AGREE):
            tried = [move for move in tried if move != moves[-1]]
            if scores[-1] > -NEVER:
                tried.append(moves[-1])
        if p.phase == CHOOSE:
            state.inside.choices = [SundaMove(WAIT) if seat < p.chosen else None for seat in range(p.players)]
        return _best([(move, _after_tile(state, move, view.seat, rng)) for move in tried], rng)

    def scores(self, state: SundaState, moves: Sequence[Move]) -> list[float]:
        """Score each move; see ``sunda_move_scores``."""
        return move_scores(state, moves)

    def evaluate(self, state: SundaState) -> list[float]:
        """Return the expected points of each seat; see ``sunda_evaluation``."""
        return evaluate(state)

    def quick_move(self, view: View[SundaState], rng: random.Random, aim: Aim) -> Move | None:
        """Return the most promising placement; see ``sunda_placement``."""
        return best_placement(view, rng, WEIGHTS[aim])

    def begins_anew(self, state: SundaState) -> bool:
        """Return whether the next decision is about a new tile, so that it does not depend on the previous move."""
        return state.inside.phase in {LAY, CHOOSE}

    def plan(self, players: int, rng: random.Random) -> Plan | None:
        """Return a plan for all tiles in solo play; see ``sunda_planning``."""
        return SoloPlan(rng) if players == 1 else None

    def unveil(self, state: SundaState) -> None:
        """Take back the choices made so far in a tick, so that all seats choose again; see ``sunda_search``."""
        unveil(state)

    def candidates(self, state: SundaState) -> Ranked | None:
        """Return the placements that close a vertex; see ``sunda_search``."""
        return closers(state)

    def kind_of(self, move: Move) -> Hashable:
        """Return the lozenge of a placement, or None for any other move; see ``sunda_search``."""
        return kind_of(move)

    def is_quiet(self, state: SundaState, mover: int) -> bool:
        """Return whether all seats are about to choose their next tiles; see ``sunda_search``."""
        return is_quiet(state)

    def takings(self, state: SundaState, choices: Ranked) -> list[float] | None:
        """Return the points that each seat can take with the next tiles, or None; see ``sunda_search.takings``."""
        return takings(state, choices)


def lead(points: Sequence[float], seat: int) -> float:
    """Return the seat's points minus the mean of two numbers: the strongest rival's points and the average points of all rivals."""
    rivals = [*points[:seat], *points[seat + 1 :]]
    return points[seat] - (max(rivals) + sum(rivals) / len(rivals)) / 2 if rivals else points[seat]


def _worth(state: SundaState, seat: int) -> float:
    if state.outcome is None:
        return lead(evaluate(state), seat)
    points = state.points
    others = max([*points[:seat], *points[seat + 1 :]], default=0)
    return lead(points, seat) + (WIN if points[seat] > others else 0.0 if points[seat] == others else -WIN)


def _best(valued: list[tuple[Move, float]], rng: random.Random) -> Move:
    ranked = [(value, rng.random(), index) for index, (_, value) in enumerate(valued)]
    return valued[max(ranked)[2]][0]


def _top(moves: Sequence[Move], scores: list[float], number: int, rng: random.Random) -> list[Move]:
    """Return the best-scoring moves, best first, ties in random order. Of equally good placements on the same lozenge, only one is kept."""
    order = sorted(zip(scores, [rng.random() for _ in moves], range(len(moves)), strict=True), reverse=True)
    found: list[Move] = []
    seen: set[tuple[int, float]] = set()
    for score, _, index in order:
        move = moves[index]
        if isinstance(move, SundaMove) and move.kind == PLACE:
            key = (lozenge_of(move.second), score)
            if key in seen:
                continue
            seen.add(key)
        found.append(move)
        if len(found) == number:
            break
    return found


def _after_fight(state: SundaState, move: Move, seat: int) -> float:
    assert isinstance(move, SundaMove), "a move of this game"
    if move.kind == SKIP:
        return lead(evaluate(state), seat)
    tribes = state.inside.claims.tribes
    win = odds(len(tribes[move.first]), len(tribes[move.second]))
    value = 0.0
    for loser, part in ((move.second, win), (move.first, 1 - win)):
        after = state.copy()
        after.inside.claims.take_back(loser, controller(tribes[loser]))
        value += part * lead(evaluate(after), seat)
    return value


def _after_right(state: SundaState, move: Move, seat: int) -> float:
    after = state.copy()
    after.play(move)
    _settle(after)
    return _worth(after, seat)


def _after_tile(state: SundaState, move: Move, seat: int, rng: random.Random) -> float:
    """Return the lead after the turn and the next rival's answer. If the turn has a second tile, the best one is used."""
    after = state.copy()
    if isinstance(move, SundaMove) and move.kind == WAIT:
        after.inside.choices = [None] * after.players  # the game would end if nobody laid a tile
        after.inside.chosen = 0
        return _scrambled(after, seat)
    after.play(move)
    _settle(after)
    p = after.inside
    if p.phase == CHOOSE:
        return _scrambled(after, seat)
    if p.actor != seat or p.phase != LAY or p.step == 0:
        return _answered(after, seat)
    moves = after.list_moves()
    best = -2 * WIN
    for second in _top(moves, move_scores(after, moves), BREADTH.seconds, rng):
        later = after.copy()
        later.play(second)
        _settle(later)
        best = max(best, _answered(later, seat))
    return best


def _settle(state: SundaState) -> None:
    """Play the step to its end using move scores. Nobody fights; in a tick, every seat without a choice waits."""
    for _ in range(LONGEST_STEP):
        p = state.inside
        if p.actor is None or p.phase == LAY or (p.phase == CHOOSE and p.chosen == 0):
            return
        if p.phase in {CHOOSE, FIGHT}:
            state.play(SundaMove(WAIT if p.phase == CHOOSE else SKIP))
            continue
        moves = state.list_moves()
        scores = move_scores(state, moves)
        state.play(moves[max(range(len(moves)), key=scores.__getitem__)])


def _answered(state: SundaState, seat: int) -> float:
    """Return the lead after a quick answer by the next rival, which only closes what can be closed at once."""
    before = _worth(state, seat)
    p = state.inside
    rival = p.actor
    if rival is None or rival == seat or p.phase != LAY:
        return before
    if p.agreed == p.players - 1 and lead(state.points, rival) > 0:
        return -WIN
    for _ in range(2):
        move = _quick_place(state, rival)
        if move is None:
            break
        state.play(move)
        _settle(state)
        p = state.inside
        if p.actor != rival or p.phase != LAY:
            break
    after = _worth(state, seat)
    return after if state.outcome is not None else before + ANSWERED * (after - before)


def _scrambled(state: SundaState, seat: int) -> float:
    """Return the mean lead after a tick in which each seat closes what it can at once; half of the time, ``seat`` comes first."""
    value = before = _worth(state, seat)
    for chooser in range(state.players):
        move = _quick_place(state, chooser)
        if move is not None:
            after = state.copy()
            for other in range(state.players):
                after.play(move if other == chooser else SundaMove(WAIT))
            _settle(after)
            value += FIRST * (_worth(after, seat) - before)
    return value


def _quick_place(state: SundaState, seat: int) -> SundaMove | None:
    """Return the placement with the best score among those that close a vertex, or None if no score is positive."""
    p = state.inside
    scorer = PlacementScorer(p, seat, has_next=p.phase == LAY and p.step == 0)
    best, found = 0.0, None
    for tile, placement in hot_places(p, p.pot(seat)):
        value = scorer.value(tile, placement)
        if value > best:
            best, found = value, SundaMove(PLACE, tile, placement)
    return found


HEURISTIC: Final = SundaHeuristic()
"""The heuristic that the game's plug-in names."""
