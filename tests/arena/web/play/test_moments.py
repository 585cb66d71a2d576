"""Find the better move: a player's worst decisions, what may be chosen there, and what is said of the choice."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from starlette.testclient import TestClient

from arena.analysis.analyser import loss_of
from arena.web.analyses.analyses import Analyses
from arena.web.analyses.jobs import Answer, Failure, Job, MatchAnswer, MoveAnswer, MoveJob
from arena.web.play.moments import MOST
from arena.web.play.reasons import deeds_of, difference
from arena.web.play.seat_view import view_of_replay
from arena.web.viewer.schema import Analysis, Better, Mark
from engine.replay.format import read_replay
from engine.replay.verifier import ReplayTimeline, timeline_of
from leaderboard.storage.human_matches import human_match_replay, human_matches
from leaderboard.storage.store import Store
from tests.arena.web.competition import OVER, visitor
from tests.arena.web.conftest import OpenPage, wait_until
from tests.arena.web.every_page import DESK, NOT_OURS, problems_of
from tests.arena.web.hosting import matches_of, served, settings_for
from tests.arena.web.replays import TONGIAKI, timeline_of_vector

if TYPE_CHECKING:
    from playwright.sync_api import Page

SCRIPT = {"accept": "application/json"}
MOMENTS = "(document.querySelector('[data-arena-moments]')?.arenaMoments ?? {})"


class Known(Analyses):
    """Analyses that have these answers, and only note what they are asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.answers: dict[Hashable, Answer] = {}
        self.jobs: dict[Hashable, Job] = {}
        self.full = False

    def is_full(self, who: str = "") -> bool:
        return self.full

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
        yield found


@pytest.fixture(scope="module")
def timeline(people: Path) -> ReplayTimeline:
    """The shortest match."""
    with Store.read(people) as store:
        return timeline_of(read_replay(store.replay(shortest(people))))


def shortest(people: Path) -> str:
    return min(matches_of(people, OVER), key=lambda match: match.decisions).id


@pytest.fixture(scope="module")
def path(people: Path) -> str:
    return f"/m/{shortest(people)}"


@pytest.fixture
def known(client: TestClient) -> Iterator[Known]:
    """The analyses of the server; none is known yet."""
    app: Any = client.app
    before, app.state.analyses = app.state.analyses, Known()
    yield app.state.analyses
    app.state.analyses = before


def others(timeline: ReplayTimeline, at: int) -> list[str]:
    """The legal moves of a decision that were not played."""
    return [str(move) for move in timeline.states[at].list_moves() if move != timeline.moves[at]]


@pytest.fixture(scope="module")
def choices(timeline: ReplayTimeline) -> list[int]:
    """The decisions of seat 1 with at least three legal moves."""
    decisions = timeline.replay.decisions
    return [at for at, each in enumerate(decisions) if each.seat == 0 and each.legal > 2]


@pytest.fixture
def analysed(known: Known, timeline: ReplayTimeline, choices: list[int], people: Path) -> list[int]:
    """An analysis with four marks of seat 1; returns their decisions, the worst first."""
    worst = choices[3::-1]
    losses = (0.3, 0.2, 0.1, 0.04)
    marks = [
        Mark(at, "mistake", lost, "", Better(others(timeline, at)[0], "goes elsewhere")) for at, lost in zip(worst, losses, strict=True)
    ]
    known.answers[shortest(people)] = MatchAnswer(Analysis("chance", "", "How.", [], sorted(marks, key=lambda mark: mark.index)), [])
    return worst


def send(client: TestClient, path: str, at: int, move: str) -> Any:
    return client.post(f"{path}/moment.json", json={"at": at, "move": move}, headers=SCRIPT)


def test_the_worst_decisions_of_the_seat_are_asked_for_in_their_order(client: TestClient, path: str, analysed: list[int]) -> None:
    page = client.get(f"{path}/moments?seat=1").text

    assert f'data-at="{" ".join(map(str, sorted(analysed[:MOST])))}"' in page
    assert 'data-margin="3 percentage points of winning chance"' in page


def test_a_player_without_mistakes_is_told_so_in_a_sentence(client: TestClient, path: str, analysed: list[int]) -> None:
    page = client.get(f"{path}/moments?seat=2").text

    assert "gave away more than 3 percentage points of winning chance." in page
    assert "data-arena-moments" not in page


def test_the_analysis_is_started_by_the_first_visitor_and_its_progress_shown(
    client: TestClient, path: str, known: Known, people: Path
) -> None:
    assert "This match is being analysed: it begins now." in client.get(f"{path}/moments").text
    assert list(known.jobs) == [shortest(people)]
    known.answers[shortest(people)] = Failure("It can't be analysed.")
    assert "It can&#39;t be analysed." in client.get(f"{path}/moments").text


def test_a_match_at_a_table_has_moments_of_its_own(client: TestClient, known: Known, people: Path) -> None:
    with Store.read(people) as store:
        match = human_matches(store)[0]
        timeline = timeline_of(read_replay(human_match_replay(store, match.id)))
    path = f"/play/m/{match.id}"
    assert "This match is being analysed" in client.get(f"{path}/moments").text
    [key] = known.jobs
    at = next(at for at, each in enumerate(timeline.replay.decisions) if each.seat == 0 and each.legal > 2)
    best = others(timeline, at)[0]
    known.answers[key] = MatchAnswer(Analysis("chance", "", "How.", [], [Mark(at, "mistake", 0.1, "", Better(best, "elsewhere"))]), [])

    assert f'data-arena-moments="{path}/moment.json" data-at="{at}"' in client.get(f"{path}/moments").text
    assert client.get(f"{path}/moment.json?at={at}").json()["me"] == 0
    assert send(client, path, at, best).json()["is_right"]


def test_a_full_queue_is_a_sentence(client: TestClient, path: str, known: Known) -> None:
    known.full = True
    assert "Other matches are being analysed; try again in a minute." in client.get(f"{path}/moments").text
    assert known.jobs == {}


def test_the_best_move_the_played_one_and_others_have_their_verdicts(
    client: TestClient, path: str, known: Known, analysed: list[int], timeline: ReplayTimeline
) -> None:
    at = analysed[0]
    best, other, *_ = others(timeline, at)

    right, played = send(client, path, at, best).json(), send(client, path, at, str(timeline.moves[at])).json()
    waits = send(client, path, at, other)
    [(key, job)] = known.jobs.items()
    known.answers[key] = MoveAnswer(0.074)
    wrong = send(client, path, at, other).json()
    known.answers[key] = MoveAnswer(0.029)
    near = send(client, path, at, other).json()

    assert (right["is_right"], right["words"].startswith("That is the best move found.")) == (True, True)
    assert played["words"] == "That was played in the match, and gives away 30 percentage points of winning chance."
    assert played["answer"].startswith("The best move found: goes elsewhere")
    assert re.search(r"\. (It gains 30 percentage points of winning chance by|Yours:) .+\.$", played["answer"])
    assert right["answer"] == near["answer"] == ""
    assert waits.status_code == 202
    assert isinstance(job, MoveJob)
    assert (job.at, job.move, job.best) == (at, other, best)
    assert (wrong["is_right"], wrong["words"]) == (False, "That gives away 7.4 percentage points of winning chance.")
    assert wrong["answer"].startswith("The best move found: goes elsewhere")
    assert re.search(r"\. (It gains 7\.4 percentage points of winning chance by|Yours:) .+\.$", wrong["answer"])
    assert (near["is_right"], near["words"].startswith("That is within 3 percentage points")) == (True, True)
    assert near["best"]["notation"] == best


def test_what_is_no_move_or_no_moment_is_refused_in_a_sentence(
    client: TestClient, path: str, analysed: list[int], timeline: ReplayTimeline
) -> None:
    at = analysed[0]
    unmarked = next(each for each in range(timeline.end) if each not in analysed)
    illegal = next(str(move) for move in timeline.moves if move not in timeline.states[at].legal_moves)
    elsewhere = {"origin": "https://elsewhere.example"} | SCRIPT
    refused = {
        "no move": (send(client, path, at, "nonsense"), 422),
        "illegal": (send(client, path, at, illegal), 422),
        "no mistake": (send(client, path, unmarked, illegal), 404),
        "beyond the end": (client.get(f"{path}/moment.json?at={timeline.end}", headers=SCRIPT), 404),
        "no seat": (client.get(f"{path}/moments?seat=9", headers=SCRIPT), 404),
        "no match": (client.get("/m/nothing/moments", headers=SCRIPT), 404),
        "another site": (client.post(f"{path}/moment.json", json={"at": at, "move": "x"}, headers=elsewhere), 403),
    }

    assert {why: answer.status_code for why, (answer, _) in refused.items()} == {why: status for why, (_, status) in refused.items()}
    assert all(answer.json()["error"] for answer, _ in refused.values())


def test_without_an_analysis_a_move_has_no_verdict(client: TestClient, path: str, known: Known) -> None:
    assert send(client, path, 0, "x").status_code == 409


@pytest.mark.parametrize(
    ("vector", "at", "better", "other", "words"),
    [
        (TONGIAKI, 73, "expand Tuvalu 1", "expand Oahu 1", "expanding on Tuvalu instead of on Oahu"),
        (TONGIAKI, 174, "recolonise", "expand Tuamotu 0,1", "recolonising instead of filling a beach"),
        (
            TONGIAKI,
            227,
            "sail Mangareva 3",
            "sail Mangareva 4",
            "sailing out for a new island instead of sailing to an island that you held",
        ),
        (TONGIAKI, 218, "sail Rarotonga 2", "sail Rarotonga 1", "taking rivals along"),
        (TONGIAKI, 218, "sail Rarotonga 1", "sail Rarotonga 2", "sailing from Rarotonga to Tuamotu instead of taking rivals along"),
        (TONGIAKI, 228, "land 0:5 1:15", "land 0:1 1:55", ""),
        (
            "sunda/turns-L2-4p-37",
            187,
            "claim 3,-3",
            "skip",
            "putting a token on the new land node in the south instead of passing up new land",
        ),
    ],
)
def test_the_difference_of_two_moves_is_in_the_words_of_their_traits(vector: str, at: int, better: str, other: str, words: str) -> None:
    timeline = timeline_of_vector(vector)
    state = timeline.states[at]

    assert difference(state, state.game.parse(better), state.game.parse(other), timeline.names) == words


def test_what_a_hint_does_is_told_from_what_the_seat_sees() -> None:
    state = timeline_of_vector(TONGIAKI).states[227]
    move, told = state.game.parse("sail Mangareva 4"), "sailing to an island that you held and taking rivals along"

    assert state.actor is not None
    assert deeds_of(state, move) == deeds_of(state.view(state.actor).position, move) == told


@pytest.mark.parametrize("vector", [TONGIAKI, "sunda/turns-L2-4p-37"])
def test_a_moment_offers_all_legal_moves_and_no_more_than_the_seat_knows(vector: str) -> None:
    timeline = timeline_of_vector(vector)
    at = next(at for at, each in enumerate(timeline.replay.decisions) if at > 10 and each.legal > 2)

    view = view_of_replay(timeline, at)

    assert view.offers is not None
    assert set(view.offers.notations()) == {str(move) for move in timeline.states[at].list_moves()}
    assert view.me == view.actor == timeline.replay.decisions[at].seat
    assert [entry.at for entry in view.log] == [at - 1]


def test_a_choice_that_another_seat_made_in_secret_is_not_told() -> None:
    timeline = timeline_of_vector("sunda/simultaneous-L2-3p-35")
    states, decisions = timeline.states, timeline.replay.decisions
    at = next(at for at in range(1, timeline.end) if states[at].has_hidden_choice(decisions[at - 1].seat))

    assert view_of_replay(timeline, at).log == []


def test_a_move_loses_nothing_against_itself() -> None:
    timeline = timeline_of_vector(TONGIAKI)
    at = next(at for at, each in enumerate(timeline.replay.decisions) if each.legal > 2)
    move = timeline.replay.decisions[at].move
    assert loss_of(timeline, at, move, move) == 0.0


def choose(page: Page) -> None:
    """Make the first choice each time, until a move is complete."""
    for _ in range(12):
        if page.evaluate(f"Boolean({MOMENTS}.choosing.pending)"):
            break
        page.keyboard.press("1")


@pytest.mark.slow  # a browser, and a real analysis
def test_a_visitor_finds_the_better_move_in_a_browser(
    people: Path, path: str, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ARENA_CACHE", str(tmp_path))
    with served(settings_for(people, analyses=True)) as server:
        watched = open_page(f"{server}{path}/moments?seat=1", server=server, size=DESK, motion="reduce")
        page = watched.page
        for seat in (1, 2, 3):
            page.goto(f"{server}{path}/moments?seat={seat}")
            page.locator("[data-pending]").wait_for(state="detached")
            assert problems_of(page) == []
            if page.locator("[data-arena-moments]").count():
                break
        else:
            pytest.fail("nobody made a mistake")
        wait_until(page, f"{MOMENTS}.sight")
        number = page.evaluate(f"{MOMENTS}.places.length")
        for at in range(number):
            wait_until(page, f"{MOMENTS}.sight.at === {MOMENTS}.places[{at}] && !{MOMENTS}.verdict")
            choose(page)
            page.get_by_role("button", name="Confirm").click()
            wait_until(page, f"{MOMENTS}.verdict")
            assert page.locator(".step").inner_text() == f"Moment {at + 1} of {number}"
            if not at:
                assert problems_of(page) == []
            if not page.evaluate(f"{MOMENTS}.verdict.is_right"):
                said = page.locator(".bar .more")
                assert "gives away" in said.inner_text()
                assert "The best move found" not in said.inner_text()
                page.get_by_role("button", name="Try again").click()
                wait_until(page, f"{MOMENTS}.sight.offers && !{MOMENTS}.verdict")
                choose(page)
                page.get_by_role("button", name="Confirm").click()
                wait_until(page, f"{MOMENTS}.verdict")
                page.get_by_role("button", name="Show the better move").click()
                assert "The best move found" in said.inner_text()
            page.get_by_role("button", name="The result" if at + 1 == number else "Next").click()
        assert f"of {number}." in page.locator(".prompt").inner_text()
        watched.complaints[:] = [each for each in watched.complaints if NOT_OURS not in each]
