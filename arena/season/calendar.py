"""Computes what is due in a season: a pure function of its file, of the progress in its database, and of the time.

The driver of a season does what is due and computes it anew. After a stop, a kill or a sleep of the machine, missed steps are therefore
done in order.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from arena.season.stages import Season, SeasonStage
from arena.season.times import write_duration


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a season: the tournaments that have ``begun`` and that are ``over``, that is, sealed as complete; whether results are
    published."""

    begun: Collection[str]
    over: Collection[str]
    is_published: bool


@dataclass(frozen=True, slots=True)
class PlayStage:
    """Play a stage, or the rest of it."""

    stage: SeasonStage


@dataclass(frozen=True, slots=True)
class Publish:
    """Publish the results."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Wait until a time; the sentence says what for."""

    until: datetime
    what: str


def due(season: Season, progress: Progress, now: datetime) -> PlayStage | Publish | Wait | None:
    """Return the next action; None when the season is over."""
    for stage in season.stages:
        if stage.tournament in progress.over:
            continue
        return PlayStage(stage) if now >= stage.opens else Wait(stage.opens, f"'{stage.tournament}' opens")
    if progress.is_published:
        return None
    return Publish() if now >= season.publish else Wait(season.publish, "the results are published")


def find_state(stage: SeasonStage, progress: Progress, now: datetime) -> str:
    """Return the state of a stage in words."""
    if stage.tournament in progress.over:
        return "over"
    if stage.tournament not in progress.begun:
        return "to come" if now < stage.opens else "has not begun"
    return "under way" if stage.freeze is None or now < stage.freeze else "submissions closed"


@dataclass(frozen=True, slots=True)
class Event:
    """A line of the calendar: ``state`` is ``done``, ``late`` if its time has passed and it is not, and empty before."""

    moment: datetime
    what: str
    state: str


def calendar(season: Season, progress: Progress, now: datetime) -> tuple[Event, ...]:
    """Return the lines of the calendar, in order of time."""
    events: list[Event] = []

    def add(moment: datetime, what: str, *, is_done: bool) -> None:
        events.append(Event(moment, what, "" if now < moment else "done" if is_done else "late"))

    for stage in season.stages:
        is_over = stage.tournament in progress.over
        what = f"{stage.name} opens, with {_entrants(stage)}"
        if stage.every is not None:
            what += f"; {stage.rounds} rounds, one every {write_duration(stage.every)}"
        add(stage.opens, what, is_done=stage.tournament in progress.begun)
        if stage.freeze is not None:
            moved = f"; moved by the host: {stage.moved}" if stage.moved else ""
            add(stage.freeze, f"submissions to {stage.name} close{moved}", is_done=True)
        if stage.ends is not None:
            add(stage.ends, f"{stage.name} begins no more rounds", is_done=is_over)
        for what, moment in hidden(stage).items():
            add(moment, f"{what} of {stage.name} are shown", is_done=is_over)
    add(season.publish, "the results are published", is_done=progress.is_published)
    return tuple(sorted(events, key=lambda each: each.moment))  # simultaneous events stay in the file's order


def hidden(stage: SeasonStage) -> dict[str, datetime]:
    """Return the parts of a stage that are hidden at first, and the times at which they are revealed."""
    times = {"results": stage.results, "replays": stage.replays}
    return {what: moment for what, moment in times.items() if moment is not None}


def _entrants(stage: SeasonStage) -> str:
    words = [", ".join(stage.own_bots)] if stage.own_bots else []
    if stage.rule is not None:
        words.append(f"the best {stage.rule.best} of {stage.rule.origin}" if stage.rule.best else f"all bots of {stage.rule.origin}")
    return " and ".join(words)
