"""What authors may know of their own bots, by pages and by a token, and that nobody else may, however it is asked for."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from shutil import copy
from typing import Any

import pytest
from starlette.testclient import TestClient

from arena.verification.exporter import Exporter
from arena.web.app import make_app
from arena.web.queries import Queries
from arena.web.submit.my_bots import (
    find_next_round,
    my_matches,
    my_submissions,
    own_bots,
)
from arena.web.submit.queue import places_in_queue
from leaderboard.storage.people import end_token
from leaderboard.storage.seal_chain import seal_lines
from leaderboard.storage.store import Store, StoredTournament
from leaderboard.storage.submissions import SubmissionState, pack_replays, save
from tests.arena.web.hosting import LADDER, bearer, make_token, matches_of, settings_for, sign_in
from tests.arena.web.own_bots import OWNERS, WORDS
from tests.world import claimed, person, sent, tournament_of

OWN = WORDS.format(name="walker")
"""What the bots of Ana print and say."""
REPORT = """{"bot":"fox","version":"5e","game":"tongiaki","isolation":"L3","seed":1,"stage":"play","matches":1,"planned":1,"sizes":[2],
"coverage":"every seat","is_complete":true,"decisions":3,"troubles":[{"players":2,"seat":0,"seed":5,"stage":"play","fault":{"kind":"crash",
"index":3,"detail":"the plan of walker"}}],"notes":[],"start_seconds":0.1,"seconds":{},"cpu_seconds":{},"memory":null,"log":""}"""
"""The report of a check that a bot has failed."""


@pytest.fixture(scope="module")
def db(own_bots: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = Path(copy(own_bots, tmp_path_factory.mktemp("own")))
    with Store.join(path) as store:
        sent(store, "Ana", "fox", id="anas-fox", ladder=LADDER)
        refused = claimed(store)
        refused.state, refused.reason, refused.report = SubmissionState.REFUSED, OWN, REPORT
        refused.replays = pack_replays({(2, 0): '{"format": "1"}'})
        save(store, refused)
    return path


@pytest.fixture(scope="module")
def client(db: Path) -> Iterator[TestClient]:
    settings = settings_for(db, requests_per_minute=10**6)
    with TestClient(make_app(settings), raise_server_exceptions=False, headers={"accept": "application/json"}) as found:
        yield found


@pytest.fixture
def ana(db: Path) -> str:
    return make_token(db, "Ana")


@pytest.fixture
def ben(db: Path) -> str:
    return make_token(db, "Ben")


def ask(client: TestClient, token: str, path: str, **headers: str) -> Any:
    return client.get(f"/api/v1{path}", headers=bearer(token) | headers)


def match_of_ana(db: Path) -> tuple[str, int]:
    """A match of the first version of hers, without the bot of Ben's, and its seat."""
    match = next(each for each in matches_of(db, LADDER, "walker") if "spy" not in [seat.bot for seat in each.seats])
    return match.id, next(number for number, seat in enumerate(match.seats) if seat.bot == "walker")


PRIVATE = ["/matches/{match}", "/submissions/anas-fox", "/submissions/anas-fox/replays/2/0"]


@pytest.mark.parametrize("path", PRIVATE)
def test_answers_to_a_token_and_refusals_are_kept_by_no_cache(client: TestClient, db: Path, ana: str, path: str) -> None:
    path = path.format(match=match_of_ana(db)[0])
    answer = ask(client, ana, path, **{"if-none-match": "*", "range": "bytes=0-9"})
    assert answer.status_code == 200, answer.text
    assert "etag" not in answer.headers
    refused = ask(client, make_token(db, "Eve"), path)
    assert answer.headers["cache-control"] == refused.headers["cache-control"] == "private, no-store"
    assert OWN not in refused.text


def test_an_author_reads_own_words(client: TestClient, db: Path, ana: str) -> None:
    match, seat = match_of_ana(db)
    assert OWN in ask(client, ana, f"/matches/{match}").json()["seats"][seat]["fault"]["detail"]
    assert OWN in ask(client, ana, "/submissions/anas-fox").json()["reason"]


@pytest.mark.parametrize("way", ["other author", "no token", "wrong", "revoked", "upper case", "basic"])
def test_nobody_else_reads_them(client: TestClient, db: Path, ana: str, way: str) -> None:
    stranger = make_token(db, "Ben" if way == "other author" else "Ana")
    if way == "revoked":
        with Store.join(db) as store:
            end_token(store, person(store, "Ana"))
    value = {"wrong": ana[:-1], "upper case": ana.upper()}.get(way, stranger)
    scheme = "Basic" if way == "basic" else "Bearer"
    headers = {} if way == "no token" else {"authorization": f"{scheme} {value}"}
    for path in PRIVATE[1:]:
        answer = client.get(f"/api/v1{path}", headers=headers)
        assert answer.status_code == (404 if way == "other author" else 401), path
        assert OWN not in answer.text
        assert client.head(f"/api/v1{path}", headers=headers).text == ""
    client.app.state.rate_limits._limiter.storage.reset()  # type: ignore[attr-defined]  # wrong tokens are counted, which is not what this tests


def test_what_is_not_yours_is_answered_as_what_does_not_exist(client: TestClient, ben: str) -> None:
    for path in PRIVATE[1:]:
        one, other = ask(client, ben, path), ask(client, ben, path.replace("anas-fox", "no-fox"))
        assert one.status_code == other.status_code == 404
        assert one.text == other.text
        assert one.headers.keys() == other.headers.keys()


def test_no_export_has_a_bots_words(db: Path, tmp_path: Path) -> None:
    words = {WORDS.format(name=name.partition(".")[0]).encode() for name in OWNERS}
    with Store.read(db) as store:
        ladder = tournament_of(store, LADDER)
        exporter = Exporter(store, ladder)
        exporter.write_bundle(tmp_path / "cup.arena")
        with closing(sqlite3.connect(tmp_path / "cup.arena")) as bundle:
            contents = [(tmp_path / "cup.arena").read_bytes()]
            contents += [zlib.decompress(replay) for (replay,) in bundle.execute("SELECT replay FROM match")]
        contents += seal_lines(store, ladder)
    assert len(contents) > 20
    assert not any(each in content for each in words for content in contents)


def test_the_replay_of_a_failed_check_is_for_its_author(client: TestClient, ana: str) -> None:
    [failed] = ask(client, ana, "/submissions/anas-fox").json()["replays"]
    assert (failed["players"], failed["seat"]) == (2, 0)
    assert client.get(failed["replay"], headers=bearer(ana)).json() == {"format": "1"}
    assert ask(client, ana, "/submissions/anas-fox/replays/2/1").status_code == 404
    assert client.get(failed["replay"]).status_code == 401


def test_an_author_withdraws_an_own_bot_by_the_api_or_on_the_page(own_bots: Path, tmp_path: Path) -> None:
    path = Path(copy(own_bots, tmp_path))
    token = make_token(path, "Ana")
    with TestClient(make_app(settings_for(path)), headers={"accept": "text/html"}) as client:

        def leave(bot: str) -> Any:
            return client.post("/api/v1/submissions/leave", headers=bearer(token), data={"ladder": LADDER, "bot": bot})

        assert [leave(each).status_code for each in ("spy", "nobody")] == [404, 404]
        assert leave("walker").json() == {"order": 1, "since": "the next round"}
        sign_in(client, token)
        page = client.get("/my").text
        assert [f"Withdraw {each}</button>" in page for each in ("walker", "walker.2")] == [False, True]
        assert "Withdraw" not in client.post("/my/leave", data={"ladder": LADDER, "bot": "walker.2"}).text
        with Store.join(path) as store:
            assert [(each.bot, each.by, each.why) for each in tournament_of(store, LADDER).orders] == [
                ("walker", "its author", "withdrawn"),
                ("walker.2", "its author", "withdrawn"),
            ]


@pytest.fixture
def ladder(queries: Queries) -> StoredTournament:
    return queries.tournament(LADDER)


def test_a_submitted_bot_belongs_to_who_submitted_it(queries: Queries, ladder: StoredTournament) -> None:
    assert own_bots(queries, ladder, person(queries.store, "Ana")) == {"walker": "walker@1", "walker.2": "walker@2"}
    assert own_bots(queries, ladder, person(queries.store, "Ben")) == {"spy": "spy@1"}
    for stranger in ("ana", "Ana ", "", "host"):
        assert own_bots(queries, ladder, stranger) == {}


def test_matches_have_own_words_only(queries: Queries, ladder: StoredTournament) -> None:
    matches = my_matches(queries, person(queries.store, "Ana"), ladder, 20)
    assert {bot for bot, _ in matches} == {"walker", "walker.2"}
    details = {(seat.bot, bool(seat.fault.detail)) for _, listed in matches for seat in listed.match.seats if seat.fault}
    assert details == {("walker", True), ("walker.2", True), ("spy", False)}
    finished = [listed.finished for _, listed in my_matches(queries, person(queries.store, "Ana"), ladder, 3)]
    assert len(finished) == 3
    assert finished == sorted(finished, reverse=True)


def test_a_bot_that_has_just_joined_plays_in_the_next_round(queries: Queries, ladder: StoredTournament) -> None:
    coming = find_next_round(queries, ladder, "walker")
    assert coming is not None
    assert (coming.round, coming.notes) == (7, ())


def test_a_submission_has_its_place_in_the_queue(own_bots: Path, tmp_path: Path) -> None:
    db = Path(copy(own_bots, tmp_path))
    with Store.join(db) as store:
        for number, author in enumerate(("Ben", "Ben", "Ana")):
            sent(store, author, id=f"u{number}")
        assert list(places_in_queue(store).values()) == [1, 2, 3]
    queries = Queries(Store.read(db), fresh_seconds=0.0)
    mine = {who: my_submissions(queries, person(queries.store, who)) for who in ("Ana", "Ben")}
    queries.close()
    assert [(each.id, place) for each, place in mine["Ana"] if place] == [("u2", 2)]
    assert [(each.id, place) for each, place in mine["Ben"] if place] == [("u1", 3), ("u0", 1)]


def test_versions_of_a_bot_are_one_bot_on_pages(client: TestClient) -> None:
    listed, page, numbered = (
        client.get(path, headers={"accept": "text/html"}).text for path in ("/bots", "/bots/walker", "/bots/walker.2")
    )
    assert listed.count('/bots/walker"') == 1
    assert "walker.2" not in listed.replace("/bots/walker.2", "")
    assert all(label in page for label in ("walker@1", "walker@2"))
    assert '<h1 class="bot" dir="auto">walker</h1>' in numbered
