"""Sentences as text files: a line that is not indented is a case, the lines below it are the answer; ``#`` begins a remark.

``ARENA_SNAPSHOTS=write`` in the environment writes the answers anew, to be read before they are committed.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path


def check_snapshot(path: Path, answer: Callable[[str], list[str]]) -> None:
    """Compare the answers to all cases of a file with those that it has."""
    cases: dict[str, list[str]] = {}
    lines = path.read_text(encoding="utf-8").splitlines()
    for line in lines:
        if line.startswith("    "):
            cases[list(cases)[-1]].append(line[4:])
        elif line and not line.startswith("#"):
            assert line not in cases, f"{line} is there twice"
            cases[line] = []
    found = {case: answer(case) for case in cases}
    if os.environ.get("ARENA_SNAPSHOTS") == "write":
        told = [[line, *(f"    {each}" for each in found.get(line, []))] for line in lines if not line.startswith("    ")]
        path.write_text("".join(f"{line}\n" for block in told for line in block), encoding="utf-8")
    assert found == cases
