"""Measures the time and memory of ``arena stats`` for made-up four-player results of 16 bots: python -m benchmarks.statistics."""

from __future__ import annotations

import resource
import sys
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
from sqlalchemy import insert
from sqlmodel import col, select

from arena.analysis.statistics import gather
from arena.formats.schedule import Schedule
from arena.spec.spec import Spec, make_spec
from benchmarks.common import arguments, measure, report
from engine.records import Ticket
from leaderboard.ratings.fold import Folded, Total
from leaderboard.storage.store import Entrant, Store, StoredTournament
from leaderboard.storage.tables import Bot, Match, SeatRow, Version, table_of

BOTS = [f"bot-{number:02d}" for number in range(16)]
SEATS_IN_BLOCK = 1820 * 12 * 4  # line-ups, seatings, seats
REPLAY = bytes(range(256)) * 6  # about as much as a compressed replay


def make_database(path: Path, seats: int) -> int:
    """Fill a database with the results of at least ``seats`` seats, as if they had been played; return the number of seats."""
    spec = make_spec(
        {
            "name": "made-up",
            "game": "tongiaki",
            "seed": 1,
            "bots": [{"name": name, "source": "random"} for name in BOTS],
            "schedule": {"tables": [4], "blocks": -(-seats // SEATS_IN_BLOCK)},
        },
        "benchmark",
    )
    with Store.create(path) as store:
        entrants = [Entrant(name, name, "made up") for name in BOTS]
        tournament = store.add_tournament(spec.name, spec.game, spec.seed, spec.canonical(), len(Schedule(spec)), entrants)
        with store.writing() as connection:
            rows = connection.execute(select(Bot.name, Version.id).join(Version, col(Version.bot_id) == Bot.id))
            versions = {row.name: row.id for row in rows}
            for tables in made_up(spec, tournament, versions):
                for table, values in zip((table_of(Match), table_of(SeatRow)), tables, strict=True):
                    connection.execute(insert(table), values)
        store.add_results(tournament, [], made_up_standings(tournament))
    return 4 * total_of(tournament)


def total_of(tournament: StoredTournament) -> int:
    """Return how many matches the tournament has according to its format."""
    assert tournament.total is not None, "a round-robin has an end"
    return tournament.total


def made_up_standings(tournament: StoredTournament) -> Folded:
    """Return made-up standings, so that no results are left to be rated."""
    number = 4 * total_of(tournament) // len(BOTS)
    totals = tuple(Total(bot, number, 25.0, 1.0, number / 4, 2 * number, 15 * number, 0, 35 * number, 0.05 * number) for bot in BOTS)
    return Folded(total_of(tournament), totals, "")


def made_up(spec: Spec, tournament: StoredTournament, versions: dict[str, int]) -> Iterator[tuple[list[dict[str, object]], ...]]:
    """Yield rows of matches and seats, a few thousand matches at a time; the first bots are the strongest."""
    rng = np.random.default_rng(1)
    now = datetime.now(UTC)
    tickets: Iterator[Ticket] = iter(Schedule(spec))
    while chunk := list(islice(tickets, 5000)):
        matches, seats = [], []
        for ticket in chunk:
            values = rng.gumbel(size=4) - [0.1 * BOTS.index(bot) for bot in ticket.seats]
            ranks = ((-values).argsort().argsort() + 1).tolist()
            matches.append(
                {"id": ticket.id, "tournament_id": tournament.id, "players": 4, "block": ticket.block, "rotation": ticket.rotation}
                | {"seed": ticket.seed, "block_key": ticket.block_key, "end": "waters", "decisions": 140, "seconds": 0.1}
                | {"digest": "", "replay": REPLAY, "isolation": "none", "finished": now}
            )
            for seat, (bot, rank) in enumerate(zip(ticket.seats, ranks, strict=True)):
                seats.append(
                    {"match_id": ticket.id, "seat": seat, "bot_version_id": versions[bot], "score": 30 - 5 * rank, "rank": rank}
                    | {"decisions": 35, "seconds": 0.05, "cpu_seconds": 0.04, "charged_seconds": 0.045, "peak_memory": 4_000_000}
                )
        yield matches, seats


def seconds(work: Callable[[], object], clock: Callable[[], float]) -> float:
    start = clock()
    work()
    return clock() - start


def main() -> None:
    parser = arguments(__doc__ or "")
    parser.add_argument("--seats", type=int, default=1_000_000, help="how many seats the made-up matches have in total")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made-up.db"
        number = make_database(path, given.seats)
        print(f"{number} seats made up", file=sys.stderr)
        with Store.read(path) as store:
            tournament = store.tournament()
            assert tournament is not None
            clocks = {f"all statistics of {number:,} seats": perf_counter, "that, in CPU time": process_time}
            figures = [
                measure(name, "s", given.runs, lambda: seconds(lambda: gather(store, tournament), clock), "<= 10")  # noqa: B023  # called at once
                for name, clock in clocks.items()
            ]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    figures.append(measure("peak memory", "MiB", 1, lambda: peak, "< 286"))
    report("Statistics", figures, given.json)


if __name__ == "__main__":
    main()
