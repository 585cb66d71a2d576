"""A small database with everything in it that a verification looks at: two tournaments, a forfeit, a log, a void match, submitted bots."""

from __future__ import annotations

import math
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from textwrap import dedent

from sqlalchemy import insert
from sqlmodel import SQLModel

from arena.bots import find_bots
from arena.play.executors.base import InlineExecutor, Job, Played, Tickets, take
from arena.run.orders import Reason, pause, resume
from arena.run.runner import Summary, run_tournament
from arena.spec.spec import make_spec
from arena.tournament import prepare
from arena.verification.exporter import Exporter
from arena.verification.verifier import Terms, Verdict, verify_store
from bots.loader.loading import identify
from bots.loader.version import pack
from engine.records import MatchResult, VoidMatch
from leaderboard.storage.raw_queries import read_tournaments
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import submit
from leaderboard.storage.tables import Person
from tests.world import tournament_of

ZERO = "2026-01-01 00:00:00.000000"
ANN = "person-0a0b0c0d"
ROOT = Path(__file__).parents[3]
FAILING = """
    class Failing:
        asked = 0

        def choose(self, view, clock):
            self.asked += 1
            if self.asked == 6:
                raise RuntimeError("no more")
            return view.legal_moves[0]
"""
WALKER = """
    class Walker:
        def choose(self, view, clock):
            return view.legal_moves[-1]
"""


class OneVoid(InlineExecutor):
    """The first match is void; all others are played."""

    def run(self, job: Job, tickets: Tickets) -> Iterator[list[Played]]:
        [first], _ = take(tickets, 1)
        yield [VoidMatch(first, "the machine failed")]
        yield from super().run(job, tickets)


class Talking(InlineExecutor):
    """What the bot of the first seat wrote is kept."""

    def run(self, job: Job, tickets: Tickets) -> Iterator[list[Played]]:
        for played in super().run(job, tickets):
            results = [each for each in played if isinstance(each, MatchResult)]
            yield [replace(each, seats=(replace(each.seats[0], log="to move"), *each.seats[1:])) for each in results]


def make_database(folder: Path) -> tuple[Path, list[Summary]]:
    """The database in a file of the folder, and how its runs ended."""
    return folder / "league.db", fill_database(folder, folder / "league.db")


def fill_database(folder: Path, place: Path | str) -> list[Summary]:
    """Make the database anywhere, with bots in the folder; gives how its runs ended."""
    (folder / "failing.py").write_text(dedent(FAILING))
    with Store.create(place) as store:
        with store.writing() as connection:  # with the same id whenever the database is made
            connection.execute(insert(Person).values(id=ANN, name="ann", key="ann", created=datetime.now(UTC), why=""))
        for number in (1, 2):
            (folder / "walker.py").write_text(dedent(WALKER) + "\n" * number)
            version = identify("walker.py", name="walker", base=folder)
            submit(store, "walker", version.digest, ANN, pack(version))
        bots = ["random", "walker@2", "failing.py"]
        cup = {"name": "cup", "game": "tongiaki", "seed": 5, "bots": bots, "schedule": {"tables": [2]}}
        half = {
            "name": "half",
            "game": "sunda",
            "seed": 6,
            "options": {"level": 1},
            "bots": ["random", "greedy"],
            "schedule": {"tables": [2]},
        }
        summaries = []
        for data, executor in ((cup, Talking()), (half, OneVoid())):
            spec = make_spec(data, "spec")
            summaries.append(run_tournament(spec, find_bots(spec, folder, store), store, executor))
            executor.close()
    return summaries


def full_database(league: Path, folder: Path) -> Path:
    """A database with a row in every table: that of ``make_database``, a tournament with a secret, a ladder, what people played."""
    path = Path(shutil.copy(league, folder / "league.db"))
    with Store.create(path) as store:
        hidden = {"name": "hidden", "game": "tongiaki", "bots": ["random", "greedy"], "schedule": {"tables": [2], "blocks": 1}}
        spec = make_spec(hidden, "spec")
        run_tournament(spec, find_bots(spec, folder, store), store, InlineExecutor())
        bots, schedule = ["random", "greedy"], {"format": "ladder", "tables": [2], "rounds": 1}
        spec = make_spec({"name": "steered", "game": "tongiaki", "seed": 1, "bots": bots, "schedule": schedule}, "spec")
        ladder = prepare(spec, store, find_bots(spec, folder, store)).stored
        for order in (pause, resume):
            order(store, ladder, Reason("a sentence for everybody"))
        run_tournament(spec, find_bots(spec, folder, store), store, InlineExecutor())
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO session SELECT 's', id, ? FROM person", (ZERO,))
        now = f"'{ZERO}'"
        table = f"'t1', 'tongiaki', '{{}}', 1, 'c2', '[]', '{{}}', '[]', '[]', 0, 'b', 1, 'over', '', {now}, '', {now}"
        values = f"{table}, '[]', 'waters', 3, 'd', 'none', {now}, x'00'"
        connection.execute(f"INSERT INTO play_table VALUES ({values})")  # noqa: S608  # our own values
        connection.execute("INSERT INTO season VALUES ('s', '', ?, NULL)", (ZERO,))
        connection.execute("INSERT INTO season_stage VALUES ('s-final', 's', 0, 'sha256:0', '00')")
    return path


def export(place: Path | str, bundle: Path, name: str | None = None, *, with_bots: bool = False) -> str:
    """Write the bundle of a tournament in a database; return the digest of its content."""
    with Store.read(place) as store:
        return Exporter(store, tournament_of(store, name)).write_bundle(bundle, with_bots=with_bots)


def uncovered() -> list[str]:
    """The columns that docs/verification.md lists as not covered."""
    page = (ROOT / "docs/verification.md").read_text(encoding="utf-8").partition("## What is not covered")[2]
    return [
        f"{table}.{name}"
        for tables, names in re.findall(r"^\| (`[`\w, ]+`) \| ([`\w, ]+) \| .+ \|$", page, re.MULTILINE)
        for table in re.findall(r"\w+", tables)
        for name in (SQLModel.metadata.tables[table].columns.keys() if names == "all" else re.findall(r"\w+", names))
    ]


def disagreements(place: Path | str) -> list[str]:
    """Every disagreement in a database or a bundle, as it is told."""
    verdicts, general = verify(place)
    return [*map(str, general), *(str(each) for verdict in verdicts for each in verdict.disagreements)]


def verify(place: Path | str) -> tuple[list[Verdict], list[object]]:
    """The verdicts on a database or a bundle, and what is wrong with it as a whole."""
    with Store.read_to_verify(place) as store:
        verdicts, general = verify_store(store, store.fetch(read_tournaments), InlineExecutor())
        return verdicts, list(general)


def verify_one(path: Path, terms: Terms | None = None) -> tuple[Verdict, list[str]]:
    """The verdict on the only tournament of a database or a bundle, and everything that disagrees."""
    with Store.read_to_verify(path) as store:
        [verdict], general = verify_store(store, store.fetch(read_tournaments), InlineExecutor(), terms)
    return verdict, [str(each) for each in (*general, *verdict.disagreements)]


def changed(value: object) -> object:
    """The value with one bit, one character or one unit changed."""
    if isinstance(value, int):
        return value + 1
    if isinstance(value, float):
        return math.nextafter(value, math.inf)
    if isinstance(value, bytes):
        return value[:-1] + bytes([value[-1] ^ 1]) if value else b"\x01"
    assert isinstance(value, str)
    middle = len(value) // 2
    return value[:middle] + ("1" if value[middle : middle + 1] == "0" else "0") + value[middle + 1 :]


def edits(value: object) -> Iterator[object]:
    """The value a little changed, and of other types."""
    if value is None:
        yield from (1, "", "x", b"")
        return
    yield changed(value)
    if isinstance(value, int):
        yield from (value + 99, value - 1000, float(value) + 0.5, f"x{value}", None)
    elif isinstance(value, float):
        yield from (-1.0, "x", None)
    elif isinstance(value, bytes):
        yield from (b"", value.hex(), None)
    elif isinstance(value, str):
        yield from ("", value.encode(), None, value + " ")


def update(path: Path, table: str, name: str, row: int, value: object, edited: object) -> bool:
    """Edit it; gives whether the database took it, as something else than it was."""
    with closing(sqlite3.connect(path)) as connection, connection:
        try:
            connection.execute(f'UPDATE "{table}" SET "{name}" = ? WHERE rowid = ?', (edited, row))  # noqa: S608
        except sqlite3.IntegrityError:
            return False
        found = connection.execute(f'SELECT "{name}" FROM "{table}" WHERE rowid = ?', (row,)).fetchone()  # noqa: S608
    return found is None or type(found[0]) is not type(value) or found[0] != value
