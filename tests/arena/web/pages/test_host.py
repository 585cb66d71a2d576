"""The host's page: who sees it, what it shows; and whether a server says that it can serve."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from shutil import copy

import pytest
from starlette.testclient import TestClient

from arena.web.app import make_app
from leaderboard.records.running import RunRecord, WorkerRecord
from leaderboard.storage.runs import write_run
from leaderboard.storage.store import Store
from tests.arena.web.competition import HALF, HOSTILE, OVER, settings_of
from tests.stored import tournament_of

PORT = 8001
Visit = Callable[[int], TestClient]


@pytest.fixture(scope="module")
def visit(competition: Path) -> Visit:
    """Visitors of one server by the port that they come to."""
    app = make_app(settings_of(competition, monitor=("127.0.0.1", PORT)))
    return lambda port: TestClient(app, base_url=f"http://testserver:{port}", headers={"accept": "text/html"})


class TestWhoSeesIt:
    def test_who_comes_to_the_hosts_port(self, visit: Visit) -> None:
        assert visit(PORT).get("/host").status_code == 200
        assert visit(PORT).head("/host").status_code == 200

    def test_nobody_who_comes_to_another(self, visit: Visit) -> None:  # whatever a request claims: test_serving
        refused, nowhere = (visit(8000).get(each) for each in ("/host", "/nowhere"))
        assert (refused.status_code, refused.text) == (404, nowhere.text.replace("/nowhere", "/host"))

    def test_nobody_where_none_is_set_aside(self, competition: Path) -> None:
        for port in (PORT, 80):
            with TestClient(make_app(settings_of(competition)), base_url=f"http://testserver:{port}") as client:
                assert client.get("/host").status_code == 404


def test_the_server_may_be_reached_by_the_address_of_the_hosts_port(competition: Path) -> None:
    app = make_app(settings_of(competition, monitor=("10.0.0.5", PORT)))
    assert TestClient(app, base_url=f"http://10.0.0.5:{PORT}").get("/host").status_code == 200
    assert TestClient(app, base_url=f"http://10.0.0.6:{PORT}").get("/host").status_code == 400


def test_what_it_shows_of_a_competition(visit: Visit) -> None:
    page = visit(PORT).get("/host").text
    assert "No alarms." in page
    assert HOSTILE not in page
    assert f"<td>{OVER}</td>" in page
    crashes = re.search(r'<td class="number">(\d+)</td><td class="number">(\d+)</td><td><a href="([^"]+)">(\d+) . crash</a></td>', page)
    assert crashes is not None
    assert crashes[1] == crashes[4]
    assert visit(PORT).get(crashes[3]).status_code == 200
    assert re.search(r"2, the newest of [-0-9]+ [:0-9]+ UTC for (\d+) of \1 matches, final", page)


def test_a_run_that_goes_on_and_one_that_was_killed(competition: Path, tmp_path: Path) -> None:
    now = datetime.now(UTC)
    path = Path(copy(competition, tmp_path))
    worker = WorkerRecord("<b>node:18", 7, now - timedelta(minutes=5))
    app = make_app(settings_of(path, monitor=("127.0.0.1", PORT)))
    client = TestClient(app, base_url=f"http://testserver:{PORT}")
    with Store.create(path) as store:
        write_run(store, tournament_of(store, HALF), RunRecord("node", 17, "2 workers", now - timedelta(hours=3), now, 12, (worker,)))
        page = client.get("/host").text
        assert '<td>&lt;b&gt;node:18</td><td class="number">7</td><td class="number">5 min ago</td>' in page
        assert "2 workers, driver node:17, 12 matches since" in page
        assert "No alarms." in page
    page = client.get("/host").text
    assert f'<b class="wrong">run</b> the run of {HALF} (process 17 on node) was killed after ' in page
    assert "node:18" not in page


def test_below_a_prefix(competition: Path) -> None:
    app = make_app(settings_of(competition, monitor=("127.0.0.1", PORT), prefix="/arena"))
    client = TestClient(app, base_url=f"http://testserver:{PORT}")
    page = client.get("/arena/host").text
    assert set(re.findall(r'(?:href|src)="(/[^/"]*)', page)) == {"/arena"}
    assert client.get("/host").status_code == 404
    assert client.get("/arena/healthz").status_code == 200


class TestHealth:
    def test_it_is_well_as_long_as_the_database_can_be_read(self, competition: Path, tmp_path: Path) -> None:
        path = Path(copy(competition, tmp_path))
        client = TestClient(make_app(settings_of(path)))
        answer = client.get("/healthz")
        assert (answer.status_code, answer.text, answer.headers["cache-control"]) == (200, "ok\n", "no-store")
        path.rename(tmp_path / "gone.db")
        answer = client.get("/healthz")
        assert (answer.status_code, answer.text) == (503, "the database does not answer\n")
        (tmp_path / "gone.db").rename(path)
        assert client.get("/healthz").status_code == 200
