"""What replays offer to other sites: a page for frames, and none for a match that may not be seen yet."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from arena.web.protection.middleware import POLICY
from leaderboard.records import StoredMatch
from leaderboard.storage.play_tables import human_matches
from leaderboard.storage.store import Store
from tests.arena.web.competition import HALF, OVER, visitor
from tests.arena.web.conftest import OpenPage
from tests.arena.web.every_page import DESK, NOT_OURS, problems_of
from tests.arena.web.hosting import matches_of, served, settings_for

PNG = b"\x89PNG\r\n"


@pytest.fixture(scope="module")
def client(people: Path) -> Iterator[TestClient]:
    with visitor(people, allow_play=True) as found:
        yield found


@pytest.fixture(scope="module")
def match(people: Path) -> StoredMatch:
    return matches_of(people, OVER)[0]


@pytest.fixture(scope="module")
def hidden(client: TestClient) -> str:
    """The id of a match whose deck others still play with."""
    listed = client.get(f"/api/v1/tournaments/{HALF}/matches").json()["matches"]
    return str(next(each["id"] for each in listed if each["seed"] is None))


@pytest.fixture(scope="module")
def person(people: Path) -> str:
    """The path of a match of people."""
    with Store.read(people) as store:
        return f"/m/{human_matches(store)[0].ticket}"


@pytest.mark.parametrize("of_people", [False, True])
def test_the_page_for_frames_may_be_framed_and_has_the_viewer_alone(
    client: TestClient, match: StoredMatch, person: str, *, of_people: bool
) -> None:
    answer = client.get(f"{person if of_people else f'/m/{match.id}'}/embed")

    assert answer.headers["content-security-policy"] == POLICY.replace("frame-ancestors 'none'", "frame-ancestors *")
    assert "<header" not in answer.text
    assert "<footer" not in answer.text


def test_nothing_is_shared_of_a_match_whose_deck_is_still_played(client: TestClient, hidden: str) -> None:
    assert client.get(f"/m/{hidden}/embed").status_code == 403


@pytest.mark.slow  # a browser, twice at every size and scheme
def test_a_replay_is_shared_by_a_button_and_shown_in_a_frame(people: Path, match: StoredMatch, open_page: OpenPage) -> None:
    with served(settings_for(people)) as server:
        watched = open_page(f"{server}/m/{match.id}#d=2", server=server, size=DESK, motion="reduce")
        page = watched.page
        page.get_by_role("button", name="Share").click()
        assert page.get_by_label("Link").input_value() == f"{server}/m/{match.id}#d=2"
        assert f'src="{server}/m/{match.id}/embed#d=2"' in page.get_by_label("On your page").input_value()
        page.get_by_role("button", name="Copy the link").click()
        page.get_by_text("link copied").or_(page.get_by_text("the link is selected")).wait_for()
        assert problems_of(page) == []
        page.goto(f"{server}/m/{match.id}/embed")
        assert problems_of(page) == []
        watched.complaints[:] = [each for each in watched.complaints if NOT_OURS not in each]
