"""Every page for spectators, asked for as a browser would."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from html import unescape
from pathlib import Path
from shutil import copy
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from arena.spec.spec import Spec, make_spec
from arena.web.queries import compute_strengths
from engine.records import FaultKind
from leaderboard.storage.store import Store
from tests.arena.web.competition import BOTS, EMPTY, HALF, HOSTILE, OVER, play, visitor
from tests.arena.web.hosting import bearer, execute, matches_of
from tests.stored import tournament_of

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
            assert "open seed 987654321" in answer.text, address


def test_standings_show_every_bot_with_its_interval(client: TestClient) -> None:
    text = client.get(T).text

    body = text.split('<tbody id="standings">')[1].split("</tbody>")[0]
    assert body.count('class="interval"') == len(BOTS)
    assert all(f"/bots/{bot}" in body for bot in BOTS)
    assert "18</b> of 18 matches" in text


def test_a_tournament_without_matches_names_who_has_entered(client: TestClient) -> None:
    text = re.sub("</?bdi>", "", client.get(E).text)

    assert "Nothing has been played yet; 3 bots have entered." in text
    assert "Entered: ann, bob, crasher." in text


def test_no_page_shows_what_a_bot_said_when_it_crashed(client: TestClient, db: Path) -> None:
    failed = next(match for match in matches_of(db, OVER) if any(seat.fault for seat in match.seats))
    for page in (f"{T}/about", f"{T}/bots/crasher", f"/m/{failed.id}", f"/api/v1/matches/{failed.id}"):
        text = client.get(page).text
        assert "crash" in text
        assert HOSTILE not in unescape(text)


@pytest.mark.parametrize("page", ["about", "matches", "bots/crasher"])
def test_matches_are_called_by_their_players(client: TestClient, db: Path, page: str) -> None:
    failed = [match for match in matches_of(db, OVER) if any(seat.fault for seat in match.seats)]
    text = client.get(f"{T}/{page}").text
    seen = unescape(re.sub("<[^>]*>", "", text))

    assert any(f"/m/{match.id}" in text for match in failed)
    assert [match.id for match in failed if match.id[:8] in seen] == []
    assert "block" not in seen.partition("Newest")[2]
    if page != "matches":
        assert any(" \N{EN DASH} ".join(seat.bot for seat in match.seats) in seen for match in failed)


def test_a_strength_without_faults_is_shown_only_where_it_is_outside_the_interval(client: TestClient, db: Path) -> None:
    with Store.read(db) as store:
        strengths = compute_strengths(store, tournament_of(store, OVER))
    known = {each.bot: (each.low, each.without_faults, each.high) for each in strengths.values()}
    apart = {bot for bot, (low, figure, high) in known.items() if low and figure and high and not low <= figure <= high}
    body = client.get(T).text.split('<tbody id="standings">')[1].split("</tbody>")[0]
    rows = {bot: row for row in body.split("<tr")[1:] for bot in BOTS if f"/bots/{bot}" in row}

    assert all(None not in each for each in known.values())
    assert {bot for bot, row in rows.items() if "without faults" in row} == apart < {*BOTS}


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


def test_the_grid_has_a_number_in_every_cell_and_both_sides_agree(client: TestClient) -> None:
    cell = r'<td class="share\d"><a href="[^"]*bot=(\w+)&amp;opponent=(\w+)"[^>]*>(\d+)&#8239;%'
    cells = re.findall(cell, client.get(f"{T}/head-to-head").text)

    shares = {(bot, other): int(share) for bot, other, share in cells}
    assert len(shares) == 6
    assert all(shares[bot, other] + shares[other, bot] in {99, 100, 101} for bot, other in shares)


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


def test_endings_are_phrases_on_pages_and_words_in_addresses(client: TestClient) -> None:
    page = client.get(f"{T}/matches?end=waters").text

    assert '<option value="waters" selected>the last water is laid</option>' in page
    assert "<span>the last water is laid</span>" in page
    assert "<span>waters</span>" not in page


def test_a_page_begins_after_a_match(client: TestClient, db: Path) -> None:
    every = [match.id for match in matches_of(db, OVER)]
    assert listed(client.get(f"{T}/matches?after={every[6]}").text) == every[7:]


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


def test_the_beginning_of_an_id_leads_to_the_match(client: TestClient, db: Path) -> None:
    match = matches_of(db, OVER)[0].id

    answer = client.get(f"/m/{match[:10]}", follow_redirects=False)

    assert (answer.status_code, answer.headers["location"]) == (307, f"/m/{match}")


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
    assert "shown when the tournament is complete and sealed" in page


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


@pytest.mark.parametrize("address", [E, "/static/style.css", "/nothing"])
def test_head_is_get_without_the_body(client: TestClient, address: str) -> None:
    get, head = client.get(address), client.head(address)

    assert head.status_code == get.status_code
    assert head.content == b""
    assert head.headers["content-type"] == get.headers["content-type"]


def test_pages_are_packed_for_who_can_unpack_them(client: TestClient) -> None:
    with client.stream("GET", T, headers={"accept-encoding": "gzip"}) as answer:
        raw = b"".join(answer.iter_raw())

    assert answer.headers["content-encoding"] == "gzip"
    assert b"<h1>" in gzip.decompress(raw)
