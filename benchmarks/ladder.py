"""Measures the driver's CPU time, and whether a ladder keeps its workers busy even if some bots sleep, compute for a long time or crash.

python -m benchmarks.ladder [--only NAME] [--warm S] [--seconds S] [--ray] [--json FILE]

Bots are files in separate processes (L0) that play two-player matches on two workers. The window begins after ``--warm`` seconds, during
which the ladder's rules take effect. ``busy`` is the fraction of the workers' wall time in which they played matches; ``driver`` is this
process's CPU time per match; ``pause`` is the longest time without a result. A newcomer, already checked, joins when the window begins.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from time import perf_counter, process_time
from typing import Final

from arena.entries.bot_check import CheckTerms, check_bot
from arena.play.executors.base import Answer, Item, Job, Pause, Played, Task, Tickets
from arena.play.executors.batch_executor import BatchExecutor
from arena.play.executors.process_executor import ProcessExecutor
from arena.play.executors.ray_executor import RayExecutor
from arena.run.ladder_entry import enter
from arena.run.runner import run_prepared
from arena.spec.spec import make_spec
from arena.tournament import prepare
from benchmarks.common import Figure, arguments, report
from bots.host.player_pool import PlayerPool
from bots.limits import Level
from bots.loader.loading import identify
from engine.records import MatchResult
from leaderboard.storage.store import Store

WORKERS: Final = 2
QUICK: Final = "        pass"
SLEEPER: Final = "        time.sleep(0.3)"
HOG: Final = "        end = time.process_time() + 0.1\n        while time.process_time() < end: pass"
SLOW: Final = HOG.replace("0.1", "0.4")
CRASHER: Final = "        raise RuntimeError"
SOURCE: Final = "import time\n\nclass Bot:\n    def choose(self, view, clock):\n{}\n        return view.legal_moves[0]\n"


class Watched:
    """An executor that records when batches arrived, and how long their matches took."""

    def __init__(self, executor: BatchExecutor) -> None:
        self._executor = executor
        self.batches: list[tuple[float, float, int]] = []
        """For each batch: when it arrived, the total seconds of its matches, and the number of matches."""
        self.driver: list[tuple[float, float]] = []

    @property
    def description(self) -> str:
        """The description of the executor."""
        return self._executor.description

    def run(self, job: Job, tickets: Tickets) -> Iterator[list[Played]]:
        """Yield the batches of the executor, and record each of them."""
        for results in self._executor.run(job, tickets):
            if results:
                seconds = [each.seconds for each in results if isinstance(each, MatchResult)]
                self.batches.append((perf_counter(), sum(seconds), len(results)))
                self.driver.append((perf_counter(), process_time()))
            yield results

    def work(self, task: Task[Item, Answer], items: Iterator[Item | Pause]) -> Iterator[list[Answer]]:
        """Call the executor's method."""
        return self._executor.work(task, items)

    def close(self) -> None:
        """Close the executor."""
        self._executor.close()


@dataclass(frozen=True)
class Ladder:
    """The measurements in a run's window: fraction of time in matches, matches per second, milliseconds of the driver per match."""

    busy: float
    rate: float
    driver: float
    pause: float


def run(bots: Mapping[str, str], lag: int, seconds: float, warm: float, folder: Path, newcomer: str = "", *, on_ray: bool) -> Ladder:
    """Play a ladder for ``warm`` seconds, then for a window of ``seconds`` seconds, and return what was measured in the window."""
    for name, body in (*bots.items(), ("newcomer", newcomer)):
        (folder / f"{name}.py").write_text(SOURCE.format(body))
    data = {
        "name": "ladder",
        "game": "tongiaki",
        "seed": 1,
        "bots": [{"name": name, "source": f"{name}.py"} for name in bots],
        "schedule": {"format": "ladder", "tables": [2], "lag": lag},
        "clock": {"move": 0.5, "bank": 30},
    }
    path = folder / f"{len(bots)}.{lag}.db"
    executor = Watched(RayExecutor(WORKERS) if on_ray else ProcessExecutor(WORKERS))
    with closing(executor), Store.create(path) as store:
        spec = make_spec(data, "ladder")
        late = identify(str(folder / "newcomer.py"), name="newcomer")
        if newcomer:
            with PlayerPool(Level.L0) as pool:
                checked = check_bot(late, CheckTerms.of_tournament(spec), pool, seconds=10)
        joins = [late] if newcomer else []

        def is_over() -> bool:
            passed = perf_counter() - executor.batches[0][0] if executor.batches else 0.0
            while joins and passed > warm:
                enter(store, "ladder", "newcomer", "newcomer.py", joins.pop(), allow_open_seed=True)
                store.keep_speeds({late.digest: checked.match_seconds})
            return passed > warm + seconds

        prepared = prepare(spec, store, base=folder, level=Level.L0, trusted=True)
        run_prepared(prepared, executor, find_newcomer=lambda _bot: late, is_stopping=is_over)
    path.unlink()
    begin = executor.batches[0][0] + warm
    end = begin + seconds
    busy = sum(max(0.0, min(came, end) - max(came - took, begin)) for came, took, _ in executor.batches)
    matches = sum(many for came, _, many in executor.batches if begin < came <= end)
    cpu = [used for at, used in executor.driver if begin < at <= end]
    came = [begin, *(at for at, *_ in executor.batches if begin < at <= end), end]
    pause = max(after - before for before, after in pairwise(came))
    return Ladder(busy / (WORKERS * seconds), matches / seconds, 1000 * (cpu[-1] - cpu[0]) / matches, pause)


def quick(number: int) -> dict[str, str]:
    return {f"quick{each:02}": QUICK for each in range(number)}


def main() -> None:
    parser = arguments(__doc__ or "", runs=1)
    parser.add_argument("--seconds", type=float, default=15, help="the length of each run's window")
    parser.add_argument("--warm", type=float, default=60, help="seconds before the window")
    parser.add_argument("--only", help="measure only the cases whose names contain this")
    parser.add_argument("--ray", action="store_true", help="play on Ray")
    given = parser.parse_args()
    slow = {f"sleeper{each}": SLEEPER for each in range(3)}
    bad = {"sleeper": SLEEPER, "hog": HOG, "crasher": CRASHER}
    late = "12 bots and a newcomer of 0.4 s a move, lag 2"
    cases = {f"100 bots, lag {lag}": (quick(100), lag, 3.0) for lag in (1, 2)}
    cases |= {f"100 bots, 3 of them sleepers, lag {lag}": (quick(97) | slow, lag, given.warm) for lag in (1, 2)}
    cases |= {"9 bots, lag 2": (quick(9), 2, 3.0), "9 bots and a sleeper, a hog, a crasher, lag 2": (quick(9) | bad, 2, given.warm)}
    cases[late] = quick(12), 2, 3.0
    figures = []
    for name, (bots, lag, warm) in cases.items():
        if given.only and given.only not in name:
            continue
        with tempfile.TemporaryDirectory(prefix="ladder") as folder:
            found = run(bots, lag, given.seconds, warm, Path(folder), SLOW if name == late else "", on_ray=given.ray)
        for what, unit, value, wanted in (
            ("busy", "%", 100 * found.busy, ">= 95"),
            ("rate", "matches/s", found.rate, ""),
            ("driver", "ms/match", found.driver, "< 0.15"),
            ("pause", "s", found.pause, ""),
        ):
            figures.append(Figure(f"{name}: {what}", unit, value, value, value, wanted))
    report("ladder", figures, given.json)


if __name__ == "__main__":
    main()
