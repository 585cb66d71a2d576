"""Tests that bots aren't blamed if the host stands still: programs whose processes are frozen repeatedly must produce the same results.

python -m benchmarks.standstill [--freezes 30] [--longest 120] [--seed 1] [--only NAME ...]

Tournaments with two workers, on processes and on Ray, a comparison, a rating, and a match between a person and bots run at the same time,
all with sandboxes. Two thirds of the freezes are short, and a tenth have the maximum length. The exit code is 1 if a bot failed or anything
differs from an undisturbed run.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from time import sleep

from arena.web.play.table import Room, Table
from arena.web.settings import WebSettings
from bots.loader.loading import resolve
from engine.registry import find_game
from leaderboard.storage.play_tables import Chair, StoredTable, add_table
from leaderboard.storage.store import Store

ROOT = Path(__file__).resolve().parents[1]
MINIMAL = ROOT / "examples" / "minimal_bot.py"
SPEC = f"""
name = "standstill"
game = "tongiaki"
seed = 7
bots = ["random", "greedy", "spoiler", "{MINIMAL}"]

[schedule]
tables = [2, 3]
blocks = 6
"""
ARENA = [str(Path(sys.executable).with_name("arena"))]
PROGRAMS = {
    "run": [*ARENA, "run", "cup.toml", "--db", "cup.db", "--executor", "processes", "--workers", "2"],
    "compare": [*ARENA, "compare", str(MINIMAL), "greedy", "--game", "tongiaki", "--seed", "7", "--max-blocks", "30", "--json"],
    "rate": [*ARENA, "rate", str(MINIMAL), "--game", "tongiaki", "--matches", "200", "--json"],
    "ray": [*ARENA, "run", "cup.toml", "--db", "cup.db", "--executor", "ray", "--workers", "2"],
    "table": [sys.executable, "-m", "benchmarks.standstill", "--at-table"],
}
STARTING = {"ray": 12.0}
"""For how many seconds after its start a program isn't frozen; Ray gives up if its start takes 30 s."""


def play_at_table() -> None:
    """Play a match at a table, including a person's moves; print a digest of its replay, and the faults."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "own.db"
        Store.create(path).close()
        bots = {name: resolve(name) for name in ("greedy", str(MINIMAL))}
        chairs = (Chair("me", key="key"), *(Chair(name, name, version.digest) for name, version in bots.items()))
        row = StoredTable(id="table", game="tongiaki", seed=7, ticket="0" * 16, chairs=chairs, since=datetime.now(UTC))
        with Store.join(path) as store:
            add_table(store, row)
            table = Table(row, find_game("tongiaki"), bots, Room(WebSettings(str(path), idle_seconds=60), store))
            table.start()
            asyncio.run(_play(table))
        assert table.result is not None, row.problem
        print(table.result.replay.digest, *(seat.fault for seat in table.result.seats))


async def _play(table: Table) -> None:
    match = asyncio.ensure_future(table.run("best"))
    while not match.done():
        table.attend()
        if (asked := table.look(0)).is_asked:
            table.answer(0, len(asked.news), str(asked.view.legal_moves[0]))
        await asyncio.sleep(0.02)


def told(output: str) -> str:
    """Return the part of the output that must be the same in each run: everything printed at the end, without times."""
    lines = [line for line in output.splitlines() if re.match(r"results |ratings ", line)]
    return "\n".join(lines) or re.sub(r'"[a-z_]*seconds": [0-9.e-]+', "", output)


def everyone(root: int) -> set[int]:
    """Return a process and all of its descendants."""
    parents: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
    found, new = set[int](), {root}
    while new:
        found |= new
        new = {pid for pid, parent in parents.items() if parent in found} - found
    return found


def freeze(root: int, seconds: float) -> None:
    """Stop all processes of a program, including processes created in the meantime, and continue them after ``seconds``."""
    stopped = set[int]()
    while new := everyone(root) - stopped:
        _send(new, signal.SIGSTOP)
        stopped |= new
    sleep(seconds)
    _send(stopped, signal.SIGCONT)


def _send(processes: set[int], which: signal.Signals) -> None:
    for each in processes:
        with suppress(ProcessLookupError):
            os.kill(each, which)


def start(name: str, folder: Path) -> subprocess.Popen[str]:
    """Start a program in its own folder."""
    folder.mkdir()
    (folder / "cup.toml").write_text(SPEC)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(  # noqa: S603  # this program
        PROGRAMS[name], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment, start_new_session=True
    )


def lengths(freezes: int, longest: float, random: Random) -> Iterator[float]:
    """Yield the length of each freeze in seconds, in random order."""
    bounds = [(0.5, 1.0)] * (freezes // 10) + [(0.17, 0.5)] * (freezes // 4)
    bounds += [(0.04, 0.17)] * (freezes - len(bounds))
    random.shuffle(bounds)
    for low, high in bounds:
        yield random.uniform(low, high) * longest


def try_program(name: str, folder: Path, freezes: int, longest: float, seed: int) -> bool:
    """Run a program undisturbed, then again until it has been frozen often enough; return whether its results were always the same."""
    peace = told(start(name, folder / f"{name}-0").communicate()[0])
    random = Random(seed)
    left, run, is_same = list(lengths(freezes, longest, random)), 0, True
    while left:
        run += 1
        process = start(name, folder / f"{name}-{run}")
        output = ThreadPoolExecutor(1).submit(process.communicate)
        sleep(STARTING.get(name, 0.0) + random.uniform(0.2, 4))
        frozen = []
        while left and process.poll() is None:
            frozen.append(left.pop())
            freeze(process.pid, frozen[-1])
            sleep(random.uniform(0.2, 4))
        found = told(output.result()[0])
        is_same &= found == peace
        times = ", ".join(f"{each:.0f}" for each in frozen)
        print(f"{name}: run {run}, frozen for {times} s: {'the same' if found == peace else found}", flush=True)
    return is_same


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--freezes", type=int, default=30)
    parser.add_argument("--longest", type=float, default=120.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="*", choices=PROGRAMS, default=list(PROGRAMS))
    parser.add_argument("--at-table", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.at_table:
        play_at_table()
        return
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor() as pool:
        tried = [
            pool.submit(try_program, name, Path(folder), given.freezes, given.longest, given.seed + number)
            for number, name in enumerate(given.only)
        ]
        sys.exit([each.result() for each in tried] != [True] * len(tried))


if __name__ == "__main__":
    main()
