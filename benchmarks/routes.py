"""Measures every page and response that the server returns to anybody: CPU time, bytes, and memory that remains in use.

python -m benchmarks.routes [--runs 8] [--only WORDS] [--json FILE]

*First* is the median over addresses that haven't been requested before; *again* is the median when an address is requested again; *grows*
is how much the server's memory grows per new address. The tournaments are made up, with replays of real matches of both games, including a
match with people.
"""

from __future__ import annotations

import multiprocessing
import re
import statistics
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from typing import Final
from urllib.parse import quote, urlencode

from rich.console import Console
from rich.table import Table

from arena.web.app import make_app
from arena.web.settings import WebSettings
from benchmarks.common import Figure, arguments, write_figures
from benchmarks.web import serving
from benchmarks.web_data import HUNDRED, RUNNING, SUNDA, SWISS, add_human_match, make_database, real_matches
from leaderboard.storage.play_tables import human_matches
from leaderboard.storage.store import Store

CPU_MILLISECONDS: Final = 40.0
_PART: Final = re.compile(r"\{(\w+)\}")
_PEOPLE: Final = 24
_MIDDLE: Final = 20
"""The decision at which a match is explored."""


def cpu_seconds(process: int) -> float:
    """Return the CPU time of a process, with nanosecond resolution (/proc has only hundredths of a second)."""
    return time.clock_gettime((~process << 3) | 2)


def memory(process: int) -> int:
    """Return how many bytes of memory a process uses."""
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * 4096


def fill(db: Path) -> None:
    """Fill a database with tournaments of every kind, and with Sunda matches played by people."""
    make_database(db, 24)
    with Store.join(db) as store:
        for match in real_matches("sunda", (("level", 5),), 4)[:_PEOPLE]:
            add_human_match(store, match)


def samples(db: Path) -> dict[str, list[dict[str, str]]]:
    """Return sample values for the parts of an address that are in braces, for each kind of page; for both games if they differ."""
    with Store.read(db) as store:
        found = {}
        for name, words in ((HUNDRED, "Tongiaki"), (SUNDA, "Sunda")):
            tournament = store.tournament(name)
            assert tournament is not None
            found[words] = [each.id for each in store.recent_matches(tournament, limit=60)]
            bots = [each.name for each in tournament.entrants]
        people = [each.ticket for each in human_matches(store, 100) if each.game == "sunda"]
    matches = {words: [{"match": each} for each in ids] for words, ids in [*found.items(), ("people", people)]}
    tournaments = [{"name": each} for each in (HUNDRED, SUNDA, SWISS, RUNNING)]
    of_bots = [{"bot": each, "name": SUNDA, "number": "1"} for each in bots]
    return {**matches, "": of_bots, "tournaments": tournaments}


def _filled(values: dict[str, str], part: re.Match[str]) -> str:
    return quote(values.get(part[1], "1"), safe="")


def addresses(path: str, known: dict[str, list[dict[str, str]]], table: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the kinds of addresses of a route, each with several addresses."""
    query = urlencode({"at": _MIDDLE}) if "explore" in path else ""
    if "{match}" in path:
        kinds = [(words, known[words]) for words in ("Tongiaki", "Sunda", "people")]
    elif "{table}" in path:
        kinds = [("", [{"table": table}])]
    elif "{moment}" in path or "{game}" in path:
        kinds = [("", [{"game": each, "moment": "middle"} for each in ("tongiaki", "sunda")])]
    elif path.startswith(("/t/{name}", "/api/v1/tournaments/{name}")) and "{bot}" not in path and "{number}" not in path:
        kinds = [("", known["tournaments"])]
    else:
        kinds = [("", known[""])]
    for words, values in kinds:
        made = [_PART.sub(partial(_filled, value), path) for value in values]
        yield f"{path} {words}".strip(), list(dict.fromkeys(each + (f"?{query}" if query else "") for each in made))


def routes(db: Path) -> list[str]:
    """Return the paths of all GET routes whose responses end."""
    app = make_app(WebSettings(str(db), allow_play=True, allow_submissions=True))
    paths = []
    for route in app.routes:
        candidates = getattr(route, "effective_candidates", lambda route=route: [route])()  # the routes of a nested router
        paths += [each.path for each in candidates if "GET" in (getattr(each, "methods", None) or ())]
    return [each for each in dict.fromkeys(paths) if not each.endswith("/events")]


def table_of(port: int) -> str:
    """Start a match at a table, and return the id of the table."""
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    form = {"name": "Maui", "game": "sunda", "against": "random"}
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    connection.request("POST", "/play", urlencode(form), headers)
    answer = connection.getresponse()
    answer.read()
    return (answer.getheader("location") or "").rpartition("/")[2]


def ask(connection: HTTPConnection, process: int, address: str) -> tuple[float, int, int]:
    """Request an address; return the CPU milliseconds, the bytes of the response, and its status."""
    begun = cpu_seconds(process)
    connection.request("GET", address, headers={"Accept-Encoding": "gzip"})
    answer = connection.getresponse()
    size = len(answer.read())
    return 1000 * (cpu_seconds(process) - begun), size, answer.status


def measure(db: Path, runs: int, only: str) -> list[tuple[str, int, float, float, float, float]]:
    """Return, for each kind of address: kind, status, CPU milliseconds (first, again), kilobytes, kilobytes of memory per new address."""
    known, rows = samples(db), []
    with serving(db, allow_play=True, allow_submissions=True) as port:
        process = multiprocessing.active_children()[0].pid
        assert process is not None
        table = table_of(port)
        for path in routes(db):
            for kind, asked in addresses(path, known, table):
                if only not in kind:
                    continue
                connection = HTTPConnection("127.0.0.1", port, timeout=60)
                warm_up, *others = asked[: runs + 1]
                ask(connection, process, warm_up)  # so that imports don't count
                before = memory(process)
                taken = [ask(connection, process, each) for each in others or [warm_up]]
                grown = max(0, memory(process) - before) / len(taken)
                again = statistics.median(ask(connection, process, warm_up)[0] for _ in range(runs))
                first = statistics.median(each[0] for each in taken)
                rows.append((kind, taken[-1][2], first, again, statistics.median(each[1] for each in taken) / 1000, grown / 1000))
    return rows


def main() -> None:
    parser = arguments(__doc__.splitlines()[0], runs=8)
    parser.add_argument("--db", type=Path, help="the database; it is created if the file does not exist")
    parser.add_argument("--only", default="", help="measure only addresses that contain this")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        db = given.db or Path(folder, "routes.db")
        if not db.exists():
            fill(db)
        rows = sorted(measure(db, given.runs, given.only), key=lambda row: -row[2])
    table = Table(title="CPU of each route", title_justify="left", box=None, pad_edge=False, padding=(0, 1))
    table.add_column("address")
    for header in ("status", "first ms", "again ms", "kB sent", "grows kB"):
        table.add_column(header, justify="right")
    for kind, status, first, again, size, grown in rows:
        table.add_row(kind, str(status), f"{first:.1f}", f"{again:.1f}", f"{size:.1f}", f"{grown:.0f}")
    Console(width=110).print(table)
    figures = [Figure(row[0], "ms", row[3], row[3], row[2], f"<= {CPU_MILLISECONDS:.0f}") for row in rows]
    write_figures(given.json, "CPU of each route", figures)


if __name__ == "__main__":
    main()
