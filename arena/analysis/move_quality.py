"""Looks for better moves in a match: compares the values of the positions after each move (``MoveSearch``).

A turn may have several decisions whose order matters little. After a move, the turn is therefore continued with the most valuable move each
time, until it is over or a move would leave something to chance.

The largest of many estimates is often too high. A loss of at least an inaccuracy is therefore measured again in sampled worlds (positions
that agree with what the seat knew), two, four and eight turns later; the heuristic's quick scores choose the moves of these turns. Eight
turns are more than a round, because a value function can repeat an error for several turns. A loss counts as a mistake or a blunder only if
even the lower end of its interval is large enough. It is then measured once more at the end of the turn, and a blunder also three turns
later; the heuristic itself chooses the moves until then. The smallest of these measurements counts.

If positions are valued using random games, a loss is measured again with new random games from the positions right after the two moves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from random import Random
from typing import Final

import numpy as np

from arena.analysis.match_analysis import BLUNDER, INACCURACY, MISTAKE, Unit
from arena.analysis.position_value import Judge, mean
from arena.analysis.skill_and_luck import after_choices, guesses
from arena.analysis.worlds import possible_worlds
from bots.reference.heuristics.registry import find_heuristic
from bots.reference.search.candidate_moves import ranked
from engine.core import Move, State, World
from engine.replay.verifier import ReplayTimeline

FINISHED: Final = 6
"""How many of a decision's moves are compared at the end of the turn: those with the highest values right after the move."""
WIDTH: Final = 8
"""The number of moves tried for each decision of the continued turn: the moves with the highest heuristic scores."""
LONGEST_TURN: Final = 12
"""A continued turn is evaluated after this many decisions, even if it is not over."""
TURNS: Final = (2, 4, 8)
"""A loss is measured again after each of these numbers of turns. Turns of all seats count; the first is the turn of the decision itself."""
FIRST_CHECKS: Final = 8
"""How many worlds each of the first two checks of a loss uses. The first measures it after two turns, the next after each of ``TURNS``."""
CHECKS: Final = 24
"""The number of worlds in which a loss is measured once more, if it is still an inaccuracy or more after the first checks."""
BY_GAMES: Final = ((FIRST_CHECKS, (0,)), (CHECKS, (0,)))
"""The checks made if random games value the positions, as pairs: the number of worlds, and after which turns (0: after the move)."""
SURE: Final = 2.0
"""A loss is a mistake or a blunder only if it exceeds the least loss of that grade by this many standard errors."""
BELOW: Final = 1e-6
"""If a loss exceeds the threshold of a grade, but not surely (see ``SURE``), it is set to the threshold minus this."""
LAST_TURNS: Final = ((MISTAKE, 1), (BLUNDER, 4))
"""The last checks, as pairs (loss, turns): a loss at least that large is measured again after that many turns, played by the heuristic."""
LAST_CHECKS: Final = 4
"""The number of worlds in each check of ``LAST_TURNS``."""
LONGEST_CHECK: Final = 60
"""The most decisions that are played from one sampled world when a loss is measured again."""


@dataclass(frozen=True, slots=True)
class MoveQuality:
    """The worth of the move that a seat played, and a better move (None if none was found)."""

    worth: float
    best: Move | None
    best_worth: float

    @property
    def loss(self) -> float:
        """How much more the best move found is worth than the one played."""
        return 0.0 if self.best is None else self.best_worth - self.worth


class MoveSearch:
    """Compares the moves of one match with alternatives."""

    def __init__(self, timeline: ReplayTimeline, judge: Judge) -> None:
        self._timeline = timeline
        self._judge = judge
        self._heuristic = find_heuristic(timeline.states[0].game)
        self._plays_on = judge.plays_on and self._heuristic is not None
        self._guessed: list[State] = []
        self._guessed_at = -1

    def compare(self, at: int) -> MoveQuality:
        """Compare the move of decision ``at`` with the best of its alternatives, in the same sampled worlds."""
        played = self._timeline.moves[at]
        worth = self.worth(at, played)
        best, most = played, worth
        for move in self._foremost(at):
            if move != played:
                other = self.worth(at, move)
                if other > most:
                    best, most = move, other
        return self._checked(at, played, MoveQuality(worth, None if best == played else best, most))

    def best(self, at: int, most: int) -> list[tuple[tuple[float, ...], Move]]:
        """Return up to ``most`` good moves for decision ``at``, best first for the seat that decides, each with its worth to every seat."""
        seat = self._timeline.replay.decisions[at].seat
        return sorted(((self._expectation(at, move), move) for move in self._foremost(at)), key=lambda each: -each[0][seat])[:most]

    def _checked(self, at: int, played: Move, quality: MoveQuality) -> MoveQuality:
        """Return the quality with the loss measured again, and without the better move if it proved no better."""
        plays_on = self._plays_on_after(at)
        if quality.best is None or quality.loss < INACCURACY or not (plays_on or self._is_sampled_after(at)):
            return quality
        rng = Random(f"{self._judge.seed_of(at)} check")
        for worlds, turns in ((FIRST_CHECKS, TURNS[:1]), (FIRST_CHECKS, TURNS), (CHECKS, TURNS)) if plays_on else BY_GAMES:
            gains = [self._gains(at, played, quality.best, rng, turns, self._quick) for _ in range(worlds)]
            means = np.mean(gains, axis=0)
            if min(means) < INACCURACY:
                break
        loss = float(min(means))
        surely = float(min(means - SURE * np.std(gains, axis=0, ddof=1) / sqrt(worlds)))
        for least in (BLUNDER, MISTAKE):
            if surely < least:
                loss = min(loss, least - BELOW)
        for least, last in LAST_TURNS:
            if plays_on and loss >= least:
                careful = [self._gains(at, played, quality.best, rng, [last], self._careful)[0] for _ in range(LAST_CHECKS)]
                loss = min(loss, sum(careful) / LAST_CHECKS)
        if loss <= 0:
            return replace(quality, best=None, best_worth=quality.worth)
        return replace(quality, best_worth=min(1.0, quality.worth + loss))

    def _gains(
        self, at: int, played: Move, best: Move, rng: Random, turns: Sequence[int], choose: Callable[[State, Random], Move]
    ) -> list[float]:
        """Return how much more ``best`` is worth than ``played`` in one world, after each number of turns in ``turns``."""
        seat = self._timeline.replay.decisions[at].seat
        world = self._timeline.states[at].copy()
        world.redact(seat)
        world.determinize(rng)
        seed = rng.getrandbits(48)
        ends = (_after_turns(world, move, turns, choose, Random(seed)) for move in (played, best))
        less, more = ([self._judge.estimate(state, Random(seed))[seat] for state in states] for states in ends)
        return [after - before for before, after in zip(less, more, strict=True)]

    def _quick(self, state: State, rng: Random) -> Move:
        assert self._heuristic is not None, "rollouts need a heuristic"
        moves = state.list_moves()
        scores = self._heuristic.scores(state, moves)
        return moves[max(range(len(moves)), key=scores.__getitem__)]

    def _careful(self, state: State, rng: Random) -> Move:
        assert self._heuristic is not None, "rollouts need a heuristic"
        assert state.actor is not None, "somebody has to decide"
        return self._heuristic.choose(state.view(state.actor), rng)

    def _guesses(self, at: int) -> list[State]:
        """Return positions consistent with what the seat of decision ``at`` knows; all its moves are compared in the same positions."""
        if self._guessed_at != at:
            before = self._timeline.states[at]
            assert before.actor is not None, "somebody has to decide"
            self._guessed = guesses(before, before.actor, self._judge.seed_of(at), max(1, self._judge.samples // 2))
            self._guessed_at = at
        return self._guessed

    def _candidates(self, at: int) -> list[Move]:
        """Return the moves to compare; if there are too many, those with the best heuristic scores (without a heuristic, random ones)."""
        state = self._timeline.states[at]
        is_secret = _is_secret(state, self._timeline.states[at + 1])
        most = self._judge.most_candidates // (2 if is_secret else 1)
        if state.count_moves() <= most:
            return list(state.list_moves())
        if self._heuristic is None:
            moves = state.list_moves()
            return [moves[index] for index in sorted(Random(self._judge.seed_of(at)).sample(range(len(moves)), most))]
        assert state.actor is not None, "somebody has to decide"
        return [move for _, move in ranked(self._heuristic, state.view(state.actor).position)[:most]]

    def _foremost(self, at: int) -> list[Move]:
        moves = self._candidates(at)
        if len(moves) <= FINISHED or not self._plays_on_after(at):
            return moves
        seat = self._timeline.replay.decisions[at].seat
        at_once = [self._promise(self._worlds(at, move))[seat] for move in moves]
        return [moves[index] for index in sorted(range(len(moves)), key=lambda index: -at_once[index])[:FINISHED]]

    def worth(self, at: int, move: Move) -> float:
        """Return what the move is worth to the seat of decision ``at``, which does not know the hidden choices of others.

        In solo play, the move that was played is worth the final points. A different move is worth the expected points if the rest of
        the game is simulated; better play could bring more.
        """
        seat = self._timeline.replay.decisions[at].seat
        if self._judge.unit is Unit.POINTS and move == self._timeline.moves[at]:
            return float(self._timeline.replay.scores[seat])
        return self._expectation(at, move)[seat]

    def _expectation(self, at: int, move: Move) -> tuple[float, ...]:
        """Return what the move of decision ``at`` is worth to each seat."""
        seat = self._timeline.replay.decisions[at].seat
        worlds = self._worlds(at, move)
        if self._plays_on_after(at):
            worlds = [World(share, self._played_on(state, seat)) for share, state in worlds]
        return self._promise(worlds)

    def _worlds(self, at: int, move: Move) -> list[World]:
        """Return the positions that the move could lead to, as far as its seat knows."""
        before = self._timeline.states[at]
        seat = before.actor
        assert seat is not None, "somebody has to decide"
        after = before.copy()
        after.play(move)
        if _is_secret(before, after):
            return after_choices(self._guesses(at), {seat: move}, self._judge.seed_of(at))
        known = before.copy()
        known.redact(seat)
        return possible_worlds(known, move, after, {}, Random(self._judge.seed_of(at)), self._judge.samples) or [World(1.0, after)]

    def _promise(self, worlds: Sequence[World]) -> tuple[float, ...]:
        return mean(worlds[0].state.players, ((share, self._judge.promise(state)) for share, state in worlds))

    def _plays_on_after(self, at: int) -> bool:
        """Return whether moves of decision ``at`` are compared at the end of the turn; secret choices are compared once revealed."""
        states = self._timeline.states
        return self._plays_on and not _is_secret(states[at], states[at + 1])

    def _is_sampled_after(self, at: int) -> bool:
        """Return whether moves of decision ``at`` are compared using random games right after them."""
        states = self._timeline.states
        return self._judge.is_sampled and not _is_secret(states[at], states[at + 1])

    def _played_on(self, state: State, seat: int) -> State:
        """Return the position in which the seat's turn is over, or in which chance would decide next."""
        assert self._heuristic is not None, "rollouts need a heuristic"
        for _ in range(LONGEST_TURN):
            if state.actor != seat:
                break
            best: tuple[float, State] | None = None
            for _, move in ranked(self._heuristic, state)[:WIDTH]:
                after = state.copy()
                after.play(move)
                if after.events or after.has_hidden_choice(seat):
                    return state
                worth = self._judge.promise(after)[seat]
                if best is None or worth > best[0]:
                    best = (worth, after)
            assert best is not None, "a seat that has to decide has a move"
            state = best[1]
        return state


def _is_secret(before: State, after: State) -> bool:
    return any(state.has_hidden_choice(seat) for state in (before, after) for seat in range(state.players))


def _after_turns(world: State, move: Move, turns: Sequence[int], choose: Callable[[State, Random], Move], rng: Random) -> list[State]:
    """Return the positions after each number of turns in ``turns``, which includes the move's own turn; 0 is right after the move."""
    state, mover, taken = world.copy(), world.actor, 1
    state.play(move)
    after = [state.copy() for turn in turns if turn == 0]
    for _ in range(LONGEST_CHECK):
        if len(after) == len(turns):
            break
        if state.actor != mover:
            mover, taken = state.actor, taken + 1
            while len(after) < len(turns) and taken > turns[len(after)]:
                after.append(state.copy())
        if mover is None or len(after) == len(turns):
            break
        state.play(state.move_at(0) if state.count_moves() == 1 else choose(state, rng))
    return after + [state] * (len(turns) - len(after))
