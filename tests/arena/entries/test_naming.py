"""Names in a ladder: a version enters under its author's name, and nobody under somebody else's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.bots import find_bot, find_bots
from arena.changes import ChangedError
from arena.run.ladder_entry import enter
from arena.run.orders import Reason, leave
from arena.spec.spec import SpecError, make_spec
from arena.tournament import prepare
from bots.loader.loading import resolve
from bots.loader.version import pack
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import Submission, submit
from tests.people import person
from tests.stored import tournament_of

BOT = "class Bot:\n    def choose(self, view, clock):\n        return view.legal_moves[0]\n"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A database with a ladder of the host's."""
    bots = ["random", {"name": "champion", "source": "greedy"}]
    spec = make_spec({"name": "league", "game": "tongiaki", "bots": bots, "schedule": {"format": "ladder", "tables": [2]}}, "test")
    with Store.create(tmp_path / "s.db") as store:
        prepare(spec, store, find_bots(spec, tmp_path, store))
        yield store


def submitted(store: Store, folder: Path, name: str, author: str) -> Submission:
    """One more version."""
    path = folder / "bot.py"
    path.write_text((path.read_text() if path.exists() else BOT) + "\n")
    version = resolve("bot.py", name=name, base=folder)
    return submit(store, name, version.digest, person(store, author), pack(version))


def entered(store: Store, version: Submission, name: str | None = None) -> str:
    """Enter it as the server does, or under another name; gives the name."""
    name = name or version.entry_name
    enter(store, "league", name, version.label, find_bot(version.label, store))
    return name


def test_versions_enter_one_after_the_other(store: Store, tmp_path: Path) -> None:
    names = [entered(store, submitted(store, tmp_path, "walker", "Ana")) for _ in range(3)]
    assert names == ["walker", "walker.2", "walker.3"]


def test_bots_that_have_left_do_not_count_towards_the_limit_of_an_author(tmp_path: Path) -> None:
    data = {"name": "league", "game": "tongiaki", "max_per_author": 1, "schedule": {"format": "ladder", "tables": [2]}}
    spec = make_spec(data | {"bots": ["random", "greedy"]}, "test")
    crowded = make_spec(data | {"bots": [{"name": name, "source": "random", "author": name[0]} for name in ("A1", "A2", "B1")]}, "test")
    with Store.create(tmp_path / "s.db") as store:
        with pytest.raises(SpecError, match=r"'league': A has 2 bots here \(A1, A2\), and max_per_author is 1; take some out"):
            prepare(crowded, store, find_bots(crowded, tmp_path, store))
        prepare(spec, store, find_bots(spec, tmp_path, store))
        entered(store, submitted(store, tmp_path, "walker", "Ana"))
        second = submitted(store, tmp_path, "walker", "Ana")
        with pytest.raises(SpecError, match=r"its author has 2 bots here \(walker, walker\.2\)"):
            entered(store, second)
        leave(store, tournament_of(store), "walker", Reason("its author wishes it"))
        assert entered(store, second) == "walker.2"
        with pytest.raises(SpecError, match=r"its author has 2 bots here \(walker\.2, walker\.3\)"):
            entered(store, submitted(store, tmp_path, "walker", "Ana"))


@pytest.mark.parametrize("name", ["champion.2", "CHAMPION.2"])
def test_the_name_of_a_bot_of_the_host_is_refused_at_the_door(store: Store, tmp_path: Path, name: str) -> None:
    version = submitted(store, tmp_path, "other", "Eve")
    with pytest.raises(ChangedError, match=f"the name '{name}' is that of 'champion', another author's bot"):
        entered(store, version, name)


def test_nobody_enters_under_the_name_of_somebody_elses_next_version(store: Store, tmp_path: Path) -> None:
    entered(store, submitted(store, tmp_path, "walker", "Ana"))
    version = submitted(store, tmp_path, "other", "Eve")
    with pytest.raises(ChangedError, match="is that of 'walker'"):
        entered(store, version, "walker.2")
    assert entered(store, submitted(store, tmp_path, "walker", "Ana")) == "walker.2"


def test_names_that_differ_only_in_case_are_one_name_for_the_host_too(store: Store) -> None:
    with pytest.raises(ChangedError, match="already has a bot 'champion'"):
        enter(store, "league", "Champion", "random", resolve("random", name="Champion"))
