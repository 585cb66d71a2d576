"""Rehearses a season: plays its file in fast motion, with generated or given submissions and a clock that jumps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Final

from arena.changes import ChangedError
from arena.season.driver import SeasonHost, run_season
from arena.season.entry import check_arrival, hand_in
from arena.season.stages import Season, SeasonStage
from bots.loader.loading import identify
from bots.loader.version import pack
from leaderboard.errors import StoreError
from leaderboard.storage.people import ids_of
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import submit

SECOND: Final = timedelta(seconds=1)
MADE_UP: Final = '''
import random


class Bot:
    """Version {number} of a made-up author's bot, which plays at random."""

    def start(self, info):
        self.rng = random.Random(info.seed + {number})

    def choose(self, view, clock):
        return view.legal_moves.random(self.rng)
'''


@dataclass
class QuickClock:
    """A clock that jumps to the time waited for; each event of ``happens`` on the way is called at its time."""

    moment: datetime
    happens: list[tuple[datetime, Callable[[], object]]] = field(default_factory=list)

    def now(self) -> datetime:
        """Return the time reached so far."""
        return self.moment

    def reach(self, moment: datetime) -> bool:
        """Jump to ``moment`` by way of the actions due before it, and return True."""
        while self.happens and self.happens[0][0] <= moment:
            at, action = self.happens.pop(0)
            self.moment = max(self.moment, at)
            action()
        self.moment = max(self.moment, moment)
        return True

    def rest(self) -> None:
        """Don't wait."""


def shortened(season: Season, rounds: int) -> Season:
    """Return the season with at most ``rounds`` rounds in each ladder, and one block in other schedules."""
    return replace(season, stages=tuple(_shortened(stage, rounds) for stage in season.stages))


def _shortened(stage: SeasonStage, rounds: int) -> SeasonStage:
    if stage.every is None or stage.ends is None:
        return replace(stage, data=dict(stage.data) | {"schedule": dict(stage.data["schedule"]) | {"blocks": 1}})
    return replace(stage, every=max(stage.every, (stage.ends - stage.opens) / rounds))


def rehearse(
    season: Season, store: Store, host: SeasonHost, bots: Sequence[Path], folder: Path, clock: QuickClock, *, authors: int
) -> None:
    """Play a season with submissions of ``bots``, or of ``authors`` invented authors, whose bots are written to ``folder``.

    In each stage that takes submissions they are spread over the time until the freeze; the first author submits a second version one
    second before it, and the last another at the freeze, too late. Raises the errors of ``run_season`` and of reading bots.
    """
    names = [each.stem for each in bots] or [_made_up(number) for number in range(authors)]
    for stage in season.stages:
        if stage.freeze is None:
            continue
        step = (stage.freeze - stage.opens) / (len(names) + 1)
        plan = [(stage.opens + (who + 1) * step, who, 1) for who in range(len(names))]
        plan += [] if bots else [(stage.freeze - SECOND, 0, 2)]
        plan.append((stage.freeze, len(names) - 1, 3))
        for arrived, who, version in plan:
            file = bots[who] if bots else folder / f"{names[who]}.py"
            text = "" if bots else MADE_UP.format(number=1000 * stage.opens.toordinal() + 10 * who + version)
            clock.happens.append((arrived, partial(_submit, store, stage, file, text, f"author {who + 1}", arrived, host.notify)))
    run_season(season, store, clock, host)


def _made_up(number: int) -> str:
    """Return a name that is not similar to any other."""
    syllables = [f"{consonant}{vowel}" for consonant in "bdfgkmps" for vowel in "aeiu"]
    return "".join(syllables[number // len(syllables) ** place % len(syllables)] for place in range(3))


def _submit(store: Store, stage: SeasonStage, file: Path, text: str, author: str, arrived: datetime, notify: Callable[[str], None]) -> None:
    """Submit a bot as an author would at that time; ``text`` is the source of a generated bot."""
    try:
        check_arrival(store, stage.tournament, arrived)
        if text:
            file.write_text(text, encoding="utf-8")
        read = identify(str(file), name=file.stem)
        submission = submit(store, read.name, read.digest, ids_of(store, [author])[author], pack(read))
        hand_in(store, stage.tournament, submission, read, arrived)
    except (ChangedError, StoreError) as error:
        notify(f"{author} submits {file.stem}, which is refused: {error}.")
        return
    notify(f"{author} submits {submission.label}.")
