"""The example games keep their rules and the laws; other examples do what their pages say."""

from __future__ import annotations

import importlib.util
import re
from collections import Counter
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pytest

from engine.conformance import Battery, tables_of
from engine.core import Game, State
from engine.core.chance import perft
from tests.docs.pages import ROOT, blocks_of
from tests.examples.conftest import FOLDERS, registration_of

LONGEST = {"three-in-a-row": 60, "farkle": 90, "oh-hell": 150}
"""Lines that a game of its kind may need: without chance, with it, with secrets."""


def played(state: State, *moves: str) -> State:
    for move in moves:
        state.play(state.game.parse(move))
    return state


def changed(state: State, **fields: Any) -> State:
    """The same position with other fields."""
    copy: Any = state.copy()
    for name, value in fields.items():
        setattr(copy.inside, name, value)
    return state.game.position(copy.text)


def test_every_example_has_a_promise() -> None:
    assert {folder.name for folder in FOLDERS} == LONGEST.keys()


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_game_is_one_short_module_registered_under_its_own_name(folder: Path) -> None:
    registration = registration_of(folder)
    module = registration.target.partition(":")[0]
    assert [path.name for path in folder.glob("*.py") if not path.name.startswith("test_")] == [f"{module}.py"]
    assert len((folder / f"{module}.py").read_text(encoding="utf-8").splitlines()) <= LONGEST[folder.name]
    assert registration.name == folder.name
    assert re.search(
        rf"^    pip install \./examples/games/{folder.name}$", (folder / "README.md").read_text(encoding="utf-8"), re.MULTILINE
    )


@pytest.mark.parametrize("name", LONGEST)
def test_a_game_keeps_the_laws(games: dict[str, Game], name: str) -> None:
    assert Battery(tables_of(name), games=1).broken() == []


@pytest.mark.parametrize("name", LONGEST)
def test_every_move_explains_itself(games: dict[str, Game], name: str) -> None:
    state, rng = games[name].new(2, 1), Random(1)
    while state.actor is not None:
        explained = [state.game.explain(move) for move in state.legal_moves]
        assert len({*explained}) == len(explained)
        assert all(len(words) > len(str(move)) for words, move in zip(explained, state.legal_moves, strict=True))
        state.play(state.random_move(rng))


def test_three_in_a_row_has_as_many_sequences_as_everybody_counts(games: dict[str, Game]) -> None:
    start = games["three-in-a-row"].new(2, 0)
    assert [perft(start, depth) for depth in range(6)] == [1, 9, 72, 504, 3024, 15120]


@pytest.mark.parametrize(
    ("dice", "points"),
    [
        ("1", 100),
        ("5", 50),
        ("2", 0),
        ("11", 200),
        ("111", 1000),
        ("222", 200),
        ("2222", 400),
        ("55555", 2000),
        ("111111", 8000),
        ("1115", 1050),
        ("1112", 0),
        ("123456", 1500),
        ("223344", 1500),
        ("222333", 500),
        ("112233", 1500),
        ("222255", 500),
    ],
)
def test_dice_of_farkle_count_as_the_table_says(games: dict[str, Game], dice: str, points: int) -> None:
    from farkle import worth  # type: ignore[import-not-found]  # the fixture put its folder on the path

    assert worth(dice) == points


def test_a_turn_of_farkle_banks_or_goes_on_with_the_other_dice(games: dict[str, Game]) -> None:
    state = changed(games["farkle"].new(2, 1), dice="112346", aside=300)
    assert [str(move) for move in state.legal_moves] == ["11 bank", "11 roll", "1 bank", "1 roll"]
    banked: Any = played(state.copy(), "11 bank")
    assert (banked.actor, banked.tally()) == (1, {"points": (500, 0), "at risk": (0, 0)})
    assert len(banked.events) == 6
    rolled: Any = played(state.copy(), "11 roll")
    assert Counter(event.split()[0] for event in rolled.events)["roll"] in {4, 10}


def test_farkle_rolls_all_dice_again_when_all_count_and_loses_a_turn_of_which_none_does(games: dict[str, Game]) -> None:
    lost = 0
    for seed in range(60):
        hot = played(changed(games["farkle"].new(2, seed), dice="1", actor=0), "1 roll")
        assert len([event for event in hot.events if event.startswith("roll")]) % 6 == 0
        state = played(changed(games["farkle"].new(2, seed), dice="12", actor=0), "1 roll")
        if "farkle 0" in state.events:
            lost += 1
            assert state.actor == 1 or "farkle 1" in state.events
            assert state.tally()["points"] == (0, 0)
        else:
            assert state.tally()["at risk"] == (100, 0)
    assert 30 < lost < 50


def test_farkle_ends_when_all_have_had_their_turns(games: dict[str, Game]) -> None:
    from engine.registry import find_game

    state = find_game("farkle", {"rounds": 1}).new(3, 2)
    while state.actor is not None:
        state.play(next(move for move in state.legal_moves if str(move).endswith("bank")))
    assert state.outcome is not None
    assert state.outcome.ending == "last-turn"


def dealt(games: dict[str, Game], **fields: Any) -> State:
    """A deal of two cards for three, bids made, hearts trump, seat 0 to lead."""
    hands = [["2C", "AC"], ["9C", "2H"], ["3S", "4S"]]
    usual = {"size": 2, "trump": "5H", "hands": hands, "bids": [1, 1, 1], "tricks": [0, 0, 0], "actor": 0, "leader": 0}
    return changed(games["oh-hell"].new(3, 1), **(usual | fields))


def moves(state: State) -> list[str]:
    return [str(move) for move in state.legal_moves]


def test_hands_are_told_to_their_seats_alone(games: dict[str, Game]) -> None:
    state: Any = played(dealt(games), "AC", "9C", "4S", "2C", "2H", "3S")
    for seat in range(3):
        assert [event for event in state.events_for(seat) if event.startswith("hand")] == [f"hand {state.inside.hands[seat][0]}"]
        assert state.view(seat).position.inside.hands[seat - 1] == ["??"]
    assert not [event for event in state.events_for(-1) if event.startswith("hand")]


def test_cards_are_dealt_anew_as_seats_could_have_them(games: dict[str, Game]) -> None:
    rng = Random(3)
    lacked = 0
    for seed in range(12):
        state: Any = games["oh-hell"].new(4, seed)
        while state.actor is not None:
            view = state.view(state.actor)
            sample = view.sample(rng).inside
            cards = [*sample.played, *sample.table, sample.trump, *(card for hand in sample.hands for card in hand)]
            assert len({*cards}) == len(cards)
            assert [len(hand) for hand in sample.hands] == [len(hand) for hand in state.inside.hands]
            assert sample.hands[state.actor] == state.inside.hands[state.actor]
            for hand, suits in zip(sample.hands, sample.lacking, strict=True):
                lacked += len(suits)
                assert not [card for card in hand if card[1] in suits]
            state.play(state.random_move(rng))
    assert lacked > 100


PAGE = ROOT / "docs" / "tutorials" / "strong-bots.md"

SHOWN = {block.title: block.text for block in blocks_of(PAGE) if block.title}


def test_the_page_shows_every_step() -> None:
    assert list(SHOWN) == ["minimal_bot.py", "turn_bot.py", "decks_bot.py", "finals_bot.py", "search_bot.py"]


@pytest.mark.parametrize("name", SHOWN)
def test_what_the_page_shows_is_the_file(name: str) -> None:
    assert SHOWN[name] == (ROOT / "examples" / name).read_text(encoding="utf-8")
    assert SHOWN[name].count("\n") <= 60


BOT = """
import random


class Planted:
    params = {"edge": 0.0, "style": "calm"}

    def start(self, info):
        self.rng = random.Random(info.seed)

    def choose(self, view, clock):
        if self.params["style"] == "calm" or self.rng.random() < abs(self.params["edge"] - 0.7):
            return None
        return self.rng.choice(view.legal_moves)
"""
"""Gives up, less often the closer ``edge`` is to 0.7."""


@pytest.fixture(scope="module")
def example() -> Any:
    specification = importlib.util.spec_from_file_location("tune_example", ROOT / "examples" / "tune.py")
    assert specification is not None
    assert specification.loader is not None
    module: ModuleType = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.mark.filterwarnings("ignore:WilcoxonPruner is experimental")
def test_the_planted_optimum_is_found(example: Any, games: dict[str, Game], tmp_path: Path) -> None:
    bot = tmp_path / "planted.py"
    bot.write_text(BOT)
    space = dict(map(example.read_range, ["edge=0..1.0", "style=calm,bold"]))
    tuned, score = example.tune(str(bot), space, example.Field(games["three-in-a-row"], ["random"], 1), trials=25, blocks=20)
    name, _, values = tuned.partition("?")
    edge, style = values.split("&")
    assert (name, style) == (str(bot), "style=bold")
    assert float(edge.removeprefix("edge=")) == pytest.approx(0.7, abs=0.15)
    assert score > 0.3
