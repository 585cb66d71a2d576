"""The file of a final: the best of a ladder that have not left, in their versions, with its limits; it can be played as it is."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from arena.analysis.standings import standings
from arena.entries import orders
from arena.entries.bot_resolution import find_bots
from arena.entries.stored_tournament import stored_spec
from arena.report.final_file import FinalError, final_file
from arena.run.runner import run_tournament
from arena.season.driver import qualified
from arena.season.season_file import make_season
from arena.spec.limits import ClockTable
from arena.spec.spec import make_spec
from bots.loader.loading import resolve
from bots.loader.version import pack
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import find_submission, retire, submit
from tests.arena.format_plans import plan
from tests.arena.formats.test_rounds import Hasty, run
from tests.arena.run.test_ladder_orders import WHY
from tests.arena.running import stop_after
from tests.arena.season.test_season_file import FILE
from tests.people import person
from tests.stored import tournament_of

LADDER = plan(8, format="ladder", rounds=60, seats="rotations").model_copy(update={"clock": ClockTable(move=0.25, bank=20.0)})


@pytest.fixture
def db(tmp_path: Path) -> Path:
    run(LADDER, tmp_path / "t.db", is_stopping=stop_after(60))
    return tmp_path / "t.db"


def test_it_has_the_best_that_have_not_left_and_the_limits(db: Path) -> None:
    with Store.create(db) as store:
        ranked = [line.bot for line in standings(store, tournament_of(store))]
        orders.leave(store, tournament_of(store), ranked[1], WHY)
        store.begin_round(tournament_of(store), 40)
        made = final_file(store, tournament_of(store), 4, blocks=7, secret="geheim №.txt")  # noqa: S106  # a file's name
    assert made.bots == (ranked[0], *ranked[2:5])
    spec = make_spec(tomllib.loads(made.text))
    assert (spec.name, spec.secret, [bot.name for bot in spec.bots]) == ("plan-final", "geheim №.txt", list(made.bots))
    assert (spec.schedule.format, spec.schedule.tables, spec.schedule.blocks, spec.schedule.seats) == ("round-robin", (2,), 7, "rotations")
    assert (spec.clock.move, spec.clock.bank, spec.clock.wall_bank) == (0.25, 20.0, 5.0)


def test_what_it_refuses(db: Path) -> None:
    with (
        Store.read(db) as store,
        pytest.raises(FinalError, match=r"has 8 bots in its standings that have not left and are not retired; give --best less than 9"),
    ):
        final_file(store, tournament_of(store), 9)
    run(plan(4), db.with_name("other.db"))
    with Store.read(db.with_name("other.db")) as store, pytest.raises(FinalError, match=r"'plan' is a round-robin; a final takes the best"):
        final_file(store, tournament_of(store), 2)


def test_options_of_the_game_and_the_runtime_are_kept(tmp_path: Path) -> None:
    data = {
        "name": "wide",
        "game": "sunda",
        "seed": 1,
        "options": {"level": 2},
        "bots": ["random", "greedy"],
        "runtime": {"memory": "1GiB"},
    }
    spec = make_spec(data | {"schedule": {"format": "ladder", "tables": [2], "rounds": 3}, "clock": {"wall": 60.0}})
    run(spec, tmp_path / "t.db")
    with Store.read(tmp_path / "t.db") as store:
        ladder = tournament_of(store)
        final = make_spec(tomllib.loads(final_file(store, ladder, 2).text))
        before = stored_spec(ladder)
    assert (final.make_game(), final.clock, final.rating) == (before.make_game(), before.clock, before.rating)
    assert final.runtime.runtime == before.runtime.runtime


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
        made = final_file(store, tournament_of(store), 4)
        entries = {bot.name: bot for bot in make_spec(tomllib.loads(made.text)).bots}
        assert {name: bot.source for name, bot in entries.items()} == {
            "own": str(path), "theirs": "first@1", "random": "random", "sharp": "mcts"
        }  # fmt: skip
        assert entries["sharp"].params == {"most": 10}
        with pytest.raises(FinalError, match=r"has 4 bots in its standings that have not left and are not retired"):
            final_file(store, tournament_of(store), 5)
