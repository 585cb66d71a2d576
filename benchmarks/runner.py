"""How well a tournament uses the machine: one worker against four, and long schedules.

python -m benchmarks.runner [--runs 3] [--json FILE]
"""

from __future__ import annotations

import tempfile
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter
from typing import Any

from arena.entering import find_bots
from arena.executor import Executor, InlineExecutor, Job, play_tickets
from arena.ray_executor import RayExecutor
from arena.schedule import Schedule
from arena.spec import Spec, make_spec
from arena.tournament import run_tournament
from benchmarks.common import arguments, figure_of, report
from bots.house import House
from bots.sandbox import Level
from engine.records import Ticket
from leaderboard.store import Store


def spec_of(name: str, bots: list[str], tables: list[int], blocks: int) -> Spec:
    """A round-robin of Tongiaki."""
    data: dict[str, Any] = {"name": name, "seed": 1, "bots": bots, "schedule": {"tables": tables, "blocks": blocks}}
    return make_spec(data, "benchmark")


def matches_a_second(executor: Executor, blocks: int) -> float:
    """A whole tournament of greedy against spoiler (about 85 ms a match), stored and rated."""
    spec = spec_of("speed", ["greedy", "spoiler"], [2], blocks)
    versions = find_bots(spec, Path(), None)
    with tempfile.TemporaryDirectory() as folder, Store.create(Path(folder) / "speed.db") as store:
        began = perf_counter()
        run_tournament(spec, versions, store, executor, level=Level.NONE)
        return len(Schedule(spec)) / (perf_counter() - began)


def long_schedule(blocks: int) -> tuple[float, float]:
    """Seconds until the first hundred tickets of a schedule are there, and its memory at most, in KB."""
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


def bare_processes(processes: int, blocks: int) -> float:
    """Matches a second of the same work in bare processes, without Ray, store and ratings: what the machine itself can do."""
    spec = spec_of("speed", ["greedy", "spoiler"], [2], blocks)
    job = Job(spec.game, {}, find_bots(spec, Path(), None))
    tickets = list(Schedule(spec))
    shares = [tickets[number::processes] for number in range(processes)]
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        list(pool.map(play_share, [(job, share[:1]) for share in shares]))  # every process has imported everything
        began = perf_counter()
        list(pool.map(play_share, [(job, share) for share in shares]))
        return len(tickets) / (perf_counter() - began)


def play_share(share: tuple[Job, list[Ticket]]) -> int:
    """Play some tickets in a process of their own; gives how many."""
    with House(Level.NONE) as house:
        return len(play_tickets(*share, house))


def ray_run(workers: int, blocks: int) -> float:
    """Matches a second of a tournament on that many Ray workers, once they have warmed up."""
    executor = RayExecutor(workers)
    try:
        matches_a_second(executor, 4 * workers)
        return matches_a_second(executor, blocks)
    finally:
        executor.close()


def main() -> None:
    """Measure and report. Runs of all kinds take turns, so that a change in the machine's own speed meets all of them."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--blocks", type=int, default=40, help="blocks (of two matches) for one worker; as many for each more")
    given = parser.parse_args()
    kinds: dict[str, Callable[[], float]] = {"inline": lambda: matches_a_second(InlineExecutor(), given.blocks)}
    for workers in (1, 2, 4):
        kinds[f"Ray, {workers} workers"] = lambda workers=workers: ray_run(workers, given.blocks * workers)
        kinds[f"bare processes, {workers}"] = lambda workers=workers: bare_processes(workers, given.blocks * workers)
    speeds: dict[str, list[float]] = {kind: [] for kind in kinds}
    for _ in range(given.runs):
        for kind, once in kinds.items():
            speeds[kind].append(once())
    figures = [figure_of(kind, "matches/s", values, "") for kind, values in speeds.items()]
    for top, bottom, wanted in (
        ("Ray, 4 workers", "Ray, 1 workers", ">= 3.4"),
        ("bare processes, 4", "bare processes, 1", ""),
        ("Ray, 4 workers", "bare processes, 4", ""),
    ):
        ratios = [one / other for one, other in zip(speeds[top], speeds[bottom], strict=True)]
        figures.append(figure_of(f"{top} / {bottom}", "times", ratios, wanted))
    for blocks in (100, 62_500):
        tickets = 16 * blocks
        runs = [long_schedule(blocks) for _ in range(given.runs)]
        figures.append(figure_of(f"schedule of {tickets:,}: first tickets", "s", [seconds for seconds, _ in runs], "< 1"))
        figures.append(figure_of(f"schedule of {tickets:,}: memory", "KB", [peak for _, peak in runs], "the same"))
    report("Runner", figures, given.json)


if __name__ == "__main__":
    main()
