"""Every page for spectators, asked for as a browser would, from a file and from a PostgreSQL server; static files."""

from __future__ import annotations

import json
import re
from collections import Counter
from html import unescape
from pathlib import Path
from shutil import copy
from urllib.parse import quote

import pytest
from sqlalchemy import delete, insert, select
from sqlmodel import SQLModel
from starlette.testclient import TestClient

from arena.spec.spec import Spec, make_spec
from arena.web.rendering.static_files import content
from engine.records import FaultKind
from leaderboard.storage.database import Database
from leaderboard.storage.store import Store
from tests.arena.web.competition import EMPTY, HALF, HOSTILE, OVER, make_competition, play, visitor
from tests.arena.web.hosting import bearer, execute, matches_of
from tests.postgres import Server
from tests.world import tournament_of

T, H, E = (f"/t/{quote(name)}" for name in (OVER, HALF, EMPTY))
PAGES = [
    "/",
    "/tournaments",
    "/search?q=ann",
    "/help",
    "/rules",
    "/rules/tongiaki",
    "/bots",
    "/bots/crasher",
    *(each + page for each in (T, E) for page in ("", "/head-to-head", "/head-to-head/ann", "/matches", "/about", "/bots/crasher")),
    H,
]


def listed(text: str) -> list[str]:
    """The ids of the matches in a page's tables, in order, each once."""
    return list(dict.fromkeys(re.findall(r'<a (?:class="aim" )?href="/m/([0-9a-f]+)"', text)))


def test_every_page_has_a_heading_and_nothing_inline_and_those_of_a_tournament_its_open_seed(client: TestClient) -> None:
    for address in PAGES:
        answer = client.get(address)

        assert answer.status_code == 200, address
        assert "<h1" in answer.text, address
        assert not re.search(r"\sstyle=|\son[a-z]+=|<style|<script(?![^>]*(src|application/json))", answer.text), address
        assert "script-src 'self'" in answer.headers["content-security-policy"], address
        if address.startswith("/t/") and address.endswith(("%20done", "empty", "half", "/about", "/matches")):
            assert '#decks" title="anyone can compute every deck">open seed<' in answer.text, address


def test_no_page_shows_what_a_bot_said_when_it_crashed(client: TestClient, db: Path) -> None:
    failed = next(match for match in matches_of(db, OVER) if any(seat.fault for seat in match.seats))
    for page in (f"{T}/about", f"{T}/bots/crasher", f"/m/{failed.id}", f"/api/v1/matches/{failed.id}"):
        text = client.get(page).text
        assert "crash" in text
        assert HOSTILE not in unescape(text)


def test_what_the_machine_says_of_a_fault_is_told_when_the_block_is_over(db: Path, tmp_path: Path) -> None:
    half = matches_of(db, HALF)
    number = Counter(match.seed for match in half)
    assert sorted(number.values()) == [1, 3]
    copied = Path(copy(db, tmp_path))
    execute(copied, "UPDATE seat SET fault = 'move timeout', fault_index = 3, fault_detail = 'it took 3 s of CPU time'")
    with visitor(copied) as client:
        assert ["CPU" in client.get(f"/api/v1/matches/{match.id}").text for match in half] == [number[match.seed] == 3 for match in half]
        assert client.get(f"{H}/about").text.partition('id="faults"')[2].count("CPU") == 9
        assert client.get(f"/api/v1/matches/{half[0].id}", headers=bearer("x")).status_code == 401


@pytest.mark.parametrize(
    ("query", "holds"),
    [
        ("bot=ann&opponent=bob", lambda match: {"ann", "bob"} <= {seat.bot for seat in match.seats}),
        ("bot=bob&seat=1", lambda match: match.seats[1].bot == "bob"),
        ("block=1", lambda match: match.block == 1),
        ("fault=any", lambda match: any(seat.fault for seat in match.seats)),
        ("bot=crasher&fault=crash&players=2", lambda match: len(match.seats) == 2 and match.seats[0].bot == "crasher"),
        ("end=waters", lambda match: match.end == "waters"),
        ("bot=&opponent=&seat=&fault=&players=&end=&block=", lambda _match: True),
    ],
)
def test_filters_leave_just_the_matches_that_are_wanted(client: TestClient, db: Path, query: str, holds) -> None:
    wanted = [match.id for match in matches_of(db, OVER) if holds(match)]

    assert listed(client.get(f"{T}/matches?{query}").text) == wanted


def test_the_matches_of_two_bots_say_how_often_each_was_ahead(client: TestClient) -> None:
    both = [client.get(f"{T}/matches?bot={bot}&opponent={other}").text for bot, other in (("ann", "bob"), ("bob", "ann"))]
    won, lost = (re.findall(r"(\d+) won, \d+ tied, (\d+) lost", page)[0] for page in both)
    assert won == lost[::-1] != ("0", "0")


@pytest.mark.parametrize(
    ("query", "field", "word"),
    [
        ("bot=nobody", "bot", "crasher"),
        ("seat=x&bot=ann", "seat", "whole number"),
        ("seat=1", "seat", "choose a bot"),
        ("fault=boredom", "fault", FaultKind.CRASH.value),
        ("end=never", "end", "ended"),
        ("block=-1", "block", "whole number"),
        ("after=none", "after", "newest"),
        ("bot=" + "x" * 500, "bot", "80"),
    ],
)
def test_a_malformed_query_is_told_which_field_is_wrong(client: TestClient, query: str, field: str, word: str) -> None:
    page, data = client.get(f"{T}/matches?{query}"), client.get(f"{T}/matches?{query}", headers={"accept": "application/json"})

    assert page.status_code == data.status_code == 422
    assert f"'{field}'" in unescape(page.text)
    assert word in unescape(page.text)
    assert [each["field"] for each in data.json()["fields"]] == [field]


@pytest.mark.parametrize(
    ("address", "word"),
    [
        ("/t/nowhere", OVER),
        (f"{T}/bots/nobody", "crasher"),
        ("/bots/nobody", "ann"),
        ("/m/feedfacefeedface", "no match"),
        ("/m/%00", "no match"),
        ("/nothing", "nothing at this address"),
    ],
)
def test_an_unknown_id_is_a_404_that_says_what_there_is(client: TestClient, address: str, word: str) -> None:
    answer = client.get(address)

    assert answer.status_code == 404
    assert word in unescape(answer.text)


def test_a_match_has_its_seats_and_its_block(client: TestClient, db: Path) -> None:
    matches = matches_of(db, OVER)
    for match in (matches[0], matches[-1]):
        text = client.get(f"/m/{match.id}").text

        assert all(f"<b>{seat.score}<" in text for seat in match.seats)
        others = [each.id for each in matches if each.seed == match.seed and each.id != match.id]
        assert all(f'href="/m/{other}"' in text for other in others)


def sealed(*, blocks: int) -> Spec:
    bots = [{"name": name, "source": "random"} for name in ("ann", "bob")]
    return make_spec({"name": "sealed", "game": "tongiaki", "bots": bots, "schedule": {"tables": [2], "blocks": blocks}}, "test")


def test_a_secret_is_shown_when_the_tournament_is_sealed_and_its_commitment_from_the_start(tmp_path: Path) -> None:
    db = tmp_path / "sealed.db"
    for most in (1, 100):
        play(db, sealed(blocks=1), most=most)
        with Store.read(db) as store:
            stored = tournament_of(store, "sealed")
        assert stored.secret is not None
        secret = stored.secret.secret
        with visitor(db) as client:
            pages = [client.get(f"/t/sealed{page}").text for page in ("", "/about", "/matches")]
            pages.append(client.get("/api/v1/tournaments/sealed").text)
        assert stored.secret.commitment in pages[1]
        assert [secret in text for text in pages] == [False, most == 100, False, False]
        assert not any("open seed" in text for text in pages)
    execute(db, "DELETE FROM seal_link WHERE number = (SELECT max(number) FROM seal_link)")
    with visitor(db) as client:
        page = client.get("/t/sealed/about").text
    assert secret not in page
    assert "shown once the tournament is complete and sealed" in page


def test_a_replay_is_a_page_with_the_viewers_document(client: TestClient, db: Path) -> None:
    match = matches_of(db, OVER)[0]

    page = client.get(f"/m/{match.id}").text
    document = client.get(f"/m/{match.id}/viewer.json")
    stored = client.get(f"/m/{match.id}/replay.json")

    inside = page.split('id="arena-document">')[1].split("</script>")[0]
    assert json.loads(inside) == document.json()
    assert len(document.json()["frames"]) == match.decisions + 1
    assert document.headers["content-encoding"] == "gzip"
    plain = client.get(f"/m/{match.id}/viewer.json", headers={"accept-encoding": "identity"})
    assert ("content-encoding" in plain.headers, plain.json()) == (False, document.json())
    assert stored.json()["seed"] == match.seed


def test_a_replay_can_be_played_on_only_where_play_is_allowed(client: TestClient, db: Path) -> None:
    match = matches_of(db, OVER)[0].id
    with visitor(db, allow_play=True) as player:
        assert "data-continue" not in client.get(f"/m/{match}").text
        assert f'data-continue="/play?match={match}&amp;at={{d}}"' in player.get(f"/m/{match}").text


def test_who_has_a_page_is_told_that_it_still_holds(client: TestClient, db: Path) -> None:
    for address in (T, f"/m/{matches_of(db, OVER)[0].id}"):
        first = client.get(address)
        again = client.get(address, headers={"if-none-match": first.headers["etag"]})
        other = client.get(address, headers={"if-none-match": '"another"'})

        assert (again.status_code, again.content) == (304, b"")
        assert other.status_code == 200


def test_a_replay_does_not_tell_its_outcome_in_advance(client: TestClient, db: Path) -> None:
    match = matches_of(db, OVER)[0].id
    [description] = re.findall(r'<meta name="description" content="([^"]+)">', client.get(f"/m/{match}").text)

    assert not re.search(r"\d", description)


def test_static_files_are_kept_for_good_under_the_address_that_pages_use(client: TestClient, db: Path) -> None:
    with visitor(db, allow_play=True) as player:
        text = "".join(player.get(address).text for address in (f"/m/{matches_of(db, OVER)[0].id}", "/play", H))
    used = set(re.findall(r'(?:src|href)="(/static/[^"]+)"', text))

    assert {address.rpartition("/")[2] for address in used} >= {
        "site.css",
        "viewer.css",
        "viewer_element.js",
        "board.js",
        "lobby.js",
        "live.js",
    }
    for address in used:
        assert client.get(address).headers["cache-control"] == "public, max-age=31536000, immutable"


@pytest.mark.parametrize("name", ["style.css", "0123456789ab/style.css", "site.css", "0123456789ab/site.css", "viewer.js"])
def test_any_other_address_of_a_static_file_is_revalidated(client: TestClient, name: str) -> None:
    first = client.get(f"/static/{name}")
    again = client.get(f"/static/{name}", headers={"if-none-match": first.headers["etag"]})

    assert (first.headers["cache-control"], again.status_code) == ("no-cache", 304)
    assert first.content == content(name.rpartition("/")[2])


API = (
    "/api/v1/tournaments",
    *(f"/api/v1/tournaments/{quote(OVER)}{each}" for each in ("", "/standings", "/head-to-head", "/matches")),
)
CHANGING = re.compile(r"\b(just now|\d+ \w+ ago)\b")
"""How long ago something was, when it was asked."""


def copy_rows(source: Path, target: str) -> None:
    """Fill an empty database with all rows of another."""
    with Database.read(source) as old, Database.create(target) as new, old.reading() as reading, new.writing() as writing:
        for table in SQLModel.metadata.sorted_tables:
            writing.execute(delete(table))  # the tables' own version is there
            rows = [dict(row) for row in reading.execute(select(table)).mappings()]
            if rows:
                writing.execute(insert(table), rows)


def test_every_page_says_the_same_from_a_server_as_from_a_file(tmp_path: Path, postgres: Server) -> None:
    file, place = make_competition(tmp_path), postgres.new_database()
    copy_rows(file, place)
    with visitor(file) as by_file, visitor(place) as by_server:
        matches = listed(by_file.get(f"{T}/matches").text)
        assert matches
        for address in (*PAGES, *API, *(f"/m/{match}" for match in matches[:3])):
            expected, found = by_file.get(address), by_server.get(address)
            assert (expected.status_code, found.status_code) == (200, 200), address
            assert CHANGING.sub("", found.text) == CHANGING.sub("", expected.text), address
