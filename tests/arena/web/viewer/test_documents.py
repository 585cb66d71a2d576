"""What the viewer is given: frames that say what the engine says, small boards, and nothing that is hidden or of a deck still played."""

from __future__ import annotations

import re
from pathlib import Path
from shutil import copy
from typing import Any

import msgspec
import pytest

from arena.spec.spec import Spec, make_spec
from arena.tournament import Tournament
from arena.verification.exporter import Exporter
from arena.web.static_site import write_site
from arena.web.viewer.documents import Document, board_of, document_of, write
from arena.web.viewer.small_board import hidden_board
from engine.records import Ticket
from engine.registry import find_game
from engine.render import drawing
from engine.render.drawing import named
from leaderboard.errors import StoreError
from leaderboard.storage.store import Store
from tests.arena.web.competition import HALF, OVER, play, visitor
from tests.arena.web.hosting import matches_of
from tests.arena.web.replays import ALL, text_of, timeline_of_vector
from tests.world import tournament_of


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ALL)
def test_frames_say_at_every_decision_what_the_engine_says_and_turns_begin_with_another_seat(name: str) -> None:
    timeline = timeline_of_vector(name)
    text = write(document_of(timeline))
    assert not re.search("[<>&\u2028\u2029]", text), "it can stand in a script element"
    document = msgspec.json.decode(text, type=Document)
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


def test_the_board_of_a_view_shows_no_deck() -> None:
    state = find_game("tongiaki").new(3, 7)
    board = board_of(state.view(0).position)
    assert {key for key, *_ in board.pieces} >= {"Tonga", "Tonga/sand 0"}
    assert board == board_of(state), "nothing that is hidden is drawn"


def test_the_small_board_of_a_match_is_kept_by_browsers_and_hidden_while_its_deck_is_played(competition: Path) -> None:
    with visitor(competition) as client:
        over = client.get(f"/m/{matches_of(competition, OVER)[0].id}/board.svg")
        assert "max-age" in over.headers["cache-control"]
        assert over.text != hidden_board()
        listed = client.get(f"/api/v1/tournaments/{HALF}/matches").json()["matches"]
        boards = {each["id"]: client.get(f"/m/{each['id']}/board.svg") for each in listed}
    hidden = {match for match, answer in boards.items() if answer.text == hidden_board()}
    assert hidden == {each["id"] for each in listed if each["seed"] is None} != set()
    assert {boards[match].headers["cache-control"] for match in hidden} == {"no-cache"}


CUPS: tuple[dict[str, Any], ...] = (
    {"game": "tongiaki", "schedule": {"tables": [3], "decks": "shared"}},
    {"game": "sunda", "options": {"level": 0}, "schedule": {"tables": [1]}},
)


@pytest.fixture(scope="module", params=CUPS, ids=["tongiaki", "sunda"])
def spec(request: pytest.FixtureRequest) -> Spec:
    bots = [{"name": f"b{number}", "source": "random"} for number in range(3)]
    return make_spec({"name": "cup", "bots": bots, **request.param}, "test")


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory, spec: Spec) -> Path:
    path = tmp_path_factory.mktemp("begun") / "cup.db"
    play(path, spec, most=2)
    return path


@pytest.fixture(scope="module")
def first(begun: Path, spec: Spec) -> Ticket:
    """The first match: its deck is still to be played in others."""
    with Store.read(str(begun)) as store:
        tickets = list(Tournament(store, tournament_of(store, "cup"), spec).schedule)
        known = store.matches(ticket.id for ticket in tickets)
        open_seeds = {ticket.seed for ticket in tickets if ticket.id not in known}
        return next(ticket for ticket in tickets if ticket.id in known and ticket.seed in open_seeds)


@pytest.mark.sampled(1)
def test_no_page_and_no_file_of_a_site_tells_a_deck_that_is_still_played(begun: Path, first: Ticket, spec: Spec, tmp_path: Path) -> None:
    lines = find_game(spec.game, spec.options).new(len(first.seats), first.seed).text.splitlines()
    secrets = [str(first.seed), *(line for line in lines if line.startswith(("deck ", "dice ", "pot ")))]
    assert len(secrets) > 1
    with visitor(begun) as client:
        answers = {page: client.get(f"/m/{first.id}{page}") for page in ("", "/viewer.json", "/replay.json")}
    assert [answer.status_code for answer in answers.values()] == [200, 403, 403]
    assert "is shown when they are over" in answers[""].text
    write_site(str(begun), tmp_path / "site", title="Cup")
    texts = {page: answer.text for page, answer in answers.items()}
    texts |= {path.name: text_of(path) for path in (tmp_path / "site").rglob("*") if path.is_file()}
    assert not [(name, line) for name, text in texts.items() for line in secrets if line in text]


@pytest.mark.sampled(1)
def test_an_export_is_refused_and_the_replay_not_shown_until_the_block_is_over(
    begun: Path, first: Ticket, spec: Spec, tmp_path: Path
) -> None:
    db, bundle = Path(copy(begun, tmp_path)), tmp_path / "cup.arena"
    with Store.read(str(db)) as store, pytest.raises(StoreError, match="the deck that its matches share"):
        Exporter(store, tournament_of(store, "cup")).write_bundle(bundle)
    play(db, spec)
    with Store.read(str(db)) as store:
        assert Exporter(store, tournament_of(store, "cup")).write_bundle(bundle)
    with visitor(db) as client:
        assert client.get(f"/m/{first.id}/viewer.json").json()["seed"] == first.seed
