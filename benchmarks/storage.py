"""Measures what storage costs: the driver's time per result, the fold during and after a run, queries of a large database, and bytes.

python -m benchmarks.storage [--runs 3] [--matches 4000] [--seats 1000000] [--live 100000] [--json FILE]
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from arena.bots import find_bots
from arena.formats.schedule import Schedule
from arena.play.executors.base import InlineExecutor, Job, Tickets, take
from arena.play.match import play_tickets
from arena.run.results import recompute_standings, standings
from arena.run.runner import Progress, run_tournament
from arena.spec.spec import Spec, make_spec
from arena.tournament import Tournament, prepare
from benchmarks.common import Figure, arguments, figure_of, measure, report
from bots.host.player_pool import PlayerPool
from bots.limits import Level
from engine.core import shared_ranks
from engine.records import Fault, FaultKind, MatchResult, Ticket, VoidMatch
from leaderboard.ratings.fold import Fold, Folded, Total
from leaderboard.storage.matches import faults
from leaderboard.storage.store import Store

CRASH = Fault(FaultKind.CRASH, 17, "ValueError: no")
BOTS = [{"name": name, "source": "random"} for name in ("ann", "bob", "cid", "dan", "eve", "fay")]


def spec_of(tables: list[int], matches: int, bots: int = 6) -> Spec:
    """Return a round-robin of random bots with about this many matches, divided evenly between table sizes."""
    each: dict[str, Any] = {"name": "storage", "game": "tongiaki", "seed": 1, "bots": BOTS[:bots]}
    one = len(Schedule(make_spec(each | {"schedule": {"tables": tables, "blocks": 1}}, "benchmark")))
    return make_spec(each | {"schedule": {"tables": tables, "blocks": max(1, round(matches / one))}}, "benchmark")


class Prepared(InlineExecutor):
    """An executor that immediately returns prepared results, so that only the driver's time is measured."""

    description = "prepared results"

    def __init__(self, samples: dict[int, MatchResult]) -> None:
        super().__init__()
        self._samples = samples
        self._rng = random.Random(1)
        self.made = 0.0
        """How many seconds of the driver's time were spent on creating the results."""
        self.ended = 0.0
        """When the last result was returned."""

    def run(self, job: Job, tickets: Tickets) -> Iterator[list[MatchResult | VoidMatch]]:
        """Yield results in batches of 50, or fewer before a pause in the schedule."""
        taken, is_paused = take(tickets, 50)
        while taken or is_paused:
            before = process_time()
            batch: list[MatchResult | VoidMatch] = [self.result(ticket) for ticket in taken]
            self.made += process_time() - before
            yield batch
            taken, is_paused = take(tickets, 50)
        self.ended = perf_counter()

    def result(self, ticket: Ticket, fault_share: float = 0.0) -> MatchResult:
        """Return a result with random scores, and with faults in a fraction of the seats."""
        sample = self._samples[len(ticket.seats)]
        scores = [self._rng.randrange(40) for _ in ticket.seats]
        ranks = shared_ranks([(score,) for score in scores])
        seats = tuple(
            replace(seat, bot=bot, score=score, rank=rank, fault=CRASH if self._rng.random() < fault_share else None)
            for seat, bot, score, rank in zip(sample.seats, ticket.seats, scores, ranks, strict=True)
        )
        return replace(sample, ticket=ticket, seats=seats)


def samples(spec: Spec) -> dict[int, MatchResult]:
    """Play one match at each table size, and return the results."""
    job = Job(spec.game, spec.make_game().options, find_bots(spec, Path(), None))
    found: dict[int, MatchResult] = {}
    with PlayerPool(Level.NONE) as pool:
        for ticket in Schedule(spec):
            if len(ticket.seats) not in found:
                [result] = play_tickets(job, [ticket], pool)
                assert isinstance(result, MatchResult)
                found[len(ticket.seats)] = result
            if len(found) == len(spec.schedule.tables):
                break
    return found


@contextmanager
def database() -> Iterator[Store]:
    """Yield a new database."""
    with tempfile.TemporaryDirectory() as folder, Store.create(Path(folder) / "storage.db") as store:
        yield store


def driver_time(matches: int) -> float:
    """Return the driver's CPU milliseconds per four-player result, including storing and folding it."""
    spec = spec_of([4], matches, bots=4)
    executor = Prepared(samples(spec))
    with database() as store:
        versions = find_bots(spec, Path(), None)
        began, ended = process_time(), 0.0

        def note(_progress: Progress) -> None:
            nonlocal ended
            ended = process_time()  # the last commit; then the driver only seals what is stored

        run_tournament(spec, versions, store, executor, level=Level.NONE, on_progress=note)
    return (ended - began - executor.made) / len(Schedule(spec)) * 1000


def folded_live(matches: int) -> tuple[float, float]:
    """Return the seconds from the last result of a live run (2 to 6 players) to the final table, and for folding all stored results."""
    spec = spec_of([2, 3, 4, 5, 6], matches)
    executor = Prepared(samples(spec))
    with database() as store:
        summary = run_tournament(spec, find_bots(spec, Path(), None), store, executor, level=Level.NONE)
        live = perf_counter() - executor.ended
        began = perf_counter()
        recompute_standings(Tournament(store, summary.tournament))
        return live, perf_counter() - began


def folded_after(matches: int) -> tuple[float, float]:
    """Return CPU milliseconds per match: for folding a database without standings, and for the fold alone, in memory."""
    spec = spec_of([2, 3, 4, 5, 6], matches)
    with database() as store:
        summary = run_tournament(spec, find_bots(spec, Path(), None), store, Prepared(samples(spec)), level=Level.NONE)
        began = process_time()
        recompute_standings(Tournament(store, summary.tournament))
        stored = process_time() - began
        entries = list(store.entries(summary.tournament, (ticket.id for ticket in Schedule(spec))).values())
        fold = Fold({bot.name: bot.digest for bot in summary.tournament.entrants}, spec.rating.parameters)
        began = process_time()
        for index, entry in enumerate(entries):
            fold.add(index, entry)
        return stored / len(entries) * 1000, (process_time() - began) / len(entries) * 1000


def bytes_of_replays() -> dict[str, float]:
    """Return the mean bytes of a packed replay of random bots, for each game."""
    found = {}
    for game, seats in (("tongiaki", 4), ("sunda", 2)):
        data: dict[str, Any] = {"name": "bytes", "seed": 1, "game": game, "bots": BOTS[:seats]}
        spec = make_spec(data | {"schedule": {"tables": [seats], "blocks": 5}}, "benchmark")
        job = Job(spec.game, spec.make_game().options, find_bots(spec, Path(), None))
        with PlayerPool(Level.NONE) as pool:
            results = [result for result in play_tickets(job, list(Schedule(spec)), pool) if isinstance(result, MatchResult)]
        found[f"{game}, {seats} seats"] = sum(len(result.replay.data) for result in results) / len(results)
    return found


def fill(store: Store, seats: int) -> None:
    """Fill a database with a tournament of four-player matches, with its standings; one seat in a thousand has failed."""
    spec = spec_of([4], seats // 4, bots=6)
    executor = Prepared(samples(spec))
    tournament = prepare(spec, store, find_bots(spec, Path(), None)).stored
    tickets = iter(Schedule(spec))
    while batch := list(islice(tickets, 1000)):
        store.add_results(tournament, [executor.result(ticket, fault_share=0.001) for ticket in batch])
    each = seats // 6
    totals = tuple(Total(bot["name"], each, 25.0, 1.0, each / 4, 2 * each, 9 * each, each // 1000, 50 * each, 1.5) for bot in BOTS)
    store.add_results(tournament, [], Folded(len(Schedule(spec)), totals, ""))


def looking(seats: int, runs: int) -> list[Figure]:
    """Measure commands that query a database with ``seats`` seats, without the start of Python."""
    with database() as store:
        fill(store, seats)
        tournament = store.tournament()
        assert tournament is not None
        some = store.recent_matches(tournament, limit=1)[0].id
        kinds: dict[str, Callable[[], object]] = {
            "leaderboard": lambda: standings(store, tournament),
            "matches": lambda: store.recent_matches(tournament),
            "matches --bot": lambda: store.recent_matches(tournament, bot="fay"),
            "faults": lambda: faults(store, tournament),
            "faults --bot": lambda: faults(store, tournament, "fay"),
            "one match by the beginning of its id": lambda: store.find_match(some[:8]),
        }
        return [measure(f"{seats:,} seats: {kind}", "s", runs, partial(_seconds, once), "< 2") for kind, once in kinds.items()]


def _seconds(once: Callable[[], object]) -> float:
    began = perf_counter()
    once()
    return perf_counter() - began


def main() -> None:
    parser = arguments(__doc__ or "")
    parser.add_argument("--matches", type=int, default=4_000, help="matches for the driver's time and the fold")
    parser.add_argument("--seats", type=int, default=1_000_000, help="how many seats the large database has")
    parser.add_argument("--live", type=int, default=0, metavar="N", help="also measure a run of N prepared results")
    given = parser.parse_args()
    figures = [figure_of("driver, for a result at a table of 4", "ms", [driver_time(given.matches) for _ in range(given.runs)], "< 0.2")]
    after = [folded_after(given.matches) for _ in range(given.runs)]
    figures.append(figure_of("fold of stored results, tables of 2 to 6", "ms a match", [whole for whole, _ in after], "< 0.6"))
    figures.append(figure_of("the fold itself", "ms a match", [alone for _, alone in after]))
    if given.live:
        live, after_the_fact = folded_live(given.live)
        figures.append(figure_of(f"{given.live:,} live matches: last result to final table", "s", [live], "< 10"))
        figures.append(figure_of(f"{given.live:,} matches: all folded again", "s", [after_the_fact], "< 60"))
    figures += (figure_of(f"replay, {kind}", "bytes", [size]) for kind, size in bytes_of_replays().items())
    figures += looking(given.seats, given.runs)
    report("Storage", figures, given.json)


if __name__ == "__main__":
    main()
