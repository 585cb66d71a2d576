"""What a host is told of runs: the status, alarms, and a database in which a run goes on, was stopped or killed."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from arena.run.host_status import GIB, AlarmKind, HostStatus, find_alarms, find_host_status
from arena.run.status import find_status
from arena.spec.spec import read_spec
from bots.errors import HostFaultError
from leaderboard.records import Ending, Space
from leaderboard.storage.database import is_being_written
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import QueueCount
from leaderboard.storage.tournaments import Run, write_run
from tests.arena.cli.conftest import here
from tests.arena.cli.test_cli import arena, fine
from tests.arena.format_plans import plan
from tests.arena.running import Hasty, run, stop_after
from tests.world import tournament_of

__all__ = ["here"]  # a fixture

EXAMPLES = Path(__file__).parents[3] / "examples"


def status(path: Path) -> dict[str, Any]:
    return json.loads(fine("status", "--db", str(path), "--json"))


class TestStatus:
    def test_of_a_stopped_run(self, tmp_path: Path) -> None:
        run(plan(4, tables=[2, 3], blocks=2, seats="rotations"), tmp_path / "t.db", is_stopping=stop_after(15))
        lines = fine("status", "--db", "t.db").splitlines()
        assert lines[:5] == [
            "plan (tongiaki, round-robin)",
            "matches  15 of 48 played, 33 left",
            "blocks   7 of 20 complete",
            "seed     open (7): anyone can compute every deck",
            "run      none; continue with: arena run SPEC --db t.db",
        ]
        assert lines[5].startswith("seals ")
        assert lines[6].startswith("recent   15 matches since ")
        assert lines[7].startswith("driver   none; the last run (process ")
        assert [line.split()[0] for line in lines if line[:1].strip()][7:10] == ["driver", "uploads", "disk"]
        found = status(tmp_path / "t.db")
        assert (found["played"], found["matches"], found["left"], found["void"], found["is_running"]) == (15, 48, 33, 0, False)
        assert (found["blocks_complete"], found["blocks"], found["by_round"]) == (7, 20, [])
        assert found["alarms"] == []
        assert found["host"]["matches"] == 15

    def test_of_rounds(self, tmp_path: Path) -> None:
        run(plan(6, format="swiss", rounds=3, blocks=2), tmp_path / "t.db", is_stopping=stop_after(15))
        lines = fine("status", "--db", "t.db").splitlines()
        assert "matches  15 of 36 played, 21 left" in lines
        assert "blocks   7 of 18 complete" in lines
        assert "round    2 of 3" in lines
        assert [line.split() for line in lines if line.strip()[:1] in {"1", "2"} and len(line.split()) == 4] == [
            ["1", "12", "12", "6"],
            ["2", "3", "12", "1"],
        ]
        assert sum(line.endswith(tuple("0123456789")) and "points, opponents" in line for line in lines) == 6

    def test_of_void_matches_and_of_a_round_that_lacks_them(self, tmp_path: Path) -> None:
        run(plan(4, format="swiss", rounds=2), tmp_path / "t.db", Hasty(spoil=lambda ticket: ticket.rotation == 1))
        assert "matches  2 of 8 played, 6 left, 2 void\n" in fine("status", "--db", "t.db")

    def test_during_a_run(self, tmp_path: Path) -> None:
        path = tmp_path / "t.db"
        run(plan(4, blocks=3), path, is_stopping=stop_after(20))
        assert not is_being_written(path)
        with Store.create(path) as store:
            assert is_being_written(path)
            tournament = tournament_of(store)
            found = find_status(store, tournament)
            assert found.is_running
            assert found.rate is not None
            assert found.rate > 0
            assert found.seconds_left == pytest.approx(16 / found.rate)
            assert "run      in progress, " in fine("status", "--db", "t.db")
        assert not is_being_written(path)


class TestBlocks:
    def test_the_leaderboard_counts_complete_blocks(self, tmp_path: Path) -> None:
        run(plan(4, tables=[2, 3], blocks=2, seats="rotations"), tmp_path / "t.db", is_stopping=stop_after(15))
        assert fine("leaderboard", "--db", "t.db").splitlines()[-3:-1] == ["15 of 48 matches played so far.", "7 of 20 blocks complete."]
        assert json.loads(fine("leaderboard", "--db", "t.db", "--json"))["blocks"] == {"complete": 7, "total": 20}
        run(plan(4, tables=[2, 3], blocks=2, seats="rotations"), tmp_path / "t.db")
        assert fine("leaderboard", "--db", "t.db").splitlines()[-2] == "20 of 20 blocks complete."


class TestExamples:
    @pytest.mark.sampled(1)
    @pytest.mark.parametrize("name", ["gauntlet", "swiss", "ladder", "knockout"])
    @pytest.mark.slow  # plays whole examples
    def test_an_example_of_each_format_is_played(self, name: str, tmp_path: Path) -> None:
        text = fine("run", str(EXAMPLES / f"{name}.toml"), "--db", "t.db", "--executor", "inline", "--isolation", "none")
        assert max(map(len, text.splitlines()[:-2])) <= 80
        again = fine("run", str(EXAMPLES / f"{name}.toml"), "--db", "t.db", "--executor", "inline", "--isolation", "none")
        assert "matches had already been played; nothing was left to play." in again
        assert again.splitlines()[-2:] == text.splitlines()[-2:]
        assert "run      complete" in fine("status", "--db", "t.db")
        assert read_spec(EXAMPLES / f"{name}.toml").schedule.format == name


class TestRun:
    SPEC = 'name = "cup"\ngame = "tongiaki"\nseed = 7\nbots = ["random", {name = "r2", source = "random"}]\n[schedule]\ntables = [2]\n'
    RUN = ("run", "cup.toml", "--db", "cup.db", "--executor", "inline", "--isolation", "none")

    def test_what_was_added_is_told(self, tmp_path: Path) -> None:
        (tmp_path / "cup.toml").write_text(self.SPEC)
        fine(*self.RUN)
        (tmp_path / "cup.toml").write_text(self.SPEC + "blocks = 3\n")
        _, _, told = fine(*self.RUN).partition("\n")
        assert told.startswith(
            "Added since the run began: 2 blocks (there were 1)\nOpen seed 7: anyone can compute every deck.\ncup: 6 matches on "
        )
        assert "Added" not in fine(*self.RUN)

    def test_a_round_that_can_not_be_paired_is_told(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        from arena.play import match as executor

        (tmp_path / "cup.toml").write_text(self.SPEC + 'format = "swiss"\nrounds = 2\n')

        def fail(*_arguments: object, **_more: object) -> None:
            raise HostFaultError("no memory")

        with monkeypatch.context() as patch:
            patch.setattr(executor, "play_match", fail)
            result = arena(*self.RUN)
        assert result.exit_code == 1
        assert "Round 1 is incomplete; the next round can't be paired.\n" in result.stdout
        assert "try them again with: arena run cup.toml --db cup.db" in result.stdout
        assert "4 of 4 blocks complete." not in result.stdout
        assert "2 of 2 blocks complete." in fine(*self.RUN)


NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def run_with(**facts: Any) -> Run:
    """A run that goes on, but for these facts."""
    known = {"host": "node", "process": 17, "place": "4 processes", "began": NOW - timedelta(days=1), "seen": NOW - timedelta(seconds=2)}
    return Run(**{"tournament_id": 1, "matches": 9000, **known, **facts})


RUN = run_with()

FINE = HostStatus(
    database="cup.db",
    moment=NOW,
    is_running=True,
    is_paused=False,
    matches=3000,
    tournament="cup",
    run=RUN,
    uploads=QueueCount(0, 0, None),
    space=Space(GIB, 50 * GIB, 100 * GIB),
)


def kinds(status: HostStatus) -> list[str]:
    return [each.kind.value for each in find_alarms(status)]


def test_of_what_is_as_it_should_be_there_are_none() -> None:
    assert not kinds(FINE)
    assert not kinds(replace(FINE, is_running=False, tournament=None, run=None))


class TestDisk:
    @pytest.mark.parametrize(
        ("free", "total", "is_alarm"),
        [(GIB - 1, 10 * GIB, True), (GIB, 10 * GIB, False), (5 * GIB, 101 * GIB, True), (5 * GIB, 100 * GIB, False), (0, 0, True)],
    )
    def test_little_of_it_is_left(self, free: int, total: int, is_alarm: bool) -> None:
        assert kinds(replace(FINE, space=Space(1, free, total))) == ["disk"] * is_alarm


class TestRuns:
    def test_one_that_was_killed(self) -> None:
        [alarm] = find_alarms(replace(FINE, is_running=False))
        assert alarm.kind is AlarmKind.RUN
        assert alarm.text == "the run of cup (process 17 on node) was killed after 2026-03-01 11:59:58 UTC; the same command continues it"

    @pytest.mark.parametrize("ending", [Ending.PAUSED, Ending.FAILED])
    def test_one_that_could_not_go_on(self, ending: Ending) -> None:
        [alarm] = find_alarms(replace(FINE, is_running=False, run=run_with(ending=ending, reason="no disk")))
        assert alarm.text == f"the run of cup has {ending}: no disk"


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
