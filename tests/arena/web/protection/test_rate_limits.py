"""Requests that a page of another site made the browser send are refused, and what comes too often; who counts as one visitor."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from fastapi import FastAPI, Request
from fastapi.sse import EventSourceResponse
from limits import RateLimitItemPerHour
from starlette.exceptions import HTTPException
from starlette.testclient import TestClient

from arena.web.errors import UnusableError
from arena.web.live import stream
from arena.web.protection.limits import WRONG_TOKENS, ConcurrencyLimiter, RateLimits, counted_as, from_here, is_visited, rate_limits
from leaderboard.storage.store import Store
from tests.arena.web.competition import OVER, visitor
from tests.arena.web.hosting import matches_of
from tests.world import new_token, person


def request(client: tuple[str, int] | None = ("192.0.2.1", 5), headers: dict[str, str] | None = None) -> Request:
    sent = [(name.encode(), value.encode()) for name, value in (headers or {}).items()]
    return Request({"type": "http", "headers": sent, "client": client})


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "arena.example"},
        {"host": "arena.example", "sec-fetch-site": "same-origin", "origin": "https://arena.example"},
        {"host": "arena.example:8000", "sec-fetch-site": "none", "origin": "http://arena.example:8000"},
    ],
)
def test_what_comes_from_here_passes(headers: dict[str, str]) -> None:
    from_here(request(headers=headers))


@pytest.mark.parametrize(
    ("path", "site", "goal", "visited"),
    [
        ("/m/1/explore", None, None, True),
        ("/m/1/explore", "same-origin", "empty", True),
        ("/m/1/explore", "cross-site", "document", True),  # a link on another site
        ("/m/1/explore", "cross-site", "iframe", False),
        ("/m/1/explore", "cross-site", "image", False),
        ("/m/1/explore", "same-site", "empty", False),
    ],
)
def test_a_page_of_another_site_may_link_but_not_load_in_secret(path: str, site: str | None, goal: str | None, visited: bool) -> None:
    headers = {name: value for name, value in (("sec-fetch-site", site), ("sec-fetch-dest", goal)) if value is not None}
    sent = [(name.encode(), value.encode()) for name, value in headers.items()]
    assert is_visited(Request({"type": "http", "path": path, "headers": sent})) == visited


def test_a_picture_on_another_site_has_nothing_analysed(competition: Path) -> None:
    with visitor(competition, analyses=True) as client:
        match = matches_of(competition, OVER)[0].id
        assert (
            "try again in a minute"
            in client.get(f"/m/{match}/explore", headers={"sec-fetch-site": "cross-site", "sec-fetch-dest": "image"}).text
        )
        assert client.get(f"/m/{match}/analysis.json", headers={"accept": "application/json"}).status_code == 404


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "arena.example", "sec-fetch-site": "cross-site"},
        {"host": "arena.example", "sec-fetch-site": "same-site"},
        {"host": "arena.example", "sec-fetch-site": ""},
        {"host": "arena.example", "origin": "https://evil.example"},
        {"host": "arena.example:8000", "origin": "https://arena.example"},
        {"host": "arena.example", "origin": "null"},
        {"host": "arena.example", "origin": "http://["},
        {"origin": "https://arena.example"},
        {"host": "arena.example", "sec-fetch-site": "cross-site", "origin": "https://arena.example"},
        {"host": "arena.example", "sec-fetch-site": "same-origin", "origin": "https://evil.example"},
    ],
)
def test_what_another_site_sends_is_refused(headers: dict[str, str]) -> None:
    with pytest.raises(HTTPException) as refused:
        from_here(request(headers=headers))
    assert refused.value.status_code == 403
    assert refused.value.detail == "This was sent by a page of another site; do the same on a page of this server."


def test_an_author_may_have_so_many_uploads_refused_an_hour(tmp_path: Path) -> None:
    with Store.create(tmp_path / "one.db") as store:
        limits = RateLimits(store, uploads_per_hour=2)
    for author in ("Ann", "Ann", "Bob"):
        with limits.upload_of(author):
            pass  # the database counts it
        with pytest.raises(UnusableError), limits.upload_of(author):
            raise UnusableError("file", "no")
    with pytest.raises(HTTPException) as refused, limits.upload_of("Ann"):
        pass
    assert (refused.value.status_code, refused.value.headers) == (429, {"retry-after": "60"})
    assert refused.value.detail == "2 of your uploads were refused within an hour; try again later."


def test_wrong_tokens_are_counted_by_address_and_right_ones_are_not(tmp_path: Path) -> None:
    with Store.create(tmp_path / "one.db") as store:
        limits = RateLimits(store, uploads_per_hour=2)
        token = new_token(store, "Zoe")
        for _ in range(2 * WRONG_TOKENS.amount):
            assert limits.author(request(), token) == person(store, "Zoe")
        for wrong in [token + "x", "\u00e9", "", token * 9] * 3:
            if limits.has_room(WRONG_TOKENS, "other", "key"):
                assert limits.author(request(), wrong) is None
        with pytest.raises(HTTPException) as refused:
            limits.author(request(), token)
        assert (refused.value.status_code, refused.value.headers) == (429, {"retry-after": "60"})
        assert refused.value.detail == "Too many wrong tokens from your address; wait a minute."
        assert limits.author(request(("192.0.2.2", 5)), token) == person(store, "Zoe")


def test_what_is_counted_is_counted_by_kind_and_by_key(tmp_path: Path) -> None:
    with Store.create(tmp_path / "one.db") as store:
        limits = RateLimits(store, uploads_per_hour=2)
    once = RateLimitItemPerHour(1)
    app = FastAPI()
    app.state.rate_limits = limits
    assert rate_limits(Request({"type": "http", "app": app})) is limits
    kinds = [("a", "x"), ("a", "y"), ("b", "x")]
    assert [limits.has_room(once, *each) for each in kinds * 2] == [True] * 3 + [False] * 3
    with pytest.raises(HTTPException) as refused:
        limits.count(once, "a", "x", "Too often.")
    assert (refused.value.status_code, refused.value.detail, refused.value.headers) == (429, "Too often.", {"retry-after": "60"})
    limits.count(once, "c", "x", "Too often.")


def test_a_stream_is_counted_by_address_until_it_has_ended() -> None:
    app = FastAPI()
    app.state.streams = ConcurrencyLimiter(9, 1)

    async def events() -> AsyncIterator[bytes]:
        yield b"data: 1\n\n"

    @app.get("/")
    def follow(request: Request) -> EventSourceResponse:
        return stream(request, events())

    client = TestClient(app)
    for answer in (client.get("/"), client.get("/")):
        assert (answer.status_code, answer.content, answer.headers["x-accel-buffering"]) == (200, b"data: 1\n\n", "no")
    assert app.state.streams.acquire("testclient")
    refused = client.get("/")
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "60")
    assert refused.json()["detail"].startswith("Too many visitors follow this page live, or too many from your address; reload the page")


@pytest.mark.parametrize(
    ("host", "counted"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:aaaa::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:bbbb::9", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("fe80::1%eth0", "fe80::/64"),
        ("testclient", "testclient"),
    ],
)
def test_an_ipv6_network_is_one_address(host: str, counted: str) -> None:
    assert counted_as(host) == counted


def test_shares_are_given_back() -> None:
    limiter = ConcurrencyLimiter(3, 2)
    assert [limiter.acquire(who) for who in "aaabbb"] == [True, True, False, True, False, False]
    limiter.release("a")
    assert [limiter.acquire(who) for who in "bc"] == [True, False]
