"""Luck of matches: fair samples of what could have happened, sums that are zero on average, and the same figures for everybody."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

from arena.analysis.match_luck import (
    Foresight,
    KeptLuck,
    MatchLuck,
    MatchReplay,
    NoLuckError,
    facts_of,
    foresight_of,
    luck_of,
    no_luck,
    read_luck,
    write_luck,
)
from arena.analysis.worlds import possible_worlds
from arena.result_cache import Cache
from bots.reference.valuation.base import RankChances, ValueFunction, ranks_of
from engine.core import Game, Move, State
from engine.records import Forfeit, Replay, pack_replay
from engine.registry import find_game
from engine.replay.format import Recorder, write_replay
from tests.small_games import add_three_in_a_row

TONGIAKI = find_game("tongiaki")
TICKS = find_game("sunda", {"mode": "simultaneous", "level": 2})


class ByKey(ValueFunction):
    """Chances that have nothing to do with the game, but a sharp opinion of every position."""

    @property
    def version(self) -> str:
        return "by key"

    def rank_chances(self, state: State) -> RankChances:
        if state.outcome is not None:
            return ranks_of(state.outcome)
        chance = Random(state.view(-1).key).random()
        return [[chance, 1 - chance], [1 - chance, chance]]


def random_match(game: Game, seed: int, players: int = 2) -> Replay:
    """A match of bots that play at random."""
    rng = Random(seed)
    recorder = Recorder(game, seed, tuple(f"bot{seat}" for seat in range(players)))
    state = game.new(players, seed)
    while (seat := state.actor) is not None:
        move, legal = state.random_move(rng), state.count_moves()
        state.play(move)
        recorder.record(seat, move, legal, state)
    return recorder.finish(state)


def wanted(replay: Replay) -> MatchReplay:
    packed = pack_replay(write_replay(replay))
    return MatchReplay("match", packed.text, packed.digest)


def luck(replay: Replay, foresight: Foresight | None = None) -> MatchLuck:
    return luck_of(replay, wanted(replay).digest, foresight or foresight_of(find_game(replay.game, replay.options)))


def before(game: Game, seed: int, word: str) -> tuple[State, Move, State, dict[int, Move]]:
    """A position of a random match with the move that brings such an event to light, what comes then, and what was chosen in secret."""
    rng = Random(seed)
    state = game.new(2, seed)
    moves: dict[int, Move] = {}
    while (seat := state.actor) is not None:
        was, move = state.copy(), state.random_move(rng)
        chosen = {each: moves[each] for each in range(2) if was.has_hidden_choice(each)}
        state.play(move)
        moves[seat] = move
        if any(event.startswith(f"{word} ") for event in state.events):
            return was, move, state, chosen
    raise AssertionError(f"no {word} in this match")


def known(state: State) -> str:
    """What all may know of a position, but for how many dice were rolled so far."""
    return "\n".join(line for line in state.view(-1).position.text.splitlines() if not line.startswith("dice "))


class TestWorlds:
    def test_every_tile_may_be_drawn_first(self) -> None:
        was, move, after, chosen = before(TONGIAKI, 1, "draw")
        worlds = possible_worlds(was, move, after, chosen, Random(1), 1)
        first = Counter(world.state.events[0] for world in worlds)
        assert set(first.values()) == {1}
        assert len(first) == 31  # all but Tonga
        assert sum(world.share for world in worlds) == pytest.approx(1)

    def test_what_was_chosen_in_secret_stays_and_the_order_is_rolled_anew(self) -> None:
        was, move, after, chosen = before(TICKS, 2, "order")
        assert set(chosen) == {0}
        worlds = possible_worlds(was, move, after, chosen, Random(1), 1)
        assert [world.share for world in worlds] == [0.5, 0.5]
        assert known(after) in {known(world.state) for world in worlds}, "what happened was possible"

    def test_dice_fall_as_often_as_is_said(self) -> None:
        was, move, after, chosen = before(find_game("sunda", {"level": 4}), 2, "dice")
        shares = {known(world.state): world.share for world in possible_worlds(was, move, after, chosen, Random(1), 1)}
        rng = Random(3)
        seen: Counter[str] = Counter()
        for _ in range(300):
            world = was.copy()
            world.redact(0)
            world.determinize(rng)
            world.play(move)
            seen[known(world)] += 1
        assert set(seen) == set(shares)
        for text, share in shares.items():
            assert seen[text] / 300 == pytest.approx(share, abs=0.1)

    def test_whoever_plays_on_in_a_world_rolls_again(self) -> None:
        was, move, after, chosen = before(find_game("sunda", {"level": 5}), 6, "dice")
        rng = Random(3)
        rolls = 0
        for world in possible_worlds(was, move, after, chosen, Random(1), 1):
            for _ in range(10):
                state = world.state.copy()
                while state.actor is not None:
                    state.play(state.random_move(rng))
                    rolls += any(event.startswith("dice ") for event in state.events)
        assert rolls > 0, "dice that were not said"

    def test_a_move_that_draws_nothing_has_no_other_worlds(self) -> None:
        state = TONGIAKI.new(2, 1)
        move = state.list_moves()[0]
        after = state.copy()
        after.play(move)
        assert possible_worlds(state, move, after, {}, Random(1), 1) == []


@pytest.fixture(scope="module")
def replay() -> Replay:
    return random_match(TONGIAKI, 5)


class TestLuck:
    def test_it_is_the_same_for_everybody(self, replay: Replay) -> None:
        found = luck(replay)
        assert luck(replay) == found
        assert read_luck(write_luck(found)) == found

    def test_what_one_seat_gains_the_other_loses(self, replay: Replay) -> None:
        found = luck(replay)
        assert found.wins[0]
        assert sum(found.wins) == pytest.approx(0, abs=1e-8)
        assert found.pairs[0][1] == -found.pairs[1][0] == pytest.approx(found.wins[0])
        assert all(-1 <= each <= 1 for row in found.bounded for each in row)

    def test_at_a_table_of_three_all_luck_adds_up_to_nothing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("arena.analysis.match_luck.CONTINUATIONS", 2)
        found = luck(random_match(TONGIAKI, 5, players=3))
        assert sum(found.wins) == pytest.approx(0, abs=1e-8)
        assert all(found.pairs[one][other] == -found.pairs[other][one] for one in range(3) for other in range(3))
        assert found.pairs[0][2]

    def test_from_a_forfeit_on_nothing_is_counted(self, replay: Replay) -> None:
        assert luck(replace(replay, forfeits=(Forfeit(0, 0, "crash"),))).wins == (0, 0)

    def test_private_pots_are_dealt_by_chance(self) -> None:
        foresight = Foresight(ByKey(), None)
        found = luck(random_match(find_game("sunda", {"level": 0, "pots": "private"}), 1), foresight)
        assert found.wins[0]

    @pytest.mark.slow  # a statistic over many samples
    def test_it_is_zero_on_average_though_the_value_function_knows_nothing(self) -> None:
        foresight = Foresight(ByKey(), None)
        wins = np.array([luck(random_match(TONGIAKI, seed), foresight).wins[0] for seed in range(60)])
        error = wins.std() / len(wins) ** 0.5
        assert error > 0.05, "it says much"
        assert abs(wins.mean()) < 3 * error

    def test_the_chances_of_pairs_are_the_result_once_a_game_is_over(self) -> None:
        ranks = [[1.0, 0.0, 0.0], [0.0, 0.5, 0.5], [0.0, 0.5, 0.5]]
        assert facts_of(ranks) == [1.0, 0.0, 0.0, 1.0, 1.0, 0.5]


class TestKeptLuck:
    def test_what_is_in_the_cache_is_not_computed_again_also_after_an_interruption(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        one, other = wanted(random_match(TONGIAKI, 7)), wanted(random_match(TONGIAKI, 8))
        kept = KeptLuck(TONGIAKI, Cache(tmp_path / "cache.db"))
        computed: list[str] = []

        def compute(replay: Replay, digest: str, foresight: Foresight) -> MatchLuck:
            computed.append(digest)
            if digest == other.digest:
                raise KeyboardInterrupt
            return no_luck(2)

        monkeypatch.setattr("arena.analysis.match_luck.luck_of", compute)
        with pytest.raises(KeyboardInterrupt):
            list(kept.luck([one, other]))
        assert list(kept.luck([one])) == [(one.match, no_luck(2))]
        assert computed == [one.digest, other.digest]

    def test_a_game_without_a_value_function_is_refused(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        with pytest.raises(NoLuckError, match="three-in-a-row can't be adjusted for luck: it has no value function; leave out --adjusted"):
            KeptLuck(add_three_in_a_row(monkeypatch), Cache(tmp_path / "cache.db"))
