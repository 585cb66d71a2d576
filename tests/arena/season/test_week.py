"""A week of a season with thirty authors, unattended and in fast motion: uploads over HTTP, checks, stages, finals and publication."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Final

import pytest
from starlette.testclient import TestClient

from arena.play.executors.process_executor import ProcessExecutor
from arena.play.isolation import BEST, choose_level
from arena.season.driver import qualified
from arena.web.app import make_app
from arena.web.settings import CheckSettings
from arena.web.site.writer import publish_season
from bots.sandbox.levels import Level
from leaderboard.storage.seasons import season_entries
from leaderboard.storage.store import Store
from leaderboard.storage.uploads import UploadState, uploads
from tests.arena.season.quick import QuickSeason
from tests.arena.web.hosting import settings_for
from tests.people import new_token
from tests.stored import tournament_of

SEASON: Final = """\
name = "week"
zone = "Europe/Berlin"
publish = 2027-06-28 18:00:00
game = "tongiaki"

[clock]
move = 0.5
bank = 2

[stages.practice]
opens = 2027-06-21 18:00:00
freeze = 2027-06-23 18:00:00
ends = 2027-06-24 10:00:00
every = "4 h"
newest = 1
bots = ["random", { name = "second", source = "random" }]
schedule = { format = "ladder", tables = [2], slow = false }

[stages.qualification]
opens = 2027-06-24 18:00:00
freeze = 2027-06-27 18:00:00
ends = 2027-06-28 03:00:00
every = "8 h"
newest = 1
enter = { from = "practice" }
bots = ["random", { name = "second", source = "random" }]
schedule = { format = "ladder", tables = [2], slow = false }

[stages.equals]
opens = 2027-06-28 06:00:00
bots = [{ name = "e1", source = "random" }, { name = "e2", source = "random" }, { name = "e3", source = "random" }]
schedule = { tables = [2], until = { places = 1, budget = 60 } }

[stages.clear]
opens = 2027-06-28 09:00:00
bots = ["clear.py", "random", { name = "other", source = "random" }]
schedule = { tables = [2], until = { places = 1, budget = 800 } }

[stages.final]
opens = 2027-06-28 12:00:00
enter = { from = "qualification", best = 1 }
bots = ["random", { name = "other", source = "random" }]
results = 2027-06-28 18:00:00
schedule = { tables = [2], until = { places = 1, budget = 60 } }
"""
HONEST: Final = '''
import random


class Bot:
    """Takes the move that leaves it with the most points, with this chance; else any."""

    def start(self, info):
        self.rng = random.Random(info.seed)

    def choose(self, view, clock):
        if self.rng.random() >= {chance}:
            return view.legal_moves.random(self.rng)

        def points(move):
            state = view.sample(self.rng)
            state.play(move)
            return state.tally()["points"][view.seat], self.rng.random()

        return max(view.legal_moves, key=points)
'''
START: Final = "import os, random, socket, sys, time\n\n\nclass Bot:\n    def start(self, info):\n        {start}\n\n"
CHOOSE: Final = "    def choose(self, view, clock):\n        {choose}\n        return view.legal_moves.random(random.Random(1))\n"
BAD: Final = START + CHOOSE
FAILING: Final = {
    "broken": "class Bot:\n    def choose(self, view, clock)\n",
    "empty": "",
    "nothing": "x = 1\n",
    "raises": BAD.format(start="pass", choose="raise ValueError(view)"),
    "illegal": BAD.format(start="pass", choose="return 'pass'"),
    "needs": "import nothing_that_is_there\n" + BAD.format(start="pass", choose="pass"),
}
SLEEPING: Final = {
    "sleeper": BAD.format(start="pass", choose="time.sleep(60)"),
    "dozer": BAD.format(start="time.sleep(600)", choose="pass"),
}
HOSTILE: Final = {
    "loops": BAD.format(start="pass", choose="while True: pass"),
    "eats": BAD.format(start="self.all = bytearray(1 << 36)", choose="pass"),
    "forks": BAD.format(start="[os.fork() for _ in range(20)]", choose="pass"),
    "exits": BAD.format(start="pass", choose="os._exit(0)"),
    "floods": BAD.format(start="pass", choose="os.write(1, b'x' * (1 << 26))"),
    "erases": BAD.format(start="os.remove({db!r})", choose="pass"),
    "calls": BAD.format(start="socket.create_connection(('127.0.0.1', {port}), 2).send(b'x')", choose="pass"),
}
SOMETIMES: Final = BAD.format(start="self.rng = random.Random(info.seed)", choose="assert self.rng.random() > 0.0004")
"""Crashes now and then; it may pass its check."""
BIRDS: Final = ("albatross", "booby", "cormorant", "dotterel", "egret", "frigate", "gannet", "heron", "ibis", "jacana", "kagu", "lory")
SECOND = timedelta(seconds=1)


@dataclass(frozen=True)
class Sent:
    """An upload and the answer to it."""

    moment: datetime
    author: str
    status: int
    text: str


class Week:
    """The season, its server, and what was sent to it."""

    def __init__(self, folder: Path, client: TestClient, season: QuickSeason) -> None:
        self.season = season
        self.sent: list[Sent] = []
        self._client = client
        self._folder = folder
        self._tokens: dict[str, str] = {}

    def send(self, author: str, code: str, moment: datetime, stage: str) -> None:
        """Have an author send a bot of the same name at that time."""
        if author not in self._tokens:
            with self.season.store() as store:
                self._tokens[author] = new_token(store, author)
        self.season.when(moment, partial(self._send, author, code, moment, stage))

    def _send(self, author: str, code: str, moment: datetime, stage: str) -> None:
        head = {"authorization": f"Bearer {self._tokens[author]}"}
        what = {"name": author, "ladder": f"week-{stage}"}
        answer = self._client.post("/api/v1/submissions", headers=head, data=what, files={"file": (f"{author}.py", code.encode())})
        self.sent.append(Sent(moment, author, answer.status_code, answer.text))


def plan(week: Week) -> None:
    """Who sends what, and when."""
    practice, qualification = week.season.season.stages[:2]
    assert practice.freeze is not None
    assert qualification.freeze is not None
    for number in range(12):
        week.send(BIRDS[number], HONEST.format(chance=number / 40), practice.opens + number * timedelta(hours=3), "practice")
    for number, (name, code) in enumerate({**FAILING, **SLEEPING, **HOSTILE, "sometimes": SOMETIMES}.items()):
        filled = code.replace("{db!r}", repr(str(week.season.db))).replace("{port}", "9")
        week.send(name, filled, practice.opens + timedelta(hours=1, minutes=7 * number), "practice")
    week.send("raises", HONEST.format(chance=0.11), practice.opens + timedelta(hours=30), "practice")  # mends its bot
    week.send("champion", HONEST.format(chance=1.0), qualification.opens, "qualification")  # the moment it opens
    week.send("albatross", HONEST.format(chance=0.29), qualification.opens + timedelta(hours=20), "qualification")
    week.send("early", HONEST.format(chance=0.2), qualification.opens - SECOND, "qualification")
    week.send("last", HONEST.format(chance=0.21), qualification.freeze - SECOND / 1000, "qualification")
    week.send("late", HONEST.format(chance=0.22), qualification.freeze, "qualification")


@pytest.mark.slow  # plays a thousand matches in sandboxes, and checks forty bots
def test_a_week_with_thirty_authors_is_played_judged_published_and_verified(tmp_path: Path) -> None:
    if (level := choose_level(BEST)) < Level.L1:
        pytest.skip("nothing isolates hostile bots here")
    out = tmp_path / "public"
    with closing(ProcessExecutor(2)) as executor:
        (tmp_path / "clear.py").write_text(HONEST.format(chance=1.0))
        season = QuickSeason(tmp_path, SEASON, executor)
        season.level, season.is_trusted = level, False
        Store.create(season.db).close()
        checks = CheckSettings(seconds=4.0, poll=0.1)
        app = make_app(settings_for(season.db, allow_play=False, now=season.clock.now, requests_per_minute=10**6, checks=checks))
        with TestClient(app) as client:
            week = Week(tmp_path, client, season)
            plan(week)
            assert season.run(publish=partial(publish_season, str(season.db), out, season.season, season.clock.now, has_replays=False))

    freeze = season.season.stages[1].freeze
    assert freeze is not None
    refused = {each.author: each.text for each in week.sent if each.status != 202}
    assert refused.keys() == {"broken", "empty", "nothing", "early", "late"}
    assert f"closed on {season.season.show(freeze)}; this one arrived on {season.season.show(freeze)}" in refused["late"]
    assert len({each.author for each in week.sent}) == 12 + 6 + 2 + 7 + 1 + 4

    with Store.read(season.db) as store:
        judged = uploads(store)
        entered = {each.label: each for stage in ("practice", "qualification") for each in season_entries(store, f"week-{stage}")}
        final = tournament_of(store, "week-final")
        names = {each.name for each in final.entrants}
        best = qualified(store, season.season.stages[1], tournament_of(store, "week-qualification"))[0]
    verdicts = Counter(each.state for each in judged)
    assert sum(verdicts.values()) == sum(each.status == 202 for each in week.sent)
    assert verdicts.keys() <= {UploadState.ACCEPTED, UploadState.FAILED}
    accepted = {each.name for each in judged if each.state is UploadState.ACCEPTED}
    assert accepted - {"sometimes"} == {*BIRDS, "raises", "champion", "last"}
    assert {each.label for each in entered.values() if each.round is not None and not each.problem} == entered.keys()
    assert entered["last@1"].arrived == freeze - SECOND / 1000
    assert names == {best, "random", "other"}

    sentences = (out / "season" / "week.html").read_text()
    assert "Place 1 is separated at 95 %" in sentences
    assert "The budget of 60 matches is used up." in sentences
    for stage in season.season.stages:
        bundle = out / "bundles" / f"{stage.tournament}.zip"
        program = [sys.executable, "-c", "from arena.cli import main; main()", "verify", str(bundle)]
        checked = subprocess.run(program, capture_output=True, text=True, check=False)  # our own program
        assert checked.returncode == 0, checked.stdout + checked.stderr
