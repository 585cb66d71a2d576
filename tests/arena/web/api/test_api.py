"""The API over HTTP: what it tells, what it refuses, that it holds to its own description, and submissions from token to ladder."""

from __future__ import annotations

import io
import random
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings, strategies
from starlette.testclient import TestClient

from arena.web.app import make_app
from leaderboard.storage.people import end_token, person_of_token
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import submissions
from tests.arena.web.hosting import BOT, LADDER, make_ladder, make_token, served, settings_for, sign_in
from tests.people import new_token, person

EVERY_CHECK = list(HealthCheck)
CRASHER = b"class Crasher:\n    def choose(self, view, clock):\n        raise ValueError('<script>alert(1)</script>')\n"


@pytest.fixture(scope="module")
def client(db: Path) -> Iterator[TestClient]:
    with TestClient(make_app(settings_for(db, uploads_per_hour=1000, requests_per_minute=10**6)), raise_server_exceptions=False) as found:
        yield found


def send(client: TestClient, token: str, name: str, content: bytes, filename: str = "bot.py", **more: str) -> Any:
    headers = {"authorization": f"Bearer {token}"} if token else {}
    return client.post(
        "/api/v1/submissions", headers=headers, data={"name": name, "game": "tongiaki", **more}, files={"file": (filename, content)}
    )


def checked(client: TestClient, token: str, upload: str) -> Any:
    until = time.monotonic() + 200
    while time.monotonic() < until:
        found = client.get(f"/api/v1/submissions/{upload}", headers={"authorization": f"Bearer {token}"}).json()
        if found["state"] in {"accepted", "failed"}:
            return found
        time.sleep(0.1)
    pytest.fail("the check was never over")


def test_what_is_told_agrees_with_the_store(client: TestClient, db: Path) -> None:
    with Store.read(db) as store:
        tournament = store.tournament(LADDER)
        assert tournament is not None
        played = store.count_matches(tournament)
        newest = store.recent_matches(tournament)[0]
        replay = store.replay(newest.id)
    assert client.get("/api/v1/tournaments").json()[0]["played"] == played
    standings = client.get(f"/api/v1/tournaments/{LADDER}/standings").json()
    assert {line["bot"] for line in standings} >= {"random", "greedy", "spoiler"}
    page = client.get(f"/api/v1/tournaments/{LADDER}/matches", params={"bot": "greedy"}).json()
    assert all("greedy" in [seat["bot"] for seat in match["seats"]] for match in page["matches"])
    assert client.get(f"/api/v1/matches/{newest.id}").json()["digest"] == newest.digest
    assert client.get(f"/api/v1/matches/{newest.id}/replay").text == replay
    assert client.get("/api/v1/bots/greedy").json()["tournaments"] == [LADDER]


@pytest.mark.parametrize(
    ("path", "status", "field"),
    [
        ("/tournaments/none", 404, None),
        ("/matches/none", 404, None),
        ("/bots/none", 404, None),
        ("/nothing", 404, None),
        (f"/tournaments/{LADDER}/matches?players=many", 422, "players"),
        (f"/tournaments/{LADDER}/matches?seat=1", 422, "seat"),
        (f"/tournaments/{LADDER}/matches?fault=bad", 422, "fault"),
        (f"/tournaments/{LADDER}/matches?bot=nobody", 404, None),
    ],
)
def test_what_can_not_be_told_is_refused_in_a_sentence(client: TestClient, path: str, status: int, field: str | None) -> None:
    answer = client.get(f"/api/v1{path}")
    assert answer.status_code == status
    assert answer.json()["error"]
    if field:
        assert any(field in each["field"] for each in answer.json()["fields"])


def test_the_description_lists_every_call_and_its_page_asks_nobody(client: TestClient) -> None:
    schema = client.get("/api/openapi.json").json()
    page = client.get("/api")
    assert page.status_code == 200
    assert all(path in page.text for path in schema["paths"])
    assert "http://" not in page.text.replace("http://testserver", "")
    assert "https://" not in page.text.replace("https://testserver/static/social.png", "")  # for those who link to it


def test_a_submission_is_checked_kept_and_plays_in_its_ladder(client: TestClient, db: Path, token: str) -> None:
    sent = send(client, token, "walker", BOT, ladder=LADDER)
    assert sent.status_code == 202, sent.text
    found = checked(client, token, sent.json()["id"])
    assert [found["state"], found["label"], found["entrant"], found["report"]["verdict"]] == ["accepted", "walker@1", "walker", "passed"]
    make_ladder(db, rounds=4)
    later = client.get(f"/api/v1/submissions/{found['id']}", headers={"authorization": f"Bearer {token}"}).json()
    assert later["matches"]
    assert "walker" in later["matches"][0]["bots"]
    assert "walker" in [line["bot"] for line in client.get(f"/api/v1/tournaments/{LADDER}/standings").json()]
    again = send(client, token, "walker", BOT)
    assert [again.status_code, again.json()["fields"][0]["field"]] == [409, "file"]
    other = send(client, make_token(db, "Ben"), "walker", BOT + b"\n")
    assert [other.status_code, other.json()["fields"][0]["field"]] == [409, "name"]
    for name in ("Walker", "walker.2", "greedy-v2"):
        alike = send(client, make_token(db, "Dan"), name, BOT + b"\n")
        assert [alike.status_code, alike.json()["fields"][0]["field"]] == [409, "name"]
    assert client.get(f"/api/v1/submissions/{found['id']}", headers={"authorization": f"Bearer {make_token(db, 'Eve')}"}).status_code == 404


def test_a_bot_that_fails_is_told_why_and_not_kept(client: TestClient, db: Path, token: str) -> None:
    found = checked(client, token, send(client, token, "crasher", CRASHER).json()["id"])
    assert found["state"] == "failed"
    trouble = found["report"]["troubles"][0]
    assert trouble["fault"]["kind"] == "crash"
    assert trouble["traceback"].splitlines()[1:3] == [
        '  File "crasher.py", line 3, in choose',
        "    raise ValueError('<script>alert(1)</script>')",
    ]
    with Store.read(db) as store:
        assert submissions(store, "crasher") == ()
    sign_in(client, token)
    page = client.get(f"/submit/{found['id']}").text
    assert "<script>alert" not in page
    assert page.count("line 3, in choose") == 1  # the same traceback of every match


def bomb() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bot.py", b" " * (40 << 20))
    return packed.getvalue()


def escape() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("../../evil.py", BOT)
    return packed.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "filename", "field"),
    [
        ("bomb", bomb(), "bomb.zip", "file"),
        ("escape", escape(), "escape.zip", "file"),
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
    answer = send(client, token, name, content, filename)
    assert answer.status_code == 422, answer.text
    assert [each["field"] for each in answer.json()["fields"]] == [field]
    assert "/tmp" not in answer.text  # noqa: S108  # nothing of the machine is told
    with Store.read(db) as store:
        assert submissions(store, name) == ()


def test_too_many_bytes_and_wrong_tokens_are_refused(db: Path, token: str) -> None:
    with TestClient(make_app(settings_for(db))) as strict:
        assert send(strict, token, "large", b"#" * (5 << 20)).status_code == 413
        assert send(strict, "", "walker", BOT).status_code == 401
        codes = [send(strict, f"arena_wrong{number}", "walker", BOT).status_code for number in range(12)]
        assert codes[:10] == [401] * 10
        assert set(codes[10:]) == {429}


NUMPY_BOT = b"""
from pathlib import Path

import numpy as np

SIZE = np.load(Path(__file__).parent / "weights.npy").size

class Bot:
    def choose(self, view, clock):
        return view.legal_moves[SIZE % len(view.legal_moves)]
"""


def packed(size: int) -> bytes:
    """An archive of a bot with weights of so many bytes, which can't be compressed."""
    weights, archived = io.BytesIO(), io.BytesIO()
    np.save(weights, np.frombuffer(random.Random(1).randbytes(size), np.uint8))
    with zipfile.ZipFile(archived, "w") as archive:
        archive.writestr("bot.py", NUMPY_BOT)
        archive.writestr("weights.npy", weights.getvalue())
    return archived.getvalue()


@pytest.mark.slow  # the check plays with NumPy; which sizes are taken is also tested in submit/test_refusals
def test_a_ladder_says_what_submitted_bots_run_in_and_how_large_they_are(tmp_path: Path) -> None:
    db = tmp_path / "api.db"
    make_ladder(db, runtime={"packages": ["numpy"], "bundle": "6 MiB"})
    token = make_token(db)
    with TestClient(make_app(settings_for(db))) as client:
        sent = send(client, token, "large", packed(5 << 20), "bot.zip", ladder=LADDER)
        found = checked(client, token, sent.json()["id"])
        too_large = send(client, token, "larger", packed(6 << 20), "bot.zip", ladder=LADDER)
        nowhere = send(client, token, "elsewhere", packed(1 << 20), "bot.zip")
        lacks = checked(client, token, nowhere.json()["id"])

    assert [found["state"], found["entrant"]] == ["accepted", "large"], found
    assert too_large.status_code in {413, 422}
    assert "has no packages: ask its host for 'numpy'" in lacks["report"]["troubles"][0]["fault"]["detail"]


def test_a_form_sent_by_another_site_is_refused(client: TestClient, token: str) -> None:
    sign_in(client, token)
    data, files = {"name": "walker"}, {"file": ("bot.py", BOT)}
    for headers in ({"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}):
        assert client.post("/submit", data=data, files=files, headers=headers).status_code == 403
        assert client.post("/play", data={"seat": ["me", "random"]}, headers=headers).status_code == 403


def test_a_token_is_kept_hashed_and_can_be_revoked(db: Path) -> None:
    with Store.join(db) as store:
        token = new_token(store, "Zoe")
        assert token.encode() not in db.read_bytes()
        assert person_of_token(store, token) == person(store, "Zoe")
        end_token(store, person(store, "Zoe"))
        assert person_of_token(store, token) is None


def test_without_leave_nothing_can_be_sent_or_played(db: Path) -> None:
    with TestClient(make_app(settings_for(db, allow_submissions=False, allow_play=False))) as reader:
        assert [reader.get(path).status_code for path in ("/submit", "/play")] == [404, 404]
        assert send(reader, "arena_x", "walker", BOT).status_code in {404, 405}


def test_a_run_and_the_server_write_side_by_side(db: Path) -> None:
    with Store.create(db), Store.join(db) as other:  # a run holds its lock meanwhile
        assert person_of_token(other, new_token(other, "Mia")) == person(other, "Mia")


@pytest.mark.slow
def test_the_api_holds_to_its_description(db: Path, token: str) -> None:
    """Requests made up from the description never bring the server down."""
    import schemathesis  # it comes with the extra dev

    tried: set[str] = set()

    @settings(max_examples=8, deadline=None, database=None, derandomize=True, phases=[Phase.generate], suppress_health_check=EVERY_CHECK)
    @given(data=strategies.data())
    def attempt(operation: Any, data: Any) -> None:
        case = data.draw(operation.as_strategy())
        answer = case.call(headers={"authorization": f"Bearer {token}"}, timeout=20)
        tried.add(f"{case.method} {case.path}")
        assert answer.status_code < 500 or answer.status_code == 503, f"{case.method} {case.formatted_path}: {answer.text[:200]}"

    with served(settings_for(db, uploads_per_hour=1000, requests_per_minute=10**6)) as address:
        schema = schemathesis.openapi.from_url(f"{address}/api/openapi.json")
        for result in schema.get_all_operations():
            attempt(operation=result.ok())  # type: ignore[union-attr]  # an error has no ok() and fails the test
        assert httpx2.get(f"{address}/api/v1/limits").json()["allow_submissions"]
    assert len(tried) >= 12
