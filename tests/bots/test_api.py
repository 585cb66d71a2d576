"""The contestants' API: its names are a promise, it type-checks as documented, and it loads nothing before it is used."""

from __future__ import annotations

import doctest
import subprocess
import sys
from pathlib import Path

import pytest

import bots
from bots import BotError, Clock, MatchInfo, load_bot
from engine.registry import find_game

PUBLIC = {
    "REFERENCE_BOTS",
    "Bot",
    "BotError",
    "Clock",
    "ClockMode",
    "ClockSpec",
    "Game",
    "MatchEnd",
    "MatchInfo",
    "Move",
    "News",
    "State",
    "View",
    "evaluate",
    "load_bot",
}

TYPED = """
import random

from bots import Bot, Clock, MatchEnd, MatchInfo, Move, View, load_bot
from engine.tongiaki import TongiakiState


class AnyMove:
    def start(self, info: MatchInfo) -> None:
        self.rng = random.Random(info.seed)

    def choose(self, view: View[TongiakiState], clock: Clock) -> Move:
        return view.legal_moves.random(self.rng)

    def finish(self, end: MatchEnd) -> None:
        print(end.ranks)


class NoBot:
    def choose(self, view: View[TongiakiState]) -> Move:
        return view.legal_moves[0]


mine: Bot = AnyMove()
theirs: Bot = load_bot("greedy")
wrong: Bot = NoBot()
"""


def test_the_public_names_are_these() -> None:
    assert set(bots.__all__) == PUBLIC
    assert set(dir(bots)) >= PUBLIC


def test_the_examples_of_the_api_do_what_they_say() -> None:
    failed, tried = doctest.testmod(bots)

    assert tried > 5
    assert failed == 0


def test_importing_the_api_loads_neither_the_engine_nor_the_loader() -> None:
    code = "import sys, bots; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert not {"engine", "bots.loader", "bots.protocol", "msgspec"} & set(done.stdout.split())


@pytest.mark.slow  # a type checker reads the packages
def test_a_bot_typed_by_the_api_passes_mypy_and_one_without_its_method_does_not(tmp_path: Path) -> None:
    file = tmp_path / "typed.py"
    file.write_text(TYPED, encoding="utf-8")
    root = Path(bots.__file__).parents[1]

    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file", str(root / "pyproject.toml"), str(file)],
        capture_output=True,
        text=True,
        check=False,
        cwd=root,
    )

    errors = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert len(errors) == 1, done.stdout
    assert 'variable has type "Bot"' in errors[0]


def test_a_bot_is_loaded_by_name_or_from_a_file_and_started_when_told_the_match(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("class First:\n    def choose(self, view, clock):\n        return view.legal_moves[0]\n", encoding="utf-8")
    state = find_game("tongiaki").new(2, 7)
    info = MatchInfo(state.game, 2, 0, 5)

    chosen = [load_bot(each, info, base=tmp_path).choose(state.view(0), Clock()) for each in ("random", "mine.py", "mine.py:First")]

    assert all(move in state.legal_moves for move in chosen)
    assert not hasattr(load_bot("random"), "rng")


def test_a_bot_that_cannot_be_had_is_told_of_in_one_sentence() -> None:
    with pytest.raises(BotError, match="there is no bot 'gredy'; did you mean 'greedy'"):
        load_bot("gredy")
