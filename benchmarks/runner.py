"""Measures how much of the machine a tournament leaves to its matches (on Ray, in bare processes, inline), and the cost of long schedules.

Runs of all kinds take turns. Wall times are affected by other programs, so CPU times are measured as well: the CPU time of a match in bare
processes, divided by everything that a tournament on Ray uses for it (including the driver and Ray), is the fraction that is left for
matches if all cores are busy.

python -m benchmarks.runner [--runs 3] [--seconds 6] [--json FILE]
"""

from __future__ import annotations

import tempfile
import tracemalloc
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from arena.bots import find_bots
from arena.formats.schedule import Schedule
from arena.play.executors.base import Executor, InlineExecutor, Job
from arena.play.executors.ray_executor import RayExecutor
from arena.play.match import play_tickets
from arena.run.runner import run_tournament
from arena.spec.spec import Spec, make_spec
from benchmarks.common import Figure, arguments, figure_of, report
from benchmarks.processes import cpu_seconds
from bots.host.player_pool import PlayerPool
from bots.limits import Level
from engine.records import Ticket
from leaderboard.storage.store import Store

WORKERS = (1, 2, 4)
KINDS = {"5 ms": "benchmarks.bots:Steady", "25 ms": "benchmarks.bots:Slow"}


def spec_of(name: str, bots: list[str], tables: list[int], blocks: int) -> Spec:
    """Return a Tongiaki round-robin."""
    entries = [{"name": f"bot{number}", "source": source} for number, source in enumerate(bots)]
    data: dict[str, Any] = {"name": name, "game": "tongiaki", "seed": 1, "bots": entries, "schedule": {"tables": tables, "blocks": blocks}}
    return make_spec(data, "benchmark")


@dataclass(frozen=True)
class Run:
    """The measurements of a run: matches per second of wall time, and CPU milliseconds per match, by program."""

    speed: float
    cpu: Mapping[str, float]

    @property
    def milliseconds(self) -> float:
        """CPU milliseconds per match of all programs together."""
        return sum(self.cpu.values())


def _run_of(matches: int, seconds: float, spent: Mapping[str, float]) -> Run:
    return Run(matches / seconds, {program: value / matches * 1000 for program, value in spent.items()})


def tournament(executor: Executor, bot: str, matches: int) -> Run:
    """Play a whole tournament of two-player matches of a bot against itself, stored and rated."""
    spec = spec_of("speed", [bot, bot], [2], max(1, matches // 2))
    versions = find_bots(spec, Path(), None)
    with tempfile.TemporaryDirectory() as folder, Store.create(Path(folder) / "speed.db") as store:
        before, began = cpu_seconds(), perf_counter()
        run_tournament(spec, versions, store, executor, level=Level.NONE)
        seconds = perf_counter() - began
        after = cpu_seconds()
        return _run_of(len(Schedule(spec)), seconds, {program: spent - before.get(program, 0.0) for program, spent in after.items()})


class Bare:
    """Plays the same matches in bare processes, without Ray, database and ratings: the most that the machine can do."""

    def __init__(self, processes: int) -> None:
        self._processes = processes
        self._pool = ProcessPoolExecutor(processes, mp_context=get_context("spawn"))

    def run(self, bot: str, matches: int) -> Run:
        """Play matches that are divided evenly between the processes in advance."""
        spec = spec_of("speed", [bot, bot], [2], max(1, matches // 2))
        job = Job(spec.game, {}, find_bots(spec, Path(), None))
        tickets = list(Schedule(spec))
        shares = [tickets[number :: self._processes] for number in range(self._processes)]
        began = perf_counter()
        spent = sum(self._pool.map(play_share, [(job, share) for share in shares]))
        return _run_of(len(tickets), perf_counter() - began, {"matches": spent})

    def close(self) -> None:
        """End the processes."""
        self._pool.shutdown()


def play_share(share: tuple[Job, list[Ticket]]) -> float:
    """Play tickets in a separate process; return its CPU seconds."""
    began = process_time()
    with PlayerPool(Level.NONE) as pool:
        play_tickets(*share, pool)
    return process_time() - began


def rounds(workers: int, bot: str, matches: int, runs: int) -> Iterator[tuple[Run, Run]]:
    """Yield runs in bare processes and on Ray, which take turns after both have warmed up."""
    with closing(Bare(workers)) as bare, closing(RayExecutor(workers)) as ray:
        warm = max(40, matches // 10)
        bare.run(bot, warm)
        tournament(ray, bot, warm)
        for _ in range(runs):
            yield bare.run(bot, matches), tournament(ray, bot, matches)


def throughput(runs: int, seconds: float, several: list[int]) -> list[Figure]:
    """Measure matches per second of all kinds, and compare them with bare processes."""
    found = []
    for kind, bot in KINDS.items():
        wanted = ">= 0.95" if kind == "5 ms" else ""
        alone = tournament(InlineExecutor(), bot, 60).speed
        inline = [tournament(InlineExecutor(), bot, round(alone * seconds / 2)).speed for _ in range(runs)]
        found.append(figure_of(f"inline, matches of {kind}", "matches/s", inline))
        for workers in several if kind == "5 ms" else several[-1:]:
            pairs = list(rounds(workers, bot, round(alone * workers * seconds), runs))
            name = f"{workers} worker{'s' * (workers > 1)}, {kind}"
            limit = wanted if workers == max(several) else ""
            found.append(figure_of(f"bare, {name}", "matches/s", [bare.speed for bare, _ in pairs]))
            found.append(figure_of(f"Ray, {name}", "matches/s", [ray.speed for _, ray in pairs]))
            found.append(figure_of(f"Ray / bare, {name}: wall", "times", [ray.speed / bare.speed for bare, ray in pairs], limit))
            shares = [bare.milliseconds / ray.milliseconds for bare, ray in pairs]
            found.append(figure_of(f"Ray / bare, {name}: CPU", "times", shares, limit))
            if workers == max(several):
                found += _parts(pairs, kind)
    return found


def _parts(pairs: list[tuple[Run, Run]], kind: str) -> list[Figure]:
    names = {program for _, ray in pairs for program in ray.cpu}
    parts = [figure_of(f"CPU of a match, {kind}: {name}", "ms", [ray.cpu.get(name, 0.0) for _, ray in pairs]) for name in sorted(names)]
    return [figure_of(f"CPU of a match, {kind}: bare", "ms", [bare.milliseconds for bare, _ in pairs]), *parts]


def long_schedule(blocks: int) -> tuple[float, float]:
    """Return the seconds until a schedule has created its first hundred tickets, and its maximum memory in KB."""
    spec = spec_of("long", ["random", "greedy", "spoiler", "bots.reference.random:Random"], [2, 4], blocks)
    tracemalloc.start()
    began = perf_counter()
    tickets = iter(Schedule(spec))
    for _ in range(100):
        next(tickets)
    seconds = perf_counter() - began
    peak = tracemalloc.get_traced_memory()[1] / 1024
    tracemalloc.stop()
    return seconds, peak


def main() -> None:
    parser = arguments(__doc__ or "", runs=3)
    parser.add_argument("--seconds", type=float, default=6.0, help="about how long each run takes")
    parser.add_argument("--workers", nargs="+", type=int, default=WORKERS, metavar="N", help="the numbers of workers, in ascending order")
    given = parser.parse_args()
    figures = throughput(given.runs, given.seconds, given.workers)
    for blocks in (100, 62_500):
        seen = [long_schedule(blocks) for _ in range(given.runs)]
        figures.append(figure_of(f"schedule of {16 * blocks:,}: first tickets", "s", [seconds for seconds, _ in seen], "< 1"))
        figures.append(figure_of(f"schedule of {16 * blocks:,}: memory", "KB", [peak for _, peak in seen], "< 1000"))
    report("Runner", figures, given.json)


if __name__ == "__main__":
    main()
