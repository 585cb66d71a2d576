"""What pages show of a ladder's orders: all on the page about it, a bot's own on its page."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from arena.run import orders
from arena.run.orders import Reason
from arena.web.app import make_app
from arena.web.queries import Queries
from tests.arena.format_plans import plan
from tests.arena.run.test_ladder_orders import ORDERS, Give, give, pace
from tests.arena.running import run, stop_after
from tests.arena.web.competition import settings_of


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    path: Path = tmp_path_factory.mktemp("orders") / "t.db"
    spec = plan(8, format="ladder", rounds=3)
    steps = (
        ORDERS[0],
        lambda store, ladder: orders.leave(store, ladder, "b07", Reason("it left", from_round=2)),
        lambda store, ladder: orders.end(store, ladder, Reason("<b>Hello</b>", by="ann", from_round=4)),
    )
    give(path, spec, steps)
    run(spec, path)
    return TestClient(make_app(settings_of(path)))


def test_all_orders_are_on_the_status_page_and_a_bots_own_on_its_page(client: TestClient) -> None:
    [newest, _, oldest] = re.findall(r'<li value="(\d)"><b>(.*?)</b>(.*?) <span', client.get("/t/plan/about").text)
    assert oldest == ("1", "From round 3 on:", " b03 plays in one round of 4. it is a test")
    assert newest[0] == "3"
    assert "&lt;b&gt;Hello&lt;/b&gt;" in client.get("/t/plan/about").text
    assert "From round 3 on: b03 plays in one round of 4 (the rule &#39;slow&#39;: it is a test)." in client.get("/t/plan/bots/b03").text
    assert 'order">From' not in client.get("/t/plan/bots/b04").text


def test_a_superseded_order_says_so_and_the_rounds_of_a_ladder_have_no_number_to_come(tmp_path: Path) -> None:
    spec = plan(4, format="ladder")
    steps: list[Give] = [partial(pace, bot="b03", every=each) for each in (2, 4)]
    give(tmp_path / "t.db", spec, steps)
    run(spec, tmp_path / "t.db", is_stopping=stop_after(20))
    text = TestClient(make_app(settings_of(tmp_path / "t.db"))).get("/t/plan/about").text
    assert re.findall(r'<li value="1" class="soft"><b>(.*?)</b>', text) == ["From round 1 on, until order 2:"]
    assert re.findall(r'<h2 id="rounds">(Round \d+)</h2>', text)
    assert ">?<" not in text
    assert '<th scope="col" class="number">of</th>' not in text


def test_who_has_left_is_marked_in_the_standings(client: TestClient) -> None:
    page = client.get("/t/plan").text
    assert re.findall(r'class="bot">(\w+)</a> <small>left</small>', page) == ["b07"]
    records = client.get("/api/v1/tournaments/plan/standings").json()
    assert [line["bot"] for line in records if line["left"]] == ["b07"]


def test_a_page_says_after_how_many_matches_its_figures_are(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "the others are being counted" not in client.get("/t/plan").text
    monkeypatch.setattr(Queries, "as_of", lambda self, tournament: self.played(tournament) - 7)
    played = client.app.state.queries.played(client.app.state.queries.tournament("plan"))  # type: ignore[attr-defined]
    said = f"Ratings, Elo and ranks are those after {played - 7} of {played} matches; the others are being counted."
    assert f'<p class="soft" id="as-of">{said}' in client.get("/t/plan").text
