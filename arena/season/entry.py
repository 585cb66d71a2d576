"""Enters submissions into the stages of a season, according to their times of arrival.

The pairings of a stage therefore depend only on its file and its submissions, not on the duration of checks or on restarts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from time import monotonic
from typing import Final

from arena.changes import ChangedError
from arena.run import ladder_entry, orders
from arena.run.orders import OrderError, Reason
from arena.season.season_file import SeasonError, stored_season
from arena.season.stages import Season, SeasonStage
from arena.season.times import Clock
from arena.spec.spec import Spec
from arena.tournament import stored_spec
from bots.loader.version import BotVersion, unpack
from engine.text import counted
from leaderboard.records import OrderKind
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import Submission, accepted, content, settle, unjudged
from leaderboard.storage.tournaments import StoredSeason, seasons

CALENDAR: Final = "the calendar"
"""The name recorded as the giver of orders that follow from a season's file."""
PATIENCE: Final = 3600.0
"""The longest time, in seconds, that rounds wait for the check of a submission."""
GRACE: Final = timedelta(seconds=10)
"""A round begins this long after its scheduled time, so that submissions that arrived just in time have been read."""


class ClosedError(ChangedError):
    """A submission is too early or too late; the message says when submissions are open."""


def find_stage(known: Iterable[StoredSeason], tournament: str) -> tuple[Season, SeasonStage] | None:
    """Return the season and the stage of a tournament, even if it has not begun, or None if it belongs to no season."""
    for each in known:
        if any(stage.tournament == tournament for stage in each.stages):
            season = stored_season(each)
            return season, season.stage(tournament)
    return None


def readable(known: Iterable[StoredSeason]) -> Iterator[Season]:
    """Yield the seasons whose files can be read. A file can't be read if its game is not installed."""
    for each in known:
        with suppress(SeasonError):
            yield stored_season(each)


def check_arrival(store: Store, ladder: str, arrived: datetime) -> None:
    """Raise ClosedError if the ladder is a stage of a season and the submission arrived while it was closed."""
    if (found := find_stage(seasons(store), ladder)) is None:
        return
    season, stage = found
    if stage.freeze is None:
        raise ClosedError(f"'{ladder}' takes no submissions; its bots come from {stage.rule.origin if stage.rule else 'its host'}")
    if arrived < stage.opens:
        raise ClosedError(f"submissions to '{ladder}' open on {season.show(stage.opens)}; this one arrived on {season.show(arrived)}")
    tournament = store.tournament(ladder)
    begun = -1 if tournament is None else store.last_round(tournament)
    is_closed = begun >= 0 and stage.round_begins(begun) >= stage.freeze  # permanently, even if the clock is set back
    if arrived >= stage.freeze or is_closed:
        raise ClosedError(f"submissions to '{ladder}' closed on {season.show(stage.freeze)}; this one arrived on {season.show(arrived)}")


def arrived_at(arrived: datetime, now: datetime) -> datetime:
    """Return when a submission, read at ``now``, counts as arrived: ``arrived``, but at most half of ``GRACE`` before ``now``."""
    return max(arrived, now - GRACE / 2)


def find_terms(store: Store, ladder: str) -> Spec:
    """Return the spec that sets the terms of checks for a ladder, which may be a stage that has not begun. Raises NoLadderError."""
    planned = None if store.tournament(ladder) is not None else find_stage(seasons(store), ladder)
    return ladder_entry.find_ladder(store, ladder) if planned is None else planned[1].spec


def open_ladders(store: Store, now: datetime) -> tuple[str, ...]:
    """Return the ladders to which bots may be submitted now: the stages that are open and not frozen, then other ladders, newest first."""
    known = seasons(store)
    stages = [stage for each in readable(known) for stage in each.stages]
    in_time = [stage.tournament for stage in stages if stage.freeze is not None and stage.opens <= now < stage.freeze]
    planned = {stage.tournament for each in known for stage in each.stages}
    return (*in_time, *(each for each in ladder_entry.ladders(store) if each not in planned))


def hand_in(store: Store, submission: Submission, version: BotVersion) -> None:
    """Enter a version into its ladder, if it has one (see ``enter_version``); in a stage of a season, it waits for its round.

    The submission then says under which name the version entered, in which round it will enter, or why it did not. This is idempotent.
    """
    if not (ladder := submission.ladder):
        return
    if (found := find_stage(seasons(store), ladder)) is None:
        submission.entrant, submission.reason = ladder_entry.enter_version(store, ladder, submission, version)
    else:
        season, stage = found
        assert stage.every is not None
        number = (submission.sent - stage.opens) // stage.every + 1
        submission.note = f"It enters '{ladder}' with round {number + 1}, which begins on {season.show(stage.round_begins(number))}."
    settle(store, submission)


@dataclass
class Gate:
    """Decides when a ladder's rounds begin. Before each round, it enters the submissions that arrived in time."""

    store: Store
    season: Season
    stage: SeasonStage
    clock: Clock
    notify: Callable[[str], None]
    _awaited: dict[str, float] = field(default_factory=dict)
    """The time since which rounds have been waiting for each submission, by id."""

    def __call__(self, number: int) -> bool:
        """Return whether a round, counted from 0, may begin; if so, everything due before it has been done."""
        if number >= self.stage.rounds:
            return True
        begins = self.stage.round_begins(number)
        if not self.clock.reach(begins + GRACE):
            return False
        now, before = monotonic(), self._awaited
        self._awaited = {each: before.get(each, now) for each in unjudged(self.store, self.stage.tournament, begins)}
        waiting = [each for each, since in self._awaited.items() if now - since < PATIENCE]
        if not before.keys() >= set(waiting):
            self.notify(f"Round {number + 1} waits for the check of {counted(len(waiting), 'submission')}.")
        if waiting:
            return False
        for submission in accepted(self.store, self.stage.tournament):
            if submission.round is None and submission.sent < begins:
                self._enter(submission, number)
        return True

    def _enter(self, submission: Submission, number: int) -> None:
        """Enter a version before a round; its author's older versions leave."""
        store, ladder = self.store, self.stage.tournament
        name, problem = ladder_entry.enter_version(store, ladder, submission, unpack(content(store, submission)), joins=number)
        if name and self.stage.newest is not None and submission.author:
            stored = store.tournament(ladder)
            assert stored is not None
            gone = {each.bot for each in stored.orders if each.kind == OrderKind.LEAVE}
            own = [each.name for each in stored_spec(stored).bots if each.author == submission.author]
            playing = [each for each in own if each not in gone]
            for older in playing[: -self.stage.newest]:
                try:
                    orders.leave(store, stored, older, Reason(f"its author has submitted {submission.label}", CALENDAR, number + 1))
                except OrderError as error:
                    self.notify(f"{older} stays: {error}.")
        submission.round, submission.entrant, submission.reason, submission.note = number, name, problem, ""
        settle(store, submission)
        self.notify(problem or f"{name} enters '{ladder}' with round {number + 1}.")
