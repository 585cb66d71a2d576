"""The form of a new table: it follows the chosen game, with and without scripts, and keeps what was filled in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.arena.web.conftest import PHONE, OpenPage, fits

if TYPE_CHECKING:
    from playwright.sync_api import Page

SCRIPTS = pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])


def seats(page: Page) -> list[str]:
    return [seat.locator("select").input_value() for seat in page.locator("[data-seat]:visible").all()]


@SCRIPTS
def test_options_and_seats_are_those_of_the_chosen_game(scripts: bool, server: str, open_page: OpenPage) -> None:
    page = open_page(f"{server}/play", server=server, scripts=scripts).page

    page.check("#game-tongiaki")
    assert not page.get_by_label("Level").is_visible()
    assert len(seats(page)) == 6
    page.check("#game-sunda")
    assert page.get_by_label("Level").is_visible()
    assert len(seats(page)) == 4

    page.check("#game-tongiaki")
    page.select_option("#seat4", "spoiler")
    page.check("#game-sunda")
    assert seats(page) == (["me", "greedy", "", ""] if scripts else ["me", "greedy", "", "", "spoiler"])


@SCRIPTS
@pytest.mark.parametrize("size", [(1280, 720), PHONE])
def test_after_an_error_everything_is_still_filled_in(scripts: bool, size: tuple[int, int], server: str, open_page: OpenPage) -> None:
    watched = open_page(f"{server}/play", server=server, size=size, scripts=scripts)
    page = watched.page
    page.fill("#name", "Maui <b>")
    page.check("#game-sunda")
    page.get_by_label("Level").select_option("3")
    page.get_by_label("Resources").fill("1,2,nothing")
    for number, chosen in enumerate(["spoiler", "me", "person", "random"]):
        page.select_option(f"#seat{number}", chosen)

    page.click("text=Sit down")

    assert "resources" in page.get_by_role("alert").inner_text()
    assert page.input_value("#name") == "Maui <b>"
    assert page.is_checked("#game-sunda")
    assert (page.get_by_label("Level").input_value(), page.get_by_label("Resources").input_value()) == ("3", "1,2,nothing")
    assert seats(page) == ["spoiler", "me", "person", "random"]
    assert fits(page, size[0])
    watched.complaints.clear()  # the status of the answer
