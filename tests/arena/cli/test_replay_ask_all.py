"""``arena replay --ask`` without a name: every reference bot at one decision of a match, in a table."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from arena.cli.app import app
from bots.loader.reference_bots import REFERENCE_BOTS
from engine.replay.format import read_replay
from engine.replay.verifier import state_at
from tests.arena.web.replays import VECTORS

FILE = VECTORS / "tongiaki" / "r2-323.json"
NONE = ("--isolation", "none", "--clock", "nodes=20")


def table_of(*arguments: str) -> dict[str, str]:
    """The rows of the table by bot, each as one line."""
    result = CliRunner(env={"COLUMNS": "200"}).invoke(app, ["replay", str(FILE), *arguments, *NONE])
    assert result.exit_code == 0, result.output
    rows = result.stdout.partition("\n\nbot ")[2].partition("\n\n")[0].splitlines()[1:]
    return {row.split()[0]: row for row in rows}


@pytest.mark.parametrize("arguments", [("--ask", "--at", "60"), ("--at", "60", "--ask", "all")])
def test_every_reference_bot_is_asked_and_its_move_valued(arguments: tuple[str, ...]) -> None:
    rows = table_of(*arguments)
    replay = read_replay(FILE.read_text())
    state, played = state_at(replay, 60), replay.decisions[60].move
    assert list(rows) == ["recorded", *REFERENCE_BOTS]
    assert played in rows["recorded"]
    legal = {str(move) for move in state.legal_moves}
    for bot, row in rows.items():
        assert "%" in row
        assert any(f" {move} " in row for move in legal)
        if bot != "recorded":
            assert ("the same" in row) == (f" {played} " in row)
            assert ("other" in row) != ("the same" in row)


def test_without_a_decision_it_says_what_to_give() -> None:
    for arguments in (["--ask"], ["--ask", "all"]):
        result = CliRunner().invoke(app, ["replay", str(FILE), *arguments])
        assert result.exit_code == 2
        assert result.stderr == "error: --ask: give the position with --at K, which is the one after K decisions\n"


@pytest.mark.parametrize("bot", ["all", "greedy"])
def test_json_has_the_decision_and_the_answers(bot: str) -> None:
    result = CliRunner().invoke(app, ["replay", str(FILE), "--ask", bot, "--at", "60", "--json", *NONE])
    known = json.loads(result.stdout)
    assert known["recorded"] == read_replay(FILE.read_text()).decisions[60].move
    assert [each["bot"] for each in known["answers"]] == (list(REFERENCE_BOTS) if bot == "all" else ["greedy"])
    legal = {str(move) for move in state_at(read_replay(FILE.read_text()), 60).legal_moves}
    assert all(each["move"] in legal for each in known["answers"])
