"""Seasons that are played in fast motion in one process, by a clock that jumps from one event to the next."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Final

from arena.cli.run.run import find_newcomer
from arena.play.executors.base import Executor, InlineExecutor
from arena.run.runner import Summary, find_finished, run_prepared
from arena.season.driver import SeasonHost, run_season
from arena.season.entry import check_arrival, hand_in
from arena.season.season_file import make_season
from arena.season.stages import Season
from arena.season.times import QuickClock
from arena.tournament import Tournament
from bots.limits import Level
from bots.loader.loading import identify
from bots.loader.version import pack
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import Submission, submit
from tests.world import person

MADE_UP: Final = '''
import random


class Bot:
    """Version {number} of an author's bot, which plays at random."""

    def start(self, info):
        self.rng = random.Random(info.seed + {number})

    def choose(self, view, clock):
        return view.legal_moves.random(self.rng)
'''

SEASON = """\
name = "cup"
publish = 2027-06-29T18:00:00Z
game = "tongiaki"

[stages.open]
opens = 2027-06-21T18:00:00Z
freeze = 2027-06-21T20:00:00Z
ends = 2027-06-21T22:00:00Z
every = "1 h"
newest = 1
replays = 2027-06-24T18:00:00Z
bots = ["random", "greedy"]
schedule = { format = "ladder", tables = [2] }

[stages.final]
opens = 2027-06-22T18:00:00Z
enter = { from = "open", best = 2 }
results = 2027-06-29T18:00:00Z
bots = ["spoiler"]
schedule = { tables = [2], until = { places = 1, budget = 24 } }
"""
"""A ladder of four rounds whose replays are hidden, and a final whose results are."""


def at(text: str) -> datetime:
    """A time in UTC, of June 2027, such as ``21 18:30:00``."""
    day, _, clock = text.partition(" ")
    return datetime.fromisoformat(f"2027-06-{day}T{clock}+00:00")


class QuickSeason:
    """A season in a database of its own. What ``happens`` is done when the clock reaches its time."""

    def __init__(self, folder: Path, text: str = SEASON, executor: Executor | None = None) -> None:
        self.folder = folder
        self.db = folder / "season.db"
        self.season: Season = make_season(text, "season.toml")
        self.clock = QuickClock(self.season.stages[0].opens)
        self.said: list[str] = []
        self.level = Level.NONE
        self.is_trusted = True
        self._executor = executor or InlineExecutor()
        self._happens: list[tuple[datetime, int, Callable[[], object]]] = []

    def when(self, moment: datetime, action: Callable[[], object]) -> None:
        """Have something done at that time; what is for the same time is done in the order in which it was asked for."""
        self._happens.append((moment, len(self._happens), action))
        self.clock.happens = [
            (time, what) for time, _, what in sorted(self._happens, key=lambda each: each[:2]) if time > self.clock.moment
        ]

    @contextmanager
    def store(self) -> Iterator[Store]:
        """The database, open for writing beside its run."""
        with Store.join(self.db) as store:
            yield store

    def run(self, until: datetime | None = None, publish: Callable[[], object] = lambda: None) -> bool:
        """Run the season, until a time if one is given; return whether it is over."""
        with Store.create(self.db) as store:
            is_stopping = (lambda: False) if until is None else (lambda: self.clock.moment >= until)
            host = SeasonHost(
                self.folder, lambda _spec: self.level, self._play, publish, self.said.append, is_stopping, is_trusted=self.is_trusted
            )
            return run_season(self.season, store, self.clock, host)

    def _play(self, run: Tournament, may_begin: Callable[[int], bool]) -> Summary:
        find = partial(find_newcomer, run, self.folder, trusted=self.is_trusted)
        return find_finished(run) or run_prepared(
            run, self._executor, find_newcomer=find, may_begin=may_begin, notify=self.said.append, go_on_anyway=True
        )

    def hand_in(self, author: str, name: str, version: int, moment: datetime, stage: str = "open") -> Submission:
        """Hand in a bot that plays at random, as one that has passed its check. Raises ClosedError."""
        ladder = f"{self.season.name}-{stage}"
        file = self.folder / f"{name}.py"
        file.write_text(MADE_UP.format(number=version))
        with self.store() as store:
            check_arrival(store, ladder, moment)
            read = identify(str(file), name=name)
            submission = submit(store, name, read.digest, person(store, author), pack(read), ladder=ladder, sent=moment)
            hand_in(store, submission, read)
            return submission


def digests(db: Path) -> dict[str, tuple[str, str]]:
    """The digests of results and ratings in the final seal of each tournament."""
    with Store.read(db) as store:
        found = {}
        for name in store.tournament_names():
            tournament = store.tournament(name)
            assert tournament is not None
            link = store.sealed(tournament.id)
            assert link is not None
            assert link.body.is_final
            assert link.body.run is not None
            found[name] = link.body.run.results, link.body.run.ratings
        return found
