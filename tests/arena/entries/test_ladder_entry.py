"""Which ladders of a database can be joined, and what is said of others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import arena.tournament
from arena.bots import find_bots
from arena.changes import ChangedError
from arena.formats.orders import SLOW_RULE, Pacing, detail_of
from arena.play.executors.base import InlineExecutor
from arena.run.ladder_entry import NoLadderError, check_open, find_ladder, ladders
from arena.run.runner import run_prepared, run_tournament
from arena.spec.spec import make_spec
from arena.tournament import prepare
from leaderboard.storage.store import Store
from tests.arena.entries.test_bot_check import GOOD
from tests.stored import tournament_of

LADDER = {"format": "ladder", "tables": [2], "rounds": 1}


def played(store: Store, name: str, **more: Any) -> None:
    data = {"name": name, "game": "tongiaki", "bots": ["random", "greedy"], "schedule": LADDER} | more
    spec = make_spec(data, "test")
    run_tournament(spec, find_bots(spec, Path(), store), store, InlineExecutor())


def test_a_ladder_is_found_by_its_name_and_open_until_its_secret_is_published(tmp_path: Path) -> None:
    with Store.create(tmp_path / "league.db") as store:
        with pytest.raises(NoLadderError, match=r"^there is no ladder 'x' here; the ladders are: none$"):
            find_ladder(store, "x")
        played(store, "open", seed=7)
        played(store, "secret")
        played(store, "cup", schedule={"tables": [2]}, seed=7)
        assert list(ladders(store)) == ["secret", "open"]
        assert find_ladder(store, "open").schedule.tables == (2,)
        with pytest.raises(NoLadderError, match=r"^there is no ladder 'cup' here; the ladders are: secret, open$"):
            find_ladder(store, "cup")
        check_open(store, "open")
        check_open(store, "")  # none
        with pytest.raises(ChangedError, match=r"^the ladder 'secret' is over, and takes no more bots$"):
            check_open(store, "secret")


@pytest.mark.slow  # seconds of play
def test_bots_of_its_file_are_tried_before_it_begins_and_a_slow_one_plays_less_from_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sleepy.py").write_text(f"import time\n{GOOD.replace('return', 'time.sleep(0.006); return')}")
    bots = ["random", {"name": "other", "source": "random"}, "sleepy.py"]
    spec = make_spec({"name": "x", "game": "tongiaki", "seed": 7, "bots": bots, "schedule": LADDER}, "test")
    with Store.create(tmp_path / "league.db") as store:
        tournament = prepare(spec, store, base=tmp_path, trusted=True)
        assert store.speeds(tournament.stored).keys() == {"random", "other", "sleepy"}
        run_prepared(tournament, InlineExecutor())
        monkeypatch.setattr(arena.tournament, "check_bot", None)  # they are not tried again
        prepare(spec, store, base=tmp_path, trusted=True)
        [order] = tournament_of(store).orders
    assert (order.kind, order.bot, order.by, order.round) == ("pace", "sleepy", SLOW_RULE, 0)
    assert detail_of(order, Pacing).at_once
