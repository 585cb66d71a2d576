"""Measures a long tournament from its first match to its last: the driver's memory, the speed of matches, and the delay of ratings.

Matches are really played: random bots in process, two players, on Ray workers, stored and rated as by ``arena run``.

python -m benchmarks.long_run [--matches 100000] [--workers 4] [--json FILE]
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from arena.bots import find_bots
from arena.formats.schedule import Schedule
from arena.play.executors.ray_executor import RayExecutor
from arena.run.runner import Progress, run_tournament
from arena.spec.spec import make_spec
from benchmarks.common import Figure, arguments, report
from benchmarks.processes import cpu_seconds, resident_mib
from bots.limits import Level
from leaderboard.storage.store import Store

BOTS = [{"name": name, "source": "random"} for name in ("ann", "bob", "cid", "dan", "eve", "fay")]
PARTS = 100
"""How many points are recorded in a run: with 100,000 matches, one after every thousand."""


@dataclass(frozen=True)
class Point:
    """The state of a run after a number of matches: the time, the driver's CPU time and the CPU time of all processes, in seconds.

    ``behind`` is how many results are missing from the stored standings; ``memory`` is the driver's memory in MiB.
    """

    matches: int
    seconds: float
    driver: float
    all_cpu: float
    memory: float
    behind: int


class Watch:
    """Records a point whenever the next part of the matches is stored."""

    def __init__(self, total: int) -> None:
        self.points: list[Point] = []
        self._step = max(1, total // PARTS)
        self._began = (perf_counter(), process_time(), sum(cpu_seconds().values()))

    def see(self, progress: Progress) -> None:
        """Record a point if it is time; this must be called with every progress report."""
        last = self.points[-1].matches if self.points else 0
        if progress.stored // self._step == last // self._step:
            return
        seats = sum(rated.number for rated in progress.table)
        began, driver, cpu = self._began
        point = Point(
            progress.stored,
            perf_counter() - began,
            process_time() - driver,
            sum(cpu_seconds().values()) - cpu,
            resident_mib(),
            progress.stored - seats // 2,
        )
        self.points.append(point)
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{point.matches:,} matches, {point.seconds:.0f} s, {point.memory:.0f} MiB, {point.behind} behind ")


def run(matches: int, workers: int) -> tuple[list[Point], float, int]:
    """Run about this many matches; return the points, the seconds from the last result to the table, and the bytes of the database."""
    data: dict[str, Any] = {"name": "long", "game": "tongiaki", "seed": 1, "bots": BOTS}
    one = len(Schedule(make_spec(data | {"schedule": {"tables": [2], "blocks": 1}}, "benchmark")))
    spec = make_spec(data | {"schedule": {"tables": [2], "blocks": max(1, -(-matches // one))}}, "benchmark")
    versions = find_bots(spec, Path(), None)
    total = len(Schedule(spec))
    with tempfile.TemporaryDirectory() as folder, closing(RayExecutor(workers)) as executor:
        path = Path(folder) / "long.db"
        with Store.create(path) as store:
            watch = Watch(total)
            last = 0.0

            def note(progress: Progress) -> None:
                nonlocal last
                last = perf_counter()
                watch.see(progress)

            summary = run_tournament(spec, versions, store, executor, level=Level.NONE, on_progress=note)
            left = perf_counter() - last
        assert summary.is_complete
        return watch.points, left, path.stat().st_size // total


def figures_of(points: list[Point], left: float, size: int) -> list[Figure]:
    """Return the figures of a run. The first parts, during which Ray starts its workers, are left out of comparisons."""
    speeds = _rates([point.seconds for point in points], points)
    cpu = _rates([point.all_cpu for point in points], points)
    driver = _rates([point.driver for point in points], points)
    memory = [point.memory for point in points]
    tenth = max(1, len(points) // 10)
    return [
        _figure("matches", "matches/s", [1 / each for each in speeds]),
        _figure("CPU of a match", "ms", [1000 * each for each in cpu]),
        _figure("the driver's part of it", "ms", [1000 * each for each in driver], "< 0.2"),
        _figure(f"last / first {points[-1].matches // PARTS:,} matches: rate", "times", [speeds[0] / speeds[-1]]),
        _figure("last / first tenth: time of a match", "times", [_last_to_first(speeds, tenth)]),
        _figure("last / first tenth: CPU of a match", "times", [_last_to_first(cpu, tenth)], "< 1.05"),
        _figure("last / first tenth: driver", "times", [_last_to_first(driver, tenth)]),
        _figure("memory of the driver", "MiB", memory),
        _figure("memory of the driver, at most", "MiB", [max(memory)], "< 300"),
        _figure("standings lag behind by", "matches", [float(point.behind) for point in points]),
        _figure("last result to final table", "s", [left], "< 10"),
        _figure("the database", "bytes a match", [float(size)]),
    ]


def _rates(values: list[float], points: list[Point]) -> list[float]:
    """Return how much a value grows per match, from point to point, starting when the workers have warmed up."""
    return [
        (value - before) / (one.matches - other.matches)
        for value, before, one, other in zip(values[2:], values[1:], points[2:], points[1:], strict=False)
    ]


def _last_to_first(rates: list[float], tenth: int) -> float:
    return statistics.median(rates[-tenth:]) / statistics.median(rates[:tenth])


def _figure(name: str, unit: str, values: list[float], wanted: str = "") -> Figure:
    return Figure(name, unit, statistics.median(values), min(values), max(values), wanted)


def main() -> None:
    parser = arguments(__doc__ or "", runs=1)
    parser.add_argument("--matches", type=int, default=100_000, help="about how many matches to play")
    parser.add_argument("--workers", type=int, default=4, help="Ray workers")
    given = parser.parse_args()
    points, left, size = run(given.matches, given.workers)
    report(f"A run of {points[-1].matches:,} matches", figures_of(points, left, size), given.json)
    if given.json is not None:
        whole = json.loads(given.json.read_text()) | {"points": [asdict(point) for point in points]}
        given.json.write_text(json.dumps(whole, indent=2) + "\n")


if __name__ == "__main__":
    main()
