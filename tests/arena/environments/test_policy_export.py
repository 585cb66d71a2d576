"""Exported policies: the bot scores moves as the policy does, plays sealed, and what does not fit is refused in a sentence."""

import runpy
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena.environments import aec, batch, export_policy
from arena.environments.exported_bot import Exported, row_facts
from arena.play.match import play_match
from bots import MatchInfo
from bots.host.player_pool import PlayerPool
from bots.loader.loading import identify
from bots.runtime import Runtime
from bots.sandbox.probe import best_level
from engine.core import EngineError
from engine.records import Ticket
from engine.registry import find_game
from engine.tongiaki import TongiakiState
from engine.tongiaki.board.board import EMPTY, FAILS
from engine.tongiaki.board.tiles import BEACH_OF_PIER, POINTS
from tests.small_games import add_three_in_a_row

NUMBERS = 354  # of a flat observation of Tongiaki for two
FACTS = 151  # of a row of a move
IDS = 25_225
OWN_FACTS = 80  # that the example adds
EXAMPLE = runpy.run_path(str(Path(__file__).parents[3] / "examples" / "selfplay" / "move_facts.py"))
MOVE_FACTS = EXAMPLE["move_facts"]
RNG = np.random.default_rng(5)
ACTIVATE: dict[str, Any] = {"tanh": np.tanh, "relu": lambda inputs: np.maximum(inputs, 0)}


def layers(*widths: int) -> list[tuple[np.ndarray, np.ndarray]]:
    return [(RNG.normal(scale=0.1, size=(after, before)), RNG.normal(size=after)) for before, after in pairwise(widths)]


def outputs(given: Sequence[tuple[np.ndarray, np.ndarray]], inputs: Any, activate: Any) -> Any:
    for number, (weight, bias) in enumerate(given):
        inputs = (activate(inputs) if number else inputs) @ weight.T + bias
    return inputs


@pytest.mark.parametrize(("ids", "actions"), [(False, 1024), (True, IDS)], ids=["indices", "ids"])
def test_a_flat_policy_scores_each_legal_move_by_the_output_of_its_action(ids: bool, actions: int, tmp_path: Path) -> None:
    given = layers(NUMBERS, 3, actions)
    bot = Exported(export_policy(tmp_path, "tongiaki", 2, position=given, ids=ids) / "policy.npz")
    env = aec("tongiaki", 2, flat=True, ids=ids)
    env.reset(seed=4)
    for _ in range(60):
        seen, _, is_over, _, info = env.last()
        assert not is_over
        legal = np.flatnonzero(info["action_mask"]) if env.table.ids is None else env.table.ids.of(env.table.current)
        view = env.table.current.view(int(env.agent_selection[-1]))
        assert bot.scores(view) == pytest.approx(outputs(given, seen, np.tanh)[legal], abs=1e-4)
        assert bot.choose(view, None) == view.legal_moves[int(bot.scores(view).argmax())]
        env.step(int(RNG.choice(legal)))


@pytest.mark.parametrize(
    ("game", "options", "activation", "decisions"),
    [("tongiaki", {}, "tanh", 60), ("sunda", {"level": 3}, "relu", 5)],
    ids=["tongiaki", "sunda"],
)
def test_a_policy_of_rows_scores_each_legal_move_by_its_row(
    game: str, options: dict, activation: str, decisions: int, tmp_path: Path
) -> None:
    env = aec(game, 2, flat=True, moves=True, **options)
    env.reset(seed=4)
    columns = [(column.low, column.high) for column in env.table.encoder.columns]
    numbers, facts = len(env.last()[0]["observation"]), row_facts(np.array([[low for low, _ in columns]]), columns).shape[1]
    position, moves = layers(numbers, 4, 3), layers(3 + facts, 4, 1)
    gates = layers(3, 4) + layers(facts, 4) if game == "tongiaki" else None
    given: dict[str, Any] = {"position": position, "moves": moves, "gates": gates, "activation": activation, **options}
    bot = Exported(export_policy(tmp_path, game, 2, **given) / "policy.npz")
    activate = ACTIVATE[activation]
    for _ in range(decisions):
        seen, _, is_over, _, info = env.last()
        assert not is_over
        rows = seen["moves"][info["action_mask"] == 1]
        hidden, seen_of = activate(outputs(position, seen["observation"], activate)), row_facts(rows, columns)
        first = outputs(moves[:1], np.hstack((np.tile(hidden, (len(rows), 1)), seen_of)), activate)
        if gates is not None:
            first += outputs(gates[:1], hidden, activate) * outputs(gates[1:], seen_of, activate)
        wanted = outputs(moves[1:], activate(first), activate)[:, 0]
        assert bot.scores(env.table.current.view(int(env.agent_selection[-1]))) == pytest.approx(wanted, rel=1e-3, abs=1e-3)
        env.step(int(RNG.integers(len(rows))))


def test_what_is_seen_of_a_row_are_its_columns_to_scale_and_the_values_of_those_with_few() -> None:
    seen = row_facts(np.array([[1, -50], [-1, 100]]), [(-1, 1), (-100, 100)])
    assert seen.tolist() == [[1, -0.5, 0, 0, 1], [-1, 1, 1, 0, 0]]


def test_facts_of_ones_own_follow_those_of_the_rows(tmp_path: Path) -> None:
    moves = layers(3 + FACTS + OWN_FACTS, 1)
    to = export_policy(tmp_path, "tongiaki", 2, position=[(np.zeros((3, NUMBERS)), np.zeros(3))], moves=moves, move_facts=MOVE_FACTS)
    bot = Exported(to / "policy.npz", MOVE_FACTS)
    env = aec("tongiaki", 2, flat=True, moves=True)
    env.reset(seed=4)
    for _ in range(60):
        seen, _, is_over, _, info = env.last()
        assert not is_over
        rows = seen["moves"][info["action_mask"] == 1]
        own = MOVE_FACTS(seen["observation"][None], rows, np.zeros(len(rows), int))
        view = env.table.current.view(int(env.agent_selection[-1]))
        columns = [(column.low, column.high) for column in env.table.encoder.columns]
        wanted = np.hstack((row_facts(rows, columns), own)) @ moves[0][0][0, 3:] + moves[0][1]
        assert bot.scores(view) == pytest.approx(wanted, abs=1e-4)
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


def test_an_exported_bot_plays_a_sealed_match_with_numpy_alone(tmp_path: Path) -> None:
    given: dict[str, Any] = {"moves": layers(3 + FACTS + OWN_FACTS, 1), "move_facts": MOVE_FACTS}
    export_policy(tmp_path / "bot", "tongiaki", 2, position=layers(NUMBERS, 3), **given)
    export_policy(tmp_path / "ids", "tongiaki", 2, position=layers(NUMBERS, 2, IDS), ids=True)
    game = find_game("tongiaki")
    with PlayerPool(best_level(), game=game, runtime=Runtime(("numpy",))) as pool:
        players = [pool.seat(identify(str(tmp_path / name))) for name in ("bot", "ids")]
        result = play_match(game, Ticket("t", ("bot", "ids"), 0, 0, ("bot", "ids"), 7), players)
    assert [seat.fault for seat in result.seats] == [None, None]


BROKEN = [(np.full((1024, NUMBERS), np.nan), np.zeros(1024))]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"position": []}, "'position' has no layers"),
        ({"position": layers(10, 1024)}, r"layer 0 of 'position' has weights of shape \(1024, 10\) .* 354 inputs: give \(n, 354\) and"),
        ({"position": layers(NUMBERS, 3) + layers(4, 1024)}, r"layer 1 of 'position' .* don't fit its 3 inputs"),
        ({"position": [(np.zeros((1024, NUMBERS)), np.zeros(5))]}, r"biases of shape \(5,\)"),
        ({"position": BROKEN}, "layer 0 of 'position' has weights that are not finite"),
        ({"position": layers(NUMBERS, 10)}, "the last layer of 'position' has 10 outputs, but there are 1,024 actions"),
        ({"position": layers(NUMBERS, 1024), "ids": True}, "has 1,024 outputs, but there are 25,225 actions"),
        ({"position": layers(NUMBERS, 3), "moves": layers(3 + FACTS, 2)}, "'moves' must have one output, the score of a move, not 2"),
        ({"position": layers(NUMBERS, 3), "moves": layers(3, 1)}, "layer 0 of 'moves' .* don't fit its 154 inputs"),
        ({"position": layers(NUMBERS, 3), "moves": layers(3 + FACTS, 1), "gates": layers(3, 1)}, "'gates' must be two layers, .* not 1"),
        (
            {"position": layers(NUMBERS, 3), "moves": layers(3 + FACTS, 1), "gates": layers(3, 2) * 2},
            "layer 0 of 'gates' must have as many",
        ),
        ({"position": layers(NUMBERS, 3), "moves": layers(3 + FACTS, 1), "ids": True}, "ids=True is for policies without 'moves'"),
        ({"position": layers(NUMBERS, 1024), "gates": []}, "'gates' and 'move_facts' need 'moves'"),
        ({"position": layers(NUMBERS, 3), "moves": layers(3 + FACTS, 1), "move_facts": MOVE_FACTS}, "don't fit its 234 inputs"),
        ({"position": layers(NUMBERS, 1024), "activation": "gelu"}, "activation must be 'relu' or 'tanh', not 'gelu'"),
        ({"game": "sunda", "position": layers(3, 3), "ids": True}, "sunda has .* action ids, too many for a mask"),
        ({"players": 9, "position": layers(3, 3)}, "tongiaki is for 2 to 6 players, not 9"),
        ({"game": "chess", "position": layers(3, 3)}, "chess"),
        ({"game": "three-in-a-row", "position": layers(3, 9)}, "an isolated bot has no observations of three-in-a-row; policies of"),
    ],
)
def test_a_policy_that_does_not_fit_is_refused_in_a_sentence(
    given: dict[str, Any], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_three_in_a_row(monkeypatch)
    arguments: dict[str, Any] = {"game": "tongiaki", "players": 2} | given
    with pytest.raises((ValueError, EngineError), match=said) as refused:
        export_policy(tmp_path / "bot", **arguments)
    assert "\n" not in str(refused.value)
    assert not (tmp_path / "bot").exists()


def test_a_match_of_another_game_is_refused(tmp_path: Path) -> None:
    bot = Exported(export_policy(tmp_path, "tongiaki", 2, position=layers(NUMBERS, 1024)) / "policy.npz")
    with pytest.raises(ValueError, match="the policy plays tongiaki with 2 players"):
        bot.start(MatchInfo(find_game("tongiaki"), players=3, seat=0, seed=1))
