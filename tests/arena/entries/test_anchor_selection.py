"""``anchors = true``: who is an anchor is settled when a tournament begins, stays so, and fixes the ratings of nobody else."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

import arena.entries.spec_completion
from arena.analysis.standings import standings
from arena.analysis.statistics import gather
from arena.entries.spec_completion import conditions, resolve_anchors
from arena.entries.stored_tournament import ChangedError
from arena.run.calibration import bots_at_tables
from arena.run.runner import Summary, run_tournament
from arena.run.status import find_status
from arena.spec.spec import Spec, SpecError, make_spec
from bots.loader.loading import resolve
from leaderboard.ratings.anchors import Measured, MeasuredBot, read_anchors
from leaderboard.storage.store import Store
from tests.arena.conftest import Run
from tests.arena.run.test_runner import Fake
from tests.arena.running import digests, stop_after, versions_of
from tests.arena.verification.evidence import disagreements
from tests.stored import points_of, tournament_of

REFERENCE = Path(__file__).parents[3] / "bots" / "reference"
GREEDY, RANDOM = (29.0, 0.4), (20.5, 0.5)


def make(bots: Sequence[object] = ("random", "greedy", {"name": "mine", "source": "random"}), **schedule: object) -> Spec:
    """A spec with ``anchors = true``."""
    data = {
        "name": "cup",
        "game": "tongiaki",
        "seed": 7,
        "bots": list(bots),
        "schedule": {"tables": [2], "blocks": 3} | schedule,
        "rating": {"anchors": True},
    }
    return make_spec(data, "cup.toml")


def measure(**ratings: tuple[float, float]) -> tuple[Measured, ...]:
    """What a ladder might have measured of reference bots."""
    bots = tuple(MeasuredBot(bot, resolve(bot).digest, *rating, 100) for bot, rating in ratings.items())
    return (Measured(conditions(make()), 1, {}, bots),)


@pytest.fixture
def shipped(monkeypatch: pytest.MonkeyPatch) -> Callable[[tuple[Measured, ...]], None]:
    """Change what comes with the program; at first, greedy and random are measured."""

    def ship(measured: tuple[Measured, ...]) -> None:
        monkeypatch.setattr(arena.entries.spec_completion, "read_anchors", lambda: measured)

    ship(measure(greedy=GREEDY, random=RANDOM))
    return ship


Ship = Callable[[tuple[Measured, ...]], None]


def play(spec: Spec, path: Path, **more: object) -> Summary:
    with Store.create(path) as store:
        return run_tournament(spec, versions_of(spec), store, Fake(), **more)  # type: ignore[arg-type]


class TestARun:
    def test_anchors_stay_and_the_others_move(self, shipped: Ship, tmp_path: Path) -> None:
        spec = make(["random", "greedy", "spoiler"])
        found = {each.bot: (each.mu, each.sigma) for each in play(spec, tmp_path / "t.db").table}
        assert (found["greedy"], found["random"]) == (GREEDY, RANDOM)
        assert found["spoiler"] != (25.0, 25 / 3)
        with Store.read(tmp_path / "t.db") as store:
            tournament = tournament_of(store, "cup")
            assert {(each.mu, each.sigma) for each in points_of(store, tournament, "greedy")} == {GREEDY}
            assert {line.bot: line.anchor for line in standings(store, tournament)} == {"greedy": True, "random": True, "spoiler": False}
            assert find_status(store, tournament).anchors == gather(store, tournament).anchors == ("greedy", "random")

    def test_without_anchors_the_same_matches_are_rated_otherwise(self, shipped: Ship, tmp_path: Path) -> None:
        spec = make(["random", "greedy", "spoiler"])
        with_them, without = play(spec, tmp_path / "t.db"), play(spec.without_anchors(), tmp_path / "o.db")
        assert with_them.results_digest == without.results_digest
        assert with_them.ratings_digest != without.ratings_digest


class TestLater:
    def test_new_anchors_of_the_program_do_not_change_a_tournament_that_has_begun(self, shipped: Ship, tmp_path: Path) -> None:
        spec = make(["random", "greedy", "spoiler"])
        whole = play(spec, tmp_path / "whole.db")
        play(spec, tmp_path / "t.db", is_stopping=stop_after(4))
        for later in (measure(greedy=(40.0, 0.1)), measure(spoiler=(31.0, 0.1)), ()):
            shipped(later)
            assert digests(play(spec, tmp_path / "t.db")) == digests(whole)
        with Store.read(tmp_path / "t.db") as store:
            tournament = tournament_of(store, "cup")
            assert json.loads(tournament.spec)["rating"]["anchors"] == [
                {"bot": "greedy", "mu": 29.0, "sigma": 0.4},
                {"bot": "random", "mu": 20.5, "sigma": 0.5},
            ]

    def test_a_bot_that_is_added_later_is_rated(self, shipped: Ship, tmp_path: Path) -> None:
        play(make(["greedy", "spoiler"]), tmp_path / "t.db")
        found = {each.bot: each.mu for each in play(make(["greedy", "spoiler", "random"]), tmp_path / "t.db").table}
        assert found["greedy"] == GREEDY[0]
        assert found["random"] != RANDOM[0]

    @pytest.mark.parametrize("first", [True, False])
    def test_anchors_can_neither_be_added_nor_taken_away(self, shipped: Ship, tmp_path: Path, first: bool) -> None:
        anchored = make(["random", "greedy"])
        specs = [anchored, anchored.without_anchors()]
        play(specs[not first], tmp_path / "t.db")
        with pytest.raises(ChangedError, match=r"another 'rating\.anchors'"):
            play(specs[first], tmp_path / "t.db")

    def test_an_edited_anchor_is_found(self, shipped: Ship, tmp_path: Path) -> None:
        play(make(["random", "greedy", "spoiler"]), tmp_path / "t.db")
        with Store.create(tmp_path / "t.db") as store:
            tournament = tournament_of(store, "cup")
            text = tournament.spec.replace('"mu":29.0', '"mu":29.5')
            store.extend_tournament(tournament, text, tournament.total, reorders=False)  # which seals the spec anew
        told = disagreements(tmp_path / "t.db")
        assert any("final seal" in each for each in told)


class TestWithoutAny:
    def test_it_is_refused_in_one_sentence_and_nothing_is_stored(self, shipped: Ship, tmp_path: Path) -> None:
        shipped(measure(spoiler=(25.0, 1.0)))
        with pytest.raises(SpecError) as error:
            play(make(), tmp_path / "t.db")
        assert str(error.value) == "rating.anchors is true, but no bot of 'cup' is an anchor: only spoiler can be"
        with Store.read(tmp_path / "t.db") as store:
            assert store.tournament_names() == ()

    @pytest.mark.parametrize(
        ("clock", "are_there"), [({}, True), ({"move": 30.0}, True), ({"move": 0.5}, False), ({"bank": 60.0}, False), ({"nodes": 9}, False)]
    )
    def test_a_search_is_an_anchor_where_nothing_cuts_it_short(self, clock: dict[str, float], are_there: bool) -> None:
        [known] = measure(greedy=GREEDY)
        slow = replace(known, bots=tuple(replace(each, searches=True) for each in known.bots))
        spec = make_spec(json.loads(make().canonical()) | {"clock": clock}, "cup.toml")
        if are_there:
            assert [each.bot for each in resolve_anchors(spec, versions_of(spec), measured=[slow]).rating.fixed] == ["greedy"]
            return
        with pytest.raises(SpecError, match=r"greedy could anchor with no clock\.nodes and no less time than usual"):
            resolve_anchors(spec, versions_of(spec), measured=[slow])


class TestTheProgram:
    SPEC = (
        'name = "cup"\ngame = "tongiaki"\nseed = 1\nbots = ["random", "greedy", "spoiler"]\n[schedule]\ntables = [2]\nblocks = 2\n'
        '[rating]\nanchors = [{ bot = "greedy", mu = 29.0, sigma = 0.4 }]\n'
    )

    def test_it_marks_anchors_in_what_it_shows_and_verifies(self, run: Run, tmp_path: Path) -> None:
        (tmp_path / "cup.toml").write_text(self.SPEC)
        alone = run("run", "cup.toml", "--db", "one.db", "--executor", "inline", "--isolation", "none")
        assert alone.returncode == 0, alone.stderr
        assert "greedy*  27.80    1-2  29.00   0.40" in alone.stdout
        assert "* an anchor: its rating was measured before and is fixed." in alone.stdout
        assert "anchors  greedy, whose ratings are fixed" in run("status", "--db", "one.db").stdout
        shown = json.loads(run("leaderboard", "--db", "one.db", "--json").stdout)
        assert {line["bot"]: line["anchor"] for line in shown["standings"]} == {"greedy": True, "random": False, "spoiler": False}
        assert run("export", "one.db", "--bundle", "cup.zip").returncode == 0
        checked = run("verify", "cup.zip")
        assert checked.returncode == 0, checked.stdout + checked.stderr
        assert alone.stdout.splitlines()[-1] in checked.stdout


@pytest.mark.parametrize("game", ["tongiaki", "sunda"])
def test_the_anchors_that_ship_are_of_the_bots_that_ship(game: str) -> None:
    """A reference bot that has changed is no anchor any more: 'make ladder' measures it again."""
    measured = [each for each in read_anchors() if each.conditions.game == game]
    names = bots_at_tables(game)

    assert {bot.bot: bot.version for each in measured for bot in each.bots} == {name: resolve(name).digest for name in names}
