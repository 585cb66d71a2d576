"""``arena game check``: what it prints, writes and returns. ``tests/contracts/test_registrations.py`` has ``arena game list``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import engine.registry
from arena.cli.app import app
from engine.conformance import LAWS
from tests.engine.conformance import toys


@pytest.fixture(autouse=True)
def toy_games() -> Iterator[None]:
    registry = vars(engine.registry)["_registry"]()
    kept = dict(registry.registrations), dict(registry.plugins)
    toys.register()
    yield
    registry.registrations, registry.plugins = kept


def arena(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["game", *arguments], prog_name="arena")


def test_a_sound_game_is_said_to_be_one(here: Path) -> None:
    result = arena("check", "toy-cards", "--games", "1", "--law", "copy", "--law", "picker")

    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0] == "toy-cards from toys 1.0: 2 random games, 30 decisions"
    assert lines[-2:] == [
        "skipped picker: it has no picker of its own",
        "1 law kept, none broken.",
    ]
    assert max(map(len, lines)) <= 80
    assert list(here.iterdir()) == []


def test_a_broken_law_is_named_and_shown() -> None:
    result = arena("check", "toy-no-version", "--games", "2", "--law", "facts", "--law", "copy")

    assert (result.exit_code, result.stderr) == (1, "")
    lines = result.stdout.splitlines()
    at = lines.index("BROKEN facts: its rules_version must be an integer of 1 or more, not 0")
    assert lines[at + 1 :] == [
        "  The law: A game defines its facts, and raises OptionsError for options, numbers of players and seeds that it doesn't allow.",
        "  Broken in 2 of 2 games; first after 0 decisions.",
        "  To reproduce: arena game check toy-no-version --players 2 --seed 0 --games 1 --law facts",
        "1 law kept, 1 broken. Begin with the first: it may cause the others.",
    ]


def test_the_command_that_is_shown_finds_it_again() -> None:
    first = arena("check", "toy-follower", "--games", "3", "--seed", "4", "--law", "observer", "--json")
    [verdict] = json.loads(first.stdout)["verdicts"]
    command = verdict["command"].split()

    again = arena(*command[2:], "--law", "observer", "--json")

    assert command[:4] == ["arena", "game", "check", "toy-follower"]
    assert again.exit_code == first.exit_code == 1
    [same] = json.loads(again.stdout)["verdicts"]
    assert same["moves"] == verdict["moves"]


def test_json_has_every_law() -> None:
    result = arena("check", "toy-dice", "--games", "1", "--players", "2", "--json")

    report = json.loads(result.stdout)
    assert result.exit_code == 0
    assert [verdict["law"] for verdict in report["verdicts"]] == [law.name for law in LAWS]
    assert {verdict["status"] for verdict in report["verdicts"]} == {"kept", "skipped"}
    assert report["tables"] == ["toy-dice for 2"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["toy-dice", "--law", "copi"], "there is no law 'copi'; did you mean 'copy'?"),
        (["toy-dice", "--players", "7"], "toy-dice is for 2 to 3 players, not 7"),
        (["toy-dice", "--option", "size=3"], "toy-dice has no option 'size'; it has none"),
        (["toy-dize"], "there is no game 'toy-dize'; did you mean 'toy-dice'?"),
    ],
)
def test_wrong_input_is_one_sentence(arguments: list[str], sentence: str) -> None:
    result = arena("check", *arguments)

    assert result.exit_code == 2
    assert result.stderr == f"error: {sentence}\n"
