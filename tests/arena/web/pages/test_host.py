"""The host's page and metrics of the same state: who sees them, what they show; and whether a server says that it can serve."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from shutil import copy

import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from arena.web.app import make_app
from leaderboard.records.running import RunRecord, WorkerRecord
from leaderboard.storage.runs import write_run
from leaderboard.storage.store import Store
from tests.arena.web.competition import EMPTY, HALF, HOSTILE, OVER, settings_of
from tests.stored import tournament_of

PORT = 8001
PRIVATE = ("/host", "/metrics")
Visit = Callable[[int], TestClient]


@pytest.fixture(scope="module")
def visit(competition: Path) -> Visit:
    """Visitors of one server by the port that they come to."""
    app = make_app(settings_of(competition, monitor=("127.0.0.1", PORT)))
    return lambda port: TestClient(app, base_url=f"http://testserver:{port}", headers={"accept": "text/html"})


@pytest.mark.parametrize("path", PRIVATE)
class TestWhoSeesIt:
    def test_who_comes_to_the_hosts_port(self, visit: Visit, path: str) -> None:
        assert visit(PORT).get(path).status_code == 200
        assert visit(PORT).head(path).status_code == 200

    def test_nobody_who_comes_to_another(self, visit: Visit, path: str) -> None:  # whatever a request claims: test_serving
        refused, nowhere = (visit(8000).get(each) for each in (path, "/nowhere"))
        assert (refused.status_code, refused.text) == (404, nowhere.text.replace("/nowhere", path))

    def test_nobody_where_none_is_set_aside(self, competition: Path, path: str) -> None:
        for port in (PORT, 80):
            with TestClient(make_app(settings_of(competition)), base_url=f"http://testserver:{port}") as client:
                assert client.get(path).status_code == 404


def test_the_server_may_be_reached_by_the_address_of_the_hosts_port(competition: Path) -> None:
    app = make_app(settings_of(competition, monitor=("10.0.0.5", PORT)))
    assert TestClient(app, base_url=f"http://10.0.0.5:{PORT}").get("/host").status_code == 200
    assert TestClient(app, base_url=f"http://10.0.0.6:{PORT}").get("/host").status_code == 400


def test_what_it_shows_of_a_competition(visit: Visit) -> None:
    page = visit(PORT).get("/host").text
    assert "No alarms." in page
    assert f"<td>{OVER}</td>" in page
    crashes = re.search(r'<td class="number">(\d+)</td><td class="number">(\d+)</td><td><a href="([^"]+)">(\d+) . crash</a></td>', page)
    assert crashes is not None
    assert crashes[1] == crashes[4]
    assert visit(PORT).get(crashes[3]).status_code == 200
    assert page.count('<th scope="row"><a href="/m/') == 5
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


def client_of(path: Path) -> TestClient:
    """Somebody who comes to the host's port."""
    return TestClient(make_app(settings_of(path, monitor=("127.0.0.1", PORT))), base_url=f"http://testserver:{PORT}")


def samples(client: TestClient) -> dict[tuple[str, tuple[str, ...]], float]:
    """The samples by name and values of labels."""
    answer = client.get("/metrics")
    assert (answer.status_code, answer.headers["content-type"].partition(";")[0]) == (200, "text/plain")
    families = text_string_to_metric_families(answer.text)
    return {
        (each.name, tuple(value for _, value in sorted(each.labels.items()))): each.value for family in families for each in family.samples
    }


class TestMetrics:
    def test_of_a_competition(self, competition: Path) -> None:
        found = samples(client_of(competition))
        assert found["arena_matches_total", (HALF,)] == 4
        assert found["arena_sealed_matches", (OVER,)] == found["arena_matches_total", (OVER,)] > 0
        assert found["arena_faults", ("crasher", "crash", OVER)] > 0
        assert found["arena_uploads", ("waiting",)] == found["arena_run", ()] == 0
        assert found["arena_disk_free_bytes", ()] > 0
        assert {labels[0] for name, labels in found if name == "arena_alarm"} == {"rate", "bot", "disk", "clock", "run"}
        assert found["arena_newest_match_timestamp_seconds", ()] > 1.7e9

    def test_pages_are_counted_by_their_kind(self, competition: Path) -> None:
        client = client_of(competition)
        for path in (f"/t/{EMPTY}", f"/t/{EMPTY}", "/t/nowhere", "/a/b/c", "/static/style.css"):
            client.get(path)
        found = {labels: value for (name, labels), value in samples(client).items() if name == "arena_page_seconds_count"}
        assert found["/t/{name}", "2xx"] == 2
        assert found["/t/{name}", "4xx"] == 1
        assert sum(value for (page, _), value in found.items() if page == "other") == 2
        assert not any("nowhere" in page or EMPTY in page for page, _ in found)

    def test_two_servers_of_a_process_count_for_themselves(self, competition: Path) -> None:
        first, second = client_of(competition), client_of(competition)
        first.get("/bots")
        assert ("arena_page_seconds_count", ("/bots", "2xx")) in samples(first)
        assert ("arena_page_seconds_count", ("/bots", "2xx")) not in samples(second)

    def test_nothing_says_what_a_bot_said(self, competition: Path) -> None:
        assert HOSTILE not in client_of(competition).get("/metrics").text

    def test_without_the_package(self, competition: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "prometheus_client", None)
        client = client_of(competition)
        assert (client.get("/metrics").status_code, client.get("/host").status_code) == (501, 200)
        assert client.get("/metrics").text == "Metrics need the package prometheus-client: pip install 'tile-arena[serve]'\n"


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
