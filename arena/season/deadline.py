"""Moves the deadline of a season's stage by giving an order."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from arena.run import orders
from arena.run.orders import Reason
from arena.season.entry import find_stage
from arena.season.season_file import SeasonError
from arena.season.stages import CHECKS, Season
from leaderboard.storage.store import Store
from leaderboard.storage.tournaments import seasons


def extend(store: Store, tournament: str, read: Callable[[Season], datetime], why: str, now: datetime) -> str:
    """Order that a stage freezes at the time that ``read`` returns; return that time in words. Raises SeasonError and OrderError."""
    if (found := find_stage(seasons(store), tournament)) is None:
        there = ", ".join(stage.tournament for each in seasons(store) for stage in each.stages) or "none"
        raise SeasonError(f"there is no stage '{tournament}' in {store.name}; the stages of its seasons are: {there}")
    season, stage = found
    freeze, stored = read(season), store.tournament(tournament)
    if stage.freeze is None or stage.ends is None or stage.every is None:
        raise SeasonError(f"'{tournament}' takes no submissions, so it has no deadline to move")
    if stored is None:
        raise SeasonError(f"'{tournament}' has not begun; its deadline can be moved only after it has begun")
    earliest, latest = max(stage.freeze, now), stage.ends - stage.every - CHECKS
    if freeze <= earliest:
        raise SeasonError(f"the new deadline, {season.show(freeze)}, must be later than {season.show(earliest)}")
    if freeze > latest:
        raise SeasonError(f"'{tournament}' ends on {season.show(stage.ends)}, so the latest possible deadline is {season.show(latest)}")
    orders.extend(store, stored, freeze, Reason(why))
    return season.show(freeze)
