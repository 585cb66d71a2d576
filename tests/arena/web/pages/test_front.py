"""The home page, the lists, the search, the pages that explain, and a tournament in one sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from math import sqrt
from pathlib import Path
from statistics import NormalDist
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from arena.run.results import Standing
from arena.web.pages.front import _featured, _open, certainty, is_open, lead_sentence
from arena.web.pages.rules import MOMENTS, game_rules, known_games
from arena.web.queries import Queries, State
from leaderboard.storage.store import Store
from tests.arena.web.competition import BOTS, EMPTY, HALF, OVER, visitor
from tests.arena.web.hosting import matches_of


@pytest.fixture(scope="module")
def client(db: Path) -> Iterator[TestClient]:
    with visitor(db, allow_play=True, allow_submissions=True) as found:
        yield found


def test_the_home_page_says_who_is_best_and_shows_a_match_that_anybody_may_see(client: TestClient, db: Path) -> None:
    text = client.get("/").text

    for name in (OVER, HALF, EMPTY):
        assert f'<a href="/t/{quote(name)}"><bdi>{name}</bdi></a>' in text
    best = re.sub("<[^>]*>", "", text.partition("Who is best")[2].partition("</section>")[0])
    assert f"{OVER} · {len(BOTS)} bots, {len(matches_of(db, OVER))} matches" in best
    assert " won" in best
    [featured] = re.findall(r'data-document="(/m/[0-9a-f]+/viewer.json)" data-plays', text)
    assert client.get(featured).status_code == 200


def test_tables_are_named_where_play_is_allowed_and_an_empty_database_says_what_to_do(tmp_path: Path) -> None:
    Store.create(tmp_path / "new.db").close()
    with visitor(tmp_path / "new.db", allow_play=True) as player, visitor(tmp_path / "new.db") as spectator:
        assert '"/play' in player.get("/").text
        assert "visitor.js" in player.get("/").text
        text = spectator.get("/").text
        assert '"/play' not in text
        assert "visitor.js" not in text
        for address, words in (("/", "arena run"), ("/tournaments", "arena run"), ("/bots", "no bots yet"), ("/search?q=x", "No results")):
            assert words in spectator.get(address).text


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("over", f'href="/t/{quote(OVER)}"'),
        ("RASH", 'href="/bots/crasher"'),
        ("tongi", 'href="/rules/tongiaki"'),
        ("tongi", f'href="/t/{quote(OVER)}"'),
        ("nobody at all", "No results"),
        ("", "Type part"),
        ("<b>", "“<bdi>&lt;b&gt;</bdi>”"),
    ],
)
def test_the_search_finds_games_with_their_tournaments_and_bots_by_a_part_of_their_names(
    client: TestClient, wanted: str, found: str
) -> None:
    answer = client.get("/search", params={"q": wanted})

    assert answer.status_code == 200
    assert found in answer.text


def test_the_search_goes_to_the_match_of_a_beginning(client: TestClient, db: Path) -> None:
    match = matches_of(db, OVER)[0].id

    answer = client.get("/search", params={"q": f" {match[:12].upper()} "}, follow_redirects=False)

    assert (answer.status_code, answer.headers["location"]) == (303, f"/m/{match}")
    assert "No results" in client.get("/search", params={"q": match[:3]}).text


def test_a_career_adds_up_what_the_bot_did(client: TestClient, db: Path) -> None:
    text = client.get("/bots/ann").text

    played = sum(len(matches_of(db, name, "ann")) for name in (OVER, HALF))
    assert f"<dt>matches</dt><dd>{played}" in text
    assert text.count('class="card match-card"') == 3
    for name in BOTS:
        assert f'href="/bots/{name}"' in client.get("/bots").text


def test_every_game_has_its_rules_with_signs_and_pictures(client: TestClient) -> None:
    text = client.get("/rules").text
    own = [choice for choice, _ in known_games() if choice.name in {"tongiaki", "sunda"}]
    assert len(own) == 2
    for choice in own:
        page = client.get(f"/rules/{choice.name}")
        assert f'href="/rules/{choice.name}"' in text
        assert choice.title in page.text
        rules = game_rules(choice.name)
        assert rules.sections
        assert all(words in page.text.replace("&#39;", "'") for words, _ in rules.signs)
        assert not re.search(r"\bseat [0-9]", page.text)
        for moment in MOMENTS:
            picture = client.get(f"/rules/{choice.name}/{moment}.svg")
            assert picture.headers["content-type"] == "image/svg+xml"
            assert "Seat 1" not in picture.text, "only the board"
    for address in ("/rules/nothing", "/rules/tongiaki/never.svg", "/rules/openspiel"):
        assert client.get(address).status_code == 404


def test_the_match_on_the_home_page_is_of_the_best_bots_and_without_a_fault(queries: Queries) -> None:
    over = queries.tournament(OVER)

    featured = _featured(queries, [over])

    assert featured is not None
    best = [standing.bot for standing in queries.standings(over)]
    seats = featured[1].match.seats
    assert {seat.bot for seat in seats} == set(best[: len(seats)])
    assert not any(seat.fault for seat in seats)


def test_a_page_that_breaks_says_so_in_a_sentence(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("within the program")

    monkeypatch.setattr("arena.web.pages.front.card", fail)
    careless = TestClient(client.app, raise_server_exceptions=False)
    page = careless.get("/tournaments", headers={"accept": "text/html"})
    assert page.status_code == 500
    assert "Something went wrong" in page.text
    assert 'href="/tournaments"' in page.text  # the way on
    assert "within the program" not in page.text
    assert careless.get("/tournaments", headers={"accept": "application/json"}).json()["error"].startswith("Something went wrong")


@pytest.mark.parametrize(
    ("worst", "chance", "is_complete", "words"),
    [
        (1, 1.0, True, ", certainly the strongest"),
        (1, 1.0, False, ", certainly first"),
        (2, 0.999, False, "; it is the strongest with over 99% probability"),
        (2, 0.96, False, "; it is the strongest with 96% probability"),
        (2, 0.87, False, "; it is the strongest with 87% probability, and certainly among the best two"),
        (3, 0.5, True, "; it is the strongest with 50% probability, and certainly among the best three"),
        (7, 0.2, True, "; bob, whose interval is wider, is the strongest with 80% probability"),
    ],
)
def test_a_lead_is_as_certain_as_the_ranks_that_the_ratings_allow(worst: int, chance: float, is_complete: bool, words: str) -> None:
    first = Standing(1, "ann", "a", 20.0, 30.0, 1.0, 6, 0.5, 1.5, 20.0, 0, 1, worst)
    other = replace(first, rank=2, bot="bob", version="b", mu=first.mu - sqrt(2) * NormalDist().inv_cdf(min(chance, 0.9999)))
    assert certainty([first, other], is_complete=is_complete) == words


def test_the_sentence_says_who_won_who_leads_and_when_nothing_was_played(queries: Queries) -> None:
    over, half, empty = (lead_sentence(queries, queries.tournament(name)) for name in (OVER, HALF, EMPTY))

    leader = queries.standings(queries.tournament(OVER))[0].bot
    assert over.startswith((f"Too close to tell: {leader} won", f"{leader} won"))
    assert " after 4 of 120 matches" in half
    assert empty == "Nothing has been played yet; 3 bots have entered."


@pytest.mark.parametrize(
    ("bots", "worst", "words"),
    [
        (1, 1, None),
        (3, 2, None),
        (2, 2, "Too early to tell: 1 leads after 6 of 12 matches, but its interval overlaps the other bot's too much."),
        (4, 4, "Too early to tell: 1 leads after 6 of 12 matches, but its interval overlaps those of all other bots too much."),
        (4, 3, "Too early to tell: 1 leads after 6 of 12 matches, but its interval overlaps those of 2 of the 3 other bots too much."),
    ],
)
def test_it_is_too_early_to_tell_while_the_first_bot_is_not_certainly_above_half_of_the_others(
    bots: int, worst: int, words: str | None
) -> None:
    lines = [Standing(at, str(at), "", 20.0, 25.0, 1.0, 6, 0.5, 1.5, 20.0, 0, 1, worst) for at in range(1, bots + 1)]

    assert is_open(lines) == (words is not None)
    if words:
        state = State(played=6, total=12, void=0, rate=None)
        assert "".join(part.text for part in _open(["1"], lines, state)) == words
