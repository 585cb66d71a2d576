"""Metrics as Prometheus reads them, made of the same state as the host's page; and whether a server says that it can serve."""

from __future__ import annotations

import sys
from pathlib import Path
from shutil import copy

import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from arena.web.app import make_app
from tests.arena.web.competition import HALF, HOSTILE, OVER, settings_of

PORT = 8001


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
        assert {labels[0] for name, labels in found if name == "arena_alarm"} == {"rate", "bot", "disk", "clock", "run", "notice"}
        assert found["arena_newest_match_timestamp_seconds", ()] > 1.7e9

    def test_pages_are_counted_by_their_kind(self, competition: Path) -> None:
        client = client_of(competition)
        for path in (f"/t/{OVER}", f"/t/{HALF}", "/t/nowhere", "/a/b/c", "/static/style.css"):
            client.get(path)
        found = {labels: value for (name, labels), value in samples(client).items() if name == "arena_page_seconds_count"}
        assert found["/t/{name}", "2xx"] == 2
        assert found["/t/{name}", "4xx"] == 1
        assert sum(value for (page, _), value in found.items() if page == "other") == 2
        assert not any("nowhere" in page or OVER in page for page, _ in found)

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
