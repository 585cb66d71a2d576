"""`arena ladder`: what it prints, at 80 columns, and what it refuses."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from arena.cli.app import app
from tests.arena.format_plans import plan
from tests.arena.run.test_ladder_orders import give
from tests.arena.running import run, stop_after

LADDER = plan(6, format="ladder", rounds=40)


def arena(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, list(arguments))
    return done.exit_code, done.output


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with a ladder that was stopped, which tests take copies of."""
    path = tmp_path_factory.mktemp("ladder") / "t.db"
    give(path, LADDER, [])
    run(LADDER, path, is_stopping=stop_after(30))
    return path


@pytest.fixture
def ladder(here: Path, stopped: Path) -> str:
    for path in stopped.parent.glob("t.db*"):
        shutil.copy(path, here)
    return "t.db"


def test_orders_are_given_listed_and_refused(ladder: str) -> None:
    given = [
        arena("ladder", "leave", "b01", "--why", "it sleeps", "--db", ladder),
        arena("ladder", "leave", "b01", "--why", "again", "--db", ladder),
        arena("ladder", "leave", "b02", "--drop-results", "--why", "slow", "--by", "Ana", "--from-round", "20", "--db", ladder),
        arena("ladder", "pause", "--why", "moving the machine", "--db", ladder),
        arena("ladder", "resume", "--why", "it is back", "--db", ladder),
        arena("ladder", "end", "--after-round", "30", "--why", "it is over", "--db", ladder),
    ]
    assert [code for code, _ in given] == [0] * 6
    waits = "No run is in progress; the next 'arena run' of the ladder's file applies it.\n"
    assert given[0][1] == f"Order 1, from the next round on: b01 leaves; its results count.\n{waits}"
    assert given[1][1] == "Order 1 already does this, from the next round on: b01 leaves; its results count.\n"
    assert given[2][1] == f"Order 2, from round 20 on: b02 leaves; its results no longer count.\n{waits}"
    assert given[3][1] == f"Order 3, from the next round on: no new round begins.\n{waits}"
    _, listed = arena("status", "--db", ladder)
    assert max(map(len, listed.splitlines())) <= 80
    assert [word in listed for word in ("it sleeps", "Ana", "round 31")] == [True] * 3
    _, status = arena("status", "--db", ladder, "--json")
    assert [each["kind"] for each in json.loads(status)["orders"]] == ["leave", "leave", "pause", "resume", "end"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["leave", "b1", "--why", "x"], "there is no bot 'b1' in the ladder 'plan'; did you mean 'b01'?"),
        (["leave", "b01"], "missing option '--why'"),
        (["pace", "b01", "--why", "x"], "no such command 'pace'"),
        (["end", "--after-round", "0", "--why", "x"], "--after-round"),
    ],
)
def test_what_can_not_be_ordered_is_refused_in_a_sentence(ladder: str, arguments: list[str], sentence: str) -> None:
    code, printed = arena("ladder", *arguments, "--db", ladder)
    assert (code, "Traceback" in printed) == (2, False)
    assert sentence in " ".join(printed.replace("│", " ").split())
    assert json.loads(arena("status", "--db", ladder, "--json")[1])["orders"] == []


def test_without_a_name_it_is_the_newest_ladder(ladder: str, here: Path) -> None:
    give(here / "t.db", plan(3).model_copy(update={"name": "final"}), [])
    assert arena("ladder", "pause", "--why", "x", "--db", ladder)[0] == 0
    assert "no new round begins" in " ".join(arena("status", "--db", ladder, "--tournament", "plan")[1].split())
    code, printed = arena("ladder", "pause", "--why", "x", "--db", ladder, "--tournament", "final")
    assert (code, "has the format round-robin; only a ladder takes orders" in " ".join(printed.split())) == (2, True)
