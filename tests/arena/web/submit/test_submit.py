"""Submitting in a real browser: from a contestant's token to the bot's rating in a ladder."""

from __future__ import annotations

from pathlib import Path

from arena.analysis.standings import standings
from leaderboard.storage.store import Store
from tests.arena.web.conftest import OpenPage
from tests.arena.web.hosting import BOT, LADDER, make_ladder, make_token, served, settings_for


def test_from_a_token_to_a_rating(tmp_path: Path, open_page: OpenPage) -> None:
    db = tmp_path / "league.db"
    make_ladder(db)
    (tmp_path / "walker.py").write_bytes(BOT)
    with served(settings_for(db)) as server:
        page = open_page(f"{server}/submit", server=server).page
        page.fill("#token", make_token(db))
        page.click("main button[type=submit]")
        page.fill("#name", "walker")
        page.set_input_files("#file", tmp_path / "walker.py")
        page.select_option("#ladder", LADDER)
        page.click("#submission button")
        page.wait_for_selector("text=walker@1")
        make_ladder(db, rounds=5)
        page.wait_for_selector("text=Its first matches >> xpath=following-sibling::ul//a")  # the page looks again by itself
        page.goto(f"{server}/t/{LADDER}")
        line = page.locator("tbody tr", has=page.get_by_role("link", name="walker", exact=True)).first
        matches = line.locator("td").all_inner_texts()
        page.close()  # it follows the ladder until then
        with Store.read(db) as store:
            found = store.tournament(LADDER)
            assert found is not None
            [walker] = [each for each in standings(store, found) if each.bot == "walker"]
        assert walker.matches > 0
        assert str(walker.matches) in matches
        assert any(f"{walker.score:.2f}" in text or f"{walker.score:.1f}" in text for text in matches)
