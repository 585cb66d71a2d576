"""Values positions for an analysis, using the game's value function or, if it has none, games played to the end (``judge_of``)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from math import ceil
from random import Random
from typing import Any, Final

from arena.analysis.match_analysis import Method, Unit
from bots.reference.heuristics.base import Heuristic
from bots.reference.heuristics.registry import find_heuristic
from bots.reference.search.candidate_moves import candidate_moves
from bots.reference.search.one_ply import points_of
from bots.reference.valuation.base import ValueFunction, wins_of
from bots.reference.valuation.registry import find_value
from engine.core import EngineError, Game, Outcome, State, View, World

RANDOM_GAMES: Final = 64
"""The number of random playouts from a position if the game has no value function."""
CHECKED_GAMES: Final = 16
"""The number of random playouts from each position when the loss of a decision is measured again."""
WORLDS: Final = 256
"""The number of worlds sampled for an expectation if there are too many to use all. Its standard error is then at most 1/32 of a win."""


class NotAnalysableError(EngineError):
    """Positions of the game can't be valued; the message says why."""


class Judge(ABC):
    """Estimates the values of the positions of one match for each seat, deterministically and without hidden information."""

    unit = Unit.CHANCE
    method = Method.VALUE
    version = ""
    most_candidates = 64
    """The most moves of a decision that are compared with the move played."""
    plays_on = False
    """Whether moves are compared at the end of the turn, not right after the move; False if positions are valued with playouts."""
    is_sampled = False
    """Whether the worth of a position is a random estimate, so that ``estimate`` returns a different value each time."""
    samples = 16
    """The number of worlds in which moves are compared, if there are too many to use all."""

    def __init__(self, digest: str) -> None:
        """Prepare for the match whose replay has this digest, from which all random numbers are derived."""
        self._digest = digest
        self._seeds: dict[int, int] = {}

    def seed_of(self, at: int) -> int:
        """Return the seed with which chance is sampled after decision ``at``, the same for every move compared there.

        The seed differs between matches: if all matches had the same samples, their errors would add up.
        """
        if at not in self._seeds:
            self._seeds[at] = Random(f"{self._digest} {at}").getrandbits(48)
        return self._seeds[at]

    @abstractmethod
    def worth(self, state: State) -> Sequence[float]:
        """Return the worth of the position to each seat; in a finished game, this is the result."""

    def promise(self, state: State) -> Sequence[float]:
        """Return the worth, to each seat, of the position after a move. Moves are compared by this worth."""
        return self.worth(state)

    def estimate(self, state: State, rng: Random) -> Sequence[float]:
        """Return an estimate of the worth of the position to each seat; where worth comes from random games, new ones are played."""
        return self.worth(state)

    def expectation(self, worlds: Sequence[World]) -> tuple[float, ...]:
        """Return the mean worth of possible worlds to each seat."""
        return mean(worlds[0].state.players, ((share, worth) for share, _, worth in self.worths(worlds)))

    def worths(self, worlds: Sequence[World]) -> list[tuple[float, State, Sequence[float]]]:
        """Return each world's share (probability), position and worth to each seat. Worlds that a spectator can't tell apart are merged."""
        shares: dict[int, float] = {}
        states: dict[int, State] = {}
        for share, state in worlds:
            key = state.view(-1).key
            shares[key] = shares.get(key, 0.0) + share
            states[key] = state
        return [(share, states[key], self._worth_of_share(states[key], share)) for key, share in shares.items()]

    def _worth_of_share(self, state: State, share: float) -> Sequence[float]:
        """Return the worth of a position whose share in an expectation is ``share``; if that is small, the worth need not be exact."""
        return self.worth(state)


class ValueJudge(Judge):
    """Values positions as chances of winning, using the game's value function."""

    plays_on = True

    def __init__(self, digest: str, value: ValueFunction) -> None:
        super().__init__(digest)
        self._value = value
        self.version = value.version

    def worth(self, state: State) -> Sequence[float]:
        """Return each seat's chance of winning."""
        return self._value.win_chances(state)


class PlayoutJudge(Judge):
    """Values positions as chances of winning, using random games that are seeded by the match and the public part of the position."""

    method = Method.PLAYOUTS
    version = f"playouts-{RANDOM_GAMES}"
    most_candidates = 12
    samples = 4
    is_sampled = True

    def worth(self, state: State) -> Sequence[float]:
        """Return each seat's share of the first places in random games."""
        return self._mean(state, RANDOM_GAMES)

    def _worth_of_share(self, state: State, share: float) -> Sequence[float]:
        """Return each seat's share of first places in random games, with fewer games for a small ``share``."""
        return self._mean(state, min(RANDOM_GAMES, ceil(share * WORLDS)))

    def estimate(self, state: State, rng: Random) -> Sequence[float]:
        """Return each seat's share of the first places in new random games."""
        return self._mean(state, CHECKED_GAMES, rng)

    def result(self, outcome: Outcome) -> Sequence[float]:
        """Return the value of a finished game to each seat."""
        return wins_of(outcome)

    def _mean(self, state: State, games: int, rng: Random | None = None) -> Sequence[float]:
        if state.outcome is not None:
            return self.result(state.outcome)
        view = state.view(-1)
        rng = rng or Random(f"{self._digest} {view.key}")
        ends = [self.result(self._finish(_sampled(view, rng), rng)) for _ in range(games)]
        return [sum(each) / games for each in zip(*ends, strict=True)]

    def _finish(self, state: State, rng: Random) -> Outcome:
        return state.playout(rng)


class PointsJudge(PlayoutJudge):
    """Values positions of solo play as the points so far. Moves are compared by the final points after playing on from them.

    The moves of these continuations are the best ones of the game's heuristic, or random if the game has no heuristic.
    """

    unit = Unit.POINTS
    version = "points-1"
    most_candidates = 8
    samples = 1
    is_sampled = False

    def __init__(self, digest: str, heuristic: Heuristic[Any] | None) -> None:
        super().__init__(digest)
        self._heuristic = heuristic
        self.method = Method.PLAYOUTS if heuristic is None else Method.VALUE

    def worth(self, state: State) -> Sequence[float]:
        """Return the points so far."""
        return points_of(state)

    def _worth_of_share(self, state: State, share: float) -> Sequence[float]:
        return self.worth(state)

    def promise(self, state: State) -> Sequence[float]:
        """Return the expected points at the end."""
        return self._mean(state, RANDOM_GAMES if self._heuristic is None else 1)

    def result(self, outcome: Outcome) -> Sequence[float]:
        """Return the points of a finished game."""
        return outcome.scores

    def _finish(self, state: State, rng: Random) -> Outcome:
        if self._heuristic is None:
            return super()._finish(state, rng)
        while state.actor is not None:
            scored, _ = candidate_moves(self._heuristic, state)
            state.play(max(scored, key=lambda entry: entry[0])[1] if scored else state.random_move(rng))
        assert state.outcome is not None, "the game is over"
        return state.outcome


def judge_of(game: Game, players: int, digest: str) -> Judge:
    """Return the judge for the positions of a match; ``digest`` is the digest of its replay."""
    if players == 1:
        return PointsJudge(digest, find_heuristic(game))
    value = find_value(game)
    return PlayoutJudge(digest) if value is None else ValueJudge(digest, value)


def mean(players: int, worths: Iterable[tuple[float, Sequence[float]]]) -> tuple[float, ...]:
    """Return each seat's mean worth, given pairs (share, worth to each seat). The shares add up to 1."""
    total = [0.0] * players
    for share, worth in worths:
        for seat, each in enumerate(worth):
            total[seat] += share * each
    return tuple(total)


def _sampled(view: View[State], rng: Random) -> State:
    try:
        return view.sample(rng)
    except (EngineError, NotImplementedError) as error:
        raise NotAnalysableError(
            f"matches of {view.game.name} can't be analysed: it has no value function, and positions can't be played "
            "out, since their hidden information can't be sampled"
        ) from error
