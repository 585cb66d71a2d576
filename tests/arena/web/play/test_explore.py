"""Explore from a position: trees of moves in an address, every seat moved, chances and best moves, and bad addresses."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from html import unescape
from pathlib import Path
from random import Random
from typing import Any

import pytest
from starlette.testclient import TestClient

from arena.analysis.analyser import analyse_position
from arena.analysis.match_analysis import MoveWorth, PositionAnalysis, Unit
from arena.web.analyses import Analyses
from arena.web.analysis_worker import Answer, Failure, Job, PositionAnswer, PositionJob
from arena.web.play.explore import LONGEST, MOST, Node, nodes_of, read_tree, write_tree
from arena.web.play.seat_view import view_of_position
from engine.core import State
from engine.replay.format import read_replay
from engine.replay.verifier import ReplayTimeline, timeline_of
from leaderboard.storage.play_tables import human_matches
from leaderboard.storage.store import Store
from tests.arena.web.competition import HALF, OVER, visitor
from tests.arena.web.conftest import OpenPage, wait_until
from tests.arena.web.every_page import DESK, NOT_OURS, problems_of
from tests.arena.web.hosting import matches_of, served, settings_for
from tests.arena.web.replays import TONGIAKI, timeline_of_vector

SCRIPT = {"accept": "application/json"}
VECTORS = (TONGIAKI, "sunda/turns-L5-4p-25", "sunda/simultaneous-L5-3p-21", "sunda/private-L2-2p-117", "sunda/solo-L2-1p-29")


class Known(Analyses):
    """Analyses that have these answers, and only note what they are asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.answers: dict[Hashable, Answer] = {}
        self.jobs: dict[Hashable, Job] = {}

    def find(self, key: Hashable) -> Answer | None:
        return self.answers.get(key)

    def is_asked(self, key: Hashable) -> bool:
        return key in self.jobs and key not in self.answers

    def ask(self, key: Hashable, job: Job, who: str = "") -> bool:
        self.jobs[key] = job
        return True


@pytest.fixture(scope="module")
def client(people: Path) -> Iterator[TestClient]:
    with visitor(people, analyses=True, allow_play=True) as found:
        found.follow_redirects = False
        yield found


@pytest.fixture
def known(client: TestClient) -> Iterator[Known]:
    """The analyses of the server; none is known yet."""
    app: Any = client.app
    before, app.state.analyses = app.state.analyses, Known()
    yield app.state.analyses
    app.state.analyses = before


@pytest.fixture(scope="module")
def timeline(people: Path) -> ReplayTimeline:
    with Store.read(people) as store:
        return timeline_of(read_replay(store.replay(matches_of(people, OVER)[0].id)))


@pytest.fixture(scope="module")
def path(people: Path) -> str:
    return f"/m/{matches_of(people, OVER)[0].id}/explore"


def tree_of(line: str, start: State) -> Node:
    """The root of a tree from a position."""
    root = Node(start)
    read_tree(line, root)
    return root


def text_of(page: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())


@pytest.mark.parametrize("vector", VECTORS)
def test_every_seat_is_moved_and_trees_are_read_as_they_were_written(vector: str) -> None:
    timeline = timeline_of_vector(vector)
    root, rng, moved = tree_of("", timeline.states[7].copy()), Random(vector), set()
    here = root
    for step in range(40):
        if here.state.outcome is not None:
            break
        moved.add(here.state.actor)
        here = here.play(1 + (at := rng.randrange(here.state.count_moves())), here.state.move_at(at))
        if step % 5 == 4 and here.parent and here.parent.parent:
            here = here.parent.parent

    text = write_tree(root)
    again = tree_of(text, timeline.states[7].copy())

    assert write_tree(again) == text
    assert [node.moves for node in nodes_of(again)] == [node.moves for node in nodes_of(root)]
    assert [node.state.text for node in nodes_of(again)] == [node.state.text for node in nodes_of(root)]  # the same tiles and dice
    assert moved == set(range(timeline.replay.players))
    last = nodes_of(again)[-1]
    assert last.parent is not None
    assert last.move is not None
    view = view_of_position(last.state, timeline.names, 7 + len(last.moves), (last.parent.state, last.move))
    assert view.offers is None if last.state.outcome else set(view.offers.notations()) == {str(move) for move in last.state.list_moves()}  # type: ignore[union-attr]


def test_a_tree_can_be_followed_without_scripts_and_a_move_is_added_by_its_notation(
    client: TestClient, known: Known, path: str, timeline: ReplayTimeline
) -> None:
    first, second = (str(timeline.states[4].move_at(index)) for index in (0, 1))
    for on, line, move, place in ((0, "", first, "1&on=1"), (0, "1", second, "1(2)&on=2"), (0, "1(2)", first, "1(2)&on=1")):
        answer = client.get(path, params={"at": 4, "line": line, "on": on, "move": move})
        assert (answer.status_code, answer.headers["location"]) == (303, f"{path}?at=4&line={place}")
    page = client.get(f"{path}?at=4&line=1(2).1&on=1").text
    links = {rel: unescape(href) for rel, href in re.findall(r'rel="(prev|next)" href="([^"]+)"', page)}
    assert links == {"prev": f"{path}?at=4&line=1(2).1&on=0", "next": f"{path}?at=4&line=1(2).1&on=3"}
    assert f"{path}?at=4&line=2&on=0" in unescape(page)  # without the first move
    for part in ("After decision 4 of the match", f'title="{first}"', '<select name="move">', "follows from the seed of this match"):
        assert part in page


def test_the_position_is_analysed_once_for_all_ways_to_it(client: TestClient, known: Known, path: str, timeline: ReplayTimeline) -> None:
    number = 1 + list(timeline.states[4].list_moves()).index(timeline.moves[4])

    waits = client.get(f"{path}?at=4&line={number}").text
    [(key, job)] = known.jobs.items()
    client.get(f"{path}?at=5")
    best = (MoveWorth(str(timeline.states[5].move_at(0)), "goes there", 0.654), MoveWorth("x", "x", 0.6))
    known.answers[key] = PositionAnswer(PositionAnalysis(Unit.CHANCE, (0.61, 0.39), best))
    told = text_of(client.get(f"{path}?at=4&line={number}").text)
    known.answers[key] = Failure("It took too long.")

    assert isinstance(job, PositionJob)
    assert (job.at, job.moves, list(known.jobs)) == (5, (), [key])
    assert "being computed: it begins now" in waits
    assert "61%" in told
    assert "goes there 65%" in told
    assert "It took too long." in client.get(f"{path}?at=5").text


def test_what_is_no_position_or_no_move_or_not_to_be_seen_yet_is_refused_in_a_sentence(
    client: TestClient, known: Known, path: str, timeline: ReplayTimeline
) -> None:
    illegal = next(str(move) for move in timeline.moves if move not in timeline.states[4].legal_moves)
    refused = {
        f"?at={timeline.end + 1}": (404, f"This match has {timeline.end} decisions, so there is no position after decision"),
        "?at=x": (422, "'at'"),
        f"?at={timeline.end}&move=x": (409, ""),
        "?at=4&line=1(": (422, "'line': a line must be numbers"),
        "?at=4&line=1.0": (422, "move 2 of the line is 0, but "),
        "?at=4&line=9999999": (422, "move 1 of the line is 9999999, but the legal moves there have the numbers 1 to "),
        "?at=4&line=1(1)": (422, "twice"),
        f"?at=4&line=1{'.1' * MOST}": (422, "at most"),
        f"?at={timeline.end}&line=1": (422, "the game is over"),
        f"?at=4&line={'1.' * LONGEST}": (422, "'line'"),
        "?at=4&line=1&on=2": (404, "This tree has 1 move, so there is no move 2."),
        f"?at=4&move={illegal}": (422, f"'move': '{illegal}' is not legal in this position"),
    }
    for query, (status, words) in refused.items():
        answer = client.get(f"{path}{query}", headers=SCRIPT)
        assert (answer.status_code, words in answer.json()["error"]) == (status, True), (query, answer.text)
    listed = client.get(f"/api/v1/tournaments/{HALF}/matches").json()["matches"]
    hidden = [each["id"] for each in listed if each["seed"] is None]
    assert [client.get(f"/m/{match}/explore?at=1").status_code for match in ("nothing", hidden[0])] == [404, 403]


def test_matches_of_people_are_explored_and_pages_lead_there_up_to_the_end(
    client: TestClient, known: Known, people: Path, path: str, timeline: ReplayTimeline
) -> None:
    with Store.read(people) as store:
        person = f"/m/{human_matches(store)[0].ticket}"
    assert "You can move for every seat." in client.get(f"{person}/explore?at=2").text
    assert f'data-explore="{person}/explore"' in client.get(person).text
    known.jobs.clear()
    page = text_of(client.get(f"{path}?at={timeline.end}").text)
    assert "The game is over: 1. " in page
    assert "every seat" not in page
    assert known.jobs == {}


@pytest.mark.parametrize("vector", [TONGIAKI, "sunda/simultaneous-L0-2p-24"])
def test_the_best_moves_are_legal_and_the_same_each_time(vector: str) -> None:
    timeline = timeline_of_vector(vector)
    state = timeline.states[9].copy()
    other = state.move_at(state.count_moves() - 1)
    state.play(other)

    found = analyse_position(timeline.replay, 9, [str(other)], 3)

    assert sum(found.worth) == pytest.approx(1)
    assert 1 <= len(found.best) <= 3
    assert {each.notation for each in found.best} <= {str(move) for move in state.list_moves()}
    assert [each.worth for each in found.best] == sorted((each.worth for each in found.best), reverse=True)
    assert analyse_position(timeline.replay, 9, [str(other)], 3) == found


@pytest.mark.slow  # a browser, and real analyses
def test_a_visitor_explores_by_keys_and_clicks_in_a_browser(people: Path, path: str, open_page: OpenPage) -> None:
    with served(settings_for(people, analyses=True)) as server:
        watched = open_page(f"{server}{path.removesuffix('/explore')}#d=4", server=server, size=DESK, motion="reduce")
        page = watched.page
        page.evaluate("document.querySelector('arena-viewer').arenaViewer.go(5)")
        page.get_by_role("link", name="Explore", exact=True).click()
        page.wait_for_url(f"**{path}?at=5")
        explored = "document.querySelector('[data-arena-explore]').arenaExplore"
        wait_until(page, explored)
        for _ in range(12):  # the first choice each time, until a move is complete
            if page.evaluate(f"Boolean({explored}.choosing.pending)"):
                break
            page.keyboard.press("1")
        page.keyboard.press("Enter")
        page.wait_for_url(f"**{path}?at=5&line=*&on=1")
        page.locator("#chances[data-pending]").wait_for(state="detached")
        assert problems_of(page) == []
        page.locator(".best a").first.click()
        page.wait_for_url("**on=2")
        page.keyboard.press("ArrowLeft")
        page.wait_for_url("**on=1")
        watched.complaints[:] = [each for each in watched.complaints if NOT_OURS not in each]
