"""A tournament of a game of another package, whose scores have fractions: run, stored, verified and exported, also with other versions."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from arena.changes import ChangedError
from arena.cli.app import app
from arena.play.executors.base import InlineExecutor, Job
from arena.play.executors.cluster import program_digest, report_node, unfit
from arena.run.results import standings
from arena.run.runner import Summary, run_tournament
from arena.spec.spec import MissingGameError, SpecError, make_spec, make_stored_spec, package_of, read_spec
from arena.verification.verifier import Verdict
from bots.limits import Level
from bots.loader.loading import identify
from bots.loader.version import BotVersion
from engine.registry import find_game
from leaderboard.statistics.columns import read_results
from leaderboard.storage.store import Store
from tests.arena.verification.evidence import verify
from tests.outside import race, remove
from tests.postgres import Server

SCORE = "0.25 * self.steps if seat == self.actor else 1"
OPTIONS = '{"fast": (False, (False, True)), "share": (0.5, (0.25, 0.5))}'
SPEC = """
name = "cup"
game = "racing"
seed = 3
bots = ["random", {name = "other", source = "random"}]
options = {fast = true, share = 0.25}
[schedule]
tables = [2]
blocks = 4
"""
TABLES = "tables = [2]\nblocks = 4"
runner = CliRunner()


@pytest.fixture
def cup(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A file with a tournament, beside the module of its game."""
    race(monkeypatch, tmp_path, "racing", score=SCORE, options=OPTIONS)
    path = tmp_path / "cup.toml"
    path.write_text(SPEC)
    return path


def run(cup: Path) -> tuple[Path, Summary]:
    place = cup.with_suffix(".db")
    spec = read_spec(cup)
    with Store.create(place) as store:
        return place, run_tournament(spec, versions(), store, InlineExecutor())


def versions() -> dict[str, BotVersion]:
    return {name: identify("random", name=name) for name in ("random", "other")}


def only(place: Path) -> Verdict:
    [verdict], general = verify(place)
    assert general == []
    return verdict


def test_scores_with_fractions_go_through_storage_standings_and_statistics(cup: Path) -> None:
    place, summary = run(cup)
    assert summary.is_complete
    with Store.read(place) as store:
        [line, other] = standings(store, summary.tournament)
        stored = [match for page in [store.matches(store_ids(place))] for match in page.values()]
        results = read_results(store, summary.tournament)
    scores = [seat.score for match in stored for seat in match.seats]
    assert {type(score) for score in scores} == {int, float}
    assert all(isinstance(score, int) or not score.is_integer() for score in scores)
    assert line.mean_score + other.mean_score == pytest.approx(sum(scores) / len(stored))
    assert sorted(results.score.tolist()) == sorted(map(float, scores))
    verdict = only(place)
    assert (verdict.disagreements, verdict.is_final, verdict.other_package) == ([], True, "")


def store_ids(place: Path) -> list[str]:
    with closing(sqlite3.connect(place)) as connection:
        return [row[0] for row in connection.execute("SELECT id FROM match ORDER BY id")]


def test_scores_of_the_program_s_own_games_stay_integers_in_the_file(tmp_path: Path) -> None:
    spec = make_spec(
        {
            "name": "own",
            "game": "tongiaki",
            "seed": 1,
            "bots": ["random", {"name": "other", "source": "random"}],
            "schedule": {"tables": [2]},
        }
    )
    assert "package" not in json.loads(spec.canonical())
    with Store.create(tmp_path / "own.db") as store:
        run_tournament(spec, versions(), store, InlineExecutor())
    with closing(sqlite3.connect(tmp_path / "own.db")) as connection:
        kinds = connection.execute("SELECT DISTINCT typeof(score) FROM seat UNION SELECT DISTINCT typeof(points) FROM standing").fetchall()
        [(stored,)] = connection.execute("SELECT spec FROM tournament")
    assert kinds == [("integer",)]
    assert "package" not in json.loads(stored)


def test_postgresql_keeps_fractions_and_integers_as_sqlite_does(cup: Path, postgres: Server) -> None:
    place, summary = run(cup)
    url = postgres.new_database()
    with Store.create(url) as store:
        there = run_tournament(read_spec(cup), versions(), store, InlineExecutor())
        matches = store.matches(store_ids(place))
    assert there.results_digest == summary.results_digest
    with Store.read(place) as store:
        here = store.matches(store_ids(place))
        assert [[(type(seat.score), seat.score) for seat in match.seats] for match in here.values()] == [
            [(type(seat.score), seat.score) for seat in match.seats] for match in matches.values()
        ]
    [verdict], _ = verify(url)
    assert verdict.disagreements == []


def test_a_run_records_the_package_its_version_and_the_hash_of_its_code(cup: Path) -> None:
    place, summary = run(cup)
    package = json.loads(summary.tournament.spec)["package"]
    assert (package["name"], package["version"]) == ("tile-arena-racing", "1.0")
    assert re.fullmatch("[0-9a-f]{64}", package["digest"])
    before = package_of("racing")
    assert before is not None
    assert before.digest == package["digest"]
    with Store.read(place) as store:
        [replay] = [store.replay(each) for each in store_ids(place)[:1]]
    assert json.loads(replay)["package"] == "tile-arena-racing 1.0"


def test_a_run_is_not_continued_with_another_package(cup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(cup)
    cup.write_text(SPEC.replace("blocks = 4", "blocks = 5"))
    race(monkeypatch, cup.parent, "racing", version="1.1", score=SCORE, options=OPTIONS)
    told = (
        r"was started with the game 'racing' of tile-arena-racing 1\.0 \(code \w{8}\), and now it is that of tile-arena-racing 1\.1 \(code"
    )
    with pytest.raises(ChangedError, match=told):
        run(cup)


def test_a_verification_with_another_version_that_plays_alike_says_so_and_agrees(cup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, _ = run(cup)
    race(monkeypatch, cup.parent, "racing", version="1.1", score=SCORE, options=OPTIONS, top="# the same")
    verdict = only(place)
    assert (verdict.disagreements, verdict.differing) == ([], 0)
    assert re.fullmatch(
        r"it was played with the game 'racing' of tile-arena-racing 1\.0 \(code \w{8}\), "
        r"and is verified with that of tile-arena-racing 1\.1 \(code \w{8}\)",
        verdict.other_package,
    )
    told = runner.invoke(app, ["verify", str(place)])
    assert told.exit_code == 0
    assert f"cup: {verdict.other_package}" in told.stdout


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_a_verification_with_other_code_that_plays_otherwise_says_so_instead_of_disagreeing(
    version: str, cup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, summary = run(cup)
    race(monkeypatch, cup.parent, "racing", version=version, score="7.5", options=OPTIONS)
    verdict = only(place)
    assert verdict.disagreements == []
    assert verdict.differing == summary.stored == verdict.stored
    assert verdict.decisions == 0
    told = runner.invoke(app, ["verify", str(place)])
    assert told.exit_code == 1
    assert f"{summary.stored} matches could not be verified" in told.stdout
    assert f"{summary.stored} matches don't follow from that package; install the one that played to verify them" in told.stdout


def test_what_was_edited_is_found_with_another_version_too(cup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, _ = run(cup)
    with closing(sqlite3.connect(place)) as connection, connection:
        connection.execute("UPDATE seat SET score = score + 0.125 WHERE seat = 0 AND match_id = (SELECT min(id) FROM match)")
    race(monkeypatch, cup.parent, "racing", version="2.0", score="7.5", options=OPTIONS)
    assert any("score of seat 0" in str(each) for each in only(place).disagreements)


def test_a_database_and_a_bundle_of_a_missing_game_say_what_to_install(cup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, summary = run(cup)
    bundle = cup.with_suffix(".arena")
    assert runner.invoke(app, ["export", "--db", str(place), "--bundle", str(bundle)]).exit_code == 0
    assert "all agrees" in runner.invoke(app, ["verify", str(bundle)]).stdout
    remove(monkeypatch, "racing")
    sentence = (
        "the tournament 'cup': it was played with the game 'racing' of tile-arena-racing 1.0, which is not installed; "
        "pip install 'tile-arena-racing==1.0'"
    )
    with pytest.raises(MissingGameError, match=f"^{sentence}$"):
        make_stored_spec(summary.tournament.spec, "the tournament 'cup'")
    for what in (place, bundle):
        told = runner.invoke(app, ["verify", str(what)])
        assert told.exit_code == 2
        assert " ".join(told.output.split()).endswith(sentence)


def test_a_file_does_not_name_a_package(cup: Path) -> None:
    cup.write_text('package = {name = "x", version = "1", digest = "0"}\n' + SPEC)
    with pytest.raises(SpecError, match="unknown key 'package'; it is for stored tournaments"):
        read_spec(cup)


def test_a_node_with_another_version_of_the_game_is_not_fit(cup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job = Job("racing", dict(find_game("racing").options), versions(), level=Level.NONE)
    same = report_node("127.0.0.1", list(job.bots.values()), "racing")
    assert unfit(same, job, program_digest()) is None
    race(monkeypatch, cup.parent, "racing", version="1.1", options=OPTIONS)
    other = report_node("127.0.0.1", list(job.bots.values()), "racing")
    race(monkeypatch, cup.parent, "racing", score=SCORE, options=OPTIONS)
    told = unfit(other, job, program_digest())
    assert told is not None
    assert re.search(
        r"can't play the game 'racing' as this run does: it has tile-arena-racing 1\.1 \(code \w{8}\), "
        r"not tile-arena-racing 1\.0 \(code \w{8}\); install the same package there$",
        told,
    )
    lacking = report_node("127.0.0.1", list(job.bots.values()), "rowing")
    assert "it has there is no game 'rowing'" in str(unfit(lacking, job, program_digest()))
