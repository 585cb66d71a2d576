"""From a folder of source to a bot that plays: versions, the cache, recipes whose compilers are there, and who may be built where."""

from __future__ import annotations

import pickle
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

from bots.building import builder, probe
from bots.building.builder import BuildCache, BuildError, CachedBuild, build
from bots.building.session import BuildResult, run_build
from bots.building.toolchains import find_program
from bots.errors import BotError
from bots.host.player_pool import PlayerPool, check_admission
from bots.loader.loading import identify, resolve
from bots.loader.version import BotVersion, is_genuine, pack, unpack
from bots.sandbox.levels import Level
from tests.bots.playing import play_random

EXAMPLE = Path(__file__).parents[3] / "examples" / "c_bot"
HELLO = {
    "c": {"bot.c": "int main(void) { return 0; }\n"},
    "c++": {"bot.cpp": "int main() { return 0; }\n", "part/other.cc": "int other() { return 1; }\n"},
    "rust": {"main.rs": 'fn main() { println!("hello"); }\n'},
    "cargo": {"Cargo.toml": "[package]\nname = 'bot'\nversion = '0.1.0'\nedition = '2021'\n", "src/main.rs": "fn main() {}\n"},
    "go": {"main.go": "package main\n\nfunc main() { println(1) }\n"},
    "zig": {"main.zig": "pub fn main() void {}\n"},
}
COMPILERS = {"c": "cc", "c++": "c++", "rust": "rustc", "cargo": "cargo", "go": "go", "zig": "zig"}


@pytest.fixture(autouse=True)
def can_build() -> None:
    if probe.best_level() is None:
        pytest.skip(f"no bot can be built here: {probe.why_not()}")


@pytest.fixture
def cache(tmp_path: Path) -> BuildCache:
    return BuildCache(tmp_path / "cache")


def source(path: Path, files: dict[str, str], manifest: str = 'build = "c"\ncommand = ["./bot"]\n') -> BotVersion:
    for name, text in (files | {"bot.toml": manifest}).items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text)
    return identify(str(path))


# every day the one recipe that makes a folder of its own; the other tests build C
@pytest.mark.parametrize("recipe", [pytest.param(each, marks=() if each == "cargo" else pytest.mark.slow) for each in HELLO])
def test_a_recipe_builds_where_its_compiler_is(recipe: str, tmp_path: Path, cache: BuildCache) -> None:
    if find_program(COMPILERS[recipe]) is None:
        pytest.skip(f"{COMPILERS[recipe]} is not installed")
    program = "target/release/bot" if recipe == "cargo" else "bot"
    name = "rust" if recipe == "cargo" else recipe
    version = build(source(tmp_path / "bot", HELLO[recipe], f'build = "{name}"\ncommand = ["./{program}"]\n'), cache=cache).version
    assert [path for path, _ in version.files] == [program]
    assert version.files[0][1].startswith(b"\x7fELF")
    assert version.build is not None
    assert version.build.toolchain[1].startswith(f"{COMPILERS[recipe]}: ")
    assert not any("/" in line.partition("(")[0] for line in version.build.toolchain[:1])


def test_the_example_has_no_warnings(tmp_path: Path, cache: BuildCache) -> None:
    files = {"bot.c": (EXAMPLE / "bot.c").read_text()}
    strict = 'build = ["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-std=c11", "-o", "bot", "bot.c"]\ncommand = ["./bot"]\n'
    assert build(source(tmp_path / "bot", files, strict), cache=cache).log == ""


def test_a_bot_that_is_not_built_does_not_play() -> None:
    with PlayerPool(Level.L0) as pool, pytest.raises(ValueError, match="has to be built before"):
        pool.seat(identify(str(EXAMPLE)))
    with pytest.raises(BotError):
        check_admission(identify(str(EXAMPLE)), Level.NONE, trusted=False)
    with pytest.raises(BotError, match="can't play in the host's process"):
        resolve(str(EXAMPLE))


def test_a_version_is_source_commands_and_toolchain(tmp_path: Path, cache: BuildCache, monkeypatch: pytest.MonkeyPatch) -> None:
    first = build(source(tmp_path / "one", HELLO["c"]), cache=cache).version
    again = build(source(tmp_path / "two", HELLO["c"]), cache=BuildCache(tmp_path / "other")).version
    assert (first.digest, first.files) == (again.digest, again.files)
    other = build(source(tmp_path / "one", {"bot.c": "int main(void) { return 1; }\n"}), cache=cache).version
    commands = build(
        source(tmp_path / "two", {}, 'build = ["cc", "-O1", "-o", "bot", "bot.c"]\ncommand = ["./bot"]\n'), cache=cache
    ).version
    monkeypatch.setattr("bots.building.toolchains.version_of", lambda program, _level: f"{program.name}: another version")
    newer = build(source(tmp_path / "three", HELLO["c"]), cache=cache).version
    assert len({each.digest for each in (first, other, commands, newer)}) == 4
    assert all(is_genuine(each) for each in (first, other, commands, newer))


def test_a_built_bot_travels_and_is_stored_with_its_source(tmp_path: Path, cache: BuildCache) -> None:
    version = build(source(tmp_path / "bot", HELLO["c"]), cache=cache).version
    assert unpack(pack(version)) == version
    assert pickle.loads(pickle.dumps(version)) == version  # noqa: S301  # as it goes to a node of a cluster
    assert version.build is not None
    assert dict(version.build.source) == {"bot.c": HELLO["c"]["bot.c"].encode()}
    assert build(version, cache=cache).version is version  # it is never built again
    assert not is_genuine(replace(version, build=replace(version.build, source=(("bot.c", b"another"),))))
    assert not is_genuine(replace(version, build=replace(version.build, toolchain=("another",))))
    assert not is_genuine(replace(version, files=()))


def test_nothing_is_built_twice_and_what_is_damaged_is_built_again(
    tmp_path: Path, cache: BuildCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = []
    real = run_build
    monkeypatch.setattr(builder, "run_build", lambda *arguments: built.append(1) or real(*arguments))
    version = source(tmp_path / "bot", {"bot.c": "int main(void) { int unused; return 0; }\n"}, WARNS)
    first = build(version, cache=cache)
    assert build(version, cache=cache) == first
    assert "unused" in first.log
    assert built == [1]
    [path] = cache.folder.iterdir()
    path.write_bytes(path.read_bytes()[:-1] + b"!")
    assert build(version, cache=cache) == first
    assert built == [1, 1]


WARNS = 'build = ["cc", "-Wall", "-o", "bot", "bot.c"]\ncommand = ["./bot"]\n'


def test_what_is_kept_under_another_name_is_not_taken(cache: BuildCache) -> None:
    cache.keep("a" * 64, CachedBuild((("bot", b"one"),), ""))
    (cache.folder / ("a" * 64)).rename(cache.folder / ("b" * 64))
    assert cache.find("b" * 64) is None
    assert not list(cache.folder.iterdir())


def test_the_oldest_is_forgotten(cache: BuildCache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bots.building.builder.MOST_BYTES", 5000)
    for name in "abcd":
        cache.keep(name * 64, CachedBuild((("bot", name.encode() * 2000),), ""))
    assert len(list(cache.folder.iterdir())) == 2


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    cache = BuildCache(tmp_path / "file" / "folder")
    assert build(source(tmp_path / "bot", HELLO["c"]), cache=cache).version.files


def test_a_build_that_fails_says_why_with_its_log(tmp_path: Path, cache: BuildCache) -> None:
    with pytest.raises(BuildError) as caught:
        build(source(tmp_path / "bot", {"bot.c": "int main(void { }\n"}), cache=cache)
    assert str(caught.value) == f"the bot {tmp_path / 'bot'} can't be built: the build failed: 'cc' ended with exit code 1"
    assert "bot.c:1" in caught.value.log
    assert not cache.folder.exists()


def test_several_commands_make_several_files(tmp_path: Path, cache: BuildCache) -> None:
    manifest = """
        build = [["cc", "-c", "bot.c"], ["cc", "-o", "bin/bot", "bot.o"], ["sh", "-c", "echo 1 2 3 > bin/weights"]]
        command = ["./bin/bot"]
        files = ["bin/bot", "bin/weights", "rules.txt"]
    """
    version = build(source(tmp_path / "bot", HELLO["c"] | {"bin/keep": "", "rules.txt": "x"}, manifest), cache=cache).version
    assert [path for path, _ in version.files] == ["bin/bot", "bin/weights", "rules.txt"]
    assert version.build is not None
    assert [line.partition(":")[0] for line in version.build.toolchain[1:]] == ["cc", "sh", "c++"]


def test_make_builds(tmp_path: Path, cache: BuildCache) -> None:
    if find_program("make") is None:
        pytest.skip("make is not installed")
    files = HELLO["c"] | {"Makefile": "bot: bot.c\n\t$(CC) -o $@ $<\n"}
    assert build(source(tmp_path / "bot", files, 'build = ["make"]\ncommand = ["./bot"]\n'), cache=cache).version.files


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("no-such-compiler", "'no-such-compiler', which builds it, is not installed on this machine"),
        ("/usr/bin/cc", "'build' names the program '/usr/bin/cc' by its path; give its name alone"),
    ],
)
def test_a_program_that_a_build_cannot_have(program: str, words: str, tmp_path: Path, cache: BuildCache) -> None:
    with pytest.raises(BuildError, match=words):
        build(source(tmp_path / "bot", HELLO["c"], f'build = ["{program}"]\ncommand = ["./bot"]\n'), cache=cache)


def test_where_nothing_can_be_isolated_only_trusted_bots_are_built(
    tmp_path: Path, cache: BuildCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(builder, "best_level", lambda: None)
    levels = []
    real = run_build

    def note(order: object, level: Level, limits: object) -> BuildResult:
        levels.append(level)
        return real(order, level, limits)  # type: ignore[arg-type]

    monkeypatch.setattr(builder, "run_build", note)
    version = source(tmp_path / "bot", HELLO["c"])
    with pytest.raises(BuildError, match="this machine can't keep a build from doing harm"):
        build(version, cache=cache)
    assert build(version, trusted=True, cache=cache).version.files
    assert levels == [Level.L0]


def test_a_level_that_lets_an_attack_through_is_not_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    real = run_build

    def without_filter(order: object, level: Level, limits: object) -> BuildResult:
        return real(order, Level.L0, limits)  # type: ignore[arg-type]

    monkeypatch.setattr(probe, "run_build", without_filter)
    offer = probe.offer_of.__wrapped__(Level.L2)
    assert not offer.is_offered
    assert "read a secret file of the host" in offer.lacking


@pytest.mark.slow
def test_a_module_is_built_and_plays(tmp_path: Path, cache: BuildCache) -> None:
    if find_program("zig") is None or find_spec("wasmtime") is None:
        pytest.skip("zig or wasmtime is not installed")
    examples, languages = EXAMPLE.parent / "wasm", EXAMPLE.parents[1] / "arena" / "languages"
    files = {"search.c": (examples / "search.c").read_text(), "arena.h": (languages / "c" / "arena.h").read_text()}
    version = build(source(tmp_path / "bot", files, 'build = "c"\nwasm = "bot.wasm"\n'), cache=cache).version
    assert is_genuine(version)
    with PlayerPool(Level.NONE) as pool:
        result = play_random(pool, version)
    assert [seat.fault for seat in result.seats] == [None, None]


def test_a_module_that_is_none_is_refused_once_it_is_built(tmp_path: Path, cache: BuildCache) -> None:
    if find_spec("wasmtime") is None:
        pytest.skip("wasmtime is not installed")
    manifest = 'build = ["cp", "other.txt", "bot.wasm"]\nwasm = "bot.wasm"\n'
    with pytest.raises(BotError, match="bot"):
        build(source(tmp_path / "bot", {"other.txt": "no module"}, manifest), cache=cache)
