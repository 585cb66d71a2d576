"""Boards in small: pictures of the final position, hidden as long as the replay is."""

from __future__ import annotations

import gzip
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest
from starlette.testclient import TestClient

from arena.web.viewer import small_board as small_boards
from arena.web.viewer.small_board import hidden_board, small_board
from engine.registry import find_game
from engine.render.drawing import plain_drawer
from tests.arena.web.competition import HALF, OVER
from tests.arena.web.hosting import matches_of
from tests.arena.web.replays import SUNDA, TONGIAKI, timeline_of_vector

MOST_BYTES = 15_000
"""Compressed, as they are sent."""


@pytest.fixture(scope="module")
def db(competition: Path) -> Path:
    return competition


@pytest.mark.parametrize("vector", [TONGIAKI, SUNDA])
def test_a_small_board_is_small_has_no_words_and_uses_only_what_it_defines(vector: str) -> None:
    text = small_board(timeline_of_vector(vector).states[-1])

    root = ElementTree.fromstring(text)  # noqa: S314  # our own
    ids = [each.attrib["id"] for each in root.iter() if "id" in each.attrib]
    used = {each.attrib["href"].removeprefix("#") for each in root.iter() if "href" in each.attrib}
    assert len(gzip.compress(text.encode())) < MOST_BYTES
    assert not [each for each in root.iter() if each.tag.endswith(("}text", "}title"))]
    assert len(set(ids)) == len(ids)
    assert used <= set(ids)


def test_the_board_of_a_match_that_is_over_is_kept_by_browsers(client: TestClient, db: Path) -> None:
    answer = client.get(f"/m/{matches_of(db, OVER)[0].id}/board.svg")

    assert answer.status_code == 200
    assert answer.headers["content-type"] == "image/svg+xml"
    assert "max-age" in answer.headers["cache-control"]
    assert answer.text != hidden_board()


def test_a_board_whose_deck_is_still_played_on_is_hidden_and_not_kept(client: TestClient) -> None:
    listed = client.get(f"/api/v1/tournaments/{HALF}/matches").json()["matches"]
    boards = {each["id"]: client.get(f"/m/{each['id']}/board.svg") for each in listed}
    hidden = {match for match, answer in boards.items() if answer.text == hidden_board()}

    assert hidden
    assert hidden == {each["id"] for each in listed if each["seed"] is None}
    assert {boards[match].headers["cache-control"] for match in hidden} == {"no-cache"}


def test_a_board_that_is_text_keeps_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = plain_drawer("Plain")
    monkeypatch.setattr(small_boards, "drawing", SimpleNamespace(scene=plain.scene, sheet=lambda _state: plain.sheet))

    assert "<text" in small_board(find_game("tongiaki").new(2, 1))
