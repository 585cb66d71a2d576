"""The state of a database: of one without matches, during a run, after one was killed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from arena.run.host_status import AlarmKind, find_alarms, find_host_status
from leaderboard.records import Ending
from leaderboard.storage.store import Store
from leaderboard.storage.tournaments import Run, write_run
from tests.arena.format_plans import plan
from tests.arena.formats.test_rounds import run
from tests.arena.running import stop_after
from tests.stored import tournament_of


def test_of_an_empty_database(tmp_path: Path) -> None:
    with Store.create(tmp_path / "t.db") as store:
        found = find_host_status(store, datetime.now(UTC))
    assert (found.database, found.run, found.tournament) == ("t.db", None, None)
    assert (found.matches, found.uploads.waiting) == (0, 0)
    assert not list(find_alarms(found))


def test_of_a_run_that_was_stopped(tmp_path: Path) -> None:
    run(plan(4), tmp_path / "t.db", is_stopping=stop_after(5))
    with Store.read(tmp_path / "t.db") as store:
        found = find_host_status(store, datetime.now(UTC))
    assert found.matches == 5
    assert found.run is not None
    assert (found.tournament, found.run.matches, found.run.ending, found.going_on) == ("plan", 5, Ending.STOPPED, None)
    assert not list(find_alarms(found))


def test_a_run_that_goes_on_and_one_that_was_killed(tmp_path: Path) -> None:
    now = datetime.now(UTC)
    run(plan(4), tmp_path / "t.db", is_stopping=stop_after(5))
    with Store.create(tmp_path / "t.db") as store:  # which has the lock of a run
        began, tournament = now - timedelta(hours=1), tournament_of(store).id
        left = Run(tournament_id=tournament, host="node", process=17, place="here", began=began, seen=now, matches=5)
        write_run(store, left)
        assert find_host_status(store, now).going_on == left
    with Store.read(tmp_path / "t.db") as store:
        found = find_host_status(store, now)
        assert found.going_on is None
        assert [each.kind for each in find_alarms(found)] == [AlarmKind.RUN]
