"""The bot of the example of self-play: it scores moves as its policy does, sees what the board has, and plays sealed."""

import importlib
import runpy
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena.environments import aec, batch
from arena.play.match import play_match
from bots import MatchInfo
from bots.host.player_pool import PlayerPool
from bots.limits import Runtime
from bots.loader.loading import identify
from bots.sandbox.probe import best_level
from engine.records import Ticket
from engine.registry import find_game
from engine.tongiaki import TongiakiState
from engine.tongiaki.board.board import EMPTY, FAILS
from engine.tongiaki.board.tiles import BEACH_OF_PIER, POINTS

NUMBERS = 354  # of a flat observation of Tongiaki for two
FACTS = 151  # of a row of a move
OWN_FACTS = 80  # that the example adds
FOLDER = Path(__file__).parents[3] / "examples" / "selfplay"
EXAMPLE = runpy.run_path(str(FOLDER / "move_facts.py"))
MOVE_FACTS = EXAMPLE["move_facts"]
RNG = np.random.default_rng(5)


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(FOLDER))
    for name in ("policy_bot", "move_facts"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return importlib.import_module("policy_bot")


def layers(*widths: int) -> list[tuple[np.ndarray, np.ndarray]]:
    return [(RNG.normal(scale=0.1, size=(after, before)), RNG.normal(size=after)) for before, after in pairwise(widths)]


def make_parts() -> dict[str, list[tuple[np.ndarray, np.ndarray]]]:
    facts = FACTS + OWN_FACTS
    return {"position": layers(NUMBERS, 4, 3), "moves": layers(3 + facts, 4, 3, 1), "gates": layers(3, 4) + layers(facts, 4)}


def outputs(given: Sequence[tuple[np.ndarray, np.ndarray]], inputs: Any) -> Any:
    for number, (weight, bias) in enumerate(given):
        inputs = (relu(inputs) if number else inputs) @ weight.T + bias
    return inputs


def test_what_is_seen_of_a_row_are_its_columns_to_scale_and_the_values_of_those_with_few(example: Any) -> None:
    seen = example.row_facts(np.array([[1, -50], [-1, 100]]), ((-1, 1), (-100, 100)))
    assert seen.tolist() == [[1, -0.5, 0, 0, 1], [-1, 1, 1, 0, 0]]


def relu(inputs: Any) -> Any:
    return np.maximum(inputs, 0)


def test_the_bot_scores_each_legal_move_by_the_position_its_row_and_its_facts(example: Any, tmp_path: Path) -> None:
    env = aec("tongiaki", 2, flat=True, moves=True)
    env.reset(seed=4)
    columns = tuple((column.low, column.high) for column in env.table.encoder.columns)
    parts = make_parts()
    bot = example.PolicyBot(example.write_bot(tmp_path, columns, **parts) / "policy.npz")
    for _ in range(60):
        seen, _, is_over, _, info = env.last()
        assert not is_over
        rows = seen["moves"][info["action_mask"] == 1]
        facts = np.hstack((example.row_facts(rows, columns), MOVE_FACTS(seen["observation"][None], rows, np.zeros(len(rows), int))))
        hidden = relu(outputs(parts["position"], seen["observation"]))
        first = outputs(parts["moves"][:1], np.hstack((np.tile(hidden, (len(rows), 1)), facts)))
        first += outputs(parts["gates"][:1], hidden) * outputs(parts["gates"][1:], facts)
        view = env.table.current.view(int(env.agent_selection[-1]))
        assert bot.scores(view) == pytest.approx(outputs(parts["moves"][1:], relu(first))[:, 0], rel=1e-3, abs=1e-3)
        assert bot.choose(view, None) == view.legal_moves[int(bot.scores(view).argmax())]
        env.step(int(RNG.integers(len(rows))))


def test_the_examples_facts_of_a_move_are_those_of_the_board() -> None:
    env = aec("tongiaki", 2, flat=True, moves=True)
    env.reset(seed=6)
    rng, expansions, landings = np.random.default_rng(4), 0, 0
    while not (last := env.last())[2]:
        seen, info = last[0], last[4]
        state: Any = env.table.current
        seat, board = state.actor, state.board
        rows = seen["moves"][info["action_mask"] == 1]
        for row, facts in zip(rows, MOVE_FACTS(seen["observation"][None], rows, np.zeros(len(rows), int)), strict=True):
            if row[0] == 2:  # to expand
                expansions += 1
                own, others = (board.ships_of(each, int(row[1]) - 1) for each in (seat, 1 - seat))
                assert facts[26:32].tolist() == [own / 4, others / 4, own > 0, others > 0, True, others > 0]
            elif row[0] == 10:  # to sail
                island, side = int(row[1]) - 1, int(row[6]) - 1
                packed = board.packed[BEACH_OF_PIER[6 * island + side]]
                group = [packed >> 4 * each & 15 for each in (seat, 1 - seat)]
                end = board.voyage(island, side, sum(ships > 0 for ships in group))
                lands, home = end >= 0, end == island
                wins = [
                    POINTS[end] * (ships > 0) * (board.ships_of(each, end) == 0) if lands else 0
                    for each, ships in zip((seat, 1 - seat), group, strict=True)
                ]
                landings += lands
                assert facts[-13:-8] == pytest.approx([group[0] / 3, group[1] / 3, float(end == EMPTY), float(end == FAILS), float(home)])
                assert facts[-8] * 5 == pytest.approx(POINTS[end] if lands else 0)
                if end != EMPTY:
                    assert facts[-7:-5] * 5 == pytest.approx(wins)
        env.step(int(rng.integers(len(rows))))
    assert expansions > 20
    assert landings > 5


def test_voyages_of_the_example_end_where_those_of_the_engine_do() -> None:
    env = batch("tongiaki", 2, 8, flat=True)
    seen, infos = env.reset(seed=6)
    kinds: set[Any] = set()
    for _ in range(150):
        tiles = seen[:, EXAMPLE["TILES"]].reshape(8, -1, 5).astype(int)
        for number, state in enumerate(env.matches.states):
            assert isinstance(state, TongiakiState)
            assert np.flatnonzero(seen[number, EXAMPLE["UNSEEN"]]).tolist() == sorted(state.deck)
            islands = np.array(state.board.islands)
            found, needed = EXAMPLE["voyages"](tiles, np.full(len(islands), number), islands + 1)
            for place, side in zip(*np.nonzero(EXAMPLE["PIERS"][islands + 1] >= 0), strict=True):
                for colors in (1, 2):
                    end = state.board.voyage(int(islands[place]), int(side), colors)
                    wanted = {EMPTY: EXAMPLE["EMPTY"], FAILS: EXAMPLE["FAILS"]}.get(end, end)
                    assert (found[place, side] if needed[place, side] <= colors else EXAMPLE["FAILS"]) == wanted
                    kinds.add("home" if wanted == islands[place] else "away" if end >= 0 else end)
        seen, _, _, infos = env.step([int(RNG.choice(np.flatnonzero(mask))) for mask in infos["action_mask"]])
    assert kinds == {"home", "away", EMPTY, FAILS}


def test_the_bot_plays_a_sealed_match_with_numpy_alone_and_no_other_game(example: Any, tmp_path: Path) -> None:
    encoder = aec("tongiaki", 2).table.encoder
    folder = example.write_bot(tmp_path / "bot", [(column.low, column.high) for column in encoder.columns], **make_parts())
    game = find_game("tongiaki")
    with PlayerPool(best_level(), game=game, runtime=Runtime(("numpy",))) as pool:
        players = [pool.seat(identify(name)) for name in (str(folder), "random")]
        result = play_match(game, Ticket("t", ("bot", "random"), 0, 0, ("bot", "random"), 7), players)
    assert [seat.fault for seat in result.seats] == [None, None]
    with pytest.raises(ValueError, match="the policy plays tongiaki with 2 players"):
        example.PolicyBot(folder / "policy.npz").start(MatchInfo(game, players=3, seat=0, seed=1))
