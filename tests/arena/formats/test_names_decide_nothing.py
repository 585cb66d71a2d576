"""A bot that is renamed changes nothing but its name: not who meets whom, nor seats, decks, seeds or ids."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.formats.schedule import Schedule
from arena.play.executors.base import InlineExecutor
from arena.run.runner import run_tournament
from arena.spec.spec import Spec, make_spec
from bots.loader.loading import resolve
from engine.records import Ticket
from leaderboard.storage.store import Store
from tests.arena.format_plans import go_on, played

FORMATS: dict[str, dict[str, object]] = {
    "round-robin": {},
    "sample": {"lineups": 3},
    "gauntlet": {"challengers": [0, 3]},
    "swiss": {"rounds": 3},
    "ladder": {"rounds": 4},
    "knockout": {"extra": 1},
    "final": {"until": {"places": 2, "budget": 800}},
    "seeded knockout": {"seeds": [3, 1, 0, 2, 4, 5, 6]},
}


def made(kind: str, names: list[str], players: int, seats: str, authors: dict[int, str]) -> Spec:
    """A spec of a format whose bots have these names."""
    schedule = {key: [names[number] for number in value] if isinstance(value, list) else value for key, value in FORMATS[kind].items()}
    format_ = {"sample": "round-robin", "seeded knockout": "knockout"}.get(kind, kind)
    entries = [
        {"name": name, "source": "random"} | ({"author": authors[number]} if number in authors and "knockout" not in kind else {})
        for number, name in enumerate(names)
    ]
    data = {
        "name": "plan",
        "game": "tongiaki",
        "seed": 7,
        "bots": entries,
        "schedule": {"format": format_, "tables": [players], "seats": seats, **schedule},
    }
    return make_spec(data, "test")


def schedule_of(spec: Spec, names: list[str]) -> list[Ticket]:
    """All tickets, played by outcomes that follow from numbers alone, with names replaced by numbers."""
    number_of = {name: f"b{number:02}" for number, name in enumerate(names)}.__getitem__
    schedule, found = Schedule(spec), []
    driver = schedule.drive()
    step = driver.next()
    while step is not None:
        tickets = list(step.tickets)
        called = [replace(each, lineup=tuple(map(number_of, each.lineup)), seats=tuple(map(number_of, each.seats))) for each in tickets]
        found += called
        outcomes = [replace(played(each), ticket=ticket) for each, ticket in zip(called, tickets, strict=True)]
        step = go_on(driver, outcomes)
    found += [Ticket(number_of(each.bot), (), each.place, 0, (), 0) for each in schedule.places()]
    return found


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", list(FORMATS))
@settings(max_examples=6)
@given(
    names=st.lists(st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,8}", fullmatch=True), min_size=7, max_size=7, unique=True),
    players=st.integers(2, 6),
    seats=st.sampled_from(["balanced", "rotations"]),
    authors=st.dictionaries(st.integers(0, 6), st.sampled_from(["Ana", "Bea"]), max_size=2),
)
def test_renaming_bots_changes_nothing_but_their_names(
    kind: str, names: list[str], players: int, seats: str, authors: dict[int, str]
) -> None:
    if kind == "gauntlet":
        players = min(players, 5)
    plain = [f"x{number}" for number in range(7)]
    if len(authors) == 2 and len(set(authors.values())) == 1 and players == 6 and kind in {"gauntlet", "sample"}:
        authors = {}
    try:
        expected = schedule_of(made(kind, plain, players, seats, authors), plain)
    except ValueError as error:
        with pytest.raises(ValueError, match=r"."):
            made(kind, names, players, seats, authors)
        assert "author" in str(error)  # noqa: PT017  # both are refused for the same reason
        return
    assert schedule_of(made(kind, names, players, seats, authors), names) == expected


def test_the_numbers_of_bots_stay_when_the_file_is_sorted_anew(tmp_path: Path) -> None:
    from arena.tournament import Tournament, whole_spec

    names = ["d", "a", "c"]
    data = {
        "name": "t",
        "game": "tongiaki",
        "seed": 5,
        "bots": [{"name": name, "source": "random"} for name in names],
        "schedule": {"tables": [2]},
    }
    spec = make_spec(data, "test")
    with Store.create(str(tmp_path / f"{len(list(tmp_path.iterdir()))}.db")) as store:
        stored = run_tournament(spec, {name: resolve("random", name=name) for name in names}, store, InlineExecutor()).tournament
    random.Random(1).shuffle(names)
    bots = [{"name": name, "source": "random"} for name in [*names, "new"]]
    again = whole_spec(make_spec(data | {"bots": bots}, "test"), Tournament(store, stored))
    assert [bot.name for bot in again.bots] == ["d", "a", "c", "new"]
