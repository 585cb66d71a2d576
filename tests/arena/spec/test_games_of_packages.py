"""A tournament of a game of another package, whose scores have fractions: run, stored, verified and exported, also with other versions."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from arena.cli.app import app
from arena.play.executors.base import InlineExecutor
from arena.run.results import standings
from arena.run.runner import Summary, run_tournament
from arena.spec.spec import MissingGameError, SpecError, make_stored_spec, package_of, read_spec
from arena.verification.verifier import Verdict
from bots.loader.loading import identify
from bots.loader.version import BotVersion
from leaderboard.statistics.columns import read_results
from leaderboard.storage.store import Store
from tests.arena.verification.evidence import verify
from tests.outside import race, remove

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


def test_a_verification_with_another_version_that_plays_alike_says_so_and_agrees(cup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, _ = run(cup)
    race(monkeypatch, cup.parent, "racing", version="1.1", score=SCORE, options=OPTIONS, top="# the same")
    verdict = only(place)
    assert (verdict.disagreements, verdict.differing) == ([], 0)
    assert re.fullmatch(
        r"it was played with the game 'racing' from tile-arena-racing 1\.0 \(code \w{8}\), "
        r"and is verified with the game from tile-arena-racing 1\.1 \(code \w{8}\)",
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
    assert f"matches that could not be verified: {summary.stored}" in told.stdout
    assert f"{summary.stored} matches can't be reproduced with that package; install the one that was used" in told.stdout


def test_a_database_and_a_bundle_of_a_missing_game_say_what_to_install(cup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, summary = run(cup)
    bundle = cup.with_suffix(".arena")
    assert runner.invoke(app, ["export", "--db", str(place), "--bundle", str(bundle)]).exit_code == 0
    assert "everything agrees" in runner.invoke(app, ["verify", str(bundle)]).stdout
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
    with pytest.raises(SpecError, match="unknown key 'package'; only stored tournaments have it, so leave it out"):
        read_spec(cup)
