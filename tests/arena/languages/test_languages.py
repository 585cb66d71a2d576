"""Modules in other languages: the examples play alike, and the page on them says what holds."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from arena.cli.app import app
from arena.languages import Language, build_command, starting_files
from arena.play.executors.base import NO_LIMIT
from arena.play.match import make_ticket, play_match
from bots.errors import BotError
from bots.host.player_pool import PlayerPool
from bots.limits import MODULE_MEMORY, Level
from bots.loader.archive import LARGEST_FILE
from bots.loader.loading import identify
from bots.protocol import ClockMode, ClockSpec
from bots.sandbox.probe import best_level
from bots.wasm import calls, conversation, engine, fuel, host, positions
from engine.records import MatchResult
from engine.registry import find_game
from engine.replay.format import read_replay
from engine.replay.verifier import verify_replay
from tests.docs.pages import blocks_of

EXAMPLES = Path(__file__).parents[3] / "examples" / "wasm"

PROBES = Path(__file__).parent / "probes"

STARTED = ("c", "rust")
"""The modules that are what ``arena new`` writes."""

FUEL = ClockSpec(ClockMode.FUEL, start=None, move=None, wall_bank=None, start_fuel=50_000_000, move_fuel=30_000_000)

QUICK = "openspiel:connect_four"
"""A game of few moves, which comes with the extra dev, so that a match with games after each move takes a second."""


def play(*bots: str | Path, game: str = "tongiaki", seed: int = 3, level: Level = Level.NONE, clock: ClockSpec = NO_LIMIT) -> MatchResult:
    """A match of modules of ``examples/wasm``, or of other bots, all under names that are always the same."""
    rules = find_game(game)
    versions = [identify(str(EXAMPLES / f"{bot}.wasm") if f"{bot}.wasm" in MODULES else str(bot)) for bot in bots]
    names = tuple(f"bot {number}" for number in range(len(bots)))
    ticket = make_ticket(rules, names, seed=seed)
    with PlayerPool(level) as pool:
        players = [pool.seat(version) for version in versions]
        return play_match(rules, ticket, players, clock=clock)


MODULES = {path.name for path in EXAMPLES.glob("*.wasm")}


def faultless(result: MatchResult) -> MatchResult:
    assert [seat.fault for seat in result.seats] == [None] * len(result.seats)
    verify_replay(read_replay(result.replay))
    return result


def test_every_example_is_described_with_its_source() -> None:
    described = dict(re.findall(r"^\| `([\w.]+\.wasm)` \| (.+?) \|", (EXAMPLES / "README.md").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(described) == MODULES
    for name, source in described.items():
        file, language = re.match(r"`(\w+\.c)`", source), re.search(r"--language (\w+)`", source)
        assert (EXAMPLES / file[1]).is_file() if file else language is not None and language[1] in list(Language), name


@pytest.mark.slow
@pytest.mark.parametrize("game", [QUICK, "tongiaki"])
def test_the_same_bot_plays_the_same_moves_in_every_language(game: str) -> None:
    replays = {faultless(play(name, "random", game=game)).replay.text for name in STARTED}
    assert len(replays) == 1


@pytest.mark.slow
def test_a_module_with_rules_of_its_own_wins_its_game() -> None:
    for seats in (("connect_four", "random"), ("random", "connect_four")):
        result = faultless(play(*seats, game=QUICK))
        assert result.seats[seats.index("connect_four")].rank == 1


@pytest.mark.skipif(best_level() <= Level.L0, reason="bots can't be locked up here")
@pytest.mark.slow
@pytest.mark.parametrize("name", STARTED)
def test_a_sealed_module_plays_the_same_moves(name: str) -> None:
    sealed = faultless(play(name, "random", game=QUICK, level=best_level()))
    assert sealed.replay == play(name, "random", game=QUICK).replay


@pytest.mark.slow
@pytest.mark.parametrize("game", ["tongiaki", QUICK])
def test_a_bot_that_looks_ahead_wins_most_matches_against_one_that_does_not(game: str) -> None:
    won = sum(play("c", "random", game=game, seed=seed).seats[0].rank == 1 for seed in range(6))
    assert won >= 5


PLAYED = {Language.C: "bot.wasm", Language.RUST: "bot.wasm", Language.C_PROGRAM: "bot", Language.JAVASCRIPT: "bot.js"}


@pytest.mark.parametrize("language", Language)
def test_arena_new_writes_a_folder_that_is_a_bot_once_it_is_built(
    language: Language, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if language is Language.JAVASCRIPT and shutil.which("node") is None:
        pytest.skip("there is no Node.js, which plays it")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("shutil.which", lambda _name: "/usr/bin/program")
    told = " ".join(run("new", "mine", "--language", language, "--game", "tongiaki").split())
    files, played = dict(starting_files(language)), PLAYED[language]
    assert {path.name: path.read_text(encoding="utf-8") for path in Path("mine").iterdir()} == files
    assert " ".join(build_command(language).split()) in told
    assert ("pip install ziglang" in told) == (language is Language.C)
    assert "arena match mine greedy random --game tongiaki --seed 7" in told
    if played not in files:
        with pytest.raises(BotError, match=rf"the file '{played}' does not exist; does it have to be built first\?$"):
            identify("mine", base=tmp_path)
        shutil.copy(EXAMPLES / "c.wasm", Path("mine", played))
    version = identify("mine", base=tmp_path)
    assert (version.name, [name for name, _ in version.files]) == ("mine", [played])


@pytest.mark.slow  # compiles
@pytest.mark.parametrize("language", [Language.C, Language.RUST])
def test_everything_that_a_module_is_given_works(language: Language, tmp_path: Path) -> None:
    command = shlex.split(build_command(language))
    if shutil.which(command[0]) is None:
        pytest.skip(f"there is no {command[0]}")
    for name, text in starting_files(language):
        (tmp_path / name).write_text(text, encoding="utf-8")
    ending = {Language.C: "c", Language.RUST: "rs"}[language]
    shutil.copy(PROBES / f"probe.{ending}", tmp_path / f"bot.{ending}")
    built = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    if "target may not be installed" in built.stderr:
        pytest.skip("rustc can't compile to WebAssembly")
    assert built.returncode == 0, built.stderr
    said = faultless(play(tmp_path / "bot.wasm", "random", clock=ClockSpec(ClockMode.FUEL, start=None, move=None, wall_bank=None)))
    assert {*said.seats[0].log.split("\n")} - {""} <= {"started", "well"}
    assert said.seats[0].log.count("well") > 10


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["x.c", "--language", "c"], "a bot in c is a folder, not a file: give a name without '.c'"),
        (["there", "--language", "c"], "there already exists; give another name, or remove it first"),
        (["none/x", "--language", "c"], "there is no folder none"),
        (["a b", "--language", "c"], "'a b' can't be a bot's name"),
        (["--language", "c", "--tournament", "x.toml"], "--language is for a bot, not for a tournament"),
        (["x", "--language", "c", "--game", "nowhere"], "there is no game 'nowhere'"),
    ],
)
def test_a_folder_that_can_not_be_written_is_refused_in_a_sentence(
    arguments: Sequence[str], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("there").mkdir()
    result = CliRunner().invoke(app, ["new", *arguments])
    assert result.exit_code == 2
    assert sentence in " ".join(result.stderr.split())
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, [*arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


PAGE = Path(__file__).parents[3] / "docs" / "wasm.md"

TEXT = PAGE.read_text(encoding="utf-8")

SHOWN = {"```c": (Language.C, "bot.c")}


def table(heading: str) -> list[list[str]]:
    """The rows of the first table under a heading, without its first two lines."""
    section = TEXT.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    rows = re.search(r"(?:^\|.*\n)+", section, re.MULTILINE)
    assert rows is not None
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[0].splitlines()[2:]]


def test_bots_are_shown_as_they_are_written() -> None:
    blocks = [block for block in blocks_of(PAGE) if f"```{block.language}" in SHOWN]
    assert [f"```{block.language}" for block in blocks] == [*SHOWN]
    for block in blocks:
        language, name = SHOWN[f"```{block.language}"]
        assert (block.title, block.text.strip()) == (name, dict(starting_files(language))[name].strip())


def test_prices_are_those_that_are_charged() -> None:
    rows = [[int(units.replace(",", "")) for units in row[1:]] for row in table("Fuel")]
    for column, game in enumerate(("tongiaki", "sunda")):
        own = fuel.prices_of(game)
        charged = [
            fuel.CALL,
            fuel.BYTE,
            fuel.PART,
            own.list,
            own.listed,
            own.parse,
            own.text,
            own.sample,
            own.copy,
            own.play,
        ]
        assert [row[column] for row in rows] == [*charged, fuel.PLAYOUT, own.played]


def test_limits_are_those_that_hold() -> None:
    limits = dict(table("What a module may not do"))
    assert limits["the file"] == f"{LARGEST_FILE >> 20} MiB"
    assert limits["memory"].startswith(f"{MODULE_MEMORY >> 20} MiB,")
    assert limits["nested calls"].startswith(f"{engine.STACK >> 10} KiB")
    assert limits["positions at a time"] == f"{positions.MOST:,}"
    assert limits["bytes that one call reads or writes"] == f"{host.LONGEST >> 10} KiB"
    assert limits["an answer"] == f"{conversation.LONGEST_ANSWER >> 10} KiB"
    assert limits["the log"].startswith(f"{host.LARGEST_LOG >> 20} MiB per turn;")


def test_the_header_declares_every_function_with_its_types() -> None:
    types = {"i": "i32", "I": "i64", "F": "f64"}
    words = {"int32_t": "i32", "arena_position": "i32", "char": "i32", "int64_t": "i64", "uint64_t": "i64", "double": "f64", "void": ""}
    header = dict(starting_files(Language.C))["arena.h"]
    declared = re.findall(r'^ARENA_CALL\("(\w+)"\) (\w+) \w+\((.*?)\);', header, re.MULTILINE)
    found = {
        name: ([words[re.sub(r"^const ", "", each).split()[0]] for each in given.split(", ") if each != "void"], words[result])
        for name, result, given in declared
    }
    offered = {name: ([types[each] for each in given], types.get(result, "")) for name, (given, result, _) in calls.CALLS.items()}
    assert found == offered
