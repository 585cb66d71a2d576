"""The bots of the tutorial about strong bots: the page shows the files, and they are as short as it says."""

from __future__ import annotations

import pytest

from tests.docs.pages import ROOT, blocks_of

PAGE = ROOT / "docs" / "tutorials" / "strong-bots.md"
SHOWN = {block.title: block.text for block in blocks_of(PAGE) if block.title}


def test_the_page_shows_every_step() -> None:
    assert list(SHOWN) == ["minimal_bot.py", "turn_bot.py", "decks_bot.py", "finals_bot.py", "search_bot.py"]


@pytest.mark.parametrize("name", SHOWN)
def test_what_the_page_shows_is_the_file(name: str) -> None:
    assert SHOWN[name] == (ROOT / "examples" / name).read_text(encoding="utf-8")
    assert SHOWN[name].count("\n") <= 60
