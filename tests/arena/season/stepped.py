"""A clock for tests of seasons that shows what a file says, in every process; the test sets it."""

from __future__ import annotations

import os
import sys
from datetime import datetime
from pathlib import Path

VARIABLE = "SEASON_CLOCK"
PROGRAM = [sys.executable, "-c", "from tests.arena.season.stepped import install; install(); from arena.cli import main; main()"]
"""The program by this clock, which looks at it often and stores results at once; run it in the project's folder."""


def now() -> datetime:
    return datetime.fromisoformat(Path(os.environ[VARIABLE]).read_text())


def set_clock(path: Path, moment: datetime) -> None:
    draft = path.with_suffix(".new")
    draft.write_text(moment.isoformat())
    draft.replace(path)


def install() -> None:
    from arena.run import runner
    from arena.season import times

    times.now = now
    vars(times)["POLL_SECONDS"] = vars(runner)["POLL_SECONDS"] = 0.02
    vars(runner)["COMMIT_SECONDS"] = 0.03
