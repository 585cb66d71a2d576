"""The state of a database: of one without matches, during a run, after one was killed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path

import pytest

from arena.entries.orders import Reason, enter, leave, limits, pause, resume
from arena.play.executors.base import Job, Played, Tickets
from arena.report.host_report import host_lines
from arena.run.alarms import AlarmKind, find_alarms
from arena.run.host_status import find_host_status
from arena.spec.limits import ClockTable
from leaderboard.errors import StoreError
from leaderboard.records.running import Ending, RunRecord
from leaderboard.storage.runs import write_run
from leaderboard.storage.store import Store
from tests.arena.format_plans import plan
from tests.arena.formats.test_rounds import Hasty, run
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


def test_the_alarm_about_a_bot_ends_when_the_host_has_acted(tmp_path: Path) -> None:
    run(plan(4, format="ladder"), tmp_path / "t.db", is_stopping=stop_after(60))
    now = datetime.now(UTC) + timedelta(seconds=5)
    with Store.create(tmp_path / "t.db") as store:
        ladder = tournament_of(store)
        execute(store, "UPDATE seat SET fault = NULL")
        execute(store, "UPDATE seat SET fault = 'crash' WHERE bot_version_id IN (SELECT id FROM bot_version WHERE bot_id = 2)")
        [alarm] = find_alarms(find_host_status(store, now), now)
        assert (alarm.kind, alarm.text[:3]) == (AlarmKind.BOT, "b01")
        for act in (leave, enter):
            act(store, ladder, "b01", Reason("it is a test"))
            execute(store, "UPDATE ladder_order SET given = strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '+2 seconds')")
            found = find_host_status(store, now)
            assert find_alarms(found, now) == ()
            assert [each.bot for each in found.activity.faults] == ["b01"]
        execute(store, "UPDATE ladder_order SET given = '2026-01-01T00:00:00Z'")
        execute(store, "UPDATE ladder_order SET round = 9 WHERE kind = 'leave'")
        execute(store, "UPDATE ladder_order SET number = 3 WHERE kind = 'leave'")
        assert find_alarms(find_host_status(store, now), now) == ()  # it has left, and what ends since is of earlier rounds
        execute(store, "UPDATE ladder_order SET number = 1 WHERE kind = 'leave'")
        assert len(find_alarms(find_host_status(store, now), now)) == 1  # it has failed in most of its matches since


def test_of_one_tournament_beside_the_run_of_another(tmp_path: Path) -> None:
    run(plan(4), tmp_path / "t.db", is_stopping=stop_after(5))
    other = plan(4, format="ladder").model_copy(update={"name": "other"})
    run(other, tmp_path / "t.db", is_stopping=stop_after(7))
    now = datetime.now(UTC)
    with Store.create(tmp_path / "t.db") as store:  # which has the lock of a run
        ladder = store.tournament("other")
        assert ladder is not None
        write_run(store, ladder, RunRecord("node", 17, "here", now, now, 7))
        assert find_host_status(store, now).tournament == "other"
        found = find_host_status(store, now, "plan")
        assert (found.tournament, found.is_running, found.going_on, found.activity.matches) == ("plan", False, None, 5)
        assert {each.tournament for each in found.activity.longest} == {"plan"}


def test_a_run_that_its_host_stops_at_once_was_not_killed(tmp_path: Path) -> None:
    class Interrupted(Hasty):
        def run(self, job: Job, tickets: Tickets) -> Iterator[list[Played]]:
            yield from islice(super().run(job, tickets), 2)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(plan(4), tmp_path / "t.db", Interrupted())
    with Store.read(tmp_path / "t.db") as store:
        found = find_host_status(store, datetime.now(UTC))
    assert found.run is not None
    assert (found.run.ending, find_alarms(found, found.moment)) == (Ending.STOPPED, ())


def test_a_ladder_that_the_host_has_paused(tmp_path: Path) -> None:
    run(plan(4, format="ladder"), tmp_path / "t.db", is_stopping=stop_after(20))
    began = datetime.now(UTC) - timedelta(hours=1)
    with Store.create(tmp_path / "t.db") as store:  # which has the lock of a run
        ladder = tournament_of(store)
        write_run(store, ladder, RunRecord("node", 17, "here", began, began, 20))
        assert not find_host_status(store, datetime.now(UTC)).is_paused
        pause(store, ladder, Reason("the machine is moved"))
        assert find_host_status(store, datetime.now(UTC)).is_paused
        resume(store, ladder, Reason("it has been moved"))
        found = find_host_status(store, datetime.now(UTC) + timedelta(seconds=60))
        assert not found.is_paused
        assert 59 <= found.rate.seconds < 300
        execute(store, "UPDATE ladder_order SET given = 'soon'")
        with pytest.raises(StoreError, match=r"order 2 is damaged: 'soon' is no time"):
            find_host_status(store, datetime.now(UTC))


def test_limits_that_the_host_has_ordered(tmp_path: Path) -> None:
    run(plan(4, format="ladder"), tmp_path / "t.db", is_stopping=stop_after(20))
    with Store.create(tmp_path / "t.db") as store:
        assert "limits" not in dict(host_lines(find_host_status(store, datetime.now(UTC)), datetime.now(UTC)))
        for number, move in enumerate((2.0, 1.0), start=1):
            limits(store, tournament_of(store), ClockTable(move=move), Reason("matches take too long", from_round=90))
            found = find_host_status(store, datetime.now(UTC))
            said = dict(host_lines(found, found.moment))["limits"]
            assert said == f"move = {move:g} from round 90 on (order {number})"
