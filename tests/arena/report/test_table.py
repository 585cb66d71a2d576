"""What a table is as Markdown, CSV and JSON, whoever wrote the texts in it."""

from __future__ import annotations

import json

from arena.report.table import Table, csv_text, html, json_text, markdown

TABLE = Table("places", "Places", ("#", "bot"), [("1", "a|b"), ("2", "<i>")], [{"place": 1, "bot": "a|b"}, {"place": 2, "bot": "<i>"}])


def test_markdown_has_a_rule_that_aligns_the_columns_and_cells_that_are_no_markup() -> None:
    assert markdown(TABLE).splitlines() == ["| # | bot |", "| ---: | --- |", "| 1 | a&#124;b |", "| 2 | &#60;i&#62; |"]


def test_csv_has_the_records_and_a_header_even_without_any() -> None:
    assert csv_text(TABLE.records) == "place,bot\n1,a|b\n2,<i>\n"
    assert csv_text([], ("place", "bot")) == "place,bot\n"


def test_json_has_the_records_under_the_name_of_the_table() -> None:
    assert json.loads(json_text({"game": "tongiaki"}, TABLE)) == {"game": "tongiaki", "places": list(TABLE.records)}


def test_html_shows_texts_as_they_are() -> None:
    assert "<td>&lt;i&gt;</td>" in html(TABLE)
