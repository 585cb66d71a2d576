"""What a season hides until its time is told by no page, no API, no stream, no site and no bundle, to nobody.

Two servers are asked for everything by the same clock, one of them with the hidden part replaced: their answers are the same.
"""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path, PurePath
from typing import Any

import pytest
from sqlmodel import col, select, update
from starlette.testclient import TestClient

from arena.run.runner import Summary
from arena.tournament import Tournament
from arena.web.app import make_app
from arena.web.static_site import publish_season
from leaderboard.storage.store import Store
from leaderboard.storage.tables import Match
from tests.arena.season.quick import QuickSeason, at
from tests.arena.web.hosting import settings_for, sign_in
from tests.world import folder_of_run, locked, new_token, tournament_of

OPEN_IS_OVER, FINAL_IS_OVER, REPLAYS_ARE_SHOWN, ALL_IS_SHOWN = at("22 17:00:00"), at("23 18:00:00"), at("24 18:00:00"), at("29 18:00:00")
FINAL, LADDER = "cup-final", "cup-open"
MOST_OF_A_KIND = 3
"""Addresses that differ in numbers, ids of matches or what is asked for."""
SECOND = timedelta(seconds=1)


@pytest.fixture
def played(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> QuickSeason:
    """A season whose final has been played, and beside it ``before.db``, of when the final had just begun."""
    made = folder_of_run(tmp_path_factory, "season")
    with locked(f"{made}/made.lock"):
        if not (made / "season.db").exists():
            season = _Copied(made)
            season.when(at("21 18:30:00"), lambda: _hand_in(season))
            season.run(FINAL_IS_OVER)
    for name in ("season.db", "before.db", "token"):
        shutil.copy(made / name, tmp_path)
    return QuickSeason(tmp_path)


class _Copied(QuickSeason):
    """A season that is copied when its final begins."""

    def _play(self, run: Tournament, may_begin: Callable[[int], bool]) -> Summary:
        if run.stored.name == FINAL:
            with closing(sqlite3.connect(self.db)) as connection:
                connection.execute("VACUUM INTO ?", (str(self.folder / "before.db"),))
        return super()._play(run, may_begin)


def _hand_in(season: QuickSeason) -> None:
    season.hand_in("Ana", "walker", 1, at("21 18:30:00"))
    season.hand_in("Ben", "runner", 2, at("21 18:30:00"))
    with season.store() as store:
        (season.folder / "token").write_text(new_token(store, "Ana"))


def visitor(db: Path, now: datetime, token: str = "", *, analyses: bool = True) -> TestClient:
    """Somebody who asks at that time, signed in with a token if one is given."""
    app = make_app(settings_for(db, now=lambda: now, requests_per_minute=10**6, analyses=analyses))
    client = TestClient(app, headers={"accept": "text/html"})
    if token:
        sign_in(client, token)
        client.headers["authorization"] = f"Bearer {token}"
    return client


def answers(client: TestClient, named: dict[str, str]) -> dict[str, tuple[int, str]]:
    """What a server answers to every address that its pages lead to, and to all others that there are with those ``named``."""
    app: Any = client.app
    todo = ["/", *(address for route in _routes(app.routes) for address in _filled(route, named))]
    todo += [f"/search?q={each}" for each in named.values()] + [f"/my?in={FINAL}", f"/t/{FINAL}/matches?bot={named['bot']}"]
    todo += [f"/api/v1/{what}?tournament={FINAL}" for what in ("bots", "tournaments")]
    found: dict[str, tuple[int, str]] = {}
    kinds = Counter[str]()
    while todo:
        address = todo.pop()
        kinds[kind := re.sub(r"[0-9a-f]{16,}|=[^&]*|/\d+", "", address)] += 1
        if address in found or kinds[kind] > MOST_OF_A_KIND:
            continue
        answer = client.get(address, follow_redirects=False)
        text = answer.text + answer.headers.get("location", "")
        found[address] = answer.status_code, text
        if "text/html" in answer.headers.get("content-type", ""):
            todo += [each for each in re.findall(r'href="(/[^"#]*)', text) if not each.startswith(("/static", "/rules"))]
    app.state.analyses.close()  # a page has begun one
    return found


def _routes(routes: Iterable[Any]) -> Iterator[str]:
    """The paths of all pages but those of streams, which are made of the pages."""
    for each in routes:
        yield from _routes(each.original_router.routes if hasattr(each, "original_router") else ())
        if "GET" in (getattr(each, "methods", None) or ()) and not each.path.endswith("/events"):
            yield each.path


def _filled(route: str, named: dict[str, str]) -> Iterator[str]:
    """The addresses of a route, with everything that is hidden for its parameters."""
    values = named | {"number": "1", "seat": "0", "players": "2", "moment": "x", "game": "tongiaki", "upload": "x", "challenge": "x"}
    for name in (FINAL, named["bot"]) if "{name}" in route else ("",):
        found = values | {"name": name}
        yield re.sub(r"{(\w+)(?::path)?}", lambda match, found=found: found.get(match[1], "x"), route)  # type: ignore[misc]


def differences(one: dict[str, tuple[int, str]], other: dict[str, tuple[int, str]]) -> list[str]:
    """The addresses to which two servers answer differently."""
    return sorted(each for each in one.keys() | other.keys() if one.get(each) != other.get(each))


def hidden_match(db: Path, name: str) -> str:
    """The newest match of a tournament."""
    with Store.read(db) as store:
        tournament = store.tournament(name)
        assert tournament is not None
        return store.recent_matches(tournament, limit=1)[0].id


@pytest.mark.slow  # asks two or three servers for a hundred pages each
@pytest.mark.parametrize("is_author", [False, True])
def test_hidden_results_are_as_if_nothing_had_been_played(played: QuickSeason, is_author: bool) -> None:
    token = (played.folder / "token").read_text() if is_author else ""
    match = hidden_match(played.db, FINAL)
    named = {"match": match, "bot": "walker", "beginning": match[:8]}

    hidden = answers(visitor(played.db, ALL_IS_SHOWN - SECOND, token, analyses=False), named)  # how far they are takes its time
    never = answers(visitor(played.folder / "before.db", ALL_IS_SHOWN - SECOND, token, analyses=False), named)

    assert differences(hidden, never) == []
    assert len(differences(hidden, answers(visitor(played.db, ALL_IS_SHOWN, token, analyses=False), named))) > 20


@pytest.mark.slow  # asks two or three servers for a hundred pages each
@pytest.mark.parametrize("is_author", [False, True])
def test_hidden_replays_are_as_if_others_had_been_stored(played: QuickSeason, is_author: bool) -> None:
    token = (played.folder / "token").read_text() if is_author else ""
    match = hidden_match(played.db, LADDER)
    other = played.folder / "other.db"
    shutil.copy(played.db, other)
    with Store.join(other) as store, store.writing() as connection:
        rows = connection.execute(select(Match.id, Match.replay).order_by(Match.id)).all()
        for (key, _), (_, replay) in zip(rows, [*rows[1:], rows[0]], strict=True):
            connection.execute(update(Match).where(col(Match.id) == key).values(replay=replay, seed=Match.seed + 1))
    named = {"match": match, "bot": "walker", "beginning": match[:8]}

    hidden = answers(visitor(played.db, REPLAYS_ARE_SHOWN - SECOND, token), named)

    assert differences(hidden, answers(visitor(other, REPLAYS_ARE_SHOWN - SECOND, token), named)) == []
    assert len(differences(hidden, answers(visitor(played.db, REPLAYS_ARE_SHOWN, token), named))) > 5


def site_of(db: Path, out: Path, season: QuickSeason, now: datetime) -> dict[str, bytes]:
    """The files of what is published at that time."""
    publish_season(str(db), out, season.season, lambda: now, processes=1)
    return {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}


def test_the_secret_which_the_replays_follow_from_is_hidden_with_them(played: QuickSeason) -> None:
    with Store.read(played.db) as store:
        secret = tournament_of(store, LADDER).secret
    assert secret is not None
    for page in ("/season/cup", f"/t/{LADDER}/about"):
        shown = [str(secret.secret) in visitor(played.db, now).get(page).text for now in (REPLAYS_ARE_SHOWN - SECOND, REPLAYS_ARE_SHOWN)]
        assert shown == [False, True], page


@pytest.mark.slow  # writes four sites
def test_a_site_and_its_bundles_have_nothing_that_is_hidden(played: QuickSeason) -> None:
    def published(db: str, now: datetime) -> dict[str, bytes]:
        return site_of(played.folder / db, played.folder / f"{db}-{now:%d}", played, now)

    hidden, never = published("season.db", ALL_IS_SHOWN - SECOND), published("before.db", ALL_IS_SHOWN - SECOND)
    assert {each for each in hidden.keys() | never.keys() if hidden.get(each) != never.get(each)} == set()
    assert [each for each in hidden if each.startswith("bundles")] == [f"bundles/{each}" for each in _files(LADDER)]

    without = published("season.db", REPLAYS_ARE_SHOWN - SECOND)
    assert [each for each in without if each.startswith("bundles") or each.endswith(("viewer.json", "replay.json"))] == []
    assert {
        "The replays of &#39;cup-open&#39; are hidden until" in without[each].decode()
        for each in without
        if PurePath(each).match("m/*.html")
    } == {True}
    assert "Its bundles are published with the results" in without["season/cup.html"].decode()
    whole = published("season.db", ALL_IS_SHOWN)
    assert {each for each in whole if each.startswith("bundles")} == {f"bundles/{each}" for each in _files(LADDER) + _files(FINAL)}


def _files(tournament: str) -> list[str]:
    return ["SHA256SUMS", f"{tournament}.arena", f"{tournament}.seals.jsonl"]


def test_a_match_that_is_hidden_is_as_one_that_does_not_exist(played: QuickSeason) -> None:
    match = hidden_match(played.db, FINAL)
    client = visitor(played.db, ALL_IS_SHOWN - SECOND)

    for called in (match, match[:8]):
        answer = client.get(f"/m/{called}")
        assert answer.status_code == 404
        assert client.get("/m/0123456789abcdef").text.replace("0123456789abcdef", called) == answer.text
    assert client.get(f"/t/{FINAL}/events").status_code == 404
