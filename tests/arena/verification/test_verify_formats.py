"""Tournaments of every format are verified, exported, and not folded again when they are whole, whatever their rounds are paired by."""

from __future__ import annotations

import random
import re
import shutil
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest
from sqlalchemy import event

import arena.run.results
import arena.run.runner
from arena.play.executors.base import InlineExecutor
from arena.run.ladder_entry import enter
from arena.run.runner import Summary, run_tournament
from arena.spec.spec import Spec, make_spec
from arena.tournament import stored_spec
from arena.verification.verifier import Verdict
from bots.loader.loading import resolve
from leaderboard.storage.store import Store
from tests.arena.format_plans import plan
from tests.arena.formats.test_rounds import PLANS as ROUNDS
from tests.arena.running import Hasty, stop_after, versions_of
from tests.arena.running import run as run_hasty
from tests.arena.verification.evidence import changed, disagreements, export, verify
from tests.arena.verification.test_verify import edit, read

PLANS = {
    "swiss": plan(5, format="swiss", rounds=3),
    "swiss of three": plan(4, format="swiss", tables=[3], rounds=2),
    "ladder": plan(4, format="ladder", rounds=4),
    "knockout": plan(5, format="knockout", extra=1),
    "final": plan(4, until={"places": 1, "budget": 24}),
    "gauntlet": plan(4, format="gauntlet", challengers=["b01"]),
    "solo": make_spec(
        {
            "name": "plan",
            "game": "sunda",
            "seed": 7,
            "options": {"level": 1},
            "bots": [{"name": f"b{number:02}", "source": "random"} for number in range(3)],
            "schedule": {"tables": [1], "blocks": 2},
        },
        "solo",
    ),
}

Made = Callable[[str], tuple[Path, Summary]]


def run(spec: Spec, path: Path, is_stopping: Callable[[], bool] = lambda: False) -> Summary:
    with Store.create(path) as store:
        tournament = store.tournament("plan")
        whole = spec if tournament is None else stored_spec(tournament)
        return run_tournament(spec, versions_of(whole), store, InlineExecutor(), is_stopping=is_stopping)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """A whole tournament of a format, which is played when a test first asks for it, and how its run ended."""
    folder = tmp_path_factory.mktemp("formats")

    @cache
    def make(name: str) -> tuple[Path, Summary]:
        return folder / f"{name}.db", run(PLANS[name], folder / f"{name}.db")

    return make


@pytest.fixture(params=PLANS)
def whole(request: pytest.FixtureRequest, made: Made, tmp_path: Path) -> tuple[Path, Summary]:
    """A copy of one that a test may edit, and how its run ended."""
    path, summary = made(request.param)
    return Path(shutil.copy(path, tmp_path / "t.db")), summary


@pytest.fixture(scope="module")
def ladder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ladder in which one bot joined before round 2, and another still waits."""
    path, spec = tmp_path_factory.mktemp("ladder") / "t.db", PLANS["ladder"]
    run(spec, path, stop_after(7))
    for name in ("late", "later"):
        with Store.create(path) as store:
            enter(store, "plan", name, "random", resolve("random", name=name))
        if name == "late":
            run(spec, path, stop_after(6))
    return path


@pytest.fixture
def joined(ladder: Path, tmp_path: Path) -> Path:
    """A copy of the ladder that a test may edit."""
    return Path(shutil.copy(ladder, tmp_path / "t.db"))


def one(path: Path) -> Verdict:
    """The verdict on the only tournament of a database that is well as a whole."""
    [verdict], general = verify(path)
    assert general == []
    return verdict


@pytest.mark.sampled(3)
def test_a_whole_tournament_and_its_bundle_agree_with_what_its_run_printed(whole: tuple[Path, Summary], tmp_path: Path) -> None:
    path, summary = whole
    assert export(path, tmp_path / "t.arena") == export(path, tmp_path / "again.arena")
    for verdict in (one(tmp_path / "t.arena"), one(path)):
        assert verdict.disagreements == []
        assert (verdict.results, verdict.ratings) == (summary.results_digest, summary.ratings_digest)
        assert (verdict.stored, verdict.total, verdict.is_sealed) == (summary.stored, summary.stored, True)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("stop", [1, 3, 5])
@pytest.mark.parametrize("spec", PLANS.values(), ids=PLANS)
def test_a_stopped_one_agrees_as_far_as_it_came(spec: Spec, stop: int, tmp_path: Path) -> None:
    summary = run(spec, tmp_path / "t.db", stop_after(stop))
    verdict = one(tmp_path / "t.db")
    assert verdict.disagreements == []
    assert (verdict.stored, verdict.total) == (stop, summary.tournament.total or 0)
    assert (verdict.results, verdict.ratings) == (summary.results_digest, summary.ratings_digest)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("column", ["seat.score", "seat.rank", "match.round", "match.block", "match.seed", "tournament.total"])
def test_one_edited_value_is_one_disagreement_and_leads_no_later_round_astray(whole: tuple[Path, Summary], column: str) -> None:
    path, _ = whole
    table, name = column.split(".")
    rows = read(path, f"SELECT rowid, {name} FROM {table} ORDER BY rowid")  # noqa: S608  # our own tables
    for row, value in random.Random(column).sample(rows, min(2, len(rows))):
        edit(path, f"UPDATE {table} SET {name} = ? WHERE rowid = ?", changed(value), row)  # noqa: S608
        told = disagreements(path)
        found = [each for each in told if re.search(r"seal \d", each) is None]
        assert len(found) == 1, told
        assert len(told) == 2, told  # the other is of the seal that covers it
        assert f"stored {changed(value)}, found {value}" in found[0]
        edit(path, f"UPDATE {table} SET {name} = ? WHERE rowid = ?", value, row)  # noqa: S608


def test_after_a_match_of_which_nothing_is_left_no_round_can_be_paired(made: Made, tmp_path: Path) -> None:
    path = Path(shutil.copy(made("swiss")[0], tmp_path / "t.db"))
    edit(path, "UPDATE match SET replay = ? WHERE rowid = 1", zlib.compress(b"nothing"))
    [(match,)] = read(path, "SELECT id FROM match WHERE rowid = 1")
    told = disagreements(path)  # the stored ranks are left
    assert [each.split(": ")[1] for each in told if each.startswith("match ")] == ["digest of the replay", "replay"]
    assert [each.split(": ")[1] for each in told if not each.startswith("match ")] == ["digest of the results"]
    edit(path, "UPDATE seat SET rank = 2 WHERE match_id = ?", match)
    told = disagreements(path)
    later = read(path, "SELECT id FROM match WHERE round > 0")
    for (each,) in later:
        assert f"match {each}: id: stored '{each}', found an earlier match is unusable, so its round can't be paired" in told


def test_a_missing_match_is_named_and_those_after_it_are_counted(made: Made, tmp_path: Path) -> None:
    path = Path(shutil.copy(made("swiss")[0], tmp_path / "t.db"))
    [(row, match)] = read(path, "SELECT rowid, id FROM match WHERE round = 0 ORDER BY rowid LIMIT 1")
    edit(path, "DELETE FROM seat WHERE match_id = ?", match)
    edit(path, "DELETE FROM match WHERE rowid = ?", row)
    later = read(path, "SELECT id FROM match WHERE round > 0")
    told = disagreements(path)
    assert f"match of round 1: stored None, found '{match}'; no later round can be paired without it" in told[0]
    assert [f"{len(later) - 1} more" in each for each in told if "no match of the tournament's schedule" in each] == [True]


class TestLadderThatIsJoined:
    def test_it_agrees(self, joined: Path) -> None:
        assert [row[0] for row in read(joined, "SELECT joined FROM entrant ORDER BY joined")][:2] == [-1, 0]
        assert max(row[0] for row in read(joined, "SELECT joined FROM entrant")) > 0
        verdict = one(joined)
        assert verdict.disagreements == []
        assert (verdict.total, verdict.unsealed) == (0, 0)

    @pytest.mark.parametrize("by", [1, -1])
    def test_an_edited_round_of_joining_is_named(self, joined: Path, by: int) -> None:
        edit(joined, "UPDATE entrant SET joined = joined + ? WHERE joined > 0", by)
        told = disagreements(joined)
        assert any("digest of the bots" in each for each in told)
        assert any("no match of the tournament's schedule has this id" in each for each in told)
        if by > 0:
            assert any(re.search(r"round before which late joined: stored \d+, found at most \d", each) for each in told)


def test_what_a_killed_run_left_lacks_the_seal_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.db"
    run(PLANS["swiss"], path, stop_after(3))

    def killed(run: arena.run.runner._Run) -> None:
        run.commit()
        raise KeyboardInterrupt

    monkeypatch.setattr("arena.run.runner._Run.finish", killed)
    with pytest.raises(KeyboardInterrupt):
        run(PLANS["swiss"], path)
    verdict = one(path)
    assert (verdict.stored > 3, verdict.is_sealed) == (True, False)
    assert [each.field for each in verdict.disagreements] == ["final seal"]


class TestBundles:
    def test_a_standing_that_is_edited_is_named(self, made: Made, tmp_path: Path) -> None:
        path = Path(shutil.copy(made("swiss")[0], tmp_path / "t.db"))
        edit(path, "UPDATE standing SET points = points + 1 WHERE rowid = 1")
        export(path, tmp_path / "t.arena")
        told = disagreements(tmp_path / "t.arena")
        assert "tournament plan: points in the standing of bN: stored N, found N" in [re.sub(r"\d+", "N", each) for each in told]


@contextmanager
def statements(store: Store) -> Iterator[list[str]]:
    """What is asked of the database in the block."""
    found: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_more: object) -> None:
        found.append(statement)

    event.listen(store._engine, "before_cursor_execute", note)
    try:
        yield found
    finally:
        event.remove(store._engine, "before_cursor_execute", note)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("spec", ROUNDS.values(), ids=ROUNDS)
def test_a_run_of_a_whole_tournament_folds_nothing_and_tells_the_same(spec: Spec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = run_hasty(spec, tmp_path / "t.db")

    def fold(*_: object) -> None:
        raise AssertionError("nothing is to be folded")

    monkeypatch.setattr(arena.run.results, "Fold", fold)
    monkeypatch.setattr(arena.run.results, "recompute_standings", fold)
    with Store.create(tmp_path / "t.db") as store, statements(store) as asked:
        again = run_tournament(spec, versions_of(spec), store, executor := Hasty())
    assert (again.results_digest, again.ratings_digest, again.table) == (first.results_digest, first.ratings_digest, first.table)
    assert (again.places, again.stored, again.is_complete) == (first.places, first.stored, True)
    assert again.conclusion == first.conclusion
    assert asked
    assert executor.taken == []
    assert any(re.search(r"\bFROM seat\b", each) for each in asked) == bool(first.places)
    assert bool(first.places) == (spec.schedule.format in {"swiss", "knockout", "final"})


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "loss",
    [
        "DELETE FROM seal_link WHERE number = 2",
        "DELETE FROM standing WHERE rowid = 1",
        "UPDATE tournament SET rated = rated - 1",
        "UPDATE standing SET mu = mu + 1 WHERE rowid = 1",
    ],
)
def test_what_a_run_left_is_made_again_if_it_is_not_whole(loss: str, tmp_path: Path, made: Made) -> None:
    path = Path(shutil.copy(made("swiss")[0], tmp_path / "t.db"))
    assert edit(path, loss) > 0
    summary = run(PLANS["swiss"], path)
    assert (summary.played, summary.results_digest) == (0, made("swiss")[1].results_digest)
    verdict = one(path)
    assert (verdict.disagreements, verdict.is_sealed) == ([], True)
