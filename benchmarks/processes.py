"""Measures this process and its descendants: CPU time by program, and memory. It reads ``/proc``, so it requires Linux."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

_TICK = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


def _stats() -> dict[int, list[str]]:
    """Return, for each process, its name and the fields after the name in ``/proc/PID/stat``."""
    found = {}
    for folder in Path("/proc").iterdir():
        if not folder.name.isdecimal():
            continue
        try:
            text = (folder / "stat").read_text(encoding="utf-8", errors="replace")
        except (FileNotFoundError, ProcessLookupError):  # it has just ended
            continue
        name, fields = text.partition("(")[2].rsplit(")", 1)
        found[int(folder.name)] = [name, *fields.split()]
    return found


def _family(stats: dict[int, list[str]], root: int) -> Iterator[int]:
    children: dict[int, list[int]] = {}
    for number, (_, _, parent, *_) in stats.items():
        children.setdefault(int(parent), []).append(number)
    todo = [root]
    while todo:
        number = todo.pop()
        yield number
        todo += children.get(number, [])


def _program(number: int, name: str, root: int) -> str:
    if number == root:
        return "driver"
    try:
        command = Path(f"/proc/{number}/cmdline").read_bytes().decode(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return name
    if command.endswith("\0arena-worker\0"):
        return "processes"
    if command.startswith("ray::"):
        return "Ray workers"
    return "Ray itself" if "ray" in command.replace("\0", " ").lower() else name


def cpu_seconds(root: int | None = None) -> dict[str, float]:
    """Return the CPU seconds of a process (by default this one) and its descendants, by program.

    The time of a process that has ended counts towards the process that waited for it.
    """
    root = os.getpid() if root is None else root
    stats = _stats()
    spent: dict[str, float] = defaultdict(float)
    for number in _family(stats, root):
        name, *fields = stats[number]
        user, system, user_of_ended, system_of_ended = (int(field) / _TICK for field in fields[11:15])
        spent[_program(number, name, root)] += user + system
        spent["ended"] += user_of_ended + system_of_ended
    return spent


def resident_mib(number: int | None = None) -> float:
    """Return the memory in use (RSS) of a process (by default this one) in MiB."""
    pages = Path(f"/proc/{number or os.getpid()}/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * _PAGE / 2**20
