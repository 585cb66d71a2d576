"""Measures how long writing a static site takes and how large it is, with and without replays, with one process and one per core.

python -m benchmarks.site [--matches 400] [--game tongiaki] [--db FILE] [--json FILE]

The ladder has made-up results, with replays of real two-player matches between random bots. ``--db`` measures a database of your own.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from time import perf_counter

from arena.web.static_site import SiteProgress, write_site
from benchmarks.common import Figure, arguments, report
from benchmarks.web_data import bot_names, play, spec_of
from leaderboard.storage.store import Store

BOTS = 12


def make_ladder(path: Path, game: str, matches: int) -> None:
    """Create a ladder of about this many matches; in each round, every bot plays one opponent, in both seats."""
    spec = spec_of("ladder", bot_names(BOTS), game, format="ladder", rounds=max(1, matches // BOTS))
    with Store.create(path) as store:
        play(store, spec)


def timed(db: Path, out: Path, *, has_replays: bool, processes: int | None) -> tuple[float, SiteProgress]:
    """Write a site; return the seconds, and the final progress."""
    begun = perf_counter()
    done = write_site(str(db), out, has_replays=has_replays, processes=processes)
    return perf_counter() - begun, done


def main() -> None:
    parser = arguments(__doc__.splitlines()[0], runs=1)
    parser.add_argument("--matches", type=int, default=400)
    parser.add_argument("--game", default="tongiaki")
    parser.add_argument("--db", type=Path, help="a database to measure instead")
    given = parser.parse_args()
    figures = []
    with tempfile.TemporaryDirectory() as folder:
        db = given.db or Path(folder, "ladder.db")
        if given.db is None:
            make_ladder(db, given.game, given.matches)
        with Store.read(db) as store:
            matches = len(store.find_ids("", 10**9))
        for has_replays, words in ((True, "with replays"), (False, "without replays")):
            for processes, by in ((1, "one process"), (None, "a process for each core")):
                times = []
                for _ in range(given.runs):
                    seconds, done = timed(db, Path(folder, "site"), has_replays=has_replays, processes=processes)
                    times.append(1000 * seconds / matches)
                middle = sorted(times)[len(times) // 2]
                figures.append(Figure(f"a match {words}, {by}", "ms", middle, min(times), max(times), ""))
            size = done.size / matches / 1000
            figures.append(Figure(f"a match {words}: size", "kB", size, size, size, ""))
    report(f"a site of {matches:,} matches", figures, given.json)


if __name__ == "__main__":
    main()
