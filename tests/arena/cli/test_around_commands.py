"""Around commands: completion, what is imported, Ctrl-C, the doctor, and which game is meant."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner, Result

from arena.cli.app import COMMANDS, app
from arena.cli.host import doctor
from bots.host import player_pool
from bots.limits import Level
from bots.sandbox.probe import LevelReport, Report
from engine import registry
from engine.registry import GameError, find_registration
from tests.arena.conftest import clean_environment
from tests.arena.made_games import BROKEN, FACTS, NAME, installed


@pytest.mark.parametrize(
    ("typed", "completions"),
    [
        ("arena ma", ["match", "matches"]),
        ("arena bots che", ["check"]),
        ("arena compare --max-", ["--max-blocks"]),
    ],
)
def test_the_shell_is_told_what_may_follow(typed: str, completions: list[str], here: Path) -> None:
    environment = {"_ARENA_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(len(typed.split()) - 1)}
    done = CliRunner(env=environment).invoke(app, prog_name="arena")
    assert (done.exit_code, done.output.split()) == (0, completions)


HEAVY = {"ray", "fastapi", "uvicorn", "matplotlib", "numpy", "scipy", "networkx", "jinja2", "trueskill"}

DATABASE = {"sqlmodel", "sqlalchemy"}

STORAGE = DATABASE | {"msgspec"}

SHOW = """
import atexit, sys
atexit.register(lambda: sys.stderr.write("MODULES " + " ".join({name.partition(".")[0] for name in sys.modules})))
from arena.cli import main
main()
"""


def imported(*arguments: str) -> set[str]:
    """The packages that a command has imported when it ends."""
    done = subprocess.run(
        [sys.executable, "-c", SHOW, *arguments], capture_output=True, text=True, check=True, env={**os.environ, "COLUMNS": "80"}
    )
    return set(done.stderr.rpartition("MODULES ")[2].split())


@pytest.mark.parametrize(
    ("arguments", "unwanted"),
    [
        ("--version", HEAVY | STORAGE),
        ("run --help", HEAVY | STORAGE),
        ("new my_bot.py", HEAVY | DATABASE),
        ("perft --game tongiaki --players 2 --seed 1 --depth 1", HEAVY | DATABASE),
    ],
)
def test_quick_commands_import_none_of_the_heavy_modules(arguments: str, unwanted: set[str]) -> None:
    names = imported(*arguments.split())

    assert "typer" in names
    assert not names & unwanted


def test_the_list_of_commands_says_what_each_says_of_itself() -> None:
    for name, command in get_command(app).commands.items():  # type: ignore[attr-defined]  # a group
        listed = COMMANDS[name]
        assert command.name == name
        assert " ".join(command.help.partition("\n\n")[0].split()) == listed.summary


def test_the_help_imports_no_command() -> None:
    done = subprocess.run([sys.executable, "-X", "importtime", "-c", SHOW, "--help"], capture_output=True, text=True, check=True)

    found = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "arena.cli.app" in found
    assert not found & (HEAVY | STORAGE | {each.place.partition(":")[0] for each in COMMANDS.values()})


PROGRAM = """
import os, signal, sys

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)  # also where what began the tests ignores Ctrl-C, as nohup does
sys.meta_path.insert(0, Interrupt())
from arena.cli import main
main()
"""


@pytest.mark.parametrize("module", ["arena.cli.app", "typer.core", "arena.cli.results.stats", "arena.analysis.statistics"])
def test_ctrl_c_during_an_import_is_one_sentence(module: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", PROGRAM.format(module=module), "stats", "--db", "no.db"]
    done = subprocess.run(command, cwd=tmp_path, env=clean_environment(), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "error: interrupted\n")


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Attacks were refused at L0, the cheapest level to start."""
    monkeypatch.setattr("bots.sandbox.probe.probe", lambda: Report((LevelReport(Level.L0),)))


@pytest.mark.usefixtures("refused")
def test_it_fails_if_one_check_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_ray", lambda: doctor.Finding("other", True, "not tried"))  # which has a test of its own
    result = CliRunner().invoke(app, ["doctor", "--json"])
    findings = json.loads(result.stdout)
    assert result.exit_code == 0
    assert all(finding["is_ok"] for finding in findings)
    assert {"python", "engine", "compiled", "storage", "isolation", "wasm", "terminal"} <= {finding["name"] for finding in findings}
    for check in ("_isolation", "_wasm", "_engine"):  # which have been tried
        monkeypatch.setattr(doctor, check, lambda: doctor.Finding("other", True, "not tried"))
    monkeypatch.setattr(doctor, "_ray", lambda: doctor.Finding("ray", False, "broken"))
    result = CliRunner().invoke(app, ["doctor"])
    assert result.exit_code == 1
    assert "BAD  ray" in result.stdout


@pytest.mark.slow
def test_this_machine_has_all_that_is_needed() -> None:
    findings = json.loads(CliRunner().invoke(app, ["doctor", "--json"]).stdout)
    assert [finding for finding in findings if not finding["is_ok"]] == []


@pytest.mark.usefixtures("refused")
def test_a_level_at_which_what_bots_need_is_not_found_is_not_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(player_pool, "PRELOAD", ("nonesuch",))
    finding = doctor._isolation()
    assert not finding.is_ok
    assert "no bot can play at this level, although the attacks were refused: " in str(finding.levels[0])
    assert "the module nonesuch, which bots need, can't be found" in finding.detail


CUP = f"""
name = "cup"
game = "{NAME}"
bots = ["random", "greedy"]
[options]
numbers = 5
[schedule]
tables = [2]
[clock]
move = 3.0
"""


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments, prog_name="arena")


@pytest.mark.parametrize(
    "arguments",
    [
        ("match", "random", "random"),
        ("play", "random"),
        ("perft", "--players", "2", "--seed", "1", "--depth", "1"),
        ("compare", "random", "greedy"),
        ("bots", "check", "random"),
        ("bots", "submit", "my.py", "--name", "x"),
    ],
)
def test_a_command_without_a_game_says_what_there_is(arguments: tuple[str, ...]) -> None:
    Path("my.py").write_text("class My:\n    def choose(self, view, clock):\n        return view.legal_moves[0]\n", encoding="utf-8")
    with installed():
        result = run(*arguments)
    assert result.exit_code == 2
    [line] = result.stderr.splitlines()
    assert line.startswith("error: no game was given; the games are ")
    assert {"tongiaki", "sunda", NAME} <= set(line.replace(",", " ").replace(";", " ").split())
    assert line.endswith("; choose one with --game NAME, or set the environment variable ARENA_GAME")


def test_a_tournament_without_a_game_says_what_there_is() -> None:
    Path("cup.toml").write_text('name = "cup"\nbots = ["random", "greedy"]\n[schedule]\ntables = [2]\n', encoding="utf-8")
    result = run("run", "cup.toml")
    assert result.exit_code == 2
    assert result.stderr.startswith("error: cup.toml: the key 'game' is missing; the games are ")
    assert "tongiaki" in result.stderr


def test_the_only_game_there_is_needs_no_name() -> None:
    with installed():
        for name in registry.game_names():
            if name != NAME:
                del registry._registry().registrations[name]
        assert run("perft", "--players", "2", "--seed", "1", "--depth", "1", "--option", "numbers=7").stdout == "7\n"
        with pytest.raises(GameError, match="there is no game 'sunda'"):
            find_registration("sunda")
    find_registration("sunda")


def test_the_doctor_says_which_game_is_ill(monkeypatch: pytest.MonkeyPatch) -> None:
    from arena.cli.host.doctor import _engine, _games

    with installed(FACTS, BROKEN):
        assert _engine().is_ok
        found = _games()
    assert NAME in found[0].detail
    assert any("the game 'broken' of nobody 1.0 can't be imported: ModuleNotFoundError" in each.detail for each in found if not each.is_ok)
