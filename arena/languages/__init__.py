"""Templates of WebAssembly bots in other languages: folders that ``arena new --language`` copies (docs/wasm.md).

Each has the bot itself, one file with its interface to the host, and a ``bot.toml`` that says how it is built.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from importlib.resources import files


class Language(StrEnum):
    """A language, by the name of its folder."""

    ASSEMBLYSCRIPT = "assemblyscript"
    C = "c"
    GO = "go"
    RUST = "rust"
    ZIG = "zig"


def starting_files(language: Language) -> Iterator[tuple[str, str]]:
    """The names and texts of the files that a bot in this language begins with, sorted by name."""
    folder = files(__name__) / language
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.is_file() and not file.name.startswith("."):
            yield file.name, file.read_text(encoding="utf-8")


def build_command(language: Language) -> str:
    """The command in ``bot.toml`` that builds the bot in its folder."""
    said = re.search(r"^#     (.+)$", dict(starting_files(language))["bot.toml"], re.MULTILINE)
    assert said is not None
    return said[1]
