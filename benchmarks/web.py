"""How fast pages are on a large database: one by one, and the standings under load, with the server on one core.

python -m benchmarks.web [--runs N] [--matches 100000] [--db FILE] [--json FILE]

Results are made up, at tables of two and of four, and stored by the driver of tournaments; every match has the replay of a real one.
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
from http.client import HTTPConnection
from pathlib import Path

from arena.entries.bot_resolution import find_bots
from arena.run.runner import run_tournament
from arena.web.serving import make_server
from arena.web.settings import WebSettings
from benchmarks.common import Figure, arguments, figure_of, report
from benchmarks.storage import Prepared, samples, spec_of
from bots.sandbox.levels import Level
from engine.records import MatchResult, Ticket
from leaderboard.storage.store import Store

PAGE_MILLISECONDS, STANDINGS_A_SECOND, REPLAY_MILLISECONDS = "<= 100", ">= 200", "<= 300"
TOURNAMENT = "/t/storage"
FAULTY = 0.002
LOADERS, CONNECTIONS = 2, 4
BOTS = ("ann", "bob", "cid", "dan", "eve", "fay")


class Faulty(Prepared):
    """Prepared results in which now and then a bot has failed."""

    def result(self, ticket: Ticket, fault_share: float = FAULTY) -> MatchResult:
        """A result with scores drawn at random."""
        return super().result(ticket, fault_share)


def make_database(path: Path, matches: int) -> None:
    """A tournament of about so many matches, rated."""
    spec = spec_of([2, 4], matches)
    with Store.create(path) as store:
        run_tournament(spec, find_bots(spec, Path(), None), store, Faulty(samples(spec)), level=Level.NONE)


def serve(listener: socket.socket, settings: WebSettings) -> None:
    """The server, in a process of its own and on one core."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    make_server(settings).run([listener])


@contextmanager
def serving(db: Path, *, allow_play: bool = False, allow_submissions: bool = False) -> Iterator[int]:
    """A running server; its port."""
    settings = WebSettings(
        str(db), requests_per_minute=10**9, visitors=1000, analyses=False, allow_play=allow_play, allow_submissions=allow_submissions
    )
    with socket.create_server(("127.0.0.1", 0)) as listener:
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
    """The body of a page, unpacked by nobody."""
    connection.request("GET", address, headers={"Accept": "text/html", "Accept-Encoding": "gzip"})
    answer = connection.getresponse()
    body = answer.read()
    if answer.status != 200:
        raise SystemExit(f"{address} was answered with {answer.status}")
    return body


def timed(connection: HTTPConnection, address: str) -> float:
    """Milliseconds for a page."""
    begun = time.perf_counter()
    fetch(connection, address)
    return 1000 * (time.perf_counter() - begun)


def load(port: int, address: str, seconds: float, counts: multiprocessing.Queue[int]) -> None:
    """Ask again and again over several connections, as fast as answers come."""
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
    """Answers a second to two processes with four connections each."""
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
    """Measure and print."""
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--matches", type=int, default=100_000)
    parser.add_argument("--db", type=Path, help="make the database here, or use the one that is here")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        db = given.db or Path(folder, "web.db")
        if not db.exists():
            make_database(db, given.matches)
        with serving(db) as port:
            figures = measure_pages(port, db, given.runs)
    report(f"pages of {given.matches:,} matches", figures, given.json)


def measure_pages(port: int, db: Path, runs: int) -> list[Figure]:
    """All figures."""
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
    pages("faults", lambda: f"{TOURNAMENT}/faults")
    pages("status", lambda: f"{TOURNAMENT}/status")
    pages("matches, each another filter and page", filters)
    pages("a match, each another one", lambda: f"/m/{rng.choice(ids)}")
    pages("a replay, each another one", lambda: f"/m/{rng.choice(ids)}/replay", REPLAY_MILLISECONDS)
    figures.append(
        figure_of("standings asked for by many", "pages/s", [rate(port, TOURNAMENT) for _ in range(max(3, runs // 2))], STANDINGS_A_SECOND)
    )
    connection = HTTPConnection("127.0.0.1", port)  # the old one has been idle for too long
    size = len(fetch(connection, TOURNAMENT)) / 1000
    figures.append(figure_of("size of the standings as sent", "kB", [size]))
    return figures


if __name__ == "__main__":
    main()
