"""People with a rating: names, links, which matches count, and what does not help a rating."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from arena.web.app import make_app
from arena.web.play import match_runner, matchmaking, people_pages, tables
from arena.web.play.matchmaking import Opponents, Waiting
from arena.web.play.ratings import SETTLED, anchors_at, ratings_of, result_of
from arena.web.play.seats import Visitor
from bots.errors import BotError
from bots.loader.version import BotVersion, pack
from bots.sandbox.levels import Level
from engine.registry import find_game
from leaderboard.statistics.bradley_terry import POINTS
from leaderboard.storage.members import RatedMatch, RatedState, add_result, find_member, rated_matches
from leaderboard.storage.play_tables import save_table, stored_tables
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import submit
from tests.arena.web.conftest import OpenPage, wait_until
from tests.arena.web.hosting import execute, make_ladder, make_token, served, settings_for, sign_in
from tests.arena.web.visits import Visit
from tests.people import person

RATED = "Rated; your seat was drawn. Leaving, or not coming back within 7 days, counts as last place."


@pytest.fixture
def db(tmp_path: Path) -> Path:
    path = tmp_path / "people.db"
    Store.create(path).close()
    return path


@pytest.fixture
def client(db: Path) -> Iterator[TestClient]:
    with server(db) as found:
        yield found


def server(db: Path | str, **more: Any) -> TestClient:
    app = make_app(settings_for(db, tables_of_one=50, requests_per_minute=100_000, trust_bots=True, **more))
    app.state.tables._isolation = str(Level.NONE)  # isolation makes no difference to what is rated
    return TestClient(app)


def claim(client: TestClient, name: str = "Maui") -> Visit:
    """A browser whose person has claimed a name; its ``address`` is that of a table later."""
    visit = Visit(client)
    answer = visit.browser.post("/play/people", data={"name": name})
    assert answer.status_code == 200, answer.text
    return visit


def link_of(page: str) -> str:
    """The secret in the link that a page shows."""
    [secret] = re.findall(r"/play/people/sign-in#(play_[\w-]{32})", page)
    return secret


def rated(visit: Visit, *seats: str, **fields: str) -> Visit:
    return visit.make(*(seats or ("me", "random")), rated="yes", **fields)


def stored(db: Path) -> list[RatedMatch]:
    with Store.read(db) as store:
        return list(rated_matches(store))


def profile(visit: Visit) -> str:
    [address] = set(re.findall(r"/play/people/[0-9a-f]{12}", visit.get("/play").text))
    return str(visit.get(address).text)


class TestNames:
    def test_a_name_is_claimed_without_mail_and_only_digests_are_stored(self, client: TestClient, db: Path) -> None:
        visit = Visit(client)
        page = visit.browser.post("/play/people", data={"name": " Māui  of   Hawaiki"})
        secret = link_of(page.text).removeprefix("play_")
        assert ">Māui of Hawaiki</bdi></h1>" in page.text
        assert page.headers["cache-control"] == "no-store"
        assert visit.browser.cookies["player"] == secret
        assert secret.encode() not in db.read_bytes() + db.with_name("people.db-wal").read_bytes()
        assert secret not in visit.get("/play").text + visit.get("/play/people").text

    def test_the_link_signs_in_on_another_browser_at_the_same_seats(self, client: TestClient) -> None:
        maui, phone = Visit(client), Visit(client)
        link = link_of(maui.browser.post("/play/people", data={"name": "Maui"}).text)
        rated(maui)
        assert "me" not in Visit(client, maui.address).state()
        for token in (f" http://testserver/play/people/sign-in#{link} ", link):
            answer = phone.browser.post("/play/people/sign-in", data={"token": token})
            assert answer.status_code == 303
        phone.address = maui.address
        assert phone.state()["me"] == maui.state()["me"]
        assert "You are" in phone.get("/play").text

    def test_a_wrong_link_signs_nobody_in_and_may_not_be_guessed_often(self, client: TestClient) -> None:
        visit = claim(client)
        digest = visit.browser.cookies["player"]
        answers = [visit.browser.post("/play/people/sign-in", data={"token": f"play_{n:032}"}) for n in range(11)]
        assert [answer.status_code for answer in answers] == [401] * 10 + [429]
        assert "a newer one was made" in answers[0].text
        assert visit.browser.cookies["player"] == digest

    def test_a_new_link_ends_the_old_one_and_other_browsers_but_not_the_seats(self, client: TestClient) -> None:
        maui, thief = Visit(client), Visit(client)
        old = link_of(maui.browser.post("/play/people", data={"name": "Maui"}).text)
        rated(maui)
        thief.browser.post("/play/people/sign-in", data={"token": old})
        new = link_of(maui.browser.post("/play/people/link").text)
        thief.address = maui.address
        assert "me" not in thief.state()
        assert thief.browser.post("/play/people/sign-in", data={"token": old}).status_code == 401
        assert "me" in maui.state()
        assert new != old
        assert thief.browser.post("/play/people/link").status_code == 403

    def test_the_secret_that_a_browser_had_before_ends_with_the_claim(self, client: TestClient) -> None:
        maui, thief = Visit(client).make("me", "random"), Visit(client)
        thief.browser.cookies.set("player", maui.browser.cookies["player"], path="/play")
        thief.address = maui.address
        assert "me" in thief.state()
        claimed = maui.browser.post("/play/people", data={"name": "Maui"})
        assert claimed.status_code == 200
        assert "me" in maui.state()
        assert "me" not in thief.state()
        assert "You are" not in thief.get("/play").text
        assert thief.browser.post("/play/people/link").status_code == 403

    @pytest.mark.parametrize(
        "name",
        [
            "maui",
            "MAUI ",
            "mau\u2170",
            "expert",
            "Ex\u0440ert",
            "guest",
            "Ana",
            "",
            "\u202e",
            "=1+1",
            "x" * 21,
            "\u5927" * 11,
            "person-12345678",
            "🐢",
        ],
    )
    def test_a_name_that_is_taken_looks_like_one_or_is_none_is_refused(self, client: TestClient, db: Path, name: str) -> None:
        claim(client)
        with Store.join(db) as store:
            person(store, "Ana")
        other = Visit(client)
        answer = other.browser.post("/play/people", data={"name": name})
        assert answer.status_code == 422
        assert 'role="alert"' in answer.text
        assert "player" not in other.browser.cookies

    def test_marks_that_would_cover_other_lines_are_left_out(self, client: TestClient) -> None:
        assert ">Maui</bdi></h1>" in client.post("/play/people", data={"name": "Maui" + "\u0338\u20dd" * 5}).text

    def test_a_browser_has_one_name_and_an_address_claims_few(self, client: TestClient) -> None:
        claimed = claim(client).browser.post("/play/people", data={"name": "Maui 2"})
        assert "This browser has a name already." in claimed.text
        app: Any = client.app
        most = people_pages._CLAIMS * app.state.settings.visitors
        for number in range(1, most):
            claim(client, f"Maui the {number}")
        assert Visit(client).browser.post("/play/people", data={"name": "Hina"}).status_code == 429

    def test_a_name_that_is_refused_counts_for_no_limit(self, client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(people_pages, "_CLAIMS", 1)
        app: Any = client.app
        app.state.settings = replace(app.state.settings, visitors=1)
        visit = Visit(client)
        assert {visit.browser.post("/play/people", data={"name": name}).status_code for name in ("", "Guest", "You!")} == {422}
        assert visit.browser.post("/play/people", data={"name": "Maui"}).status_code == 200
        assert Visit(client).browser.post("/play/people", data={"name": "Hina"}).status_code == 429

    def test_nobody_else_sits_down_with_a_claimed_name(self, client: TestClient) -> None:
        maui, guest = claim(client), Visit(client)
        refused = guest.browser.post("/play", data={"game": "tongiaki", "seat": ["me", "random"], "name": "MAUI"})
        assert [refused.status_code, "belongs to somebody" in refused.text] == [422, True]
        maui.make("me", "person", name="Hina")
        assert [each["name"] for each in maui.state()["seats"]] == ["Maui", "seat 2"]
        assert Visit(client, maui.address).post("join", data={"name": "maui"}).status_code == 422

    def test_the_header_learns_the_name_from_the_members_browser_alone(self, client: TestClient) -> None:
        maui, hina, guest = claim(client), claim(client, "Hina"), Visit(client)
        known = maui.get("/play/mine.json")
        assert known.headers["cache-control"] == "no-store"
        me = known.json()["me"]
        assert me["name"] == "Maui"
        for page in ("/play", "/play/people", me["address"]):
            assert f'<bdi data-me="{me["address"]}">Maui</bdi>' in maui.get(page).text
            assert f'data-me="{me["address"]}"' not in hina.get(page).text + guest.get(page).text
        assert guest.get("/play/mine.json").json()["me"] is None
        for page in ("/", "/tournaments", "/bots", "/help", "/rules/tongiaki"):  # the same for everybody
            assert maui.get(page).text == guest.get(page).text
            assert "Maui" not in maui.get(page).text

    def test_signing_out_forgets_the_member_in_this_browser_alone(self, client: TestClient, db: Path) -> None:
        maui = claim(client)
        maui.browser.post("/play/people/sign-out")
        assert "player" not in maui.browser.cookies
        with Store.read(db) as store:
            assert find_member(store, name="Maui") is not None

    def test_a_name_is_deleted_by_its_owner_or_a_host_alone(self, client: TestClient, db: Path) -> None:
        maui, hina = claim(client), claim(client, "Hina")
        rated(maui).resign()
        with Store.read(db) as store:
            found = find_member(store, name="Maui")
        assert found is not None
        address = f"/play/people/{found.id}"
        assert hina.browser.post(f"{address}/delete", data={"sure": "yes"}).status_code == 403
        assert maui.browser.post(f"{address}/delete").status_code == 422
        assert maui.browser.post(f"{address}/delete", data={"sure": "yes"}).status_code == 303
        assert [maui.get(address).status_code, stored(db)] == [404, []]
        execute(db, "UPDATE person SET role = 'host'") if make_token(db, "Ben") else None
        with Store.read(db) as store:
            other = find_member(store, name="Hina")
        assert other is not None
        host = TestClient(client.app, follow_redirects=False)
        sign_in(host, make_token(db, "Ben"))
        assert host.post(f"/play/people/{other.id}/delete", data={"sure": "yes"}).status_code == 303

    @pytest.mark.parametrize("path", ["", "/link", "/sign-in", "/sign-out", "/0/delete"])
    def test_pages_of_other_sites_can_change_nothing(self, client: TestClient, path: str) -> None:
        answer = client.post(f"/play/people{path}", headers={"sec-fetch-site": "cross-site"}, data={"name": "Maui"})
        assert answer.status_code == 403


class TestRatedMatches:
    def test_a_match_against_bots_of_known_strength_is_announced_rated_and_shown(self, client: TestClient, db: Path) -> None:
        maui = rated(claim(client), "me", "greedy")
        assert maui.until(lambda state: state.get("offers"))["notice"] == RATED
        while (state := maui.until(lambda state: state.get("offers") or state["stage"] == "over"))["stage"] == "playing":
            assert maui.post("move", at=state["at"], move=state["offers"]["moves"][0][0]).status_code in {204, 409}
        [match] = stored(db)
        assert match.state is RatedState.OVER
        assert match.ranks == tuple(seat["rank"] for seat in state["seats"])
        words = r" \d+ \(-?\d+ to \d+\), provisional after 1 match"
        told = r" (won|lost|drew) against greedy \(\d+\)\. {} first rating is \d+ "
        told += r"\(95\xa0% interval \u2212?\d+ to \d+; provisional after 1 match\)\.$"
        assert re.match("You" + told.format("Your"), state["notice"])
        assert re.match("Maui" + told.format("Maui's"), Visit(client, maui.address).state()["notice"])
        page = profile(maui)
        assert re.search(f"You{words}(; (greedy|expert|learned|spoiler|random) [0-9]+)+<", page)
        assert f"/play/m/{match.id}" in page
        assert '<td data-label="against">greedy</td>' in page
        assert "A rated match of" in maui.get(f"/play/m/{match.id}").text
        assert re.search(f"Maui</bdi></a></th>.*{match.member}|{match.member}.*Maui", maui.get("/play/people").text)

    def test_the_members_pages_and_matches_are_in_no_tournament(self, tmp_path: Path) -> None:
        db = tmp_path / "ladder.db"
        make_ladder(db, rounds=1)
        with server(db) as client:
            before = client.get("/api/v1/tournaments").text + client.get("/t/league").text
            rated(claim(client, "Māui"), "me", "greedy").resign()
            assert client.get("/api/v1/tournaments").text + client.get("/t/league").text == before
            assert "Māui" not in client.get("/bots").text + client.get("/t/league/matches").text

    @pytest.mark.parametrize(
        ("seats", "fields", "why"),
        [
            (("me", "random"), {}, "you chose so"),
            (
                ("me", "random"),
                {"rated": "yes", "game": "sunda", "sunda.level": "2"},
                "the strengths of bots were not measured",
            ),
            (("me", "mcts"), {"rated": "yes"}, "the strength of mcts was not measured"),
            (("me", "walker@1"), {"rated": "yes"}, "the strength of walker@1 was not measured"),
            (("me", "person"), {"rated": "yes"}, "several people play, and one person may have several names"),
        ],
    )
    def test_what_is_not_rated_says_why(
        self, client: TestClient, db: Path, seats: tuple[str, ...], fields: dict[str, str], why: str
    ) -> None:
        code = "class Bot:\n    def choose(self, view, clock):\n        return next(iter(view.legal_moves))\n"
        with Store.join(db) as store:
            submit(store, "walker", "0" * 64, person(store, "Eve"), pack(BotVersion("walker", "0" * 64, "walker.py", "Bot", code)))
        maui = claim(client).make(*seats, **fields)
        assert maui.state()["notice"].startswith(f"Unrated: {why}")
        assert [maui.post("leave").status_code, stored(db)] == [204, []]

    def test_a_guest_is_not_rated(self, client: TestClient, db: Path) -> None:
        guest = rated(Visit(client))
        assert guest.state()["notice"] == "Unrated: you play as a guest."
        guest.resign()
        assert stored(db) == []


class TestWhatDoesNotHelp:
    def test_resigning_and_leaving_count_as_the_last_place_from_the_start(self, client: TestClient, db: Path) -> None:
        maui = claim(client)
        rated(maui).resign()
        rated(maui)
        assert maui.post("leave").status_code == 204
        assert [match.state for match in stored(db)] == [RatedState.LEFT, RatedState.LEFT]
        [rating] = ratings_of(stored(db))
        assert [block.shares for block in rating.blocks] == [(0.0,), (0.0,)]
        assert "left, so last place" in profile(maui)

    def test_not_coming_back_until_the_table_is_forgotten_counts_as_the_last_place(self, db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        with server(db, idle_seconds=0.01) as client:
            maui = rated(claim(client))
            wait = Visit(client, maui.address)
            wait.until(lambda state: state.get("paused"))
            assert [match.state for match in stored(db)] == [RatedState.PLAYING]
            monkeypatch.setattr(tables, "_PAUSED_SECONDS", -1.0)
            monkeypatch.setattr(tables, "_OVER_SECONDS", -1.0)
            monkeypatch.setattr(tables, "_SWEEP_SECONDS", 0.0)
            client.get("/play")
            assert [match.state for match in stored(db)] == [RatedState.LEFT]

    def test_a_second_rated_match_at_the_same_time_is_not_rated(self, client: TestClient, db: Path) -> None:
        maui = Visit(client)
        link = link_of(maui.browser.post("/play/people", data={"name": "Maui"}).text)
        phone = Visit(client)
        phone.browser.post("/play/people/sign-in", data={"token": link})
        rated(maui)
        assert rated(phone).state()["notice"] == "Unrated: another rated match of yours is not over."
        phone.resign()
        assert [match.state for match in stored(db)] == [RatedState.PLAYING]

    def test_a_restart_goes_on_with_the_rated_match_and_forgets_none(self, db: Path) -> None:
        with server(db) as first:
            maui = rated(claim(first))
            maui.move()
        assert [match.state for match in stored(db)] == [RatedState.PLAYING]
        with server(db) as second:
            maui = maui.come_back(second)
            assert rated(maui.come_back(second)).state()["notice"] == "Unrated: another rated match of yours is not over."
            assert maui.state()["notice"].endswith(" It is rated.")
            assert maui.get(maui.address).status_code == 200
            assert maui.post("hint", at=maui.until(lambda state: state.get("offers"))["at"]).status_code == 409
            maui.resign()
            assert [match.state for match in stored(db)] == [RatedState.LEFT]

    @pytest.mark.parametrize("damage", ["UPDATE play_table SET chairs = '{'", "DELETE FROM play_move WHERE number = 0"])
    def test_a_match_that_the_server_cannot_go_on_with_is_not_rated_and_says_so(self, db: Path, damage: str) -> None:
        with server(db) as first:
            maui = rated(claim(first))
            maui.move()
        execute(db, damage)
        with server(db) as second:
            maui = maui.come_back(second)
            assert maui.get(maui.address).status_code == 410
            assert [match.state for match in stored(db)] == [RatedState.VOID]
            assert "not rated: what the database has of it can&#39;t be read" in profile(maui)

    def test_a_match_whose_bot_has_changed_is_not_rated_and_says_so(self, db: Path) -> None:
        with server(db) as first:
            maui = rated(claim(first), "me", "greedy")
            maui.move()
        with Store.join(db) as store:
            [(old, _)] = stored_tables(store)
            chairs = tuple(replace(each, digest=each.digest and "0" * 64) for each in old.chairs)
            save_table(store, replace(old, chairs=chairs), {})
        with server(db) as second:
            answer = maui.come_back(second).get(maui.address)
            assert "so the match can't go on. The match is not rated." in answer.json()["error"]
            assert [match.state for match in stored(db)] == [RatedState.VOID]

    def test_a_match_whose_bot_cannot_be_played_here_for_a_while_is_not_rated(
        self, client: TestClient, db: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(*_versions: object, **_trusted: object) -> None:
            raise BotError("it would not be isolated")

        with monkeypatch.context() as patch:
            patch.setattr(match_runner, "admit", refuse)
            maui = rated(claim(client))
            maui.until(lambda state: state.get("paused"))
        assert [match.state for match in stored(db)] == [RatedState.VOID]
        maui.post("resume")
        assert maui.until(lambda state: state.get("offers"))["notice"] == "Unrated: a bot could not be played here."
        maui.resign()
        assert [match.state for match in stored(db)] == [RatedState.VOID]

    def test_seats_are_drawn(self, client: TestClient) -> None:
        maui, drawn = claim(client), set[object]()
        for _ in range(30):  # all alike in one of half a billion runs
            drawn.add(rated(maui).state()["me"])
            maui.resign()
            if len(drawn) == 2:
                break
        assert drawn == {0, 1}

    def test_there_are_no_hints_in_a_rated_match_and_asking_does_not_make_it_unrated(self, client: TestClient, db: Path) -> None:
        maui = rated(claim(client))
        state = maui.until(lambda state: state.get("offers"))
        assert "hint" not in state["can"]
        assert maui.post("hint", at=state["at"]).json() == {"error": "There are no hints at this table."}
        maui.resign()
        assert [match.state for match in stored(db)] == [RatedState.LEFT]

    def test_a_match_that_continues_a_known_one_is_not_rated(self, tmp_path: Path) -> None:
        db = tmp_path / "ladder.db"
        make_ladder(db, rounds=1)
        with Store.read(db) as store:
            [match, *_] = store.find_ids("", 1)
        with server(db) as client:
            maui = rated(claim(client), "me", "greedy", match=match, at="4")
            assert maui.state()["notice"] == "Unrated: the match continues another one, whose deck may be known."
            maui.resign()
            assert stored(db) == []

    def test_a_second_seat_in_another_browser_makes_no_rated_match(self, client: TestClient, db: Path) -> None:
        maui = rated(claim(client), "me", "person")
        other = maui.other("Nobody")
        assert maui.post("start").status_code == 204
        other.post("resign")
        maui.resign()
        assert stored(db) == []

    def test_many_matches_with_a_bot_that_is_far_weaker_are_not_rated(self, client: TestClient, db: Path) -> None:
        maui = rated(claim(client))
        maui.resign()
        [lost] = stored(db)
        ranks = (1, 2) if lost.seat == 0 else (2, 1)
        with Store.join(db) as store, store.writing() as connection:
            for number in range(60):
                add_result(connection, replace(lost, id=f"{number}", table_id=f"{number}", state=RatedState.OVER, ranks=ranks))
        assert rated(maui).state()["notice"] == "Unrated: random is more than 400 points weaker than you."
        maui.post("leave")
        assert rated(maui, "me", "greedy").state()["notice"] == RATED

    def test_a_match_that_was_given_up_does_not_keep_the_next_one_from_being_rated(self, client: TestClient) -> None:
        maui = rated(claim(client))
        table = client.app.state.tables.find(maui.key)  # type: ignore[attr-defined]
        table.idle_seconds = 0.0
        maui.post("resign")
        assert rated(maui).state()["notice"] == RATED

    def test_playing_again_is_rated_again_with_another_deck(self, client: TestClient, db: Path) -> None:
        maui = rated(claim(client))
        maui.resign()
        maui.address = maui.post("rematch").json()["address"]
        assert maui.state()["notice"] == RATED
        maui.resign()
        seeds = {each.seed for each in client.app.state.tables._tables.values()}  # type: ignore[attr-defined]
        assert [len(stored(db)), len(seeds)] == [2, 2]

    def test_a_match_in_which_a_bot_fails_is_not_rated_but_for_who_has_given_up(self, client: TestClient, db: Path) -> None:
        maui = rated(claim(client))
        table = client.app.state.tables.find(maui.key)  # type: ignore[attr-defined]
        table.unrate("random failed")
        assert maui.until(lambda state: state.get("offers"))["notice"] == "Unrated: random failed."
        maui.resign()
        assert [(match.state, match.why) for match in stored(db)] == [(RatedState.VOID, "random failed")]
        rated(maui)
        maui.post("resign")
        client.app.state.tables.find(maui.key).unrate("random failed")  # type: ignore[attr-defined]
        maui.until(lambda state: state["stage"] == "over")
        assert {match.state for match in stored(db)} == {RatedState.VOID, RatedState.LEFT}


class TestQuickMatch:
    def test_two_who_wait_are_seated_and_play(self, client: TestClient, db: Path) -> None:
        maui, hina = claim(client), Visit(client)
        waits = maui.browser.post("/play/match", data={"game": "tongiaki"})
        assert waits.headers["location"] == "/play/match?game=tongiaki"
        page = maui.get("/play/match?game=tongiaki")
        assert '<div class="row" data-pending>' in page.text
        assert maui.browser.post("/play/match", data={"game": "tongiaki"}).headers["location"] == "/play/match?game=tongiaki"
        assert hina.browser.post("/play/match", data={"game": "sunda"}).headers["location"] == "/play/match?game=sunda"
        hina.address = hina.browser.post("/play/match", data={"game": "tongiaki"}).headers["location"]
        maui.address = maui.get("/play/match?game=tongiaki").headers["location"]
        assert maui.address == hina.address
        assert {maui.state()["me"], hina.state()["me"]} == {0, 1}
        assert maui.state()["notice"].startswith("Unrated: several people play")
        hina.post("resign")
        maui.resign()
        assert stored(db) == []

    def test_who_cancels_is_not_seated(self, client: TestClient) -> None:
        maui, hina = Visit(client), Visit(client)
        maui.browser.post("/play/match", data={"game": "tongiaki"})
        assert maui.browser.post("/play/match/cancel").headers["location"] == "/play"
        assert hina.browser.post("/play/match", data={"game": "tongiaki"}).headers["location"] == "/play/match?game=tongiaki"
        page = maui.get("/play/match?game=tongiaki").text
        assert "No opponent found" in page
        assert 'value="expert"' in page

    def test_who_closes_the_page_or_waits_for_long_is_forgotten(self) -> None:
        now = [0.0]
        queue, game = Opponents(lambda: now[0]), find_game("tongiaki")
        opened: Any = SimpleNamespace(open=lambda *_seats: SimpleNamespace(id="t"), start=lambda _table: None)
        for key in ("gone", "patient"):
            assert queue.enter(opened, game, Waiting(Visitor("", key), key, key)) == ""
        while now[0] < matchmaking.PATIENCE:
            assert queue.look("patient") == now[0]
            now[0] += 10
        assert queue.look("gone") is None
        now[0] += 1
        assert queue.look("patient") is None
        assert queue.enter(opened, game, Waiting(Visitor("", "late"), "late", "patient")) == ""

    def test_a_game_that_is_not_here_is_refused(self, client: TestClient) -> None:
        assert client.post("/play/match", data={"game": "go"}).status_code == 422
        assert client.get("/play/match?game=go").status_code == 404
        assert "did you mean &#39;tongiaki&#39;?</" in client.post("/play/match", data={"game": "tongiak"}).text


@pytest.mark.slow  # a browser
def test_every_page_shows_the_name_until_its_owner_signs_out(db: Path, open_page: OpenPage) -> None:
    with served(settings_for(db, trust_bots=True)) as server:
        page = open_page(f"{server}/play/people", server=server).page
        name = page.locator("#my-name")
        assert page.evaluate("localStorage.length") == 0
        assert not name.is_visible()
        page.get_by_label("Name", exact=True).fill("Maui")
        page.get_by_role("button", name="Claim this name").click()
        page.get_by_role("heading", name="Keep this link").wait_for()
        for path in ("/", "/help", "/tournaments"):
            page.goto(f"{server}{path}")
            assert name.inner_text() == "Maui"
        name.click()
        page.get_by_role("heading", name="Maui").wait_for()
        page.get_by_role("button", name="Sign out").click()
        page.get_by_role("heading", name="People", exact=True).wait_for()
        assert not name.is_visible()
        page.goto(f"{server}/help")
        assert not name.is_visible()
        page.evaluate("localStorage.setItem('arena-me /play', JSON.stringify({ name: 'Hina', address: '/play/people/0' }))")
        page.reload()  # the server says who it is
        wait_until(page, "document.getElementById('my-name').hidden && !localStorage.length")


def matches_against(strength: float, count: int, rng: np.random.Generator, seats: int = 2) -> list[RatedMatch]:
    """Matches of a member of this strength, against bots whose true strengths are drawn as they were measured."""
    anchors = anchors_at("tongiaki", seats)
    assert anchors is not None
    truth = rng.multivariate_normal(anchors.strengths, np.array(anchors.table.covariance), method="eigh")
    found = []
    for number in range(count):
        bots = rng.permutation(len(truth))[: seats - 1]
        values = np.array([strength, *truth[bots]]) / POINTS + rng.gumbel(size=seats)
        ranks, versions = tuple(1 + int((values > each).sum()) for each in values), ("", *(anchors.versions[bot] for bot in bots))
        when = datetime.fromtimestamp(number, UTC)
        found.append(RatedMatch(f"{number:04}", "", "m", "tongiaki", 0, versions, when, when, RatedState.OVER, ranks))
    return found


class TestRatings:
    def test_a_rating_follows_from_the_stored_matches_alone(self) -> None:
        matches = matches_against(1500, 30, np.random.default_rng(1))
        void = replace(matches[0], id="void", state=RatedState.VOID)
        unknown = replace(matches[0], id="unknown", versions=("", "0" * 64))
        [rating] = ratings_of([void, unknown, *reversed(matches)])
        assert rating == ratings_of(matches)[0]
        assert not rating.is_provisional
        assert ratings_of(matches[: SETTLED - 1])[0].is_provisional
        numbers, curve = rating.curve()
        assert [numbers[0], numbers[-1], curve[-1]] == [3, 30, rating.strength]

    def test_games_and_sizes_of_tables_are_rated_apart(self) -> None:
        rng = np.random.default_rng(2)
        ratings = ratings_of(matches_against(1500, 5, rng) + matches_against(1500, 4, rng, seats=3))
        assert [(each.seats, len(each.blocks)) for each in ratings] == [(2, 5), (3, 4)]

    def test_leaving_never_raises_a_rating(self) -> None:
        matches = matches_against(1500, 20, np.random.default_rng(3))
        without = ratings_of(matches)[0].strength.strength
        for left in matches:
            again = [replace(each, state=RatedState.LEFT) if each is left else each for each in matches]
            assert ratings_of(again)[0].strength.strength <= without

    @pytest.mark.parametrize(
        ("seats", "ranks", "left", "deed"),
        [
            (2, (1, 2), False, "won against {0}."),
            (2, (2, 1), False, "lost against {0}."),
            (2, (1, 1), False, "drew against {0}."),
            (2, (2, 1), True, "gave up against {0}, which counts as last place."),
            (3, (2, 1, 3), False, "took second place of 3 against {0} and {1}."),
            (4, (2, 2, 1, 4), False, "took a shared second place of 4 against {2} and {1}."),
        ],
    )
    def test_the_result_names_the_bots_met_and_the_rating_before_and_after(
        self, seats: int, ranks: tuple[int, ...], left: bool, deed: str
    ) -> None:
        anchors = anchors_at("tongiaki", seats)
        assert anchors is not None
        before = matches_against(1500, 25, np.random.default_rng(5), seats)
        versions = ("", *([anchors.versions[0]] * (seats // 2)), *([anchors.versions[-1]] * ((seats - 1) // 2)))
        state, when = RatedState.LEFT if left else RatedState.OVER, datetime.fromtimestamp(1000, UTC)
        match = replace(before[0], id="last", versions=versions, ranks=ranks, state=state, finished=when)
        result = result_of(match, [match, *before])
        assert result is not None
        [old], [new] = ratings_of(before), ratings_of([*before, match])
        bots = [f"{bot} ({strength:.0f})" for bot, strength in zip(anchors.bots, anchors.strengths, strict=True)]
        words = result.words()
        assert words.startswith(f"You {deed.format(bots[0], bots[-1], bots[0].replace(')', ', in 2 seats)'))} Your rating ")
        assert f" {old.strength.strength:.0f} " in words
        assert f" {new.strength.strength:.0f} (95\xa0% interval {new.strength.low:.0f} to {new.strength.high:.0f})." in words
        assert result.words("Ana").startswith(f"Ana {deed.partition(' ')[0]}")
        first = result_of(match, [match])
        assert first is not None
        assert "Your first rating is " in first.words()
        assert result_of(replace(match, state=RatedState.VOID), [replace(match, state=RatedState.VOID)]) is None

    @pytest.mark.slow  # ten seconds
    @pytest.mark.parametrize("seats", [2, 4])
    def test_intervals_contain_the_truth(self, seats: int) -> None:
        rng = np.random.default_rng(4)
        inside = []
        for strength in rng.normal(1400, 250, 300):
            [rating] = ratings_of(matches_against(strength, int(rng.integers(5, 60)), rng, seats))
            inside.append(rating.strength.low <= strength <= rating.strength.high)
        assert 0.92 <= np.mean(inside) <= 0.99
