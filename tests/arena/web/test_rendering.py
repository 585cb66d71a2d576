"""What pages are made with: names of seats, templates and scripts; a replay as one file, and as a page in frames of other sites."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from arena.cli.app import app
from arena.web.play.seat_view import seat_view
from arena.web.protection.middleware import POLICY
from arena.web.rendering.replay_files import page as page_of
from arena.web.rendering.static_files import STATIC, content, linked, modules
from arena.web.rendering.templates import shade, with_decisions
from arena.web.viewer.documents import document_of
from engine.core import OptionValue
from engine.registry import find_game
from engine.render.drawing import named
from engine.replay.verifier import ReplayTimeline
from leaderboard.storage.play_tables import human_matches
from leaderboard.storage.store import Store
from tests.arena.web.competition import HALF, OVER, visitor
from tests.arena.web.conftest import OpenPage
from tests.arena.web.every_page import DESK, NOT_OURS, problems_of
from tests.arena.web.hosting import matches_of, served, settings_for
from tests.arena.web.replays import ALL, TONGIAKI, VECTORS, timeline_of_vector
from tests.arena.web.visits import table_of

NAMES = ("Maui", "Hina", "Tane", "Rongo", "Tu", "Pele")
SEAT = re.compile(r"\bseat \d", re.IGNORECASE)


@pytest.fixture(scope="module")
def client(people: Path) -> Iterator[TestClient]:
    with visitor(people, allow_play=True) as found:
        yield found


def test_a_seat_is_named_if_there_is_a_name() -> None:
    told = "Seat 0 lands 1 of seat 2, seats 2 and seat 12; a seat is free"
    assert named(told, NAMES) == "Maui lands 1 of Tane, seats 2 and seat 12; a seat is free"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("vector", ALL[::12])
def test_no_text_of_a_replay_has_a_seats_number(vector: str) -> None:
    found = timeline_of_vector(vector)
    timeline = ReplayTimeline(found.replay, NAMES[: found.replay.players], found.states, found.moves)
    document = document_of(timeline)
    texts = [*document.words, *(sign.words for sign in (*document.signs, *document.legend))]
    for frame in document.frames:
        texts += [frame.move.words] if frame.move else []
        texts += [text for event in frame.events for text in (event.words, *(who for who, _ in event.dice))]
    assert [text for text in texts if SEAT.search(text)] == []
    assert any(name in text for text in texts for name in timeline.names)


@pytest.mark.parametrize(("game", "options", "players"), [("tongiaki", {}, 3), ("sunda", {"level": 4, "mode": "simultaneous"}, 2)])
def test_no_text_at_a_table_has_a_seats_number(game: str, options: dict[str, OptionValue], players: int) -> None:
    rules, rng = find_game(game, options), Random(5)
    state, moves, texts = rules.new(players, 5), list[str](), list[str]()
    while state.actor is not None and len(moves) < 25:
        view = seat_view(replace(table_of(rules, *NAMES[:players], seed=5, moves=tuple(moves)).look(state.actor), is_asked=True))
        assert view.offers is not None
        texts += [view.status, *view.facts, *(choice.words for choice in view.offers.choices.values())]
        texts += [text for told in view.log for text in (told.words, *(event.words for event in told.events))]
        moves.append(str(state.random_move(rng)))
        state.play(rules.parse(moves[-1]))
    assert [text for text in texts if SEAT.search(text)] == []
    assert sum(any(name in text for text in texts) for name in NAMES) >= 2


def test_shades_go_from_lost_to_won_and_are_pale_where_that_may_be_luck() -> None:
    intervals = ((0, 0), (0, 0.13), (0, 0.54), (0.46, 1), (0.94, 1))
    assert [shade(*each) for each in intervals] == ["share0", "share1", "share4", "share4", "share8"]


def test_decisions_in_a_sentence_are_links_and_the_rest_is_escaped() -> None:
    said = with_decisions("<b> won: it lost 3 at decision 12, and 4 in two (decisions 3 to 5).", "/m/a")
    first, second = ('<a href="/m/a#d=12">decision 12</a>', '<a href="/m/a#d=3">decisions 3 to 5</a>')
    assert said == f"&lt;b&gt; won: it lost 3 at {first}, and 4 in two ({second})."


@pytest.mark.parametrize("name", sorted(path.name for path in STATIC.glob("*.js")))
def test_a_module_comes_after_all_that_it_imports_and_a_linked_script_imports_nothing(name: str) -> None:
    found = modules(name)
    assert found[-1] == name
    for index, module in enumerate(found):
        assert set(re.findall(r'^import \{ [^}]* \} from "\./(.*)";$', content(module).decode(), re.MULTILINE)) <= set(found[:index])
    text = linked(name)
    assert re.findall(r"^(?:import|export)\b|\bexport\{|</script|<!--", text, re.MULTILINE) == []
    assert text.count("const $module") == len(found)


def test_the_command_writes_a_page_and_says_how_large_it_is_and_the_address_of_a_position(tmp_path: Path) -> None:
    out = tmp_path / "match.html"
    command = ["replay", str(VECTORS / f"{TONGIAKI}.json"), "--html"]
    result, printed = (CliRunner().invoke(app, [*command, *more]) for more in ([str(out), "--at", "40"], ["-"]))
    assert result.exit_code == 0, result.output
    assert out.read_text() == printed.output == page_of(timeline_of_vector(TONGIAKI))
    assert f"229 decisions in {out.stat().st_size / 1000:.0f} kB" in result.output
    assert f"{out.as_uri()}#d=40" in result.output.replace("\n", "")


def test_the_command_says_what_is_wrong(tmp_path: Path) -> None:
    vector = VECTORS / f"{TONGIAKI}.json"
    broken = tmp_path / "broken.json"
    broken.write_text(vector.read_text().replace('"place 0"', '"place 9"', 1).replace('"sail ', '"sail x', 1))
    for replay, out, sentence in (
        (broken, tmp_path / "out.html", "can't be replayed"),
        (vector, tmp_path, "is a folder"),
        (vector, tmp_path / "no" / "out.html", "can't be written"),
    ):
        result = CliRunner().invoke(app, ["replay", str(replay), "--html", str(out)])
        assert (result.exit_code, sentence in result.output) == (2, True), result.output
    assert not (tmp_path / "out.html").exists()


def test_the_page_for_frames_has_the_viewer_alone_and_there_is_none_of_a_deck_that_is_still_played(
    client: TestClient, people: Path
) -> None:
    with Store.read(people) as store:
        matches = [human_matches(store)[0].ticket, matches_of(people, OVER)[0].id]
    for match in matches:
        answer = client.get(f"/m/{match}/embed")
        assert answer.headers["content-security-policy"] == POLICY.replace("frame-ancestors 'none'", "frame-ancestors *")
        assert "<header" not in answer.text
        assert "data-arena-viewer" in answer.text
    listed = client.get(f"/api/v1/tournaments/{HALF}/matches").json()["matches"]
    hidden = [each["id"] for each in listed if each["seed"] is None]
    assert {client.get(f"/m/{match}/embed").status_code for match in hidden} == {403}


@pytest.mark.slow  # a browser, twice at every size and scheme
def test_a_replay_is_shared_by_a_button_and_shown_in_a_frame(people: Path, open_page: OpenPage) -> None:
    match = matches_of(people, OVER)[0]
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
