"""Bots with a weakness planted in them, against ``expert`` at two seats of Tongiaki: how often analyses name it.

python -m benchmarks.planted [--matches N] [--of N] [--choices N]

Of each bot ``--of`` matches are analysed; it is told what is named in random choices of ``--matches`` of them.
"""

from __future__ import annotations

import argparse
from collections import Counter
from random import Random
from typing import Final
from unittest.mock import patch

from arena.analysis.analyser import analyse
from arena.analysis.match_analysis import MatchAnalysis
from arena.analysis.traits.tongiaki import FEW_TILES
from arena.analysis.weak_points import weak_points
from bots.protocol import Clock, MatchInfo
from bots.reference.expert import Expert
from bots.reference.heuristics import tongiaki
from bots.reference.heuristics.tongiaki_evaluation import finds, prospects
from bots.reference.search.candidate_moves import ranked
from engine.core import Move, State, View
from engine.records import Replay
from engine.registry import find_game
from engine.replay.recorder import Recorder
from engine.tongiaki.state import TongiakiState

FULL: Final = list(range(1, 32))
"""The deck at the beginning."""


class NeverCrowns(Expert):
    """Ignores royal islands."""

    def choose(self, view: View[State], clock: Clock) -> Move:
        """Return the expert's move, or the best-looking other one if that makes an island royal."""
        move = super().choose(view, clock)
        if not str(move).startswith("crown "):
            return move
        others = [each for each in view.legal_moves if not str(each).startswith("crown ")]
        scores = self.heuristic.scores(view.position, others)
        return others[max(range(len(others)), key=scores.__getitem__)]


class NeverLooksAtTheDeck(Expert):
    """Plays on at the end as if there were always tiles to come: for where it could sail, whatever its islands are worth."""

    def choose(self, view: View[State], clock: Clock) -> Move:
        """Return the expert's move while the end is far; then the best for the long run, among those that look best."""
        state = view.position
        assert isinstance(state, TongiakiState)
        if len(state.deck) > FEW_TILES[-1]:
            return super().choose(view, clock)
        looked_at = sorted(ranked(self.heuristic, state), key=lambda entry: -entry[0])[:16]
        worlds = [view.sample(self.rng) for _ in range(4)]
        return max((move for _, move in looked_at), key=lambda move: sum(self._long_run(world, move, view.seat) for world in worlds))

    def _long_run(self, world: State, move: Move, seat: int) -> float:
        """Return the best departure of the seat less that of its rival, after the move and the rest of the turn."""
        state = world.copy()
        state.play(move)
        while state.actor == seat:
            state.play(max(ranked(self.heuristic, state), key=lambda entry: entry[0])[1])
        assert isinstance(state, TongiakiState)
        best = prospects(state.board, finds(FULL, 2), 2)
        return best[seat] - best[1 - seat]


class OneDeckFewer(Expert):
    """Samples one deck fewer for each move."""

    def choose(self, view: View[State], clock: Clock) -> Move:
        """Return the expert's move by fewer samples."""
        with patch.object(tongiaki, "SAMPLES", tongiaki.SAMPLES - min(tongiaki.WIDTH, len(view.legal_moves))):
            return super().choose(view, clock)


def match(bot: type[Expert], number: int) -> Replay:
    """Return a match of Tongiaki of an expert with a bot, which has seat 0 in every second one."""
    game = find_game("tongiaki")
    state = game.new(2, number)
    kinds: list[type[Expert]] = [bot, Expert] if number % 2 == 0 else [Expert, bot]
    players = [kind() for kind in kinds]
    for seat, player in enumerate(players):
        player.start(MatchInfo(game, 2, seat, 1000 + number))
    recorder = Recorder(game, number, ("one", "other"))
    while state.actor is not None:
        seat, legal = state.actor, state.count_moves()
        move = players[seat].choose(state.view(seat), Clock())
        state.play(move)
        recorder.record(seat, move, legal, state)
    return recorder.finish(state)


def analysed(bot: type[Expert], matches: int = 40) -> list[tuple[MatchAnalysis, list[int]]]:
    """Return analyses of matches, each with the seats of the bot."""
    return [(analyse(match(bot, number), str(number)), [number % 2]) for number in range(matches)]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=40)
    parser.add_argument("--of", type=int, default=90)
    parser.add_argument("--choices", type=int, default=40)
    given = parser.parse_args()
    for bot in (NeverCrowns, NeverLooksAtTheDeck, OneDeckFewer, Expert):
        matches, rng = analysed(bot, given.of), Random(1)
        won = sum(analysis.chances[-1][seat] for analysis, (seat,) in matches) / len(matches)
        named: Counter[str] = Counter()
        for _ in range(given.choices):
            points = weak_points(rng.sample(matches, given.matches))
            named[points[0].words if points else "nothing"] += 1
        print(
            f"{bot.__name__} won {100 * won:.0f} % of {len(matches)}; of {given.choices} choices of {given.matches}: {dict(named)}",
            flush=True,
        )


if __name__ == "__main__":
    main()
