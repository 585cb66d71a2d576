"""Bots with a weakness planted in them, against an expert: it is what their worst decisions have in common, and twins have nothing."""

from __future__ import annotations

import pytest

from arena.analysis.analyser import analyse
from arena.analysis.match_analysis import MatchAnalysis
from arena.analysis.traits.tongiaki import FEW_TILES
from arena.analysis.weak_points import weak_points
from bots.protocol import Clock, MatchInfo
from bots.reference.expert import Expert
from bots.reference.heuristics.tongiaki_evaluation import finds, prospects
from bots.reference.search.candidate_moves import ranked
from engine.core import Move, State, View
from engine.records import Replay
from engine.registry import find_game
from engine.replay.recorder import Recorder
from engine.tongiaki.state import TongiakiState

FULL = list(range(1, 32))
"""The deck at the beginning."""

pytestmark = pytest.mark.slow  # half a minute of matches and analyses each


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


def match(bot: type[Expert], number: int) -> Replay:
    """A match of Tongiaki of an expert with a bot, which has seat 0 in every second one."""
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
    return [(analyse(match(bot, number), str(number)), [number % 2]) for number in range(matches)]


def test_a_bot_that_ignores_royal_islands_is_named_so_first() -> None:
    point, *_ = weak_points(analysed(NeverCrowns))

    assert point.words == "from passing up a royal island"
    assert point.lost > 1.3 * point.rivals


def test_a_bot_that_does_not_see_the_end_coming_is_named_by_what_is_left_of_the_deck() -> None:
    point, *_ = weak_points(analysed(NeverLooksAtTheDeck, 60))

    assert point.words == f"with at most {FEW_TILES[-1]} tiles left"


def test_of_twins_nothing_stands_out() -> None:
    assert weak_points(analysed(Expert)) == ()
