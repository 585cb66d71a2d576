"""A ladder with bots of two authors that print and crash, for tests of what each author may see."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlmodel import col, select, update

from arena.run.ladder_entry import enter_version
from bots.loader.loading import read_version
from bots.loader.version import pack
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import submit
from leaderboard.storage.tables import SeatLogRow
from tests.arena.web.hosting import LADDER, make_ladder, matches_of
from tests.world import person

WORDS = "the plan of {name}"
"""What a bot prints and says in its exception."""
_BOT = """
class Bot:
    def start(self, info): self.left = 3 + {number}
    def choose(self, view, clock):
        self.left -= 1
        if self.left < 0:
            raise ValueError(f"the plan of {name}, {{self.left}}")
        return view.legal_moves[0]
"""
OWNERS = {"walker": "Ana", "walker.2": "Ana", "spy": "Ben"}
"""The bots of the ladder that were submitted, with their authors. Those of Ana are two versions of one bot."""


def make_own_bots(db: Path) -> None:
    """Make the ladder after four rounds, in which all submitted bots have failed."""
    with TemporaryDirectory() as folder:
        make_ladder(db)
        with Store.join(db) as store:
            for name, author, number in (("walker", "Ana", 1), ("walker", "Ana", 2), ("spy", "Ben", 1)):
                path = Path(folder) / f"{name}.py"
                path.write_text(_BOT.format(name=name, number=number), encoding="utf-8")
                version = read_version(path, name=name, shown=path.name, most=10**6)
                kept = submit(store, name, version.digest, person(store, author), pack(version))
                assert enter_version(store, LADDER, kept, version)[0]
        make_ladder(db, rounds=6)
        for match in matches_of(db, LADDER):  # bots in this process have no log of their own
            for seat, each in enumerate(match.seats):
                if each.bot in OWNERS:
                    keep_log(db, match.id, seat, log=WORDS.format(name=each.bot.partition(".")[0]))


def keep_log(db: Path, match: str, seat: int, **more: object) -> None:
    """Add to what is kept of a seat, as of a bot in a process of its own."""
    is_it = (col(SeatLogRow.match_id) == match) & (col(SeatLogRow.seat) == seat)
    with Store.join(db) as store, store.writing() as connection:
        row = connection.execute(select(SeatLogRow.kept).where(is_it)).scalar_one()
        data = json.loads(zlib.decompress(row)) | more
        connection.execute(update(SeatLogRow).where(is_it).values(kept=zlib.compress(json.dumps(data).encode())))
