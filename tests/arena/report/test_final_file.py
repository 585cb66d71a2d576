"""The file of a final: the best of a ladder that have not left, in their versions, with its limits; it can be played as it is."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from arena.analysis.standings import standings
from arena.entries import orders
from arena.entries.stored_tournament import stored_spec
from arena.report.final_file import FinalError, final_file
from arena.spec.limits import ClockTable
from arena.spec.spec import make_spec
from leaderboard.storage.store import Store
from tests.arena.format_plans import plan
from tests.arena.formats.test_rounds import run
from tests.arena.run.test_ladder_orders import WHY, since
from tests.arena.running import stop_after
from tests.stored import tournament_of

LADDER = plan(8, format="ladder", rounds=60, seats="rotations")


@pytest.fixture
def db(tmp_path: Path) -> Path:
    run(LADDER, tmp_path / "t.db", is_stopping=stop_after(60))
    return tmp_path / "t.db"


def test_it_has_the_best_that_have_not_left_and_the_latest_limits(db: Path) -> None:
    with Store.create(db) as store:
        ranked = [line.bot for line in standings(store, tournament_of(store))]
        orders.leave(store, tournament_of(store), ranked[1], WHY)
        orders.limits(store, tournament_of(store), ClockTable(move=0.25, bank=20.0), since(0))
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
        pytest.raises(FinalError, match=r"has 8 bots in its standings that have not left; give --best less than 9"),
    ):
        final_file(store, tournament_of(store), 9)
    run(plan(4), db.with_name("other.db"))
    with Store.read(db.with_name("other.db")) as store, pytest.raises(FinalError, match=r"'plan' is a round-robin; a final is of the best"):
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
