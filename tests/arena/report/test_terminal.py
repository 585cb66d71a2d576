"""Tables of results: in a terminal, and as Markdown and CSV."""

from __future__ import annotations

import io

import pytest
from rich.cells import cell_len
from rich.console import RenderableType

from arena.cli.output import Screen, shortened, terminal
from arena.formats.base import Place
from arena.report.leaderboard_table import cells_of, leaderboard_table, places_table, ties_line, wins_line
from arena.report.table import Table, csv_text, markdown
from arena.run.results import Standing
from engine.records import SeatResult
from leaderboard.storage.store import StoredTournament

LONG = "a-name-of-forty-letters-as-is-allowed-"

NAMES = [f"{LONG}v1", f"{LONG}v2", "🦜🏝️🚣" * 10, "שלום-עולם-" * 4, "مرحبا بالعالم " * 3, "島々の航海者" * 6, "b"]

WIDTHS = pytest.mark.parametrize("width", [80, 120])

CUP = StoredTournament(1, "🏝️ כוס", "tongiaki", 5, "{}", 10, ())

STANDINGS = [
    Standing(at + 1, name, "", 24.84, 133.27, 12.81, 14018, 0.889, 1.11, 126.4, 12, at + 1, at + 1) for at, name in enumerate(NAMES)
]


def printed(table: RenderableType, width: int) -> list[str]:
    out = io.StringIO()
    Screen(file=out, width=width, highlight=False).print(table)
    return out.getvalue().splitlines()


@WIDTHS
def test_a_leaderboard_keeps_its_numbers_and_shortens_names(width: int) -> None:
    _, head, *lines = printed(terminal(leaderboard_table(STANDINGS, CUP), width), width)

    assert [cell_len(line) <= width for line in lines] == [True] * len(NAMES)
    shown = head.replace("mean place", "mean-place").split()
    for standing, line in zip(STANDINGS, lines, strict=True):
        numbers = [cell for cell in cells_of(standing) if cell != standing.bot]
        assert line.split()[0] == numbers[0]
        assert line.split()[-len(shown[2:]) :] == [number for number in numbers[1:] if number in line]
    assert {"rating", "wins", "matches", "faults"} <= set(shown)


@WIDTHS
def test_places_keep_their_numbers(width: int) -> None:
    places = [
        Place(100 + at, name, "10.5 points, Buchholz 33.5, and a note that is far too long for any terminal " * 2)
        for at, name in enumerate(NAMES)
    ]

    lines = printed(terminal(places_table(places, "swiss"), width), width)[1:]

    assert all(cell_len(line) <= width for line in lines)
    begun = [line for line in lines if line[:3].isdigit()]
    assert [line.split()[0] for line in begun] == [str(each.place) for each in places]
    assert all("10.5 points" in line for line in begun)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("width", [6, 7, 12, 40])
def test_a_shortened_name_fits_and_begins_and_ends_as_the_name_does(name: str, width: int) -> None:
    short = shortened(name, width)

    assert cell_len(short) <= width
    beginning, _, end = short.partition("…")
    assert name.startswith(beginning)
    assert name.endswith(end)
    assert (short == name) == (cell_len(name) <= width)


def line(rank: int, win_share: float, matches: int = 10) -> Standing:
    return Standing(rank, f"bot{rank}", "", 20.0 - rank, 25.0, 1.0, matches, win_share, 1.5, 20.0, 0, rank, rank)


def test_why_score_and_wins_differ_is_said_only_where_they_order_bots_differently() -> None:
    assert wins_line([line(1, 0.6), line(2, 0.6), line(3, 0.1)]) is None
    assert wins_line([]) is None
    assert wins_line([line(1, 0.6), line(2, 0.4), line(3, 0.5, matches=0)]) is None
    note = wins_line([line(1, 0.4), line(2, 0.6)])
    assert note is not None
    assert "every place" in note


@pytest.mark.parametrize(
    ("game", "seats", "line"),
    [
        ("tongiaki", [(15, 1), (15, 2), (8, 3)], "Equal points are ranked by more islands held, then fewer ships on the board."),
        ("tongiaki", [(15, 1), (15, 1), (8, 3)], ""),
        ("tongiaki", [(15, 1), (14, 2)], ""),
        ("a game that is not installed", [(15, 1), (15, 2)], ""),
    ],
)
def test_a_match_names_what_broke_a_tie(game: str, seats: list[tuple[int, int]], line: str) -> None:
    assert ties_line(game, [SeatResult("bot", score, rank, None, 5, 0.1) for score, rank in seats]) == line


TABLE = Table("places", "Places", ("#", "bot"), [("1", "a|b"), ("2", "<i>")], [{"place": 1, "bot": "a|b"}, {"place": 2, "bot": "<i>"}])


def test_markdown_has_a_rule_that_aligns_the_columns_and_cells_that_are_no_markup() -> None:
    assert markdown(TABLE).splitlines() == ["| # | bot |", "| ---: | --- |", "| 1 | a&#124;b |", "| 2 | &#60;i&#62; |"]


def test_csv_has_the_records_and_a_header_even_without_any() -> None:
    assert csv_text(TABLE.records) == "place,bot\n1,a|b\n2,<i>\n"
    assert csv_text([], ("place", "bot")) == "place,bot\n"


@WIDTHS
def test_names_that_differ_at_their_ends_can_be_told_apart(width: int) -> None:
    first, second, *_ = printed(terminal(leaderboard_table(STANDINGS, CUP), width), width)[2:]

    assert first.split()[1].startswith("a-name")
    assert (first.split()[1][-2:], second.split()[1][-2:]) == ("v1", "v2")
