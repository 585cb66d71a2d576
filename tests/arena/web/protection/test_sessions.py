"""Signing in: a session lasts as long as it should and no longer, is no token, and shows nobody what belongs to another author."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from fastapi.routing import APIRoute
from starlette.testclient import TestClient

from arena.web.app import make_app
from arena.web.pages import matches
from arena.web.play import pages as play
from arena.web.submit import my_bots, signing_in
from arena.web.submit import pages as submissions
from arena.web.submit.signing_in import COOKIE
from leaderboard.storage.people import (
    LASTS,
    begin_session,
    delete_person,
    end_token,
    find_person,
    person_of_session,
)
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import submit
from tests.arena.web.hosting import BOT, Open, make_ladder, make_token, settings_for
from tests.world import person, sent

SENT = "a-submission-of-anas"


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    db = tmp_path_factory.mktemp("sessions") / "league.db"
    make_ladder(db)
    with Store.join(db) as store:
        sent(store, "Ana", "walker", id=SENT)
    return db


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_the_cookie_is_not_the_token_and_is_kept_from_scripts_and_other_sites(db: Path, browser: Open, scheme: str) -> None:
    token = make_token(db)
    answer = browser(scheme=scheme).post("/my/sign-in", data={"token": f" {token} ", "afterwards": "submit"})
    cookie = answer.headers["set-cookie"]

    assert (answer.status_code, answer.headers["location"], answer.headers["cache-control"]) == (303, "/submit", "no-store")
    assert token not in cookie
    assert {"HttpOnly", "SameSite=strict", "Path=/", f"Max-Age={int(LASTS.total_seconds())}"} <= set(cookie.split("; "))
    assert ("Secure" in cookie) == (scheme == "https")
    secret = re.findall(f"{COOKIE}=([^;]+)", cookie)[0]
    assert secret.encode() not in db.read_bytes()


def test_a_session_ends_at_its_expiry_when_it_is_left_and_when_its_token_is_revoked(db: Path, browser: Open) -> None:
    begun = datetime.now(UTC)
    with Store.join(db) as store:
        secret = begin_session(store, make_token(db, "Cid"), now=begun)
        assert secret
        assert person_of_session(store, secret, now=begun + LASTS - timedelta(seconds=1)) == person(store, "Cid")
        assert person_of_session(store, secret, now=begun + LASTS) is None

    left, revoked = browser("Dan"), browser("Dan")
    for each in (left, revoked):
        assert "Dan" in each.get("/submit").text
    kept = left.cookies[COOKIE]
    assert left.post("/my/sign-out").headers["location"] == "/my"
    left.cookies.set(COOKIE, kept)  # a copy of the cookie is of no more use
    with Store.join(db) as store:
        end_token(store, person(store, "Dan"))
    for each in (left, revoked):
        assert "Dan" not in each.get("/submit").text


def test_nobody_else_sees_a_submission_or_whether_there_is_one(db: Path, browser: Open) -> None:
    ana, ben, nobody = (browser(author) for author in ("Ana", "Ben", ""))

    assert "walker" in ana.get(f"/submit/{SENT}").text
    assert ana.get(f"/submit/{SENT}").headers["cache-control"] == "no-store"
    for stranger, status in ((ben, 404), (nobody, 401)):
        answers = [stranger.get(f"/submit/{each}") for each in (SENT, "nothing-at-all")]
        assert [each.status_code for each in answers] == [status, status]
        assert answers[0].text.replace(SENT, "") == answers[1].text.replace("nothing-at-all", "")
        assert "walker" not in answers[0].text


@pytest.mark.sampled(3)
@pytest.mark.parametrize("cookie", ["", "x", "A" * 43, "A" * 10_000, "arena_" + "A" * 37, "'; drop table session; --", "%00" * 10])
def test_a_made_up_cookie_is_no_session(db: Path, browser: Open, cookie: str) -> None:
    guest = browser()
    guest.cookies.set(COOKIE, cookie)
    assert 'name="token"' in guest.get("/submit").text
    assert guest.get(f"/submit/{SENT}").status_code == 401
    assert guest.post("/submit", data={"name": "walker"}, files={"file": ("bot.py", BOT)}).status_code == 401


def test_every_address_that_changes_something_refuses_what_another_site_sends(db: Path) -> None:
    client = TestClient(make_app(settings_for(db, analyses=True)))
    routers = [each.router for each in (matches, my_bots, play, signing_in, submissions)]
    for router in routers:
        routes = [each for each in router.routes if isinstance(each, APIRoute) and "POST" in (each.methods or ())]
        paths = [re.sub(r"{\w+}", "x", each.path) for each in routes]
        answers = {path: client.post(path, headers={"sec-fetch-site": "cross-site"}).status_code for path in paths}
        assert answers, router
        assert set(answers.values()) == {403}


NOT_HERE = (
    "https://evil.example",
    "//evil.example",
    "/\\evil.example",
    "/evil.example",
    "my//evil.example",
    "my/../play",
    "my\r\nx: y",
    "play",
)


def test_signing_in_leads_to_no_other_site(db: Path, browser: Open) -> None:
    guest = browser()
    for afterwards in NOT_HERE:
        answer = guest.post("/my/sign-in", data={"token": make_token(db), "afterwards": afterwards})
        assert answer.headers["location"] == "/my", afterwards


def test_wrong_tokens_are_counted_and_never_sent_back(db: Path, browser: Open) -> None:
    guest = browser()
    answers = [guest.post("/my/sign-in", data={"token": f"arena_guess{at}"}) for at in range(11)]
    assert [each.status_code for each in answers] == [401] * 10 + [429]
    assert not any("guess" in each.text for each in answers)
    assert guest.post("/my/sign-in", data={"token": make_token(db)}).status_code == 429


def test_a_page_shows_the_pseudonym_as_soon_as_somebody_is_deleted(db: Path, browser: Open) -> None:
    visitor = browser()
    with Store.join(db) as store:
        submit(store, "quitter", "d" * 64, person(store, "Quentin"), b"content")
    assert "Quentin" in visitor.get("/api/v1/bots/quitter").text
    with Store.join(db) as store:
        delete_person(store, find_person(store, "Quentin"), "asked")
    for path in ("/bots/quitter", "/api/v1/bots/quitter"):
        answer = visitor.get(path).text
        assert "former author" in answer
        assert "Quentin" not in answer
