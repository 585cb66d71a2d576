"""While a block that shares a deck is played on, nothing that is published shows the deck."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shutil import copy
from typing import Any

import pytest
from starlette.testclient import TestClient

from arena.spec.spec import Spec, make_spec
from arena.tournament import Tournament
from arena.verification.exporter import Exporter
from arena.web.app import make_app
from arena.web.static_site import write_site
from engine.records import Ticket
from engine.registry import find_game
from leaderboard.errors import StoreError
from leaderboard.storage.store import Store
from tests.arena.web.competition import play
from tests.arena.web.hosting import settings_for
from tests.arena.web.site.site_files import text_of
from tests.stored import tournament_of

CUPS: dict[str, dict[str, Any]] = {
    "tongiaki": {"schedule": {"tables": [3], "decks": "shared"}},
    "sunda": {"game": "sunda", "options": {"level": 0}, "schedule": {"tables": [1]}},
}


@pytest.fixture(scope="module", params=CUPS)
def spec(request: pytest.FixtureRequest) -> Spec:
    bots = [{"name": f"b{number}", "source": "random"} for number in range(3)]
    return make_spec({"name": "cup", "game": "tongiaki", "bots": bots, **CUPS[request.param]}, "test")


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory, spec: Spec) -> Path:
    path = tmp_path_factory.mktemp("begun") / "cup.db"
    play(path, spec, most=2)
    return path


@pytest.fixture
def db(begun: Path, tmp_path: Path) -> Path:
    return Path(copy(begun, tmp_path))


def first(db: Path, spec: Spec) -> Ticket:
    """The first match: its deck is still to be played in others."""
    with Store.read(str(db)) as store:
        stored = tournament_of(store, "cup")
        tickets = list(Tournament(store, stored, spec).schedule)
        known = store.matches(ticket.id for ticket in tickets)
        open_seeds = {ticket.seed for ticket in tickets if ticket.id not in known}
        return next(ticket for ticket in tickets if ticket.id in known and ticket.seed in open_seeds)


@pytest.fixture
def visitor(db: Path) -> Iterator[TestClient]:
    with TestClient(make_app(settings_for(db)), base_url="http://127.0.0.1") as client:
        yield client


def secrets_of(spec: Spec, ticket: Ticket) -> list[str]:
    """What tells the deck: the seed, and the lines of the first position in which it stands."""
    text = find_game(spec.game, spec.options).new(len(ticket.seats), ticket.seed).text
    return [str(ticket.seed), *(line for line in text.splitlines() if line.startswith(("deck ", "dice ", "pot ")))]


def test_no_page_of_the_match_tells_its_deck(visitor: TestClient, db: Path, spec: Spec) -> None:
    ticket = first(db, spec)
    told = secrets_of(spec, ticket)
    assert len(told) > 1

    answers = {page: visitor.get(f"/m/{ticket.id}{page}") for page in ("", "/viewer.json", "/replay.json")}

    assert [answer.status_code for answer in answers.values()] == [200, 403, 403]
    assert "is shown when they are over" in answers[""].text
    assert not [(page, line) for page, answer in answers.items() for line in told if line in answer.text]


@pytest.mark.sampled(1)
def test_no_file_of_a_site_tells_its_deck(db: Path, spec: Spec, tmp_path: Path) -> None:
    told = secrets_of(spec, first(db, spec))
    write_site(str(db), tmp_path / "site", title="Cup")

    texts = {path.name: text_of(path) for path in (tmp_path / "site").rglob("*") if path.is_file()}

    assert not [(name, line) for name, text in texts.items() for line in told if line in text]


@pytest.mark.sampled(1)
def test_an_export_is_refused_and_the_replay_not_shown_until_the_block_is_over(db: Path, spec: Spec, tmp_path: Path) -> None:
    bundle = tmp_path / "cup.arena"
    ticket = first(db, spec)
    with Store.read(str(db)) as store, pytest.raises(StoreError, match="the deck that they all share"):
        Exporter(store, tournament_of(store, "cup")).write_bundle(bundle)

    play(db, spec)

    with Store.read(str(db)) as store:
        cup = tournament_of(store, "cup")
        assert Exporter(store, cup).write_bundle(bundle)
    with TestClient(make_app(settings_for(db)), base_url="http://127.0.0.1") as visitor:
        assert visitor.get(f"/m/{ticket.id}/viewer.json").json()["seed"] == ticket.seed
