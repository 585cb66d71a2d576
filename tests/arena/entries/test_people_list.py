"""A host's list of people: every wrong line is named, and a list with one is not used at all."""

from __future__ import annotations

import pytest

from arena.entries.people_list import read_people
from engine.core.errors import InputError
from leaderboard.storage.people import NewPerson, Role


@pytest.mark.parametrize(
    "text",
    [
        "name,mail,role\nAna,ana@example.org,\nBen,,host\n",
        "\ufeffRole;Name;Mail\r\n;Ana;ana@example.org\r\nHOST;Ben;\r\n",
        '"mail"\t"role"\t"name"\nana@example.org\t\t" Ana "\n\n\t\t\n\thost\tBen',
    ],
)
def test_a_list_is_read_as_spreadsheets_write_it(text: str) -> None:
    ana, ben = read_people(text, "list.csv")
    assert (ana.name, ana.mail, ana.role) == ("Ana", "ana@example.org", None)
    assert (ben.name, ben.mail, ben.role) == ("Ben", "", Role.HOST)


def test_a_name_with_commas_and_lines_is_one_cell() -> None:
    assert read_people('name\n"Ana,\nof Ost"\nBen\n', "x") == (NewPerson("Ana, of Ost", line=3), NewPerson("Ben", line=4))


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("=HYPERLINK(1),,", "line 3 of l.csv: the name '=HYPERLINK(1)' should not begin with =, +, - or @, which spreadsheets take for"),
        (",x@y.org,", "line 3 of l.csv: the name '' should be a name"),
        ("\x1b[2J,,", r"line 3 of l.csv: the name '\\x1b[2J' should be a name of printable characters, with a letter or digit"),
        ("Ben,ben at y,", "line 3 of l.csv: the mail 'ben at y' should be an address such as ana@example.org, or be left out"),
        ("Ben,a@b.org>,", "line 3 of l.csv: the mail 'a@b.org>' should be"),
        ("Ben,,boss", "line 3 of l.csv: the role 'boss' should be 'author' or 'host', or be left out"),
        ("Ben,", "line 3 of l.csv: its number of cells differs from that of line 1"),
        ("Ben,,,x", "line 3 of l.csv: its number of cells differs from that of line 1"),
        ("ANA,,", "line 3 of l.csv: 'ANA' is in line 2 already"),
        ('"Ben,,', "line 3 of l.csv is not valid CSV: unexpected end of data"),
        ('"Ben"x,,', "line 3 of l.csv is not valid CSV: ',' expected after '\"'"),
    ],
)
def test_a_wrong_line_is_named(line: str, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        read_people(f"name,mail,role\nAna,,\n{line}", "l.csv")
    assert str(caught.value).startswith(sentence.replace("\\\\", "\\"))


@pytest.mark.parametrize("head", ["", "Ana,ana@example.org", "mail,role", "name,phone", "name,name", "name,", "name mail"])
def test_the_first_line_names_the_columns(head: str) -> None:
    with pytest.raises(InputError, match=r"^line 1 of l\.csv should name the columns"):
        read_people(f"{head}\nAna\n", "l.csv")


def test_ten_wrong_lines_are_listed() -> None:
    with pytest.raises(InputError) as caught:
        read_people("name\n" + "...\n" * 30, "l.csv")
    lines = str(caught.value).splitlines()
    assert len(lines) == 12
    assert lines[10:] == ["20 more lines can't be used", "nobody was imported"]
