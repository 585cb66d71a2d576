"""Templates of bots in other languages: folders that ``arena new --language`` copies (docs/wasm.md, docs/protocol.md).

Each has the bot and a ``bot.toml`` that says how it is built, and for WebAssembly a file with its interface to the host.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from importlib.resources import files


class Language(StrEnum):
    """A language, by the name of its folder."""

    C = "c"
    """For WebAssembly."""
    RUST = "rust"
    """For WebAssembly."""
    C_PROGRAM = "c-program"
    JAVASCRIPT = "javascript"


def starting_files(language: Language) -> Iterator[tuple[str, str]]:
    """The names and texts of the files that a bot in this language begins with, sorted by name."""
    folder = files(__name__) / language
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.is_file() and not file.name.startswith("."):
            yield file.name, file.read_text(encoding="utf-8")


def build_command(language: Language) -> str:
    """The command in ``bot.toml`` that builds the bot in its folder; empty if it need not be built."""
    said = re.search(r"^#     (.+)$", dict(starting_files(language))["bot.toml"], re.MULTILINE)
    return said[1] if said else ""
