"""Analyses on the pages: asked for, bounded, kept, and not there as long as the replay is not shown."""

from __future__ import annotations

import html
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from arena.web import analyses as module
from arena.web import analysis_worker as worker
from arena.web.analyses import Analyses
from arena.web.analysis_worker import Failure, MatchAnswer, MatchJob
from leaderboard.storage.store import Store
from tests.arena.web.competition import HALF, OVER, visitor
from tests.arena.web.hosting import matches_of
from tests.world import wait_for

SCRIPT = {"accept": "application/json"}


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARENA_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def db(competition: Path) -> Path:
    return competition


@pytest.fixture(scope="module")
def client(db: Path) -> Iterator[TestClient]:
    with visitor(db, analyses=True) as found:
        yield found


def some_match(db: Path, tournament: str) -> str:
    """The shortest of a tournament's newest matches."""
    return min(matches_of(db, tournament), key=lambda match: match.decisions).id


def answer_of(job: MatchJob) -> object:
    """What comes of a job."""
    analyses = Analyses()
    analyses.ask("key", job)
    wait_for(lambda: analyses.find("key") is not None)
    analyses.close()
    return analyses.find("key")


@pytest.fixture(scope="module")
def match_answer(db: Path) -> MatchAnswer:
    """The analysis of the shortest match, which is then in the cache."""
    with Store.read(db) as store, pytest.MonkeyPatch.context() as patch:
        for name in ("FIRST_CHECKS", "CHECKS", "LAST_CHECKS"):  # it need not be exact
            patch.setattr(f"arena.analysis.move_quality.{name}", 2)
        answer = worker.do(MatchJob(store.replay(some_match(db, OVER)), 60))
    assert isinstance(answer, MatchAnswer)
    return answer


def until_there(client: TestClient, address: str) -> Any:
    wait_for(lambda: client.get(address, headers=SCRIPT).status_code != 202, 200)
    return client.get(address, headers=SCRIPT)


def test_a_match_is_analysed_when_a_visitor_asks_for_it(db: Path, client: TestClient, match_answer: MatchAnswer) -> None:
    match = some_match(db, OVER)
    address = f"/m/{match}/analysis.json"
    assert f'data-analysis="{address}"' in client.get(f"/m/{match}").text
    assert client.get(address, headers=SCRIPT).status_code == 404

    assert client.post(address, headers=SCRIPT).status_code == 202
    found = until_there(client, address)

    assert found.status_code == 200
    document = client.get(f"/m/{match}/viewer.json").json()
    parts = found.json()
    assert len(parts["evaluation"]) == document["forfeits"][0]["index"] + 1
    assert [sum(chances) for chances in parts["evaluation"]] == pytest.approx([1] * len(parts["evaluation"]), abs=1e-3)
    assert client.post(address, headers=SCRIPT).status_code == 200
    assert "story" not in parts
    for page in ("", "/replay.html"):
        shown = client.get(f"/m/{match}{page}").text
        assert match_answer.story is not None
        assert match_answer.story.sentence in html.unescape(re.sub("</?a( [^>]*)?>", "", shown))
        assert shown.count('<img src="data:image/svg+xml;base64,') == len(match_answer.story.cards) > 0


def test_a_match_whose_deck_is_still_played_is_not_analysed(db: Path, client: TestClient) -> None:
    matches = matches_of(db, HALF)
    hidden = next(match for match in matches if client.get(f"/m/{match.id}/replay.json").status_code == 403)
    address = f"/m/{hidden.id}/analysis.json"
    for answer in (client.get(address, headers=SCRIPT), client.post(address, headers=SCRIPT)):
        assert answer.status_code == 403
        assert "deck" in answer.json()["error"]
    assert f"/m/{hidden.id}/analysis" not in client.get(f"/m/{hidden.id}").text


def test_only_so_many_wait_and_the_rest_is_told_so(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Analyses, "ask", lambda *_: False)
    with visitor(db, analyses=True) as client:
        answer = client.post(f"/m/{some_match(db, OVER)}/analysis.json", headers=SCRIPT)
    assert answer.status_code == 503
    assert "try again" in answer.json()["error"]


def test_one_address_leaves_room_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    analyses = Analyses(waiting=3, of_one=2)
    monkeypatch.setattr(Analyses, "_advance", lambda _: None)
    job = MatchJob("{}", 1)
    assert [analyses.ask(key, job, "192.0.2.1") for key in range(3)] == [True, True, False]
    assert [analyses.ask(key, job, "192.0.2.2") for key in (3, 4)] == [True, False], "the last place is for an address without a job"
    assert analyses.ask(4, job, "192.0.2.3")
    assert analyses.is_full("192.0.2.4"), "in all"
    analyses.close()


def test_what_fails_is_told_to_the_host_alone(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(module, "_PROGRAM", "raise SystemExit('the disk is full')")
    found = answer_of(MatchJob("", 1))
    assert isinstance(found, Failure)
    assert "disk" not in found.sentence
    assert "the disk is full" in caplog.text


def test_a_process_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PROGRAM", "import time; time.sleep(60)")
    found = answer_of(MatchJob("", 0.05))
    assert isinstance(found, Failure)
    assert "too long" in found.sentence


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS has no limit of address space")
def test_a_process_that_takes_too_much_memory_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    greedy = "worker.do = lambda job: worker.Failure(str(len(bytearray(worker.MEMORY))))"
    monkeypatch.setattr(
        module,
        "_PROGRAM",
        f"import sys; sys.path[:] = {{path!r}}; from arena.web import analysis_worker as worker; {greedy}; worker.main()",
    )
    assert answer_of(MatchJob("", 60)) == Failure("The analysis needed more than 1024 MiB of memory and was stopped.")
