"""Two bots of one author never share a table, in no format; and nobody enters more than the spec allows."""

from __future__ import annotations

import pytest

from arena.formats.schedule import Schedule
from arena.report.leaderboard_table import authors_line
from arena.spec.spec import Spec, SpecError, make_spec
from tests.arena.format_plans import play, seated


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
        (["Ana", "Ana", None], {"format": "knockout"}, r"Ana has 2 bots here \(b00, b01\), and a knockout can't keep them from meeting"),
        (["Ana", "Ana"], {}, "no table of 2 seats can be filled, since bots of one author never share one"),
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
    with pytest.raises(SpecError, match=r"Ana has 2 bots here \(a1, a2\), and max_per_author is 1; take some out"):
        make_spec(data, "cup.toml")
    assert len(Schedule(make_spec(data | {"max_per_author": 2}, "cup.toml"))) == 2 * 2
