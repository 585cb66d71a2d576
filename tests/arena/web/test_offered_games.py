"""A server plays the games that its host lists, and makes what it sends of a table once for all who ask."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from arena.cli.app import app
from arena.entries import game_trial
from arena.web.app import make_app
from arena.web.games import OfferedGames
from engine.core import OptionsError
from tests.arena.hostile_games import hostile
from tests.arena.made_games import FACTS, installed
from tests.arena.web.hosting import make_ladder, settings_for
from tests.arena.web.visits import Visit

LISTED = "hostile:7"
OTHER = "hostile:crash"


@pytest.fixture(scope="module", autouse=True)
def _games(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with hostile(), installed(FACTS), pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARENA_CACHE", str(tmp_path_factory.mktemp("cache")))
        game_trial._verdict.cache_clear()
        yield


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("offered") / "offered.db"
    make_ladder(path, rounds=1)
    return path


@pytest.fixture(scope="module")
def client(db: Path) -> Iterator[TestClient]:
    with TestClient(make_app(settings_for(db, games=("tongiaki", LISTED), tables_of_one=50))) as made:
        yield made


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/play", {"game": OTHER, "seat": ["me", "random"]}),
        ("/play", {"game": "hostile", "seat": ["me", "random"], "hostile.member": "crash"}),
        ("/play", {"game": "sunda", "seat": ["me", "random"]}),
        ("/play", {"game": OTHER, "against": "random"}),
    ],
)
def test_what_is_not_listed_is_refused_before_it_is_loaded(client: TestClient, path: str, fields: dict[str, object]) -> None:
    answer = client.post(path, data=fields, headers={"accept": "text/html"})
    assert answer.status_code == 422
    assert f"This server does not play &#39;{fields['game']}&#39;; it plays tongiaki, {LISTED}." in answer.text


def test_a_listed_game_of_a_family_is_a_game_like_any_other(client: TestClient) -> None:
    form = client.get("/play", headers={"accept": "text/html"}).text
    assert f'name="game" value="{LISTED}" data-most="3">' in form
    assert 'value="sunda"' not in form
    maui = Visit(client).make("me", "random", game=LISTED)
    assert maui.until(lambda state: state.get("offers"))["game"] == LISTED
    assert "has to decide\npoints: " in TestClient(client.app).get(f"{maui.address}/text").text


@pytest.mark.slow  # tries games in processes
def test_a_host_is_told_of_a_game_that_can_not_be_offered(db: Path) -> None:
    for name, words in ((OTHER, "it crashes the process"), ("hostile:9000", "is too large to be played"), ("chess", "there is no game")):
        with pytest.raises(OptionsError, match=words):
            OfferedGames([name])
        served = CliRunner().invoke(app, ["serve", "--db", str(db), "--allow-play", "--games", name], prog_name="arena")
        assert served.exit_code == 2
        [line] = served.stderr.splitlines()
        assert words in line
