"""The state of a database: of one without matches, during a run, after one was killed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from arena.entries.orders import Reason, go_on, pause
from arena.run.alarms import AlarmKind, find_alarms
from arena.run.host_status import find_host_status
from leaderboard.errors import StoreError
from leaderboard.records.running import Ending, RunRecord
from leaderboard.storage.runs import write_run
from leaderboard.storage.store import Store
from tests.arena.format_plans import plan
from tests.arena.formats.test_rounds import run
from tests.arena.running import stop_after
from tests.leaderboard.conftest import execute
from tests.stored import tournament_of


def test_of_an_empty_database(tmp_path: Path) -> None:
    with Store.create(tmp_path / "t.db") as store:
        found = find_host_status(store, datetime.now(UTC))
    assert (found.database, found.newest, found.run, found.tournament, found.seals) == ("t.db", None, None, None, ())
    assert (found.rate.matches, found.activity.matches, found.uploads.waiting) == (0, 0, 0)
    assert find_alarms(found, found.moment) == ()


def test_of_a_run_that_was_stopped(tmp_path: Path) -> None:
    run(plan(4), tmp_path / "t.db", is_stopping=stop_after(5))
    with Store.read(tmp_path / "t.db") as store:
        found = find_host_status(store, datetime.now(UTC))
    assert (found.rate.matches, found.activity.matches, len(found.activity.longest)) == (5, 5, 5)
    assert found.run is not None
    assert (found.tournament, found.run.matches, found.run.ending, found.going_on) == ("plan", 5, Ending.STOPPED, None)
    assert [(each.tournament, each.played, each.matches, each.is_final) for each in found.seals] == [("plan", 5, 5, False)]
    assert find_alarms(found, found.moment) == ()


def test_a_run_that_goes_on_and_one_that_was_killed(tmp_path: Path) -> None:
    now = datetime.now(UTC)
    run(plan(4), tmp_path / "t.db", is_stopping=stop_after(5))
    with Store.create(tmp_path / "t.db") as store:  # which has the lock of a run
        left = RunRecord("node", 17, "here", now - timedelta(hours=1), now, 5)
        write_run(store, tournament_of(store), left)
        assert find_host_status(store, now).going_on == left
    with Store.read(tmp_path / "t.db") as store:
        found = find_host_status(store, now)
        assert found.going_on is None
        assert [each.kind for each in find_alarms(found, now)] == [AlarmKind.RUN]


def test_a_ladder_that_the_host_has_paused(tmp_path: Path) -> None:
    run(plan(4, format="ladder"), tmp_path / "t.db", is_stopping=stop_after(20))
    began = datetime.now(UTC) - timedelta(hours=1)
    with Store.create(tmp_path / "t.db") as store:  # which has the lock of a run
        ladder = tournament_of(store)
        write_run(store, ladder, RunRecord("node", 17, "here", began, began, 20))
        assert not find_host_status(store, datetime.now(UTC)).is_paused
        pause(store, ladder, Reason("the machine is moved"))
        assert find_host_status(store, datetime.now(UTC)).is_paused
        go_on(store, ladder, Reason("it has been moved"))
        found = find_host_status(store, datetime.now(UTC) + timedelta(seconds=60))
        assert not found.is_paused
        assert 59 <= found.rate.seconds < 300
        execute(store, "UPDATE ladder_order SET given = 'soon'")
        with pytest.raises(StoreError, match=r"order 2 is damaged: 'soon' is no time"):
            find_host_status(store, datetime.now(UTC))
