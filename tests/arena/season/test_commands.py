"""The commands of a season's host, by the clock of this machine."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from arena.bots import find_bots
from arena.run.runner import run_tournament
from arena.season.driver import entries_of, qualified
from arena.season.entry import ClosedError
from arena.season.season_file import make_season
from arena.spec.spec import make_spec
from bots.loader.loading import resolve
from bots.loader.version import pack
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import find_submission, retire, submit
from tests.arena.conftest import Run
from tests.arena.running import Hasty
from tests.arena.season.killed import outcome
from tests.arena.season.quick import SEASON, QuickSeason, at
from tests.arena.season.test_season_file import FILE
from tests.people import person
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


def test_a_bot_is_the_version_that_its_ladder_names_with_its_parameters(tmp_path: Path) -> None:
    """A file stays a file, and a version its author's, though somebody else has submitted the same content."""
    path = tmp_path / "own.py"
    path.write_text("class Bot:\n    def choose(self, view, clock):\n        return view.legal_moves[0]\n")
    version = resolve(str(path))
    with Store.create(tmp_path / "t.db") as store:
        for name in ("first", "copy", "old"):
            submit(store, name, version.digest, person(store, name), pack(version))
        sources = {"own": str(path), "theirs": "first@1", "again": "old@1", "random": "random"}
        bots: list[dict[str, object]] = [{"name": name, "source": source} for name, source in sources.items()]
        bots.append({"name": "sharp", "source": "mcts", "params": {"most": 10}})
        data = {"name": "league", "game": "tongiaki", "bots": bots, "schedule": {"format": "ladder", "tables": [2], "rounds": 6}}
        spec = make_spec(data)
        run_tournament(spec, find_bots(spec, tmp_path, store), store, Hasty())
        stage = make_season(FILE, "cup.toml").stages[0]
        assert set(qualified(store, stage, tournament_of(store))) == {"own", "theirs", "again", "sharp"}
        retire(store, find_submission(store, "old@1"))
        assert set(qualified(store, stage, tournament_of(store))) == {"own", "theirs", "sharp"}
        assert entries_of(store, tournament_of(store), ["own", "theirs", "sharp"]) == [
            {"name": "own", "source": str(path)},
            {"name": "theirs", "source": "first@1"},
            {"name": "sharp", "source": "mcts", "params": {"most": 10}},
        ]


@pytest.mark.slow  # it starts and kills programs
def test_the_same_submissions_at_the_same_times_give_the_same_results_however_often_somebody_is_killed(tmp_path: Path) -> None:
    assert outcome(tmp_path / "killed", kills=6, seed=1) == outcome(tmp_path / "whole", kills=0, seed=2)
