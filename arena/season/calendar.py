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
    """The progress of a season: the tournaments that are ``over``, that is, sealed as complete, and whether results are published."""

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


@dataclass(frozen=True, slots=True)
class Event:
    """A line of the calendar."""

    moment: datetime
    what: str


def calendar(season: Season) -> tuple[Event, ...]:
    """Return the lines of the calendar, in order of time."""
    events: list[Event] = []
    for stage in season.stages:
        what = f"'{stage.tournament}' opens, with {_entrants(stage)}"
        if stage.every is not None:
            what += f"; {stage.rounds} rounds, one every {write_duration(stage.every)}"
        events.append(Event(stage.opens, what))
        if stage.freeze is not None:
            events.append(Event(stage.freeze, f"submissions to '{stage.tournament}' close"))
        if stage.ends is not None:
            events.append(Event(stage.ends, f"'{stage.tournament}' begins no more rounds"))
        events += [Event(each, f"{what} of '{stage.tournament}' are shown") for what, each in hidden(stage).items()]
    events.append(Event(season.publish, "the results are published"))
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
