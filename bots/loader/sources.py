"""What files without a manifest seem to be, so that whoever names them is told what their ``bot.toml`` has to say.

It needs only the standard library, since the process that reads a bot's files uses it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePath, PurePosixPath
from typing import Final

COMPILED: Final = {
    "Cargo.toml": "rust",
    "go.mod": "go",
    "build.zig": "zig",
    ".rs": "rust",
    ".go": "go",
    ".zig": "zig",
    ".c": "c",
    ".cc": "c++",
    ".cpp": "c++",
    ".cxx": "c++",
}
"""Names and endings of the sources of programs, with the recipe that builds them; projects come before single files."""
INTERPRETED: Final = {".js": "node", ".mjs": "node", ".cjs": "node", ".lua": "lua", ".pl": "perl", ".rb": "ruby", ".sh": "sh"}
"""Endings of programs that another program runs."""


@dataclass(frozen=True, slots=True)
class Advice:
    """The file that looks like a source, and what a ``bot.toml`` beside it should say: ``build = "c" and command = ["./bot"]``."""

    source: str
    manifest: str


def manifest_for(files: Iterable[str]) -> Advice | None:
    """Return what the manifest of a bot of these files could say, or None if they are no sources known here."""
    tops = sorted(files, key=lambda file: (file.count("/"), file))
    for mark, recipe in COMPILED.items():
        found = next((file for file in tops if _is(file, mark)), None)
        if found is not None:
            return Advice(found[:60], f'build = "{recipe}" and command = ["./bot"]')
    for ending, program in INTERPRETED.items():
        found = next((file for file in tops if _is(file, ending)), None)
        if found is not None:
            return Advice(found[:60], f'command = ["{program}", "{found[:60]}"]')
    return None


def told_of_source(path: PurePath) -> str | None:
    """Return what is wrong with a bot that is a single source, as a sentence, or None if it is none."""
    advice = manifest_for([path.name])
    return None if advice is None else f"{path} is a source, not a bot: put it into a folder with a bot.toml that says {advice.manifest}"


def _is(file: str, mark: str) -> bool:
    path = PurePosixPath(file)
    return path.suffix == mark if mark.startswith(".") else path.name == mark
