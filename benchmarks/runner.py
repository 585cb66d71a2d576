"""How well a tournament uses the machine: one worker against four, the driver's own time, and long schedules.

python -m benchmarks.runner [--runs 3] [--json FILE]
"""

from __future__ import annotations

import tempfile
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from arena.executor import Executor, InlineExecutor, Job, play_tickets
from arena.ray_executor import RayExecutor
from arena.schedule import Schedule
from arena.spec import Spec, make_spec, resolve_bots
from arena.tournament import new_fold, rated_result, run_tournament
from benchmarks.common import Figure, arguments, measure, report
from engine.records import MatchResult, Ticket
from leaderboard.store import Store


def spec_of(name: str, bots: list[str], tables: list[int], blocks: int) -> Spec:
    """A round-robin of Tongiaki."""
    data: dict[str, Any] = {"name": name, "seed": 1, "bots": bots, "schedule": {"tables": tables, "blocks": blocks}}
    return make_spec(data, "benchmark")


def matches_a_second(executor: Executor, blocks: int) -> float:
    """A whole tournament of greedy against spoiler (about 60 ms a match), stored and rated."""
    spec = spec_of("speed", ["greedy", "spoiler"], [2], blocks)
    versions = resolve_bots(spec, Path())
    with tempfile.TemporaryDirectory() as folder, Store.create(Path(folder) / "speed.db") as store:
        began = perf_counter()
        run_tournament(spec, versions, store, executor)
        return len(Schedule(spec)) / (perf_counter() - began)


class Prepared:
    """An executor that answers at once with a result prepared beforehand, so that only the driver's time is left."""

    description = "prepared results"

    def __init__(self, sample: MatchResult) -> None:
        self._sample = sample

    def run(self, job: Job, tickets: Iterator[Ticket]) -> Iterator[list[MatchResult]]:
        """Batches of 50."""
        batch: list[MatchResult] = []
        for ticket in tickets:
            seats = tuple(replace(seat, bot=name) for seat, name in zip(self._sample.seats, ticket.seats, strict=True))
            batch.append(replace(self._sample, ticket=ticket, seats=seats))
            if len(batch) == 50:
                yield batch
                batch = []
        yield batch

    def close(self) -> None:
        """It holds nothing."""


def driver_time() -> tuple[float, float]:
    """Milliseconds a match that the driver takes, without TrueSkill; and TrueSkill's own."""
    spec = spec_of("driver", ["random", "greedy", "spoiler", "bots.reference.random:Random"], [4], 1000)
    versions = resolve_bots(spec, Path())
    schedule = Schedule(spec)
    sample = play_tickets(Job(spec.game, {}, versions), [next(iter(schedule))])[0]
    with tempfile.TemporaryDirectory() as folder, Store.create(Path(folder) / "driver.db") as store:
        began = process_time()
        run_tournament(spec, versions, store, Prepared(sample))
        whole = process_time() - began
    fold = new_fold(spec)
    began = process_time()
    for index, ticket in enumerate(schedule):
        seats = tuple(replace(seat, bot=name) for seat, name in zip(sample.seats, ticket.seats, strict=True))
        fold.add(index, rated_result(ticket.id, ticket.block, seats))
    rating = process_time() - began
    return (whole - rating) / len(schedule) * 1000, rating / len(schedule) * 1000


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


def main() -> None:
    """Measure and report."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--blocks", type=int, default=60, help="blocks of the tournament on one worker; four times as many on four")
    given = parser.parse_args()
    figures: list[Figure] = [measure("inline", "matches/s", given.runs, lambda: matches_a_second(InlineExecutor(), given.blocks // 2))]
    medians = {}
    for workers in (1, 2, 4):
        executor = RayExecutor(workers)
        blocks = given.blocks * workers
        figure = measure(f"Ray, {workers} workers", "matches/s", given.runs, lambda e=executor, b=blocks: matches_a_second(e, b))
        executor.close()
        medians[workers] = figure.median
        figures.append(figure)
    for workers in (2, 4):
        ratio = medians[workers] / medians[1]
        figures.append(Figure(f"{workers} workers to one", "times", ratio, ratio, ratio, ">= 3.4" if workers == 4 else ""))
    driver = [driver_time() for _ in range(given.runs)]
    figures.append(measure_given("driver, without TrueSkill, 4 seats", "ms a match", [own for own, _ in driver], "< 0.5"))
    figures.append(measure_given("TrueSkill, 4 seats", "ms a match", [rating for _, rating in driver], ""))
    for blocks in (100, 62_500):
        tickets = 16 * blocks
        runs = [long_schedule(blocks) for _ in range(given.runs)]
        figures.append(measure_given(f"schedule of {tickets:,}: first tickets", "s", [seconds for seconds, _ in runs], "< 1"))
        figures.append(measure_given(f"schedule of {tickets:,}: memory", "KB", [peak for _, peak in runs], "the same"))
    report("Runner", figures, given.json)


def measure_given(name: str, unit: str, values: list[float], wanted: str) -> Figure:
    """The figure of values measured already."""
    given = iter([values[0], *values])
    return measure(name, unit, len(values), lambda: next(given), wanted)


if __name__ == "__main__":
    main()
