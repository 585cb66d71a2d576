"""No source outside a game's own modules names a game in its code: what a game offers is found by its registration.

Comments and docstrings may: examples are of real games. A module is a game's own if a part of its path begins with the game's name.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest

from engine.registry import OWN, registered

ROOT = Path(__file__).parents[2]
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


@pytest.mark.parametrize(
    ("text", "suffix", "lines"),
    [
        ('"""Of {}."""\n\n# {}\nX = 1\n"""{}."""\n', ".py", []),
        ('def f():\n    """{}."""\n    return "{}"\n', ".py", [3]),
        ("from engine.{} import game\n", ".py", [1]),
        ('X = f"a {}"\nshow("""\n{}""")\n', ".py", [1, 2]),
        ("/* {}\n{} */ let a = 1; // {}\nlet b = '{}';", ".js", [3]),
        ("<!-- {} --><p>{}</p>{{# {} #}}", ".html", [1]),
        ('# {}\nname = "{}"\n', ".toml", [2]),
    ],
)
def test_the_search_finds_code_and_leaves_out_comments(text: str, suffix: str, lines: list[int]) -> None:
    for game in (GAMES[0], GAMES[-1].upper()):
        assert [line for line, _ in named(text.replace("{}", game), suffix)] == lines
