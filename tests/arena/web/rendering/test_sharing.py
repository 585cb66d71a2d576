"""What replays offer to other sites: cards and a page for frames; and none of it for a match that may not be seen yet."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from starlette.testclient import TestClient

from arena.web.protection.middleware import POLICY
from arena.web.viewer import share_card as cards
from arena.web.viewer.share_card import as_png, share_card
from leaderboard.records.stored import StoredMatch
from leaderboard.storage.human_matches import human_matches
from leaderboard.storage.store import Store
from tests.arena.web.competition import HALF, HOSTILE, OVER, visitor
from tests.arena.web.conftest import OpenPage, wait_until
from tests.arena.web.every_page import DESK, NOT_OURS, problems_of
from tests.arena.web.hosting import matches_of, served, settings_for
from tests.arena.web.replays import SUNDA, TONGIAKI, timeline_of_vector

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
        return f"/play/m/{human_matches(store)[0].id}"


def card_text(vector: str, at: int) -> list[str]:
    timeline = timeline_of_vector(vector)
    root = ElementTree.fromstring(share_card(timeline.replay, timeline.states[at], at, "A game"))  # noqa: S314  # our own
    return [each.text or "" for each in root.iter() if each.tag.endswith("}text")]


@pytest.mark.parametrize("vector", [TONGIAKI, SUNDA])
def test_a_card_has_places_and_points_at_the_end_and_no_places_before(vector: str) -> None:
    timeline = timeline_of_vector(vector)
    names, ranks = timeline.names, timeline.replay.ranks

    before, after = card_text(vector, 3), card_text(vector, timeline.end)

    assert before[1] == f"After decision 3 of {timeline.end}"
    assert [words for words in before if re.match(r"\d\. ", words)] == []
    placed = [f"{rank}. {name}" for rank, name in sorted(zip(ranks, names, strict=True))]
    assert [words for words in after if re.match(r"\d\. ", words)] == placed
    assert {str(score) for score in timeline.replay.scores} <= set(after)


def test_a_name_is_no_markup_on_a_card() -> None:
    timeline = timeline_of_vector(TONGIAKI)
    replay = replace(timeline.replay, names=((HOSTILE, "\0&", "", "&amp;") * 2)[: timeline.replay.players])

    picture = share_card(replay, timeline.states[0], 0, "<b>")

    assert "<script" not in picture
    ElementTree.fromstring(picture)  # noqa: S314  # our own


def test_the_card_of_a_match_is_a_picture_that_is_drawn_once(
    client: TestClient, match: StoredMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = client.get(f"/m/{match.id}/card?at=2")
    monkeypatch.setattr(cards, "_can_draw", lambda: pytest.fail("it is drawn again"))
    again = client.get(f"/m/{match.id}/card?at=2")

    assert first.headers["content-type"] == "image/png"
    assert first.content.startswith(PNG)
    assert (int.from_bytes(first.content[16:20]), int.from_bytes(first.content[20:24])) == (1200, 630)
    assert again.content == first.content
    assert client.get(f"/m/{match.id}/card?at=2", headers={"if-none-match": first.headers["etag"]}).status_code == 304


def test_without_resvg_the_card_is_svg(client: TestClient, match: StoredMatch, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str, *rest: Any) -> Any:
        if name == "resvg_py":
            raise ModuleNotFoundError(name)
        return real(name, *rest)

    real = builtins.__import__
    cards._can_draw.cache_clear()
    monkeypatch.setattr(builtins, "__import__", refuse)
    try:
        assert as_png("<svg/>") is None
        answer = client.get(f"/m/{match.id}/card?at=1")
    finally:
        cards._can_draw.cache_clear()
    assert answer.headers["content-type"] == "image/svg+xml"
    assert answer.text.startswith("<svg")


def test_pages_of_a_match_name_the_card_of_their_position(client: TestClient, match: StoredMatch, hidden: str) -> None:
    def card(address: str) -> str:
        [found] = re.findall(r'<meta property="og:image" content="https://testserver([^"?]*(?:\?at=\d+)?)', client.get(address).text)
        return str(found)

    assert card(f"/m/{match.id}") == card(f"/m/{match.id}/replay") == f"/m/{match.id}/card"
    assert card(f"/m/{match.id}/replay?at=2") == f"/m/{match.id}/card?at=2"
    assert "social.png" in card(f"/m/{hidden}")


def test_a_match_of_people_has_a_card(client: TestClient, person: str) -> None:
    assert f'content="https://testserver{person}/card?at=2"' in client.get(f"{person}?at=2").text
    assert client.get(f"{person}/card?at=0").content.startswith(PNG)


@pytest.mark.parametrize("of_people", [False, True])
def test_the_page_for_frames_may_be_framed_and_has_the_viewer_alone(
    client: TestClient, match: StoredMatch, person: str, *, of_people: bool
) -> None:
    answer = client.get(f"{person if of_people else f'/m/{match.id}'}/embed?at=2")

    assert answer.headers["content-security-policy"] == POLICY.replace("frame-ancestors 'none'", "frame-ancestors *")
    assert 'data-at="2"' in answer.text
    assert "<header" not in answer.text
    assert "<footer" not in answer.text


def test_no_other_page_may_be_framed(client: TestClient, match: StoredMatch) -> None:
    for address in (f"/m/{match.id}", f"/m/{match.id}/replay", "/help", f"/m/{match.id}/embed?at=99999", "/m/nothing/embed"):
        assert "frame-ancestors 'none'" in client.get(address).headers["content-security-policy"]


@pytest.mark.parametrize("what", ["replay", "card", "embed"])
def test_a_position_or_a_match_that_is_not_there_is_named_in_a_sentence(client: TestClient, match: StoredMatch, what: str) -> None:
    script = {"accept": "application/json"}
    beyond = client.get(f"/m/{match.id}/{what}?at={match.decisions + 1}", headers=script)
    unknown = client.get(f"/m/nothing/{what}", headers=script)

    assert (beyond.status_code, unknown.status_code) == (404, 404)
    assert (
        beyond.json()["error"]
        == f"This match has {match.decisions} decisions, so there is no position after decision {match.decisions + 1}."
    )
    assert client.get(f"/m/{match.id}/{what}?at=-1", headers=script).status_code == 422


@pytest.mark.parametrize("what", ["card", "embed"])
def test_nothing_is_shared_of_a_match_whose_deck_is_still_played(client: TestClient, hidden: str, what: str) -> None:
    assert client.get(f"/m/{hidden}/{what}").status_code == 403


@pytest.mark.slow  # a browser, twice at every size and scheme
def test_a_replay_is_shared_by_its_tab_and_shown_in_a_frame(people: Path, match: StoredMatch, open_page: OpenPage) -> None:
    with served(settings_for(people)) as server:
        watched = open_page(f"{server}/m/{match.id}/replay?at=2", server=server, size=DESK, motion="reduce")
        page = watched.page
        page.get_by_role("tab", name="Share").click()
        assert page.get_by_label("Link").input_value() == f"{server}/m/{match.id}/replay?at=2"
        assert f'src="{server}/m/{match.id}/embed?at=2"' in page.get_by_label("On your page").input_value()
        wait_until(page, "document.querySelector('arena-viewer').shadowRoot.querySelector('.share-card').naturalWidth === 1200")
        page.keyboard.press("End")
        page.get_by_role("button", name="Copy the link").click()
        page.get_by_text("link copied").or_(page.get_by_text("the link is marked")).wait_for()
        assert problems_of(page) == []
        page.goto(f"{server}/m/{match.id}/embed?at=2")
        assert problems_of(page) == []
        watched.complaints[:] = [each for each in watched.complaints if NOT_OURS not in each]
