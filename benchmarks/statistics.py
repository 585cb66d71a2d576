"""How long ``arena stats`` takes, and how much memory, on made-up results of 16 bots at tables of 4: python -m benchmarks.statistics."""

from __future__ import annotations

import resource
import sys
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from time import perf_counter

import numpy as np
from sqlalchemy import insert, select

from arena.analysis.statistics import gather
from arena.tournament.scheduler import Schedule
from arena.tournament.spec import Spec, make_spec
from benchmarks.common import arguments, measure, report
from engine.records import Ticket
from leaderboard.storage.store import Entrant, Store, StoredTournament
from leaderboard.storage.tables import BOT, MATCH, RATING, SEAT, VERSION

BOTS = [f"bot-{number:02d}" for number in range(16)]
SEATS_IN_BLOCK = 1820 * 12 * 4  # line-ups, seatings, seats
REPLAY = bytes(range(256)) * 6  # about as much as a compressed replay


def make_database(path: Path, seats: int) -> int:
    """Fill a database with at least that many seats, as if they had been played; gives their number."""
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
            rows = connection.execute(select(BOT.c.name, VERSION.c.id).join(VERSION, VERSION.c.bot_id == BOT.c.id))
            versions = {row.name: row.id for row in rows}
            for tables in made_up(spec, tournament, versions):
                for table, values in zip((MATCH, SEAT, RATING), tables, strict=True):
                    connection.execute(insert(table), values)
    return 4 * tournament.total


def made_up(spec: Spec, tournament: StoredTournament, versions: dict[str, int]) -> Iterator[tuple[list[dict[str, object]], ...]]:
    """Rows of matches, seats and ratings, some thousand matches at a time; the first bots are the strongest."""
    rng = np.random.default_rng(1)
    rated = dict.fromkeys(BOTS, 0)
    now = datetime.now(UTC)
    tickets: Iterator[Ticket] = iter(Schedule(spec))
    while chunk := list(islice(tickets, 5000)):
        matches, seats, ratings = [], [], []
        for ticket in chunk:
            values = rng.gumbel(size=4) - [0.1 * BOTS.index(bot) for bot in ticket.seats]
            ranks = ((-values).argsort().argsort() + 1).tolist()
            matches.append(
                {"id": ticket.id, "tournament_id": tournament.id, "players": 4, "block": ticket.block, "rotation": ticket.rotation}
                | {"seed": ticket.seed, "block_key": ticket.block_key, "end": "waters", "decisions": 140, "seconds": 0.1}
                | {"digest": "", "replay": REPLAY, "isolation": "none", "finished": now}
            )
            for seat, (bot, rank) in enumerate(zip(ticket.seats, ranks, strict=True)):
                rated[bot] += 1
                seats.append(
                    {"match_id": ticket.id, "seat": seat, "bot_version_id": versions[bot], "score": 30 - 5 * rank, "rank": rank}
                    | {"decisions": 35, "seconds": 0.05, "cpu_seconds": 0.04, "peak_memory": 4_000_000}
                )
                ratings.append(
                    {"tournament_id": tournament.id, "bot_version_id": versions[bot], "number": rated[bot], "match_id": ticket.id}
                    | {"mu": 25.0, "sigma": 1.0}
                )
        yield matches, seats, ratings


def seconds(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


def main() -> None:
    parser = arguments(__doc__ or "")
    parser.add_argument("--seats", type=int, default=1_000_000, help="how many seats of matches to make up")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made-up.db"
        number = make_database(path, given.seats)
        print(f"{number} seats made up", file=sys.stderr)
        with Store.read(path) as store:
            tournament = store.tournament()
            assert tournament is not None
            figures = [measure(f"all statistics of {number:,} seats", "s", given.runs, lambda: seconds(lambda: gather(store, tournament)))]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    figures.append(measure("peak memory", "MiB", 1, lambda: peak, "< 1024"))
    report("Statistics", figures, given.json)


if __name__ == "__main__":
    main()
