"""Addresses of a site as files, and links from file to file."""

from __future__ import annotations

import pytest

from arena.web.site.match_files import file_of, with_files


@pytest.mark.parametrize(
    ("address", "file"),
    [
        ("/", "index.html"),
        ("/t/cup", "t/cup.html"),
        ("/t/cup/matches?bot=ann&after=ff", "t/cup/matches-after-ff-bot-ann.html"),
        ("/static/style.css", "static/style.css"),
        ("/t/a%20b", "t/a~20b.html"),
        ("/t/..", "t/~...html"),
        ("/t/a%2Fb", "t/a~2fb.html"),
    ],
)
def test_addresses_become_files_within_the_folder(address: str, file: str) -> None:
    assert file_of(address) == file


def test_links_lead_from_file_to_file_and_tell_their_addresses() -> None:
    page = '<a href="/t/cup/matches?bot=ann&amp;seat=1#last">x</a> <a href="https://example.org/">y</a> <a href="#top">z</a>'

    text, addresses = with_files(page, "m/ff.html")

    assert 'href="../t/cup/matches-bot-ann-seat-1.html#last"' in text
    assert 'href="https://example.org/"' in text
    assert 'href="#top"' in text
    assert addresses == {"/t/cup/matches?bot=ann&seat=1"}
