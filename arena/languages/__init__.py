"""Templates for bots in languages other than Python: folders that ``arena new --language`` copies (docs/wasm.md, docs/protocol.md).

Each folder contains the bot, a ``bot.toml`` with the command that builds it and, for WebAssembly, a file with the interface to the host.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from importlib.resources import files


class Language(StrEnum):
    """A language for which there is a template; the value is the name of the template's folder."""

    C = "c"
    """C, compiled to WebAssembly."""
    RUST = "rust"
    """Rust, compiled to WebAssembly."""
    C_PROGRAM = "c-program"
    JAVASCRIPT = "javascript"


def starting_files(language: Language) -> Iterator[tuple[str, str]]:
    """Yield the name and content of each file of the language's template, sorted by name."""
    folder = files(__name__) / language
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.is_file() and not file.name.startswith("."):
            yield file.name, file.read_text(encoding="utf-8")


def build_command(language: Language) -> str:
    """Return the command in ``bot.toml`` that builds the bot in its folder, or an empty string if there is none."""
    said = re.search(r"^#     (.+)$", dict(starting_files(language))["bot.toml"], re.MULTILINE)
    return said[1] if said else ""
