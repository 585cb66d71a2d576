"""Games of packages that are registered, names of games that no source mentions, and versions that are pinned."""

from __future__ import annotations

import io
import re
import sys
import tokenize
import tomllib
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path, PurePosixPath

import pytest
from packaging.specifiers import SpecifierSet
from typer.testing import CliRunner

import engine.registry
from arena.cli.app import app
from engine.registry import OWN, GameError, find_game, problems, registered

SOUND = """
from engine.plugin import GamePlugin
from engine.simple import Position, simple_game

class Take(Position):
    left: int = 5
    def moves(self):
        return ["one", "two"][: self.left]
    def play(self, move, chance):
        self.left -= 1 if move == "one" else 2
        if self.left:
            self.next()
        else:
            self.end([int(seat == self.actor) for seat in range(2)], "taken")

PLUGIN = simple_game(Take, "take", title="Take", players=(2, 2))
"""
BROKEN = """
from engine.plugin import GamePlugin

NUMBER = 7
NOTHING = GamePlugin(title="Nothing", make=lambda options: None)
RAISES = GamePlugin(title="Raises", make=lambda options: 1 / 0)
QUITS = GamePlugin(title="Quits", make=lambda options: exit(3))
NAMELESS = GamePlugin(title=None, make=lambda options: None)
"""
MODULES = {
    "sound_games": SOUND,
    "broken_games": BROKEN,
    "fails_games": "raise RuntimeError('this machine\\nwill not do')",
    "syntax_games": "def",
}
ENTRIES = {
    "absent": (
        "no_such_games:PLUGIN",
        "can't be imported: ModuleNotFoundError: No module named 'no_such_games'; if it is not yours, ask",
    ),
    "fails": (
        "fails_games:PLUGIN",
        "can't be imported: RuntimeError: this machine, at fails_games.py:1; if it is not yours, ask",
    ),
    "syntax": ("syntax_games:PLUGIN", "can't be imported: SyntaxError: "),
    "hidden": ("hidden_games:PLUGIN", "can't be imported: AttributeError: module 'hidden_games' has no attribute 'PLUGIN'; the folder "),
    "number": ("broken_games:NUMBER", "is not a GamePlugin: broken_games:NUMBER is of type int; ask its author"),
    "nothing": ("broken_games:NOTHING", "can't be created: its 'make' returned NoneType, not a Game; ask its author"),
    "raises": ("broken_games:RAISES", "can't be created: ZeroDivisionError: division by zero, at broken_games.py:6; ask its author"),
    "exits": ("broken_games:QUITS", "can't be created: SystemExit: 3, at broken_games.py:7; ask its author"),
    "nameless": (
        "broken_games:NAMELESS",
        "is not a GamePlugin: 'title' must be a string and 'make' a function or reference; ask its author",
    ),
}
"""Names of games, with what brings each and what is said of it."""
TAKEN = {"tongiaki": "broken_games:NUMBER", "take": "broken_games:NUMBER", "two:parts": "broken_games:NUMBER"}


def write_packages(folder: Path) -> None:
    """Write the packages ``sound`` and ``wrong`` into a folder."""
    for module, code in MODULES.items():
        (folder / f"{module}.py").write_text(code, encoding="utf-8")
    (folder / "hidden_games").mkdir()
    _describe(folder, "sound", {"take": "sound_games:PLUGIN"})
    _describe(folder, "wrong", {name: target for name, (target, _) in ENTRIES.items()} | TAKEN)


def _describe(folder: Path, package: str, games: dict[str, str]) -> None:
    about = folder / f"{package}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = [f"{name} = {target}" for name, target in games.items()]
    (about / "entry_points.txt").write_text("\n".join(["[tile_arena.games]", *lines, ""]))


registry = vars(engine.registry)["_registry"]


@pytest.fixture(autouse=True)
def _packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    write_packages(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    before = set(sys.modules)
    registry.cache_clear()
    yield
    registry.cache_clear()
    for module in set(sys.modules) - before:
        if module.endswith("_games"):
            del sys.modules[module]


@pytest.mark.parametrize("name", ENTRIES)
def test_a_game_that_does_not_work_is_one_sentence(name: str) -> None:
    with pytest.raises(GameError) as caught:
        find_game(name)
    sentence = str(caught.value)
    assert sentence.startswith(f"the game '{name}' of wrong 1.0 {ENTRIES[name][1]}")
    assert "\n" not in sentence


def test_a_name_that_is_taken_keeps_its_first_game_and_that_is_said() -> None:
    assert find_game("tongiaki").name == "tongiaki"
    assert find_game("take").name == "take"
    assert problems() == (
        "the game 'take' of wrong 1.0 is ignored: sound 1.0 already provides a game of that name",
        "the game 'tongiaki' of wrong 1.0 is ignored: tile-arena 0.1.0 already provides a game of that name",
        "the game 'two:parts' of wrong 1.0 is ignored: a game's name must be printable text without a colon",
    )


def test_the_list_of_games_shows_them_all_and_what_is_wrong() -> None:
    result = CliRunner().invoke(app, ["game", "list"], prog_name="arena")
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) <= 80
    rows = {line.split()[0]: " ".join(line.split()) for line in result.stdout.splitlines()}
    assert rows["take"] == "take Take 2 sound 1.0"
    assert rows["tongiaki"] == "tongiaki Tongiaki 2-6 tile-arena 0.1.0"
    assert rows["number"] == "number does not work wrong 1.0"
    assert len(result.stderr.splitlines()) == len(ENTRIES) + 3
    assert all(line.startswith("error: the game '") for line in result.stderr.splitlines())


ROOT = Path(__file__).parents[2]

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

PINS = [line.split("==") for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines() if "==" in line]

PROMISED = [
    f"{line.removeprefix('Programming Language :: Python :: ')}.{patch}"
    for line in PROJECT["classifiers"]
    if line.startswith("Programming Language :: Python :: 3.")
    for patch in (0, 2)  # 3.11.2 is Debian 12's
]


def installed(name: str, version: str) -> str | None:
    """Return which Pythons a version says that it needs, if it is the installed one."""
    try:
        found = distribution(name)
    except PackageNotFoundError:
        return None
    if found.version != version:
        return None
    return (found.metadata.get_all("Requires-Python") or [""])[0]


@pytest.mark.parametrize("python", PROMISED)
def test_every_pinned_version_takes_every_promised_python(python):
    said = {name: installed(name, version) for name, version in PINS}
    known = {name: needed for name, needed in said.items() if needed is not None}
    assert len(known) > 60, f"only {len(known)} of the pinned versions are installed, so this proves nothing"
    assert {name: needed for name, needed in known.items() if python not in SpecifierSet(needed)} == {}


GAMES = tuple(sorted(each.name for each in registered() if each.package == OWN))

NAME = re.compile("|".join(map(re.escape, GAMES)), re.IGNORECASE)

EXEMPT = {
    "arena/cli/app.py": "lists the command of puzzles, which is one game's",
    "pyproject.toml": "entry points, a keyword, and contracts on the imports of the games' own modules",
    "setup.py": "the folders that are not compiled, the adapter of a library among them",
}
"""Sources that may name a game, and why."""


def sources() -> list[str]:
    """The paths of all sources, but for the games' own."""
    files = [path for folder in ("engine", "bots", "leaderboard", "arena") for path in (ROOT / folder).rglob("*")]
    paths = [path.relative_to(ROOT) for path in [*files, ROOT / "setup.py", ROOT / "pyproject.toml"]]
    return sorted(
        path.as_posix() for path in paths if path.suffix in {".py", ".js", ".css", ".html", ".toml"} and not is_own(path.as_posix())
    )


def is_own(path: str) -> bool:
    return any(part.startswith(GAMES) for part in PurePosixPath(path).parts)


def python_code(text: str) -> Iterator[tuple[int, str]]:
    """The tokens with their lines, without comments and without strings that are statements of their own."""
    tokens = [each for each in tokenize.generate_tokens(io.StringIO(text).readline) if each.type not in {tokenize.COMMENT, tokenize.NL}]
    begins = {tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING}
    for index, token in enumerate(tokens):
        is_statement = token.type == tokenize.STRING and tokens[index + 1].type == tokenize.NEWLINE
        if is_statement and (index == 0 or tokens[index - 1].type in begins):
            continue
        yield token.start[0], token.string


COMMENTS = {
    ".js": r"/\*.*?\*/|(?<![:\"'])//[^\n]*",
    ".css": r"/\*.*?\*/",
    ".html": r"<!--.*?-->|\{#.*?#\}",
    ".toml": r"(?m:^[ \t]*#[^\n]*$)",
}


def other_code(text: str, suffix: str) -> Iterator[tuple[int, str]]:
    """The lines with their numbers, without comments."""
    bare = re.sub(COMMENTS[suffix], lambda comment: "\n" * comment[0].count("\n"), text, flags=re.DOTALL)
    yield from enumerate(bare.splitlines(), start=1)


def named(text: str, suffix: str) -> list[tuple[int, str]]:
    """The places of code that name a game."""
    if not NAME.search(text):
        return []
    code = python_code(text) if suffix == ".py" else other_code(text, suffix)
    return [(line, words) for line, words in code if NAME.search(words)]


def test_no_source_names_a_game() -> None:
    searched = [path for path in sources() if path not in EXEMPT]
    assert len(searched) > 300
    places = [(path, *place) for path in searched for place in named((ROOT / path).read_text(encoding="utf-8"), Path(path).suffix)]
    assert not places, "\n".join(f"{path}:{line}: {words.strip():.120}" for path, line, words in places)


@pytest.mark.parametrize("path", list(EXEMPT))
def test_what_is_exempt_has_a_reason_to_be(path: str) -> None:
    assert named((ROOT / path).read_text(encoding="utf-8"), Path(path).suffix), f"{path} names no game any more: delete its entry"
