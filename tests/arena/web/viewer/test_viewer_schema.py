"""What the viewer is given: frames that say what the engine says, small boards, and nothing that is hidden."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest
from starlette.testclient import TestClient

from arena.web.viewer.documents import Board, Document, board_of, document_of, write
from arena.web.viewer.small_board import hidden_board, small_board
from engine.registry import find_game
from engine.render import drawing
from engine.render.drawing import named
from engine.render.scene import Box
from tests.arena.web.competition import HALF, OVER
from tests.arena.web.hosting import matches_of
from tests.arena.web.replays import ALL, SUNDA, TONGIAKI, timeline_of_vector


def read(text: str) -> Document:
    return msgspec.json.decode(text, type=Document)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ALL)
def test_frames_say_at_every_decision_what_the_engine_says_and_turns_begin_with_another_seat(name: str) -> None:
    timeline = timeline_of_vector(name)
    document = read(write(document_of(timeline)))
    assert len(document.frames) == timeline.end + 1
    shown: dict[tuple[str, str, float], str] = {}
    lines: list[str] = []
    box, columns, facts = None, None, None
    for at, frame in enumerate(document.frames):
        state = timeline.states[at]
        last, before = (timeline.moves[at - 1], timeline.states[at - 1]) if at else (None, None)
        for slot, shape in zip(frame.board[::2], frame.board[1::2], strict=True):
            if shape < 0:
                del shown[document.slots[slot]]
            else:
                shown[document.slots[slot]] = document.shapes[shape]
        for line, gone, come in frame.text:
            lines[line : line + gone] = come
        box, columns, facts = frame.box or box, frame.columns or columns, frame.facts or facts
        scene, told = drawing.scene(state, last=last, before=before), drawing.drawer(state).summarize(state)
        assert shown == {piece[:3]: piece.markup for piece in scene.pieces.values()}
        assert lines == state.text.splitlines()
        assert box == pytest.approx(tuple(scene.box), abs=0.06)
        assert columns == [list(column) for column in told.columns.values()]
        assert [document.words[fact] for fact in facts or []] == [named(fact, timeline.names) for fact in told.facts]
        assert document.words[frame.status] == named(told.status, timeline.names)
        assert [document.signs[sign].words for sign in frame.waiting] == [named(sign.words, timeline.names) for sign in told.waiting]
        assert (-1 if state.actor is None else state.actor) == frame.actor
        assert len(frame.events) == len(state.events)
        decision = timeline.replay.decisions[at - 1] if at else None
        assert (frame.move.seat, frame.move.notation) == (decision.seat, decision.move) if decision and frame.move else at == 0
    seats = [decision.seat for decision in timeline.replay.decisions]
    is_new = [at == 0 or len(document.seats) == 1 or seats[at] != seats[at - 1] for at in range(timeline.end)]
    assert document.turns == [at for at in range(timeline.end) if is_new[at]]
    assert [seat.score for seat in document.seats] == list(timeline.replay.scores)
    assert [seat.rank for seat in document.seats] == list(timeline.replay.ranks)


def test_a_document_can_stand_in_a_script_element() -> None:
    for name in (TONGIAKI, SUNDA):
        assert not re.search("[<>&\u2028\u2029]", write(document_of(timeline_of_vector(name))))


def test_what_the_contract_does_not_name_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="unknown field `more`"):
        msgspec.json.decode(b'{"box":[0,0,1,1],"pieces":[],"more":1}', type=Board)
    with pytest.raises(msgspec.ValidationError, match="format"):
        read('{"format":"arena-viewer/2"}')


def test_the_board_of_a_view_shows_no_deck() -> None:
    state = find_game("tongiaki").new(3, 7)
    view = state.view(0).position
    board = board_of(view)
    assert {key for key, *_ in board.pieces} >= {"Tonga", "Tonga/sand 0"}
    assert board == board_of(state), "nothing that is hidden is drawn"
    assert board.box == tuple(round(side, 1) for side in drawing.scene(view).box)
    assert isinstance(drawing.scene(view).box, Box)


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
