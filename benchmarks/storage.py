"""What storage costs: the driver's time for a result, the fold beside the play and after it, looking at a large database, bytes a match.

python -m benchmarks.storage [--runs 3] [--matches 20000] [--seats 1000000] [--json FILE]
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from arena.entering import find_bots
from arena.executor import Job, play_tickets
from arena.schedule import Schedule
from arena.spec import Spec, make_spec
from arena.tournament import Progress, fold_stored, run_tournament
from bots.house import House
from bots.sandbox import Level
from engine.core import shared_ranks
from engine.records import MatchResult, Ticket
from leaderboard.folding import Fold
from leaderboard.store import Store

BOTS = [{"name": name, "source": "random"} for name in ("ann", "bob", "cid", "dan", "eve", "fay")]


def spec_of(tables: list[int], matches: int, bots: int = 6) -> Spec:
    """A round-robin of random bots of about so many matches, as many at tables of each size."""
    each: dict[str, Any] = {"name": "storage", "seed": 1, "bots": BOTS[:bots]}
    one = len(Schedule(make_spec(each | {"schedule": {"tables": tables, "blocks": 1}}, "benchmark")))
    return make_spec(each | {"schedule": {"tables": tables, "blocks": max(1, round(matches / one))}}, "benchmark")


class Prepared:
    """An executor that answers at once with results prepared beforehand, so that only the driver's time is left."""

    description = "prepared results"

    def __init__(self, samples: dict[int, MatchResult], pace: float = 0.0) -> None:
        self._samples = samples
        self._pace = pace
        self._rng = random.Random(1)
        self.made = 0.0
        """Seconds of the driver's time that went into making the results."""
        self.ended = 0.0
        """When the last result was given."""

    def run(self, job: Job, tickets: Iterator[Ticket]) -> Iterator[list[MatchResult]]:
        """Batches of 50, each not before its time if there is a ``pace`` (seconds a match)."""
        batch: list[MatchResult] = []
        began, given = perf_counter(), 0
        for ticket in tickets:
            before = process_time()
            batch.append(self._result(ticket))
            self.made += process_time() - before
            if len(batch) == 50:
                given += len(batch)
                while perf_counter() < began + given * self._pace:
                    pass
                yield batch
                batch = []
        yield batch
        self.ended = perf_counter()

    def _result(self, ticket: Ticket) -> MatchResult:
        sample = self._samples[len(ticket.seats)]
        scores = [self._rng.randrange(40) for _ in ticket.seats]
        ranks = shared_ranks([(score,) for score in scores])
        seats = tuple(
            replace(seat, bot=bot, score=score, rank=rank)
            for seat, bot, score, rank in zip(sample.seats, ticket.seats, scores, ranks, strict=True)
        )
        return replace(sample, ticket=ticket, seats=seats)

    def close(self) -> None:
        """It holds nothing."""


def samples(spec: Spec) -> dict[int, MatchResult]:
    """A match at a table of each size, played once."""
    job = Job(spec.game, spec.make_game().options, find_bots(spec, Path(), None))
    found: dict[int, MatchResult] = {}
    with House(Level.NONE) as house:
        for ticket in Schedule(spec):
            if len(ticket.seats) not in found:
                [result] = play_tickets(job, [ticket], house)
                assert isinstance(result, MatchResult)
                found[len(ticket.seats)] = result
            if len(found) == len(spec.schedule.tables):
                break
    return found


@contextmanager
def database() -> Iterator[Store]:
    """A new database."""
    with tempfile.TemporaryDirectory() as folder, Store.create(Path(folder) / "storage.db") as store:
        yield store


def driver_time(matches: int) -> float:
    """Milliseconds of the driver's own CPU time for a result at a table of 4, storing and feeding the fold included."""
    spec = spec_of([4], matches, bots=4)
    executor = Prepared(samples(spec))
    with database() as store:
        versions = find_bots(spec, Path(), None)
        began, ended = process_time(), 0.0

        def note(_progress: Progress) -> None:
            nonlocal ended
            ended = process_time()  # the last commit; then the driver only waits for the fold

        run_tournament(spec, versions, store, executor, level=Level.NONE, on_progress=note)
    return (ended - began - executor.made) / len(Schedule(spec)) * 1000


def folded_live(matches: int, pace: float) -> float:
    """Seconds from the last result to the final table, for 100,000 matches at tables of 2 to 6 that came at that pace (seconds a match)."""
    spec = spec_of([2, 3, 4, 5, 6], matches)
    executor = Prepared(samples(spec), pace)
    with database() as store:
        run_tournament(spec, find_bots(spec, Path(), None), store, executor, level=Level.NONE)
        return perf_counter() - executor.ended


def folded_after(matches: int) -> tuple[float, float]:
    """Milliseconds a match: the fold of a database that has no standings; and the fold alone, in memory."""
    spec = spec_of([2, 3, 4, 5, 6], matches)
    with database() as store:
        summary = run_tournament(spec, find_bots(spec, Path(), None), store, Prepared(samples(spec)), level=Level.NONE)
        began = perf_counter()
        fold_stored(spec, store, summary.tournament)
        stored = perf_counter() - began
        entries = list(store.entries(summary.tournament, (ticket.id for ticket in Schedule(spec))).values())
        fold = Fold({bot.name: bot.digest for bot in summary.tournament.entrants}, spec.rating.parameters)
        began = perf_counter()
        for index, entry in enumerate(entries):
            fold.add(index, entry)
        return stored / len(entries) * 1000, (perf_counter() - began) / len(entries) * 1000
