"""Entering a ladder: who may, under which name, and that no line-up has two bots of one author where this is asked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import arena.tournament
from arena.bots import find_bot, find_bots
from arena.changes import ChangedError
from arena.formats.orders import SLOW_RULE, Pacing, detail_of
from arena.formats.schedule import Schedule
from arena.play.executors.base import InlineExecutor
from arena.report.leaderboard_table import authors_line
from arena.run.ladder_entry import NoLadderError, check_open, enter, find_ladder, ladders
from arena.run.orders import Reason, leave
from arena.run.runner import run_prepared, run_tournament
from arena.spec.spec import Spec, SpecError, make_spec
from arena.tournament import prepare
from bots.loader.loading import resolve
from bots.loader.version import pack
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import Submission, submit
from tests.arena.entries.test_bot_check import GOOD
from tests.arena.format_plans import play, seated
from tests.world import person, tournament_of

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
        with pytest.raises(ChangedError, match=r"^the ladder 'secret' is over and accepts no more bots$"):
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
        with pytest.raises(
            SpecError, match=r"'league': A has 2 bots in this tournament \(A1, A2\), and max_per_author is 1; take some out"
        ):
            prepare(crowded, store, find_bots(crowded, tmp_path, store))
        prepare(spec, store, find_bots(spec, tmp_path, store))
        entered(store, submitted(store, tmp_path, "walker", "Ana"))
        second = submitted(store, tmp_path, "walker", "Ana")
        with pytest.raises(SpecError, match=r"its author has 2 bots in this tournament \(walker, walker\.2\)"):
            entered(store, second)
        leave(store, tournament_of(store), "walker", Reason("its author wishes it"))
        assert entered(store, second) == "walker.2"
        with pytest.raises(SpecError, match=r"its author has 2 bots in this tournament \(walker\.2, walker\.3\)"):
            entered(store, submitted(store, tmp_path, "walker", "Ana"))


@pytest.mark.parametrize("name", ["champion.2", "CHAMPION.2"])
def test_the_name_of_a_bot_of_the_host_is_refused_at_the_door(store: Store, tmp_path: Path, name: str) -> None:
    version = submitted(store, tmp_path, "other", "Eve")
    with pytest.raises(ChangedError, match=f"the name '{name}' is already taken by 'champion', another author's bot"):
        entered(store, version, name)


def test_nobody_enters_under_the_name_of_somebody_elses_next_version(store: Store, tmp_path: Path) -> None:
    entered(store, submitted(store, tmp_path, "walker", "Ana"))
    version = submitted(store, tmp_path, "other", "Eve")
    with pytest.raises(ChangedError, match="is already taken by 'walker'"):
        entered(store, version, "walker.2")
    assert entered(store, submitted(store, tmp_path, "walker", "Ana")) == "walker.2"


def test_names_that_differ_only_in_case_are_one_name_for_the_host_too(store: Store) -> None:
    with pytest.raises(ChangedError, match="already has a bot 'champion'"):
        enter(store, "league", "Champion", "random", resolve("random", name="Champion"))


def made(authors: list[str | None], **schedule: object) -> Spec:
    """A spec with a bot for each of these authors."""
    bots = [
        {"name": f"b{number:02}", "source": "random"} | ({} if author is None else {"author": author})
        for number, author in enumerate(authors)
    ]
    return make_spec({"name": "plan", "game": "tongiaki", "seed": 7, "bots": bots, "schedule": {"tables": [2], **schedule}}, "f.toml")


@pytest.mark.parametrize(
    ("authors", "schedule", "sentence"),
    [
        (["Ana", "Ana", "Bea", None], {}, "b00 in 2 and b01 in 2, the others in 3."),
        (["Ana", "Ana", "Bea", "Cid"], {"tables": [2, 3]}, "b00 in 3 and b01 in 3, the others in 5."),
        (["Ana"] * 7 + ["Bea", "Cid"], {"format": "ladder"}, "b04 in 2, b05 in 2 and 1 more, the others in 8."),
        (["Ana", "Ana", "Bea", "Bea"], {}, ""),
        (["Ana", "Bea", None], {}, ""),
        (["Ana", "Ana", "Bea"], {"format": "gauntlet", "challengers": ["b02"]}, ""),
    ],
)
def test_a_host_is_told_whose_line_ups_are_fewer(authors: list[str | None], schedule: dict[str, object], sentence: str) -> None:
    said = authors_line(made(authors, **schedule))
    assert bool(said) == bool(sentence)
    assert said.endswith(sentence)


MANY = ["Ana", "Ana", "Ana", "Bea", "Bea", None, None, "Cid", "Dan"]


@pytest.mark.parametrize(
    "schedule",
    [
        {"tables": [2, 3, 4]},
        {"tables": [3], "lineups": 12},
        {"tables": [2], "lineups": 9},
        {"format": "gauntlet", "tables": [3], "challengers": ["b00", "b05"]},
        {"format": "gauntlet", "tables": [4], "challengers": ["b01"], "lineups": 25},
        {"format": "swiss", "tables": [2], "rounds": 6},
        {"format": "swiss", "tables": [3], "rounds": 4},
        {"format": "ladder", "tables": [2], "rounds": 30},
        {"format": "ladder", "tables": [4], "rounds": 10},
    ],
)
def test_no_line_up_has_two_bots_of_an_author(schedule: dict[str, object]) -> None:
    spec = made(MANY, **schedule)
    known, rounds = play(spec)
    tickets = [ticket for tickets in rounds for ticket in tickets]
    for ticket in tickets:
        authors = [author for name in ticket.seats if (author := MANY[int(name[1:])]) is not None]
        assert len(set(authors)) == len(authors)
    rivals = {"b00", "b02"} if schedule.get("challengers") == ["b01"] else set()  # the challenger's author's, whom it can't meet
    assert set(seated(tickets)) == {bot.name for bot in spec.bots} - rivals
    assert known.total in {None, len(tickets)}


@pytest.mark.parametrize(
    ("authors", "more", "sentence"),
    [
        (
            ["Ana", "Ana", None],
            {"format": "knockout"},
            r"Ana has 2 bots in this tournament \(b00, b01\), and a knockout can't keep them from meeting",
        ),
        (["Ana", "Ana"], {}, "no table of 2 seats can be filled, since bots of one author never share a table"),
        (["Ana", "Ana", "Bea"], {"tables": [3]}, "no table of 3 seats can be filled"),
    ],
)
def test_what_can_not_be_seated_is_told(authors: list[str | None], more: dict[str, object], sentence: str) -> None:
    with pytest.raises(SpecError, match=sentence):
        made(authors, **more)


@pytest.mark.parametrize("spelling", ["ana", " Ana ", "ANA", "\uff21na", "An\u0061"])
def test_an_author_is_the_same_in_other_spellings(spelling: str) -> None:
    with pytest.raises(SpecError, match="no table of 2 seats can be filled"):
        made(["Ana", spelling])


def test_a_spec_may_limit_how_many_an_author_enters() -> None:
    data = {
        "name": "cup",
        "game": "tongiaki",
        "seed": 7,
        "max_per_author": 1,
        "bots": ["random", *({"name": name, "source": "random", "author": "Ana"} for name in ("a1", "a2"))],
        "schedule": {"tables": [2]},
    }
    with pytest.raises(SpecError, match=r"Ana has 2 bots in this tournament \(a1, a2\), and max_per_author is 1; take some out"):
        make_spec(data, "cup.toml")
    assert len(Schedule(make_spec(data | {"max_per_author": 2}, "cup.toml"))) == 2 * 2
