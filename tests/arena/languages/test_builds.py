"""Bots in every language are built by their compilers, where these are; what lies in ``examples/wasm`` is what they make."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from arena.languages import Language, build_command
from arena.play.match import make_ticket, play_match
from bots.host.player_pool import PlayerPool
from bots.loader.loading import identify
from bots.protocol import ClockMode, ClockSpec
from bots.sandbox.levels import Level
from engine.records import MatchResult
from engine.registry import find_game
from tests.arena.languages import compilers

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

PROBES = Path(__file__).parent / "probes"
ENDINGS = {Language.ASSEMBLYSCRIPT: "ts", Language.C: "c", Language.GO: "go", Language.RUST: "rs", Language.ZIG: "zig"}
BUILT_BY = compilers.versions_on_page()
LIMITED = ClockSpec(ClockMode.FUEL, start=None, move=None, wall_bank=None)


def skip_without_compiler(command: str) -> None:
    if reason := compilers.why_not(command):
        pytest.skip(reason)


def play(module: Path, game: str, clock: ClockSpec = LIMITED) -> MatchResult:
    """A match of the module against random, in this process."""
    rules = find_game(game)
    with PlayerPool(Level.NONE) as pool:
        players = [pool.seat(identify(str(module))), pool.seat(identify("random"))]
        return play_match(rules, make_ticket(rules, ("bot 0", "bot 1"), seed=3), players, clock=clock)


@pytest.mark.parametrize("example", compilers.examples(), ids=lambda example: example.name)
def test_an_example_is_what_its_compiler_makes_of_its_source(example: compilers.Example, tmp_path: Path) -> None:
    """The same bytes from the same version of the compiler, the same moves from another."""
    skip_without_compiler(example.command)
    shutil.copytree(compilers.ROOT / "arena" / "languages", tmp_path / "arena" / "languages")
    shutil.copytree(compilers.EXAMPLES, tmp_path / "examples" / "wasm", ignore=shutil.ignore_patterns("*.wasm"))
    folder = tmp_path / example.folder.relative_to(compilers.ROOT)
    compilers.build(example.command, folder)
    kept, made = compilers.EXAMPLES / example.name, folder / example.result
    compiler = compilers.compiler_of(example.command)
    if compilers.version(compiler) == BUILT_BY[compiler]:
        assert made.read_bytes() == kept.read_bytes()
    else:
        replays = [play(module, "openspiel:connect_four").replay for module in (made, kept)]
        assert replays[0] == replays[1]


@pytest.mark.parametrize("language", Language)
def test_everything_that_a_language_is_given_works(language: Language, tmp_path: Path) -> None:
    skip_without_compiler(build_command(language))
    folder = compilers.start(language, tmp_path / language)
    ending = ENDINGS[language]
    shutil.copy(PROBES / f"probe.{ending}", folder / f"bot.{ending}")
    compilers.build(build_command(language), folder)
    said = play(folder / "bot.wasm", "tongiaki")
    assert said.seats[0].fault is None
    assert {*said.seats[0].log.split("\n")} - {""} <= {"started", "well"}
    assert said.seats[0].log.count("well") > 10


def test_the_header_serves_c_plus_plus_too(tmp_path: Path) -> None:
    command = build_command(Language.C).replace("zig cc", "zig c++").replace("bot.c ", "bot.cpp ")
    skip_without_compiler(command)
    folder = compilers.start(Language.C, tmp_path / "cpp")
    shutil.copy(PROBES / "probe.c", folder / "bot.cpp")
    compilers.build(command, folder)
    result = play(folder / "bot.wasm", "tongiaki")
    assert result.seats[0].fault is None
    assert "well" in result.seats[0].log
    assert "wrong" not in result.seats[0].log


def test_go_plays_the_moves_of_the_others(tmp_path: Path) -> None:
    command = build_command(Language.GO)
    skip_without_compiler(command)
    folder = compilers.start(Language.GO, tmp_path / "go")
    compilers.build(command, folder)
    replays = [play(module, "openspiel:connect_four").replay for module in (folder / "bot.wasm", compilers.EXAMPLES / "c.wasm")]
    assert replays[0] == replays[1]


def test_the_searcher_with_its_own_rules_is_a_program_too(tmp_path: Path) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    shutil.copy(compilers.EXAMPLES / "connect_four.c", tmp_path / "bot.c")
    done = compilers.run([compiler, "-O3", "-Wall", "-Wextra", "-Werror", "bot.c", "-o", "bot"], tmp_path)
    assert done.returncode == 0, done.stderr
    (tmp_path / "bot.toml").write_text('command = ["./bot"]\nfiles = ["bot"]\n', encoding="utf-8")
    rules = find_game("openspiel:connect_four")
    ticket = make_ticket(rules, ("bot 0", "bot 1"), seed=3)
    replays = []
    for bot in (tmp_path, compilers.EXAMPLES / "connect_four.wasm"):
        with PlayerPool(Level.L0) as pool:
            result = play_match(rules, ticket, [pool.seat(identify(str(bot))), pool.seat(identify("random"))])
        assert result.seats[0].fault is None
        replays.append(result.replay)
    assert replays[0] == replays[1]
