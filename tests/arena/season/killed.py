"""A season whose driver and server are killed at random moments, and what came of it.

Both are programs of their own, by a clock that the test sets (``stepped``). It stands still until an upload has been taken, so the same
submissions arrive at the same times of the season, however often somebody was killed.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from time import monotonic, sleep

import httpx2

from arena.season.entry import GRACE
from arena.season.season_file import make_season
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import accepted
from leaderboard.storage.tournaments import seasons
from tests.arena.season.quick import MADE_UP, digests
from tests.arena.season.stepped import PROGRAM, VARIABLE, set_clock
from tests.world import new_token

ROOT = Path(__file__).parents[3]
PATIENCE = 600.0
LATEST = 8.0
"""The seconds after the beginning of its step within which a program is killed."""
FILE = """\
name = "cup"
publish = 2027-06-22T12:00:00Z
game = "tongiaki"

[stages.open]
opens = 2027-06-21T18:00:00Z
freeze = 2027-06-21T19:20:00Z
ends = 2027-06-21T19:50:00Z
every = "10 min"
newest = 1
secret = "open.secret"
bots = ["random", "greedy"]
schedule = { format = "ladder", tables = [2], slow = false }

[stages.final]
opens = 2027-06-21T20:00:00Z
enter = { from = "open", best = 4 }
secret = "final.secret"
schedule = { tables = [2], until = { places = 1, budget = 120 } }
"""
UPLOADS = (("Ana", 5), ("Ben", 12), ("Ana", 30), ("Cid", 31), ("Dan", 44), ("Ben", 59), ("Cid", 79))
"""Who submits, and how many minutes after the beginning; each sends a newer version of their own bot, the last in the last minute."""


@dataclass
class Killed:
    """One season and its programs, which are killed within some steps of the season, at random moments of those."""

    folder: Path
    kills: int
    moments: Random
    done: int = 0
    programs: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.folder.mkdir(exist_ok=True)
        self.db = self.folder / "season.db"
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        (self.folder / "season.toml").write_text(FILE)
        for number, name in enumerate(("open", "final")):
            (self.folder / f"{name}.secret").write_text(f"{number + 1}" * 64)
        self.clock = self.folder / "clock"
        self._lock, self._over = threading.Lock(), threading.Event()

    def play(self) -> None:
        """Play the season to its end; raise AssertionError if that does not come to pass."""
        season = make_season(FILE, "season.toml")
        first = season.stages[0]
        set_clock(self.clock, first.opens)
        with Store.create(self.db) as store:
            tokens = {who: new_token(store, who) for who in sorted({who for who, _ in UPLOADS})}
        nurse = threading.Thread(target=self._start_again)
        try:
            self._start("driver")
            self._start("server")
            nurse.start()
            self._wait(self._has_begun, "the season has not begun")
            rounds = [first.round_begins(number) + GRACE for number in range(first.rounds)]
            steps: list[tuple[datetime, str]] = [(first.opens + timedelta(minutes=after), who) for who, after in UPLOADS]
            steps += [(each, "") for each in (*rounds, season.stages[1].opens, season.publish)]
            deaths = Counter(self.moments.choices(range(len(steps)), k=self.kills))
            for number, (moment, who) in enumerate(sorted(steps)):
                set_clock(self.clock, moment)
                for _ in range(deaths[number]):
                    threading.Timer(self.moments.uniform(0, LATEST), self._kill, [self.moments.choice(["driver", "server"])]).start()
                if who:
                    self._upload(who, tokens[who], number)
                sleep(self.moments.random())
            self._wait(lambda: self.done >= self.kills and self._is_over(), "the season does not end")
        finally:
            self._over.set()
            nurse.join()
            for each in self.programs.values():
                each.kill()
                each.wait()

    def _start(self, which: str) -> None:
        words = {
            "driver": "season run season.toml --workers 1 --no-replays --isolation none",
            "server": f"serve --port {self.port} --allow-submissions --no-analyses",
        }[which].split()
        path = f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
        with (self.folder / f"{which}.log").open("ab") as log:
            self.programs[which] = subprocess.Popen(  # the program
                [*PROGRAM, *words, "--trust-bots", "--db", str(self.db)],
                cwd=self.folder,
                env=os.environ | {VARIABLE: str(self.clock), "PYTHONPATH": path},
                stdout=log,
                stderr=log,
            )

    def _kill(self, which: str) -> None:
        with self._lock:
            self.programs[which].send_signal(signal.SIGKILL)
            self.done += 1

    def _start_again(self) -> None:
        """Start whoever ends otherwise than well, as systemd does."""
        while not self._over.wait(0.1):
            with self._lock:
                for which, program in list(self.programs.items()):
                    if program.poll() not in {None, 0}:
                        self._start(which)

    def _upload(self, who: str, token: str, number: int) -> None:
        """Send a bot until it has been taken: whoever gets no answer sends it again."""
        file, head = (f"{who}.py", MADE_UP.format(number=number).encode()), {"authorization": f"Bearer {token}"}
        until = monotonic() + PATIENCE
        while monotonic() < until:
            with (
                suppress(httpx2.NetworkError, httpx2.RemoteProtocolError, httpx2.TimeoutException),
                httpx2.Client(verify=False, timeout=60) as client,
            ):  # no certificates to load
                sent = {"name": f"{who.lower()}bot", "ladder": "cup-open"}
                address = f"http://127.0.0.1:{self.port}/api/v1/submissions"
                answer = client.post(address, headers=head, files={"file": file}, data=sent)
                if answer.status_code == 202 or "exactly the same content" in answer.text:
                    return
                assert answer.status_code in {429, 503}, answer.text
            sleep(0.2)
        raise AssertionError("an upload was not taken")

    def _wait(self, is_so: Callable[[], bool], problem: str) -> None:
        until = monotonic() + PATIENCE
        while not is_so():
            assert monotonic() < until, f"{problem}: {(self.folder / 'driver.log').read_text()[-3000:]}"
            sleep(0.1)

    def _has_begun(self) -> bool:
        with Store.read(self.db) as store:
            return bool(seasons(store))

    def _is_over(self) -> bool:
        with Store.read(self.db) as store:
            return seasons(store)[0].published is not None and self.programs["driver"].poll() == 0


@dataclass(frozen=True)
class Outcome:
    """What came of a season: the digests of its tournaments, and what entered before which round."""

    digests: Mapping[str, tuple[str, str]]
    entries: tuple[tuple[str, datetime, int | None, str], ...]


def outcome(folder: Path, kills: int, seed: int) -> Outcome:
    """Play a season in a new folder, with so many kills, and check the bundles that are published in the end."""
    killed = Killed(folder, kills, Random(seed))
    killed.play()
    for name in ("cup-open", "cup-final"):
        bundle = folder / "public" / "bundles" / f"{name}.arena"
        subprocess.run([sys.executable, "-c", "from arena.cli import main; main()", "verify", str(bundle)], cwd=ROOT, check=True)
    with Store.read(killed.db) as store:
        entries = tuple((each.label, each.sent, each.round, each.reason) for each in accepted(store, "cup-open"))
    assert killed.done >= kills
    return Outcome(digests(killed.db), entries)
