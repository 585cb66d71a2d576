"""A season's stages, checks for contradictions between them, and the next step that is due.

The next step depends only on the file, the stored progress and the time. The driver of a season determines it anew after each step, so
steps that were missed while the run was stopped or the machine was asleep are done later, in order.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from math import ceil
from typing import Any, Final, TypeAlias
from zoneinfo import ZoneInfo

from arena.season.times import write_duration, write_time
from arena.spec.spec import Spec
from arena.spec.tables import LadderPlan

TIMES: Final = ("opens", "freeze", "ends", "results", "replays")
CHECKS: Final = timedelta(minutes=10)
"""The least time between the freeze and the last round, so that the last submission can be checked."""
MOST_ROUNDS: Final = 1_000_000
Show: TypeAlias = Callable[[datetime], str]
Contradictions: TypeAlias = Iterator[tuple[tuple[str, ...], str]]
"""Mistakes in a season file: for each, the path of its key and a sentence about it. Only the first mistake is used."""


@dataclass(frozen=True, slots=True)
class Rule:
    """The rule for entering a stage: all bots still in the earlier stage ``origin``, or only the first ``best`` in its standings."""

    origin: str
    best: int | None = None


@dataclass(frozen=True, slots=True)
class SeasonStage:
    """A stage: its tournament and its times, in UTC. ``spec`` has placeholders for the bots that will enter according to the ``rule``.

    A ladder begins a round at ``opens`` and after each interval ``every``, until ``ends``. Submissions that arrive before ``freeze`` enter
    it; only the latest ``newest`` versions by each author play (None: all). Other stages play without a pause from ``opens`` on.
    ``results`` and ``replays`` are the times from which results and replays are shown. ``moved`` is why the host moved the freeze.
    """

    name: str
    tournament: str
    data: Mapping[str, Any] = field(repr=False)
    spec: Spec
    opens: datetime
    freeze: datetime | None = None
    ends: datetime | None = None
    every: timedelta | None = None
    newest: int | None = None
    rule: Rule | None = None
    results: datetime | None = None
    replays: datetime | None = None
    moved: str = ""

    @property
    def rounds(self) -> int:
        """The number of rounds of a ladder."""
        assert self.ends is not None
        assert self.every is not None
        return ceil((self.ends - self.opens) / self.every)

    def round_begins(self, number: int) -> datetime:
        """Return the time at which a ladder's round, counted from 0, is due to begin."""
        assert self.every is not None
        return self.opens + number * self.every

    @property
    def is_ladder(self) -> bool:
        """Whether the stage is a ladder."""
        return self.ends is not None

    @property
    def own_bots(self) -> tuple[str, ...]:
        """The names of the bots listed in the stage's own table; they don't qualify for later stages."""
        return tuple(each.name for each in self.spec.bots[: len(self.data.get("bots", ()))])


@dataclass(frozen=True, slots=True)
class Season:
    """A season as its file describes it; ``publish`` is when its results are published. Times are shown in its ``zone``, if it has one."""

    name: str
    title: str
    zone: ZoneInfo | None
    publish: datetime
    stages: tuple[SeasonStage, ...]
    text: str = field(repr=False)

    def show(self, moment: datetime) -> str:
        """Return a time in words, in the season's zone."""
        return write_time(moment, self.zone)

    def show_short(self, moment: datetime) -> str:
        """Return a time in a short form for lists, in the season's zone."""
        return f"{moment.astimezone(self.zone or UTC):%Y-%m-%d %H:%M:%S %Z}"

    def stage(self, tournament: str) -> SeasonStage:
        """Return the stage that has this tournament. Raises KeyError."""
        return {each.tournament: each for each in self.stages}[tournament]


def of_stage(stage: SeasonStage, show: Show) -> Contradictions:
    """Yield the mistakes within a single stage."""
    name, plan = stage.name, stage.spec.schedule
    if not isinstance(plan, LadderPlan):
        for key in ("freeze", "ends", "every", "newest"):
            if getattr(stage, key) is not None:
                yield (key,), f"the stage '{name}' is a {plan.format}, which has no '{key}'; only a ladder has one"
        return
    if stage.ends is None or stage.every is None:
        lacks = "'ends', the time when it is over" if stage.ends is None else "'every', the time between rounds, such as every = '10 min'"
        yield ("",), f"the ladder '{name}' needs {lacks}"
        return
    if plan.rounds is not None:
        yield ("schedule", "rounds"), f"'schedule.rounds' follows from 'ends' and 'every' of the stage '{name}'; leave it out"
    if stage.ends <= stage.opens:
        yield ("ends",), f"the stage '{name}' ends on {show(stage.ends)}, before it opens on {show(stage.opens)}"
    if stage.rounds > MOST_ROUNDS:
        yield ("every",), f"the stage '{name}' would have {stage.rounds} rounds; use a longer 'every'"
    if stage.freeze is None:
        if stage.newest is not None:
            yield ("newest",), f"the stage '{name}' has no 'freeze', so it takes no submissions, and 'newest' has no effect"
        return
    if stage.freeze <= stage.opens:
        yield ("freeze",), f"the freeze of the stage '{name}' is on {show(stage.freeze)}, before it opens on {show(stage.opens)}"
    if stage.ends < (least := stage.freeze + stage.every + CHECKS):
        lengths = f"{write_duration(stage.every)} and {write_duration(CHECKS)} after the freeze"
        why = "ends too soon after its freeze for the last submission to be checked and to play"
        yield ("ends",), f"the stage '{name}' {why}: let it end on {show(least)} at the earliest, {lengths}"
    if stage.results is not None:
        yield ("results",), f"the stage '{name}' takes submissions, and their authors see results; hide only its 'replays'"


def between_stages(season: Season, show: Show) -> Contradictions:
    """Yield the contradictions between the stages of a season."""
    for one, other in pairwise(season.stages):
        over = one.ends or one.opens
        if other.opens < over or (one.ends is None and other.opens == over):
            yield (
                (other.name, "opens"),
                f"the stage '{other.name}' opens on {show(other.opens)}, but '{one.name}' is not over before {show(over)}",
            )
    for stage in season.stages:
        for key in TIMES:
            moment: datetime | None = getattr(stage, key)
            if moment is not None and moment > season.publish:
                yield (stage.name, key), f"'{key}' of the stage '{stage.name}' is after the season is published on {show(season.publish)}"
            if moment is not None and key in {"results", "replays"} and moment <= stage.opens:
                yield (stage.name, key), f"'{key}' of the stage '{stage.name}' is before the stage opens; leave the key out"


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a season: which tournaments have ``begun``, which are ``over`` (sealed as complete), and whether it is published."""

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
    """Wait until a time; ``what`` is a clause that says what happens then."""

    until: datetime
    what: str


def due(season: Season, progress: Progress, now: datetime) -> PlayStage | Publish | Wait | None:
    """Return the next action, or None when the season is over."""
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
    """A line of the calendar. ``state`` is empty before the event's time; after it, ``done`` if the event has happened, else ``late``."""

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
            add(stage.ends, f"last round of {stage.name}", is_done=is_over)
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
