"""A host's list of people: a CSV file with the column ``name`` and the optional columns ``mail`` and ``role``."""

from __future__ import annotations

import csv
import io
import re
from typing import Final

from engine.core.errors import InputError
from engine.text import quote
from leaderboard.person_names import PersonNameError, name_key, person_name
from leaderboard.storage.people import NewPerson, Role

_COLUMNS: Final = ("name", "mail", "role")
MAIL_ADDRESS: Final = re.compile(r"[^\s@,;<>\"]{1,64}@[^\s@,;<>\"]{1,180}\.[^\s@,;<>\"]{2,60}")
_SHOWN: Final = 10
"""The most wrong lines that a message lists."""


def read_people(text: str, place: str) -> tuple[NewPerson, ...]:
    """Return the people of a list; ``place`` names its origin in errors. Raises InputError."""
    text = text.removeprefix("\ufeff")
    head = text.partition("\n")[0]
    separator = max(",;\t", key=head.count)  # spreadsheets of many countries write semicolons
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    people: list[NewPerson] = []
    wrong: list[str] = []
    lines: dict[str, int] = {}
    try:
        columns = [cell.strip().casefold() for cell in next(rows, [])]
        if "name" not in columns or not set(columns) <= set(_COLUMNS) or len(set(columns)) < len(columns):
            raise InputError(f"line 1 of {place} should name the columns: 'name' and, optionally, 'mail' and 'role', no others")
        for row in rows:
            if not any(map(str.strip, row)):
                continue
            try:
                new = _person(dict(zip(columns, row, strict=True)) if len(row) == len(columns) else None, rows.line_num)
            except PersonNameError as error:
                wrong.append(f"line {rows.line_num} of {place}: {error}")
                continue
            if (earlier := lines.setdefault(name_key(new.name), new.line)) != new.line:
                wrong.append(f"line {new.line} of {place}: '{new.name}' is in line {earlier} already")
            people.append(new)
    except csv.Error as error:
        raise InputError(f"line {rows.line_num} of {place} is not valid CSV: {error}") from None
    if wrong:
        more = [f"{len(wrong) - _SHOWN} more lines can't be used"] if len(wrong) > _SHOWN else []
        raise InputError("\n".join([*wrong[:_SHOWN], *more, "nobody was imported"]))
    return tuple(people)


def _person(cells: dict[str, str] | None, line: int) -> NewPerson:
    """Return the person of a line. Raises PersonNameError, whose text is a predicate for the line's mistake."""
    if cells is None:
        raise PersonNameError("its number of cells differs from that of line 1")
    name, mail, role = (cells.get(column, "").strip() for column in _COLUMNS)
    try:
        name = person_name(name)
    except PersonNameError as error:
        raise PersonNameError(f"the name {quote(name)} {error}") from None
    if mail and not (MAIL_ADDRESS.fullmatch(mail) and mail.isprintable()):
        raise PersonNameError(f"the mail {quote(mail)} should be an address such as ana@example.org, or be left out")
    if role.casefold() not in {"", *Role}:
        raise PersonNameError(f"the role {quote(role)} should be 'author' or 'host', or be left out")
    return NewPerson(name, mail, Role(role.casefold()) if role else None, line)
