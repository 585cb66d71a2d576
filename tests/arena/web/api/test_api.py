"""The API over HTTP: what it tells, what it refuses, that it holds to its own description, and submissions from token to ladder."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from hypothesis import HealthCheck, Phase, given, settings, strategies
from starlette.testclient import TestClient

from arena.web.app import make_app
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import versions
from tests.arena.web.hosting import (
    BOT,
    LADDER,
    bearer,
    checked,
    make_ladder,
    make_token,
    matches_of,
    served,
    settings_for,
    sign_in,
    upload,
    uploaded,
)

EVERY_CHECK = list(HealthCheck)
CRASHER = b"class Crasher:\n    def choose(self, view, clock):\n        raise ValueError('<script>alert(1)</script>')\n"


@pytest.fixture(scope="module")
def client(db: Path) -> Iterator[TestClient]:
    with TestClient(make_app(settings_for(db, uploads_per_hour=1000, requests_per_minute=10**6)), raise_server_exceptions=False) as found:
        yield found


def test_what_is_told_agrees_with_the_store(client: TestClient, db: Path) -> None:
    matches = matches_of(db, LADDER)
    newest = matches[0]
    with Store.read(db) as store:
        replay = store.replay(newest.id)
    assert client.get("/api/v1/tournaments").json()[0]["played"] == len(matches)
    standings = client.get(f"/api/v1/tournaments/{LADDER}/standings").json()
    assert {line["bot"] for line in standings} >= {"random", "greedy", "spoiler"}
    page = client.get(f"/api/v1/tournaments/{LADDER}/matches", params={"bot": "greedy"}).json()
    assert all("greedy" in [seat["bot"] for seat in match["seats"]] for match in page["matches"])
    assert client.get(f"/api/v1/matches/{newest.id}").json()["digest"] == newest.digest
    assert client.get(f"/api/v1/matches/{newest.id}/replay").text == replay
    assert client.get("/api/v1/bots/greedy").json()["tournaments"] == [LADDER]


def test_the_description_lists_every_call_and_its_page_asks_nobody(client: TestClient) -> None:
    schema = client.get("/api/openapi.json").json()
    page = client.get("/api")
    assert page.status_code == 200
    assert all(path in page.text.replace("<wbr>", "") for path in schema["paths"])
    assert "http://" not in page.text.replace("http://testserver", "")
    assert "https://" not in re.sub(r"https://testserver/static/\w+/social.png", "", page.text)  # for those who link to it


def test_a_submission_is_checked_kept_and_plays_in_its_ladder(client: TestClient, db: Path, token: str) -> None:
    sent = upload(client, token, "walker", BOT, ladder=LADDER)
    assert sent.status_code == 202, sent.text
    found = checked(client, token, sent.json()["id"])
    assert [found["state"], found["label"], found["entrant"], found["report"]["verdict"]] == ["accepted", "walker@1", "walker", "passed"]
    make_ladder(db, rounds=3)
    later = uploaded(client, token, found["id"])
    assert later["matches"]
    assert "walker" in later["matches"][0]["bots"]
    assert "walker" in [line["bot"] for line in client.get(f"/api/v1/tournaments/{LADDER}/standings").json()]
    again = upload(client, token, "walker", BOT)
    assert [again.status_code, again.json()["fields"][0]["field"]] == [409, "file"]
    for name in ("walker", "Walker", "walker.2", "Greedy"):
        other = upload(client, make_token(db, "Ben"), name, BOT + b"\n")
        assert [other.status_code, other.json()["fields"][0]["field"]] == [409, "name"]
    assert client.get(f"/api/v1/submissions/{found['id']}", headers=bearer(make_token(db, "Eve"))).status_code == 404


def test_a_bot_that_fails_is_told_why_and_not_kept(client: TestClient, db: Path, token: str) -> None:
    found = checked(client, token, upload(client, token, "crasher", CRASHER).json()["id"])
    assert found["state"] == "refused"
    trouble = found["report"]["troubles"][0]
    assert trouble["fault"]["kind"] == "crash"
    assert trouble["traceback"].splitlines()[1:3] == [
        '  File "bot.py", line 3, in choose',
        "    raise ValueError('<script>alert(1)</script>')",
    ]
    with Store.read(db) as store:
        assert versions(store, "crasher") == ()
    sign_in(client, token)
    page = client.get(f"/submit/{found['id']}").text
    assert "<script>alert" not in page
    assert page.count("line 3, in choose") == 1  # the same traceback of every match


def zipped(name: str, content: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return packed.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "filename", "field"),
    [
        ("bomb", zipped("bot.py", b" " * (40 << 20)), "bomb.zip", "file"),
        ("escape", zipped("../../evil.py", BOT), "escape.zip", "file"),
        ("broken", b"PK\x03\x04nonsense", "broken.zip", "file"),
        ("syntax", b"def (:", "bot.py", "file"),
        ("program", b"\x7fELF", "bot.exe", "file"),
        ("../up", BOT, "bot.py", "name"),
        ("x" * 41, BOT, "bot.py", "name"),
    ],
)
def test_hostile_uploads_are_refused_and_nothing_is_stored(
    client: TestClient, db: Path, token: str, name: str, content: bytes, filename: str, field: str
) -> None:
    answer = upload(client, token, name, content, filename)
    assert answer.status_code == 422, answer.text
    assert [each["field"] for each in answer.json()["fields"]] == [field]
    assert "/tmp" not in answer.text  # noqa: S108  # nothing of the machine is told
    with Store.read(db) as store:
        assert versions(store, name) == ()


@pytest.mark.slow
def test_the_api_holds_to_its_description(db: Path, token: str) -> None:
    """Requests made up from the description never bring the server down."""
    import schemathesis  # it comes with the extra dev

    tried: set[str] = set()

    @settings(max_examples=8, deadline=None, database=None, derandomize=True, phases=[Phase.generate], suppress_health_check=EVERY_CHECK)
    @given(data=strategies.data())
    def attempt(operation: Any, data: Any) -> None:
        case = data.draw(operation.as_strategy())
        answer = case.call(headers=bearer(token), timeout=20)
        tried.add(f"{case.method} {case.path}")
        assert answer.status_code < 500 or answer.status_code == 503, f"{case.method} {case.formatted_path}: {answer.text[:200]}"

    with served(settings_for(db, uploads_per_hour=1000, requests_per_minute=10**6)) as address:
        schema = schemathesis.openapi.from_url(f"{address}/api/openapi.json")
        for result in schema.get_all_operations():
            attempt(operation=result.ok())  # type: ignore[union-attr]  # an error has no ok() and fails the test
        assert httpx2.get(f"{address}/api/v1/limits").json()["allow_submissions"]
    assert len(tried) >= 12
