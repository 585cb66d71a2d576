"""Runs followed live: one poller for all, bounded visitors, an end; in a real browser beside a real run."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from arena.web.live import Broadcaster
from arena.web.pages.tournaments import snapshot
from arena.web.queries import Queries
from leaderboard.storage.database import StoreError
from leaderboard.storage.store import Store
from tests.arena.web.competition import HALF, OVER, settings_of, visitor
from tests.arena.web.conftest import OpenPage, wait_until
from tests.arena.web.hosting import apart, served
from tests.arena.web.running import PROGRAM, ROOT
from tests.world import tournament_of, wait_for


@pytest.mark.slow
@pytest.mark.parametrize("name", [OVER, HALF])
def test_a_run_that_is_over_is_told_once_more_and_ends(db: Path, name: str) -> None:
    async def go(broadcaster: Broadcaster, tournament: Any) -> list[str]:
        async with asyncio.timeout(120):
            return [event.decode() async for event in broadcaster.follow(tournament)]

    with Store.read(db) as store:
        broadcaster = Broadcaster(partial(snapshot, Queries(store, fresh_seconds=0), settings_of(db)), 0.0)
        sent = apart(go(broadcaster, tournament_of(store, name)))

    assert sent[-1].startswith("event: end\n")
    pieces = json.loads(sent[-1].split("data: ")[1])
    assert {"progress", "lead", "standings", "as-of", "opinion", "last", "say", "end"} == pieces.keys()
    assert pieces["end"] == ("The tournament is over." if name == OVER else "The tournament is not running at the moment.")
    assert broadcaster._channels == {}


def test_a_visitor_who_goes_leaves_nothing_behind(db: Path) -> None:
    async def go(broadcaster: Broadcaster, tournament: Any) -> tuple[int, int]:
        stream = broadcaster.follow(tournament)
        await anext(stream)
        during = len(broadcaster._channels)
        await stream.aclose()  # type: ignore[attr-defined]
        await asyncio.sleep(0)
        return during, len(broadcaster._channels) + len(asyncio.all_tasks()) - 1

    with Store.read(db) as store:
        broadcaster = Broadcaster(partial(snapshot, Queries(store, fresh_seconds=0), settings_of(db)), 1.0)
        tournament = store.tournament(HALF)
        assert apart(go(broadcaster, tournament)) == (1, 0)


def test_too_many_visitors_are_sent_away(db: Path) -> None:
    with visitor(db, watchers=0) as client:
        answer = client.get(f"/t/{HALF}/events")

    assert answer.status_code == 503
    assert "reload" in answer.text


def test_without_javascript_a_page_of_a_run_reloads_itself(client: TestClient) -> None:
    assert '<noscript><meta http-equiv="refresh"' in client.get(f"/t/{HALF}").text
    assert "refresh" not in client.get(f"/t/{quote(OVER)}").text


WAITS = """
import time
from pathlib import Path

class Waits:
    def choose(self, view, clock):
        if not Path("go").exists():
            time.sleep(0.05)
        return view.legal_moves[0]
"""
"""Plays slowly until the page is open, so that the run is not over before: two seconds for each match."""


def has_begun(db: Path) -> bool:
    """Whether the run has stored a match."""
    try:
        with Store.read(db) as store:
            tournament = store.tournament("cup")
            return tournament is not None and store.count_matches(tournament) > 0
    except StoreError:
        return False


def test_a_real_run_changes_the_page_while_it_is_looked_at(tmp_path: Path, open_page: OpenPage) -> None:
    spec, db = tmp_path / "cup.toml", tmp_path / "cup.db"
    (tmp_path / "waits.py").write_text(WAITS)
    spec.write_text('name = "cup"\ngame = "tongiaki"\nseed = 3\nbots = ["waits.py", "greedy"]\n[schedule]\ntables = [2]\nblocks = 60\n')
    command = [*PROGRAM, "run", str(spec), "--db", str(db), "--executor", "inline", "--isolation", "none"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        wait_for(lambda: has_begun(db) or run.poll() is not None)
        assert run.poll() is None
        with served(settings_of(db, poll_seconds=0.05)) as address:
            page = open_page(f"{address}/t/cup", server=address).page
            at_first = page.locator("#progress").inner_text()
            wait_until(page, "document.getElementById('live').textContent === 'This page updates automatically.'")
            (tmp_path / "go").touch()
            wait_until(page, f"document.getElementById('progress').innerText !== {at_first!r}")
            rows = page.locator("#last .match-card").count()
            page.locator("#live[data-over]").wait_for(timeout=100_000, state="attached")
            progress, said = page.locator("#progress").inner_text(), page.locator("#said").inner_text()
            standings = page.locator("#standings tr").all_inner_texts()
            page.reload()
            assert page.locator("#standings tr").all_inner_texts() == standings
    finally:
        (tmp_path / "go").touch()
        _, complaints = run.communicate(timeout=100)

    assert run.returncode == 0, complaints
    assert rows > 0
    assert "120 of 120 matches played" in progress
    assert "The tournament is over." in said
