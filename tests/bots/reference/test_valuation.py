"""Value functions: chances of every rank, of nothing that is hidden; models, and what a position of Tongiaki looks like to them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from bots import Clock, MatchInfo, load_bot
from bots.reference.valuation.base import from_strengths
from bots.reference.valuation.learned_value import FORMAT, LearnedValue
from bots.reference.valuation.models import first_chances, shares_beaten
from bots.reference.valuation.tongiaki import SIGHT, VALUE
from bots.reference.valuation.tongiaki_features import NAMES, rows
from engine import FORM, State, find_game
from tests.bots.playing import along

TONGIAKI = find_game("tongiaki")

SHOW = """
import random
from engine import find_game
from bots.reference.valuation.tongiaki import VALUE
state = find_game("tongiaki").new(4, 3)
rng = random.Random(1)
for _ in range(90):
    state.play(state.random_move(rng))
print(VALUE.sight.rows(state), VALUE.rank_chances(state), VALUE.quick_move(state.view(state.actor), rng))
"""


def row_of(state: State, seat: int) -> dict[str, float]:
    return dict(zip(NAMES, rows(state)[seat], strict=True))


class TestChances:
    @pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
    def test_every_seat_has_some_rank_and_every_rank_some_seat(self, players: int) -> None:
        for moves in (0, 3, 40, 90):
            chances = VALUE.rank_chances(along(TONGIAKI, players, moves))

            assert [sum(row) for row in chances] == pytest.approx([1.0] * players)
            assert [sum(column) for column in zip(*chances, strict=True)] == pytest.approx([1.0] * players)

    @pytest.mark.slow  # many positions
    def test_whoever_leads_late_in_the_game_is_likelier_to_win(self) -> None:
        right, seen = 0, 0
        for seed in range(30):
            state = TONGIAKI.new(2, seed)
            bots = [load_bot("greedy", MatchInfo(TONGIAKI, 2, seat, seed)) for seat in range(2)]
            chances = [0.5, 0.5]
            while (seat := state.actor) is not None:
                if rows(state)[0][0] > 0.1:
                    chances = VALUE.win_chances(state)
                state.play(bots[seat].choose(state.view(seat), Clock()) if len(state.legal_moves) > 1 else state.legal_moves[0])
            assert state.outcome is not None
            if state.outcome.ranks[0] != state.outcome.ranks[1]:
                seen += 1
                right += (chances[0] > chances[1]) == (state.outcome.ranks[0] < state.outcome.ranks[1])

        assert right >= 0.6 * seen

    def test_weights_for_other_features_are_refused(self) -> None:
        value = LearnedValue(SIGHT, lambda: {"format": FORMAT, "features": ["left"], "models": {}})

        with pytest.raises(ValueError, match=r"not for the features of tongiaki; train them again: python -m benchmarks\.train tongiaki"):
            value.win_chances(TONGIAKI.new(2, 1))

    def test_weights_are_read_once_and_beforehand_if_asked(self) -> None:
        read: list[str] = []
        value = LearnedValue(SIGHT, lambda: read.append("read") or VALUE.weights)

        value.prepare()
        value.win_chances(TONGIAKI.new(2, 1))

        assert read == ["read"]


class TestModels:
    def test_chances_follow_from_strengths_in_the_same_way_everywhere(self) -> None:
        strengths = [0.3, -0.2, 1.1]
        chances = from_strengths(strengths)

        assert first_chances(strengths) == pytest.approx([row[0] for row in chances])
        assert shares_beaten(strengths) == pytest.approx([(2 * row[0] + row[1]) / 2 for row in chances])
        assert shares_beaten([1000.0, -1000.0]) == [1.0, 0.0]


class TestFeatures:
    def test_they_count_what_lies_on_the_table(self) -> None:
        state = along(TONGIAKI, 3, 70)
        tally = state.tally()

        for seat in range(3):
            row = row_of(state, seat)
            assert 10 * (row["royal points"] + row["kept points"] + row["risked points"]) == pytest.approx(tally["points"][seat])
            assert 10 * row["islands"] == pytest.approx(tally["islands"][seat])
            assert 10 * row["supply"] == pytest.approx(tally["supply"][seat])
            assert row["royals"] == tally["royal"][seat]
            assert row["to move"] == (seat == state.actor)
            assert bool(row["exits"]) != bool(row["locked in"])

    @pytest.mark.skipif(not FORM.is_compiled, reason="the engine is not compiled here")
    def test_compiled_and_plain_they_are_the_same(self) -> None:
        seen = {
            subprocess.run([sys.executable, "-c", SHOW], env={"ARENA_ENGINE": form}, capture_output=True, text=True, check=True).stdout
            for form in ("plain", "compiled")
        }

        assert len(seen) == 1
