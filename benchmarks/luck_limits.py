"""What limits the luck that is found at two seats of Tongiaki: the bots' own random choices, and what a value function does not see.

``python -m benchmarks.luck_limits expert`` plays matches of twins, asks their bot for its choices again, and plays on by it from positions
of those matches. Each figure is a share of the variance of results. Two halves of the continuations, independent of each other, give the
variance of what they estimate, without that of the estimate.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Final

import numpy as np
from rich.console import Console

from arena.analysis.chance.tongiaki import worlds
from arena.analysis.compare import make_comparison_plan
from arena.play.executors.base import InlineExecutor, Job
from benchmarks.common import arguments
from bots.loader.loading import resolve
from bots.reference.heuristics.tongiaki import TongiakiHeuristic
from bots.reference.valuation.tongiaki import VALUE
from engine.core import Move, State
from engine.records import MatchResult, Replay
from engine.registry import find_game
from engine.replay.format import read_replay
from engine.replay.verifier import walk

LATE: Final = 4
"""Draws from so many tiles at most are valued by the bot's own continuations: earlier ones would take too long."""
POINTS: Final = (16, 8, 4, 2)
"""The tiles left at which it is measured how much is settled."""
ASKED: Final = 6
"""How often a bot is asked for a decision."""
HALF: Final = 3
"""Continuations in each half."""

Policy = Callable[[State, Random], Move]


def expert(state: State, rng: Random) -> Move:
    """Return the expert's move."""
    assert state.actor is not None, "somebody has to decide"
    return TongiakiHeuristic().choose(state.view(state.actor), rng)  # type: ignore[arg-type]  # a state of Tongiaki


def learned(state: State, rng: Random) -> Move:
    """Return the move of the bot of that name."""
    assert state.actor is not None, "somebody has to decide"
    return VALUE.quick_move(state.view(state.actor), rng)


def matches(bot: str, blocks: int) -> list[Replay]:
    """Play matches of twins."""
    plan = make_comparison_plan(find_game("tongiaki"), "one", "two", (), seed=77, players=2)
    job = Job("tongiaki", {}, dict.fromkeys((plan.new, plan.old), resolve(bot)))
    tickets = (ticket for block in range(blocks) for ticket in plan.block(block))
    results = [each for batch in InlineExecutor().run(job, tickets) for each in batch if isinstance(each, MatchResult)]
    return [read_replay(each.replay) for each in results]


def result(ranks: Sequence[int]) -> float:
    """Return whether the first seat won, from -1/2 to 1/2."""
    return float(np.sign(ranks[1] - ranks[0])) / 2


def halves(state: State, policy: Policy, rng: Random, decks: Sequence[int], first: Move | None = None) -> tuple[float, float]:
    """Return the mean results of two halves of continuations, which begin with ``first``; chance follows from the numbers of ``decks``."""
    ends = []
    for deck in decks:
        world = state.copy()
        world.determinize(Random(deck))
        if first is not None:
            world.play(first)
        while world.actor is not None:
            world.play(policy(world, rng))
        assert world.outcome is not None, "nobody decides any more"
        ends.append(result(world.outcome.ranks))
    return float(np.mean(ends[::2])), float(np.mean(ends[1::2]))


def settled(replay: Replay, policy: Policy, rng: Random) -> list[tuple[float, float, float]]:
    """Return for each of ``POINTS`` two estimates of the result to be expected there, and that of the value function."""
    found = []
    waiting = list(POINTS)
    for state, _ in walk(replay):
        if waiting and len(state.deck) <= waiting[0] and state.actor is not None:  # type: ignore[attr-defined]  # of Tongiaki
            waiting.pop(0)
            decks = [rng.getrandbits(48) for _ in range(2 * HALF)]
            found.append((*halves(state, policy, rng, decks), VALUE.win_chances(state)[0] - 0.5))
    end = result(replay.ranks)
    return found + [(end, end, end)] * (len(POINTS) - len(found))


def late_luck(replay: Replay, policy: Policy, rng: Random) -> tuple[float, float, float]:
    """Return two estimates of the luck of the last draws, by continuations, and the one by the value function at once."""
    total = np.zeros(3)
    before: State | None = None
    for state, move in walk(replay):
        if before is not None and move is not None and len(before.deck) <= LATE:  # type: ignore[attr-defined]
            possible = worlds(before, move, state, {}, rng)
            decks = [rng.getrandbits(48) for _ in range(2 * HALF)]
            if possible:
                each = [
                    np.array((*halves(one, policy, rng, decks), VALUE.win_chances(one)[0])) for one in (state, *(w.state for w in possible))
                ]
                total += each[0] - np.mean(each[1:], axis=0)
        before = state.copy()
    return float(total[0]), float(total[1]), float(total[2])


def own_choices(replay: Replay, policy: Policy, rng: Random) -> float:
    """Return an estimate of the variance that the bots' random choices bring, from one in eight of their decisions."""
    total = 0.0
    for state, _ in walk(replay):
        if state.actor is None or state.count_moves() < 2 or rng.random() > 1 / 8:
            continue
        here = state.copy()
        moves = [policy(here, Random(rng.getrandbits(48))) for _ in range(ASKED)]
        if len(set(moves)) > 1:
            decks = [rng.getrandbits(48) for _ in range(2 * HALF)]
            values = {move: halves(here, policy, rng, decks, move) for move in set(moves)}
            one, other = np.array([values[move] for move in moves]).T
            total += 8 * float(np.cov(one, other)[0, 1])
    return total


def main() -> None:
    parser = arguments(__doc__ or "")
    parser.add_argument("bot", choices=("expert", "learned"))
    parser.add_argument("--blocks", type=int, default=100, help="blocks of two matches")
    given = parser.parse_args()
    policy = expert if given.bot == "expert" else learned
    played = matches(given.bot, given.blocks)
    rng = Random(1)
    results = np.array([result(each.ranks) for each in played])
    out = Console(width=100)
    curve = np.array([settled(each, policy, rng) for each in played])
    for number, left in enumerate(POINTS):
        one, other, value = curve[:, number].T
        true, seen = float((one * other).mean() / results.var()), float(np.corrcoef(value, results)[0, 1] ** 2)
        out.print(f"{left} tiles left: settled {true:.2f}, by the value function {seen:.2f}")
    one, other, value = np.array([late_luck(each, policy, rng) for each in played]).T
    both = (one + other) / 2
    true = float(np.cov(both, results)[0, 1] ** 2 / np.cov(one, other)[0, 1] / results.var())
    out.print(f"draws of the last {LATE} tiles: {true:.2f}, by the value function {np.corrcoef(value, results)[0, 1] ** 2:.2f}")
    own = np.array([own_choices(each, policy, rng) for each in played]) / results.var()
    out.print(f"own random choices: {own.mean():.2f} +- {own.std() / len(own) ** 0.5:.2f}")


if __name__ == "__main__":
    main()
