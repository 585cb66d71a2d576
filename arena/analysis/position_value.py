"""What values the positions of an analysis: a game's value function, or games played to the end where there is none (``judge_of``)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from random import Random
from typing import Any, Final

from arena.analysis.match_analysis import Method, Unit
from bots.reference.heuristics.base import Heuristic
from bots.reference.heuristics.registry import find_heuristic
from bots.reference.search.candidate_moves import candidate_moves
from bots.reference.search.one_ply import points_of
from bots.reference.valuation.base import ValueFunction, wins_of
from bots.reference.valuation.registry import find_value
from engine.core import EngineError, Game, Outcome, State, View

RANDOM_GAMES: Final = 64
"""Games that are played to the end from one position of a game without a value function."""


class NotAnalysableError(EngineError):
    """Raised for a game whose positions can't be valued; the text says why."""


class Judge(ABC):
    """Says what a position is worth to each seat, by nothing that is hidden, and equally whenever it is asked."""

    unit = Unit.CHANCE
    method = Method.VALUE
    version = ""
    most_candidates = 64
    """Moves of one decision that are compared with the one played, unless there are fewer."""
    plays_on = False
    """Whether moves are compared at the end of the turn: not where positions are valued by playing to the end anyway."""
    samples = 16
    """Worlds of which an expectation is the mean, where they are not all gone through."""

    @abstractmethod
    def worth(self, state: State) -> Sequence[float]:
        """Return what the position is worth to each seat; once the game is over, its result."""

    def promise(self, state: State) -> Sequence[float]:
        """Return what moves are compared by: what the position after them is worth."""
        return self.worth(state)


class ValueJudge(Judge):
    """Chances to win by the game's value function."""

    plays_on = True

    def __init__(self, value: ValueFunction) -> None:
        self._value = value
        self.version = value.version

    def worth(self, state: State) -> Sequence[float]:
        """Return each seat's chance to win."""
        return self._value.win_chances(state)


class PlayoutJudge(Judge):
    """Chances to win by random games to the end; they are seeded by what is public of the position."""

    method = Method.PLAYOUTS
    version = f"playouts-{RANDOM_GAMES}"
    most_candidates = 12
    samples = 4

    def worth(self, state: State) -> Sequence[float]:
        """Return each seat's share of the first places in random games."""
        return self._mean(state, RANDOM_GAMES)

    def result(self, outcome: Outcome) -> Sequence[float]:
        """Return what the end of a game is worth."""
        return wins_of(outcome)

    def _mean(self, state: State, games: int) -> Sequence[float]:
        if state.outcome is not None:
            return self.result(state.outcome)
        view = state.view(-1)
        rng = Random(view.key)
        ends = [self.result(self._finish(_sampled(view, rng), rng)) for _ in range(games)]
        return [sum(each) / games for each in zip(*ends, strict=True)]

    def _finish(self, state: State, rng: Random) -> Outcome:
        return state.playout(rng)


class PointsJudge(PlayoutJudge):
    """Points of a seat alone: those that it has. Moves are compared by the points at the end of games played on after them.

    The game's heuristic plays them on, by the moves that it likes best, or, in a game without one, chance does.
    """

    unit = Unit.POINTS
    version = "points-1"
    most_candidates = 8
    samples = 1

    def __init__(self, heuristic: Heuristic[Any] | None) -> None:
        self._heuristic = heuristic
        self.method = Method.PLAYOUTS if heuristic is None else Method.VALUE

    def worth(self, state: State) -> Sequence[float]:
        """Return the points so far."""
        return points_of(state)

    def promise(self, state: State) -> Sequence[float]:
        """Return the points to be expected at the end."""
        return self._mean(state, RANDOM_GAMES if self._heuristic is None else 1)

    def result(self, outcome: Outcome) -> Sequence[float]:
        """Return the points."""
        return outcome.scores

    def _finish(self, state: State, rng: Random) -> Outcome:
        if self._heuristic is None:
            return super()._finish(state, rng)
        while state.actor is not None:
            scored, _ = candidate_moves(self._heuristic, state)
            state.play(max(scored, key=lambda entry: entry[0])[1] if scored else state.random_move(rng))
        assert state.outcome is not None, "nobody has to decide any more"
        return state.outcome


def judge_of(game: Game, players: int) -> Judge:
    """Return what values the positions of a match. Raises NotAnalysableError."""
    if players == 1:
        return PointsJudge(find_heuristic(game))
    value = find_value(game)
    return PlayoutJudge() if value is None else ValueJudge(value)


def _sampled(view: View[State], rng: Random) -> State:
    try:
        return view.sample(rng)
    except (EngineError, NotImplementedError) as error:
        raise NotAnalysableError(
            f"matches of {view.game.name} can't be analysed: it has no value function, and it can't be played out, "
            "since what is hidden in it can't be sampled"
        ) from error
