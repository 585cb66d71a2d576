"""Measures a season under load, in fast motion: 100 bots, 60 spectators, 20 uploads per hour of the season, 50,000 matches, two workers.

python -m benchmarks.season [--matches 50000] [--spectators 60] [--json FILE]

Driver, server and spectators are separate processes. Whenever the driver waits for a round, the season's clock jumps to it, and bots that
are due before it are submitted over HTTP. Every spectator opens a different page every few seconds, and half of them have a page open that
follows the ladder. Two cores are busy all the time, so the figures depend on the machine's load, which is printed as well.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import re
import socket
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from http.client import HTTPConnection
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from typing import Final

from arena.bots import BEST, choose_level
from arena.cli.run.run import find_newcomer
from arena.play.executors.process_executor import ProcessExecutor
from arena.run.runner import Summary, run_prepared
from arena.season.driver import SeasonHost, run_season
from arena.season.season_file import make_season
from arena.season.times import QuickClock
from arena.tournament import Tournament
from arena.web.serving import make_server
from arena.web.settings import WebSettings
from benchmarks.common import Figure, arguments, figure_of, report
from leaderboard.storage.people import ids_of, make_token
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import accepted, submissions

LADDER: Final = "load-open"
AUTHORS: Final = 20
HOSTS: Final = 80
EVERY: Final = timedelta(minutes=2)
UPLOADS_AN_HOUR: Final = 20
OPENS: Final = datetime(2027, 6, 21, 18, tzinfo=UTC)
PAGES: Final = (
    f"/t/{LADDER}",
    "/",
    "/season/load",
    f"/t/{LADDER}/matches",
    f"/t/{LADDER}/about",
    f"/t/{LADDER}/head-to-head",
    "/bots",
    "bot",
    "match",
)
AFTERWARDS: Final = 60.0
"""For how many seconds pages are requested after the last match, to measure the server without a driver."""
Clock = Synchronized  # a float: seconds since 1970


def now(clock: Clock[float]) -> datetime:
    """Return the season's time, which is the same in every process."""
    return datetime.fromtimestamp(clock.value, UTC)


def serve(listener: socket.socket, db: str, clock: Clock[float]) -> None:
    """Serve the season's pages, using its clock."""
    make_server(
        WebSettings(
            db,
            allow_submissions=True,
            analyses=False,
            now=partial(now, clock),
            requests_per_minute=10**9,
            visitors=1000,
            uploads_per_hour=10**6,
        )
    ).run([listener])


def get(port: int, address: str, accept: str = "text/html") -> bytes:
    """Request a page, and return its content."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=120)) as connection:
        connection.request("GET", address, headers={"Accept": accept} | ({"Accept-Encoding": "gzip"} if accept == "text/html" else {}))
        answer = connection.getresponse()
        body = answer.read()
        if answer.status not in {200, 404}:
            raise SystemExit(f"{address} was answered with {answer.status}")
        return body


BOT: Final = (Path(__file__).parents[1] / "examples" / "minimal_bot.py").read_text(encoding="utf-8")


def spectate(port: int, number: int, stop: threading.Event, times: dict[str, list[float]]) -> None:
    """Request a page every few seconds until ``stop`` is set."""
    rng = random.Random(number)
    while not stop.wait(rng.uniform(2, 8)):
        kind = rng.choice(PAGES)
        address = kind
        if kind == "match":
            listed = json.loads(get(port, f"/api/v1/tournaments/{LADDER}/matches?limit=20", "application/json") or b"{}")
            found = re.findall(r'"id": ?"([0-9a-f]+)"', json.dumps(listed))
            address = f"/m/{rng.choice(found)}" if found else "/"
        elif kind == "bot":
            address = f"/t/{LADDER}/bots/h{rng.randrange(HOSTS)}"
        begun = time.perf_counter()
        get(port, address)
        times[kind].append(1000 * (time.perf_counter() - begun))


def follow(port: int, stop: threading.Event) -> None:
    """Keep a page open that follows the ladder, until ``stop`` is set."""
    while not stop.is_set():
        with suppress(OSError), closing(HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
            connection.request("GET", f"/t/{LADDER}/events", headers={"Accept": "text/event-stream"})
            answer = connection.getresponse()
            while not stop.is_set() and answer.readline():
                pass
        stop.wait(1)


def audience(
    port: int, spectators: int, over: multiprocessing.synchronize.Event, found: multiprocessing.Queue[dict[str, list[float]]]
) -> None:
    """Run the spectators, in a separate process, until ``over`` is set."""
    stop, times = threading.Event(), defaultdict[str, list[float]](list)
    threads = [threading.Thread(target=spectate, args=(port, each, stop, times), daemon=True) for each in range(spectators)]
    threads += [threading.Thread(target=follow, args=(port, stop), daemon=True) for _ in range(spectators // 2)]
    for each in threads:
        each.start()
    over.wait()
    stop.set()
    for each in threads[:spectators]:
        each.join(130)
    found.put(dict(times))


def send(port: int, token: str, name: str, number: int) -> float:
    """Submit a bot, again and again until it is accepted; return the milliseconds of the last attempt."""
    content = f"{BOT}# version {number}\n"
    edge = "edge-of-a-part"
    fields = "".join(
        f'--{edge}\r\ncontent-disposition: form-data; name="{key}"\r\n\r\n{each}\r\n' for key, each in (("name", name), ("ladder", LADDER))
    )
    file = f'--{edge}\r\ncontent-disposition: form-data; name="file"; filename="{name}.py"\r\n\r\n{content}\r\n--{edge}--\r\n'
    headers = {"authorization": f"Bearer {token}", "content-type": f"multipart/form-data; boundary={edge}"}
    while True:
        begun = time.perf_counter()
        with closing(HTTPConnection("127.0.0.1", port, timeout=120)) as connection:
            connection.request("POST", "/api/v1/submissions", (fields + file).encode(), headers)
            answer = connection.getresponse()
            text = answer.read().decode()
        if answer.status == 202:
            return 1000 * (time.perf_counter() - begun)
        if answer.status not in {429, 503}:
            raise SystemExit(f"an upload was answered with {answer.status}: {text}")
        time.sleep(0.2)


def season_text(rounds: int) -> str:
    """Return the file of a season: a ladder of ``rounds`` rounds that accepts submissions until shortly before its end."""
    ends = OPENS + rounds * EVERY
    bots = ", ".join(f'{{ name = "h{number}", source = "random" }}' for number in range(HOSTS))
    return f"""
name = "load"
publish = {ends.isoformat()}
game = "tongiaki"
[stages.open]
opens = {OPENS.isoformat()}
freeze = {(ends - EVERY - timedelta(minutes=10)).isoformat()}
ends = {ends.isoformat()}
every = "2 min"
newest = 1
bots = [{bots}]
schedule = {{ format = "ladder", tables = [2], slow = false }}
"""


class Driver:
    """The season's clock, which all processes share, and the uploads that are due according to it."""

    def __init__(self, port: int, clock: Clock[float], tokens: dict[str, str], uploads: int) -> None:
        self.clock = QuickClock(OPENS)
        self.took: list[float] = []
        for number in range(uploads):
            moment = OPENS + number * timedelta(hours=1) / UPLOADS_AN_HOUR + timedelta(seconds=7)
            self.clock.happens.append((moment, partial(self._send, port, clock, moment, number, tokens)))

    def _send(self, port: int, clock: Clock[float], moment: datetime, number: int, tokens: dict[str, str]) -> None:
        clock.value = moment.timestamp()
        name = f"author{number % AUTHORS}"
        self.took.append(send(port, tokens[name], f"{name}bot", number))


def play(db: Path, text: str, driver: Driver, notify: Callable[[str], None]) -> float:
    """Play the season; return how many seconds it took."""
    begun = time.perf_counter()
    with closing(ProcessExecutor(2)) as executor, Store.create(db) as store:

        def play_stage(run: Tournament, may_begin: Callable[[int], bool]) -> Summary:
            find = partial(find_newcomer, run, db.parent, trusted=False)
            return run_prepared(run, executor, find_newcomer=find, may_begin=may_begin, go_on_anyway=True, notify=notify)

        host = SeasonHost(db.parent, lambda _spec: choose_level(BEST), play_stage, lambda: None, lambda _sentence: None)
        run_season(make_season(text, "load"), store, driver.clock, host)
    return time.perf_counter() - begun


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--matches", type=int, default=50_000)
    parser.add_argument("--spectators", type=int, default=60)
    given = parser.parse_args()
    rounds = max(10, given.matches // 200)  # about fifty pairs with two matches each, or twice as many while newcomers catch up
    uploads_sent = int((rounds * EVERY - EVERY - timedelta(minutes=10)) / timedelta(hours=1) * UPLOADS_AN_HOUR)
    context = multiprocessing.get_context("fork")
    clock, over, found = context.Value("d", OPENS.timestamp()), context.Event(), context.Queue()
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0), backlog=256) as listener:
        db, port = Path(folder) / "load.db", listener.getsockname()[1]
        with Store.create(db) as store:
            authors = ids_of(store, [f"author{n}" for n in range(AUTHORS)])
            tokens = {name: make_token(store, person) for name, person in authors.items()}
        processes = [context.Process(target=serve, args=(listener, str(db), clock), daemon=True)]
        processes.append(context.Process(target=audience, args=(port, given.spectators, over, found), daemon=True))
        for each in processes:
            each.start()
        driver = Driver(port, clock, tokens, uploads_sent)
        os.nice(15)  # as in deploy/arena-driver.service
        seconds, load = play(db, season_text(rounds), driver, print), os.getloadavg()[2]
        over.set()
        times: dict[str, list[float]] = found.get()
        over.clear()
        later = context.Process(target=audience, args=(port, given.spectators, over, found), daemon=True)
        later.start()
        time.sleep(AFTERWARDS)
        over.set()
        at_rest = sorted(each for kind in found.get().values() for each in kind)
        processes[0].terminate()
        with Store.read(db) as store:
            judged = [each for each in submissions(store) if each.is_over]
            entered = [each for each in accepted(store, LADDER) if each.round is not None and not each.reason]
            tournament = store.tournament(LADDER)
            assert tournament is not None
            matches, bots = store.count_matches(tournament), len(tournament.entrants)
    everything = sorted(each for kind in times.values() for each in kind)
    figures = [
        figure_of("matches", "", [matches]),
        figure_of("matches a second", "1/s", [matches / seconds]),
        figure_of("bots that played", "", [bots]),
        figure_of("pages looked at", "", [len(everything)]),
        Figure("a page, 95th percentile", "ms", _percentile(everything), everything[0], everything[-1], "<= 300"),
        Figure("the same afterwards, without a driver", "ms", _percentile(at_rest), at_rest[0], at_rest[-1]),
        figure_of("load of the machine, last quarter of an hour", "", [load]),
        *(
            Figure(f"  {kind}, 95th percentile", "ms", _percentile(sorted(each)), min(each), max(each))
            for kind, each in sorted(times.items())
        ),
        figure_of("an upload until it is accepted", "ms", driver.took),
        figure_of("uploads accepted", "", [len(driver.took)]),
        figure_of("uploads lost", "", [uploads_sent - len(entered)], "<= 0"),
        figure_of("uploads of the last hour with a verdict", "", [len(judged)]),
    ]
    report("A season under load", figures, given.json)


def _percentile(ordered: list[float]) -> float:
    return ordered[int(0.95 * (len(ordered) - 1))]


if __name__ == "__main__":
    main()
