"""The commands of a season's host, by the clock of this machine."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from arena.season.entry import ClosedError
from leaderboard.storage.store import Store
from tests.arena.conftest import Run
from tests.arena.season.quick import SEASON, QuickSeason, at
from tests.stored import tournament_of


def test_the_status_names_whose_submission_did_not_enter_and_why(run: Run, tmp_path: Path) -> None:
    season = QuickSeason(tmp_path, SEASON.replace("newest = 1", "max_per_author = 1"))
    for number, name in enumerate(("walker", "strider")):
        season.when(at("21 18:30:00"), partial(season.hand_in, "Ana", name, number, at("21 18:30:00")))
    season.run(at("22 00:00:00"))

    said = run("status", "--db", "season.db").stdout

    assert "cup-open: over, 2 submissions passed, 0 being checked; sha256:" in said
    assert "walker@1 of Ana: It was not entered into 'cup-open'" in said
    assert "person-" not in said


def test_a_stage_is_played_by_its_season_alone(run: Run, tmp_path: Path) -> None:
    season = QuickSeason(tmp_path)
    season.clock.moment = at("20 00:00:00")
    season.run(at("20 00:00:00"))
    (tmp_path / "mine.toml").write_text(
        'name = "cup-final"\ngame = "tongiaki"\nseed = 1\nbots = ["random", "greedy"]\nschedule = { tables = [2], blocks = 1 }\n'
    )

    said = run("run", "mine.toml", "--db", "season.db").stderr

    assert "'cup-final' is a stage of the season 'cup', which 'arena season run' plays; give this tournament another name" in said
    with season.store() as store:
        assert store.tournament_names() == ()


def test_a_deadline_is_moved_by_an_order_that_the_season_shows(run: Run, tmp_path: Path) -> None:
    season, said = QuickSeason(tmp_path), []

    def extend() -> None:
        for stage, freeze in (("cup", "20:30"), ("cup-open", "noon"), ("cup-open", "20:00"), ("cup-open", "21:00"), ("cup-open", "20:30")):
            time = f"2027-06-21T{freeze}:00Z"
            done = run("season", "extend", stage, "--freeze", time, "--why", "no power", "--db", "season.db")
            said.append(done.stderr.removeprefix("error: ") + done.stdout)

    season.when(at("21 18:30:00"), extend)
    season.when(at("21 20:15:00"), partial(season.hand_in, "Ana", "walker", 1, at("21 20:15:00")))
    season.run(at("22 17:00:00"))

    assert said == [
        "there is no stage 'cup' in season.db; the stages of its seasons are: cup-open, cup-final\n",
        "--freeze: Invalid isoformat string: '2027-06-21Tnoon:00Z'\n",
        "the new deadline, Monday 21 June 2027, 20:00:00 UTC, should be after Monday 21 June 2027, 20:00:00 UTC\n",
        "'cup-open' ends on Monday 21 June 2027, 22:00:00 UTC, so its deadline can be moved to Monday 21 June 2027, 20:50:00 UTC at most\n",
        "Submissions to 'cup-open' close on Monday 21 June 2027, 20:30:00 UTC.\n",
    ]
    with pytest.raises(ClosedError, match="closed on Monday 21 June 2027, 20:30:00 UTC"):
        season.hand_in("Ben", "strider", 2, at("21 20:30:00"))
    assert "20:30:00 UTC  submissions to open close; moved by the host: no power" in run("status", "--db", "season.db").stdout
    with Store.read(season.db) as store:
        assert [(each.kind, each.why) for each in tournament_of(store, "cup-open").orders] == [("extend", "no power")]
