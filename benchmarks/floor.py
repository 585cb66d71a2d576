"""Detects what has become slower, compared with the last entry of ``ratios.jsonl`` from a similar machine.

python -m benchmarks.floor [--rounds 9] [--keep] [--file FILE]

Costs are given in runs of a fixed loop. All parts are measured in turns, in CPU time (including child processes), each between two runs of
the loop, so that a slower or busier machine affects both. A figure is the median of its rounds with its 95% interval. A part that is more
than a tenth slower, with an interval that doesn't overlap the entry's interval, is measured again; if it is slower again, it is reported,
and the exit code is 1.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
from math import comb
from pathlib import Path
from random import Random
from time import sleep

from starlette.testclient import TestClient

from arena.bots import find_bots
from arena.environments import aec
from arena.play.executors.base import InlineExecutor
from arena.play.match import play_match
from arena.run.runner import run_tournament
from arena.spec.spec import make_spec
from arena.web.app import make_app
from arena.web.settings import WebSettings
from benchmarks.web_data import CUP, make_database
from bots.host.player_pool import PlayerPool
from bots.limits import Level
from bots.loader.loading import resolve
from bots.protocol import ClockSpec
from bots.sandbox.probe import best_level
from engine import FORM, playout
from engine.core import Game
from engine.records import Ticket
from engine.registry import find_game
from leaderboard.storage.store import Store

FILE = Path(__file__).with_name("ratios.jsonl")
ROUNDS = 9
CHEAP = 8.0
"""A part that costs fewer runs of the loop than this is measured ``TURNS`` times in a round."""
TURNS = 3
TENTH = 1.1
FRESH = 0.3
"""How many seconds pages are cached: longer than creating a page takes, and shorter than the time between two requests for it."""

Work = Callable[[], None]
HOST = "testserver"


@dataclass(frozen=True)
class Ratio:
    """What a piece of work costs, in runs of the loop: the median of its rounds, and the 95% interval of the median."""

    median: float
    low: float
    high: float

    def is_slower(self, before: Ratio) -> bool:
        """Return whether the cost has grown by more than a tenth, and chance can't explain the difference."""
        return self.median > TENTH * before.median and self.low > before.high


@dataclass(frozen=True)
class Entry:
    """A line of the file: all costs at a commit, on a machine."""

    commit: str
    date: str
    machine: dict[str, str]
    ratios: dict[str, Ratio]


def ratio_of(values: Sequence[float]) -> Ratio:
    """Return the median and its interval according to the sign test, which leaves out as many values on each side as a 95% level allows."""
    ordered = sorted(values)
    left_out, outside = 0, 0.0
    while 2 * (outside := outside + comb(len(ordered), left_out) / 2 ** len(ordered)) <= 0.05:
        left_out += 1
    at = max(0, left_out - 1)
    return Ratio(round(statistics.median(ordered), 4), round(ordered[at], 4), round(ordered[-1 - at], 4))


def read_entries(path: Path) -> list[Entry]:
    """Return the file's entries, oldest first, or an empty list if there is no file. Raises ValueError for an invalid line."""
    entries = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines() if path.exists() else (), 1):
        try:
            data = json.loads(line)
            ratios = {name: Ratio(**ratio) for name, ratio in data.pop("ratios").items()}
            entries.append(Entry(**data, ratios=ratios))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ValueError(
                f"{path}: line {number} is not a valid entry ({error}); delete it, then run 'make bench QUICK=1 KEEP=1' to add one"
            ) from None
    return entries


def add_entry(path: Path, entry: Entry) -> None:
    """Append an entry to the file."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(entry)) + "\n")


def last_comparable(entries: Iterable[Entry], machine: Mapping[str, str]) -> Entry | None:
    """Return the newest entry from a machine like this one, or None if there is none."""
    return next((entry for entry in reversed([*entries]) if entry.machine == machine), None)


def this_machine() -> dict[str, str]:
    """Return what must be equal for figures to be comparable: processor, cores, Python, and the form of the engine."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    processor = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.processor())
    return {
        "processor": processor,
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {'.'.join(platform.python_version_tuple()[:2])}",
        "engine": "compiled" if FORM.is_compiled else "plain",
    }


def this_commit() -> str:
    """Return the commit that is checked out, with a plus sign if files were edited, or "none" outside a Git repository."""

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=FILE.parent, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603, S607

    try:
        return git("rev-parse", "--short=10", "HEAD") + ("+" if git("status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.CalledProcessError):  # no git, or no repository
        return "none"


def loop() -> None:
    """Do the fixed work that is the unit of cost: calls, small objects, dictionaries and strings, as in a typical Python program."""
    table: dict[int, tuple[int, str]] = {}
    for number in range(60_000):
        table[number * 7919 % 20_011] = (number, str(number))
    total = sum(one + len(text) for one, text in table.values())
    assert total > 0


def cpu_seconds(work: Work) -> float:
    """Return the CPU time of some work, including processes that it started and that have ended."""
    gc.collect()
    began = _used()
    work()
    return _used() - began


def _used() -> float:
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in both)


def measure(pieces: Mapping[str, Work], rounds: int) -> dict[str, Ratio]:
    """Measure the pieces of work in turns, after a round that is not counted."""
    first = _round(pieces, list(pieces))
    order = [name for turn in range(TURNS) for name in pieces if turn == 0 or first[name][0] < CHEAP]
    values: dict[str, list[float]] = {name: [] for name in pieces}
    for _ in range(rounds):
        for name, found in _round(pieces, order).items():
            values[name] += found
    return {name: ratio_of(each) for name, each in values.items()}


def _round(pieces: Mapping[str, Work], order: Sequence[str]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {name: [] for name in pieces}
    before = cpu_seconds(loop)
    for name in order:
        spent = cpu_seconds(pieces[name])
        after = cpu_seconds(loop)
        found[name].append(2 * spent / (before + after))
        before = after
    return found


def slower(now: Mapping[str, Ratio], entry: Entry) -> list[str]:
    """Return the names of pieces that have become slower; pieces that are missing from the entry are ignored."""
    return [name for name, ratio in now.items() if name in entry.ratios and ratio.is_slower(entry.ratios[name])]


def sentence(name: str, now: Ratio, entry: Entry) -> str:
    """Return the sentence that reports a slower piece."""
    times = [value / entry.ratios[name].median for value in (now.median, now.low, now.high)]
    return f"slower: {name} takes {times[0]:.2f} times as long ({times[1]:.2f} to {times[2]:.2f}) as at {entry.commit} of {entry.date}"


def compare(now: dict[str, Ratio], pieces: Mapping[str, Work], entry: Entry, rounds: int) -> list[str]:
    """Return a sentence for each piece that is slower, and that is also slower when it is measured again."""
    suspects = slower(now, entry)
    again = measure({name: pieces[name] for name in suspects}, rounds) if suspects else {}
    return [sentence(name, again[name], entry) for name in slower(again, entry)]


def show(now: Mapping[str, Ratio], entry: Entry | None) -> None:
    """Print all figures, compared with the entry."""
    for name, ratio in now.items():
        before = entry.ratios.get(name) if entry else None
        share = f"{ratio.median / before.median:6.2f} times the entry's" if before else ""
        print(f"{name:36} {ratio.median:8.3f} ({ratio.low:.3f} to {ratio.high:.3f}) {share}".rstrip())


def main() -> None:
    """Measure and compare; with ``--keep``, add an entry to the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="how many rounds are counted")
    parser.add_argument("--keep", action="store_true", help="add an entry with the measurements to the file")
    parser.add_argument("--file", type=Path, default=FILE, help="the file of entries; default: benchmarks/ratios.jsonl")
    given = parser.parse_args()
    try:
        entry = last_comparable(read_entries(given.file), this_machine())
    except ValueError as error:
        sys.exit(f"error: {error}")
    with tempfile.TemporaryDirectory() as folder:
        pieces = all_work(Path(folder))
        now = measure(pieces, given.rounds)
        found = compare(now, pieces, entry, given.rounds) if entry else []
    show(now, entry)
    if given.keep:
        add_entry(given.file, Entry(this_commit(), datetime.now(UTC).date().isoformat(), this_machine(), now))
        print(f"Added to {given.file}.")
    if entry is None:
        print(f"{given.file} has no entry from a machine like this one; 'make bench QUICK=1 KEEP=1' adds one for comparison.")
    elif not found:
        print(f"Apart from noise, nothing has become more than a tenth slower since {entry.commit} of {entry.date}.")
    for line in found:
        print(line)
    sys.exit(1 if found else 0)


# The pieces of work: engine, environments, sealed matches, runs and pages, each about a tenth of a second


def all_work(folder: Path) -> dict[str, Work]:
    """Return all pieces of work by name; the files they require are created in the folder."""
    tongiaki, sunda = find_game("tongiaki"), find_game("sunda", {"level": 0})
    return {
        "engine: Tongiaki, random games": partial(playouts, tongiaki, 4, 120),
        "engine: Tongiaki, moves listed": partial(listed, tongiaki, 4, 60),
        "engine: Sunda, random games": partial(playouts, sunda, 2, 12),
        "engine: Sunda, moves listed": partial(listed, sunda, 2, 5),
        "environment: Tongiaki, steps": partial(steps, "tongiaki", 2, 750),
        "environment: Sunda, steps": partial(steps, "sunda", 2, 75),
        "sealed: a sandbox and eight matches": partial(sealed, tongiaki, 8),
        "run: a tournament into a database": partial(tournament, folder),
        "start: help": partial(command, "bots --help"),
        "start: a match in process": partial(command, "match random random --game tongiaki --seed 7 --isolation none"),
        "start: a sealed match": partial(command, "match random random --game tongiaki --seed 7"),
        "start: a leaderboard": partial(command, f"leaderboard --db {played(folder)}"),
        "web: pages, each recreated": pages(folder),
    }


def playouts(game: Game, players: int, games: int) -> None:
    """Play random games with the engine's own loop."""
    rng = Random(0)
    for seed in range(games):
        playout(game.new(players, seed), rng)


def listed(game: Game, players: int, games: int) -> None:
    """Play random games with the public API, listing all legal moves at each decision."""
    rng = Random(0)
    for seed in range(games):
        state = game.new(players, seed)
        while state.actor is not None:
            moves = list(state.legal_moves)
            state.play(moves[rng.randrange(len(moves))])


def steps(game: str, players: int, number: int) -> None:
    """Make random steps in the AEC environment."""
    env = aec(game, players)
    rng = Random(0)
    seed = 0
    env.reset(seed=seed)
    for _ in range(number):
        _, _, is_over, _, info = env.last()
        if is_over:
            seed += 1
            env.reset(seed=seed)
            _, _, _, _, info = env.last()
        env.step(rng.randrange(info["legal"]))


def sealed(game: Game, matches: int) -> None:
    """Play matches of ``random`` at the best isolation level; the sandbox is closed afterwards, so that its CPU time is counted."""
    version = resolve("random")
    with PlayerPool(best_level()) as pool:
        for seed in range(matches):
            players = [pool.seat(version) for _ in range(2)]
            play_match(game, Ticket(f"{seed:016x}", ("a", "b"), 0, 0, ("a", "b"), seed), players, clock=ClockSpec())


def tournament(folder: Path) -> None:
    """Play a tournament in this process, with an empty database."""
    db = folder / "run.db"
    for path in folder.glob("run.db*"):
        path.unlink()
    data = {"name": "floor", "game": "tongiaki", "seed": 7, "bots": ["random", "greedy"], "schedule": {"tables": [2], "blocks": 3}}
    spec = make_spec(data, "floor")
    with Store.create(db) as store:
        run_tournament(spec, find_bots(spec, folder, store), store, InlineExecutor(), level=Level.NONE)


def played(folder: Path) -> Path:
    """Play a tournament, and return its database."""
    tournament(folder)
    return (folder / "run.db").rename(folder / "played.db")


def command(words: str) -> None:
    """Run a command in a separate process, from start to end."""
    program = [sys.executable, "-c", "from arena.cli import main; main()", *words.split()]
    subprocess.run(program, stdout=subprocess.DEVNULL, check=True, env={**os.environ, "NO_COLOR": "1"})  # noqa: S603  # our own


def pages(folder: Path) -> Work:
    """Create a database, and return a function that requests some of its pages when they are not in the cache."""
    db = folder / "web.db"
    make_database(db, bots=12)
    settings = WebSettings(str(db), host_names=(HOST,), fresh_seconds=FRESH, requests_per_minute=10**9, analyses=False)
    client = TestClient(make_app(settings), base_url=f"http://{HOST}", headers={"accept": "text/html"})

    def work() -> None:
        sleep(FRESH)
        for path in ("/", f"/t/{CUP}", f"/t/{CUP}/matches", f"/t/{CUP}/bracket"):
            client.get(path).raise_for_status()

    return work


if __name__ == "__main__":
    main()
