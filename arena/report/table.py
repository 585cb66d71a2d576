"""Tables of results, and how to write them as JSON, CSV and Markdown. ``arena.cli.output`` draws them in a terminal."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from engine.text import one_line


@dataclass(frozen=True, slots=True)
class Table:
    """A table: ``rows`` are texts under ``columns``, for people; ``records`` have unrounded numbers under keys, for JSON and CSV.

    ``name`` is its key in JSON and the name of its CSV file. ``empty`` is the sentence shown in place of a table without rows. ``optional``
    lists the columns to leave out of a narrow terminal, one after the other; ``styles`` has the styles of cells, by row and column.
    """

    name: str
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    records: Sequence[Mapping[str, object]] = ()
    notes: Sequence[str] = ()
    empty: str = ""
    optional: Sequence[str] = ()
    styles: Mapping[tuple[int, str], str] = field(default_factory=dict)


NAMES: Final = ("bot", "other", "tournament", "worker")
"""The columns that contain names, which may be shortened; all other columns except ``FOLDED`` contain numbers."""
FOLDED: Final = ("kinds", "order", "why", "")
"""The columns of longer text, which may run over several lines."""


def json_text(*parts: Table | Mapping[str, object]) -> str:
    """Return a JSON object with all parts in order; a table becomes its records under its name."""
    data: dict[str, object] = {}
    for part in parts:
        data |= {part.name: part.records} if isinstance(part, Table) else part
    return json.dumps(data, indent=2, allow_nan=False)


def csv_text(records: Sequence[Mapping[str, object]], keys: Iterable[str] = ()) -> str:
    """Return records as CSV with the ``keys`` as its header, by default the keys of the first record."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(keys) or list(records[0] if records else ()), lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return out.getvalue()


def markdown(table: Table) -> str:
    """Return the columns and rows as a table in Markdown. The cells of rows are escaped, since strangers may have written them."""
    rule = ["---" if column in NAMES else "---:" for column in table.columns]
    rows = [[markdown_text(cell) for cell in row] for row in table.rows]
    return "".join(f"| {' | '.join(row)} |\n" for row in (table.columns, rule, *rows))


_MARKS: Final = re.compile(r"[\\`*\[\]|<>&~:]|(?<![^\W_])_|_(?![^\W_])|(?<=www)\.", re.IGNORECASE)
"""Characters that may be markup, including on GitHub, where ``www.`` begins a link. An underscore between letters is not markup."""


def markdown_text(text: str) -> str:
    """Return untrusted text as one line of Markdown, escaped so that it has no markup, table cells, links or HTML.

    GitHub still turns mail addresses into links; entities don't prevent that.
    """
    return _MARKS.sub(lambda found: f"&#{ord(found[0])};", one_line(text))


# Texts of cells


def number_text(value: float | None, digits: int = 1, unit: float = 1) -> str:
    """Return a number times ``unit``, rounded; "-" for None."""
    return "-" if value is None else f"{value * unit:.{digits}f}"


def range_text(low: float | None, high: float | None, digits: int = 0, unit: float = 1) -> str:
    """Return an interval, such as ``3 to 5``, with both ends multiplied by ``unit``; "-" if an end is None."""
    return "-" if low is None or high is None else f"{low * unit:.{digits}f} to {high * unit:.{digits}f}"


def rank_text(best: int | None, worst: int | None) -> str:
    """Return the possible ranks, such as ``2`` or ``2-4``; "-" if unknown."""
    if best is None or worst is None:
        return "-"
    return str(best) if best == worst else f"{best}-{worst}"
