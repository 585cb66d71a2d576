"""Measures how fast pages are with a large database: one by one, and the standings under load, with the server on one core.

python -m benchmarks.web [--runs N] [--matches 100000] [--rounds 10000] [--db FILE] [--json FILE]

Results are made up, for two and four players, and stored by the driver of tournaments; every match has the replay of a real match. The
pages of a ladder with many rounds are measured with a separate database.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import socket
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from http.client import HTTPConnection
from pathlib import Path

from arena.bots import find_bots
from arena.run.host_status import find_host_status
from arena.run.runner import run_tournament
from arena.run.status import find_rounds, find_status
from arena.spec.spec import make_spec
from arena.web.serving import make_server
from arena.web.settings import WebSettings
from benchmarks.common import Figure, arguments, figure_of, measure, report
from benchmarks.storage import BOTS as BOT_ENTRIES
from benchmarks.storage import Prepared, samples, spec_of
from bots.limits import Level
from engine.records import MatchResult, Ticket
from leaderboard.storage.store import Store

PAGE_MILLISECONDS, STANDINGS_A_SECOND, REPLAY_MILLISECONDS = "<= 100", ">= 200", "<= 300"
TOURNAMENT = "/t/storage"
FAULTY = 0.002
LOADERS, CONNECTIONS = 2, 4
BOTS = ("ann", "bob", "cid", "dan", "eve", "fay")


class Faulty(Prepared):
    """Returns prepared results, in some of which a bot has failed."""

    def result(self, ticket: Ticket, fault_share: float = FAULTY) -> MatchResult:
        """Return a result with random scores."""
        return super().result(ticket, fault_share)


def make_database(path: Path, matches: int) -> None:
    """Create a database with a rated tournament of about this many matches."""
    spec = spec_of([2, 4], matches)
    with Store.create(path) as store:
        run_tournament(spec, find_bots(spec, Path(), None), store, Faulty(samples(spec)), level=Level.NONE)


def make_ladder(path: Path, rounds: int) -> None:
    """Create a database with a ladder of four bots that has been played for ``rounds`` rounds."""
    schedule = {"format": "ladder", "tables": [2], "rounds": rounds}
    spec = make_spec({"name": "ladder", "game": "tongiaki", "seed": 1, "bots": BOT_ENTRIES[:4], "schedule": schedule}, "benchmark")
    with Store.create(path) as store:
        run_tournament(spec, find_bots(spec, Path(), None), store, Faulty(samples(spec_of([2], 1))), level=Level.NONE)


def serve(listener: socket.socket, settings: WebSettings) -> None:
    """Run the server, in a separate process on one core."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    make_server(settings).run([listener])


@contextmanager
def serving(db: Path, *, allow_play: bool = False, allow_submissions: bool = False) -> Iterator[int]:
    """Start a server, and yield its port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        settings = WebSettings(
            str(db),
            requests_per_minute=10**9,
            visitors=1000,
            analyses=False,
            allow_play=allow_play,
            allow_submissions=allow_submissions,
        )
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        process = multiprocessing.get_context("fork").Process(target=serve, args=(listener, settings), daemon=True)
        process.start()
        port: int = listener.getsockname()[1]
        try:
            yield port
        finally:
            process.terminate()
            process.join()


def fetch(connection: HTTPConnection, address: str) -> bytes:
    """Return the body of a page without decompressing it."""
    connection.request("GET", address, headers={"Accept": "text/html", "Accept-Encoding": "gzip"})
    answer = connection.getresponse()
    body = answer.read()
    if answer.status != 200:
        raise SystemExit(f"{address} was answered with {answer.status}")
    return body


def timed(connection: HTTPConnection, address: str) -> float:
    """Return the milliseconds that a page takes."""
    begun = time.perf_counter()
    fetch(connection, address)
    return 1000 * (time.perf_counter() - begun)


def load(port: int, address: str, seconds: float, counts: multiprocessing.Queue[int]) -> None:
    """Request an address again and again over several connections, as fast as responses arrive."""
    connections = [HTTPConnection("127.0.0.1", port) for _ in range(CONNECTIONS)]
    headers = {"Accept": "text/html", "Accept-Encoding": "gzip"}
    until, number = time.perf_counter() + seconds, 0
    while time.perf_counter() < until:
        for connection in connections:
            connection.request("GET", address, headers=headers)
        for connection in connections:
            answer = connection.getresponse()
            answer.read()
            number += answer.status == 200
    counts.put(number)


def rate(port: int, address: str, seconds: float = 4.0) -> float:
    """Return the responses per second to two processes with four connections each."""
    context = multiprocessing.get_context("fork")
    counts: multiprocessing.Queue[int] = context.Queue()
    workers = [context.Process(target=load, args=(port, address, seconds, counts)) for _ in range(LOADERS)]
    begun = time.perf_counter()
    for worker in workers:
        worker.start()
    number = sum(counts.get() for _ in workers)
    took = time.perf_counter() - begun
    for worker in workers:
        worker.join()
    return number / took


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--matches", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=10_000, help="the number of rounds of the ladder")
    parser.add_argument("--db", type=Path, help="the database; it is created if the file does not exist")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        db = given.db or Path(folder, "web.db")
        if not db.exists():
            make_database(db, given.matches)
        with serving(db) as port:
            figures = measure_pages(port, db, given.runs)
        ladder = Path(folder, "ladder.db")
        make_ladder(ladder, given.rounds)
        with serving(ladder) as port:
            figures += measure_rounds(port, ladder, given.rounds, given.runs)
    report(f"pages of {given.matches:,} matches", figures, given.json)


def measure_pages(port: int, db: Path, runs: int) -> list[Figure]:
    connection = HTTPConnection("127.0.0.1", port, timeout=300)
    rng = random.Random(1)
    with Store.read(db) as store:
        tournament = store.tournament()
        assert tournament is not None
        ids = [match.id for match in store.recent_matches(tournament, limit=2000)]
    figures = [figure_of("the very first page of the standings, without statistics", "ms", [timed(connection, TOURNAMENT)])]
    figures.append(figure_of("the first page of a bot, statistics computed", "ms", [timed(connection, f"{TOURNAMENT}/bots/ann")]))

    def pages(name: str, address: Callable[[], str], wanted: str = PAGE_MILLISECONDS) -> None:
        figures.append(figure_of(name, "ms", [timed(connection, address()) for _ in range(10 * runs)], wanted))

    def filters() -> str:
        bot, opponent = rng.sample(BOTS, 2)
        conditions = [f"bot={bot}", f"opponent={opponent}", f"seat={rng.randrange(2)}&bot={bot}", f"players={rng.choice((2, 4))}"]
        conditions += [
            "fault=any",
            f"fault=crash&bot={bot}",
            f"block={rng.randrange(100)}",
            f"players=4&bot={bot}&opponent={opponent}&fault=crash",
        ]
        return f"{TOURNAMENT}/matches?{rng.choice(conditions)}&after={rng.choice(ids)}"

    pages("all tournaments", lambda: "/")
    pages("standings", lambda: TOURNAMENT)
    pages("head-to-head", lambda: f"{TOURNAMENT}/head-to-head")
    pages("a bot", lambda: f"{TOURNAMENT}/bots/{rng.choice(BOTS)}")
    pages("about", lambda: f"{TOURNAMENT}/about")
    pages("matches, with a different filter and page each time", filters)
    pages("a match, a different one each time", lambda: f"/m/{rng.choice(ids)}")
    pages("a replay, a different one each time", lambda: f"/m/{rng.choice(ids)}", REPLAY_MILLISECONDS)
    figures.append(figure_of("standings under load", "pages/s", [rate(port, TOURNAMENT) for _ in range(min(3, runs))], STANDINGS_A_SECOND))
    connection = HTTPConnection("127.0.0.1", port)  # the old one has been idle for too long
    size = len(fetch(connection, TOURNAMENT)) / 1000
    figures.append(figure_of("size of the standings as sent", "kB", [size]))
    return figures


def measure_rounds(port: int, db: Path, rounds: int, runs: int) -> list[Figure]:
    """Measure pages that could be slow for a ladder with many rounds: with the cache, and their queries without the cache."""
    connection = HTTPConnection("127.0.0.1", port, timeout=300)
    rng = random.Random(1)
    what, status = f"a ladder of {rounds:,} rounds", "/t/ladder/about"
    figures = []
    for name, address in (("status", status), ("rounds, a different page each time", "")):
        times = [timed(connection, address or f"{status}?before={rng.randint(2, rounds)}") for _ in range(10 * runs)]
        figures.append(figure_of(f"{what}: {name}", "ms", times, PAGE_MILLISECONDS))
    with Store.read(db) as store:
        tournament = store.tournament()
        assert tournament is not None
        reads: dict[str, Callable[[], object]] = {
            "status": lambda: find_status(store, tournament),
            "a page of rounds": lambda: find_rounds(store, tournament, rng.randint(2, rounds)),
            "the host's state": lambda: find_host_status(store, datetime.now(UTC)),
        }
        for name, read in reads.items():
            figures.append(measure(f"{what}: {name}, without the cache", "ms", 10 * runs, partial(milliseconds, read), PAGE_MILLISECONDS))
    return figures


def milliseconds(read: Callable[[], object]) -> float:
    """Return the milliseconds that a call takes."""
    begun = time.perf_counter()
    read()
    return 1000 * (time.perf_counter() - begun)


if __name__ == "__main__":
    main()
