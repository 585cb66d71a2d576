"""The pages of signed-in authors: what they say, and that nobody else gets any of it, whatever they send."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from arena.analysis.bot_analysis import BotAnalysis, Losses
from arena.analysis.match_analysis import Phase, Unit
from arena.spec.spec import make_spec
from arena.web.analyses.jobs import BotAnswer
from arena.web.app import make_app
from tests.arena.web.competition import play, visitor
from tests.arena.web.hosting import Open, make_token, matches_of, settings_for, sign_in, upload
from tests.arena.web.own_bots import keep_log

CUP = "cup and co"
PRINTED, RAISED = "<i>printed-by-anas-bot</i>", "raised-by-anas-bot"
SHOWN = "&lt;i&gt;printed-by-anas-bot&lt;/i&gt;"
CRASHER = f"""
class Crasher:
    def start(self, info): self.seat = info.seat
    def choose(self, view, clock):
        if self.seat == 0: raise ValueError({RAISED!r})
        return view.legal_moves[0]
"""

_LOSSES = tuple(Losses(kind, Phase.MIDDLE, 9, 3, lost) for kind, lost in (("voyages", 0.19), ("landings", 0.31)))
ANSWER = BotAnswer(
    BotAnalysis("crasher", CUP, "tongiaki", Unit.CHANCE, "", 1, 1, 0.5, 0, 0, 0, 0, 0, 0, 0, 0.5, None, _LOSSES, (), (), is_whole=True)
)


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tournament that is over, with a bot of Ana's that fails in seat 0, and one of Ben's."""
    folder = tmp_path_factory.mktemp("mine")
    (folder / "crasher.py").write_text(CRASHER, encoding="utf-8")
    bots = [
        {"name": "crasher", "source": str(folder / "crasher.py"), "author": "Ana"},
        {"name": "bens", "source": "random", "author": "Ben"},
    ]
    data = {"name": CUP, "game": "tongiaki", "seed": 1, "bots": bots, "schedule": {"tables": [2], "blocks": 3}}
    spec = make_spec(data, "test")
    play(folder / "cup.db", spec)
    for match, seat in failures_in(folder / "cup.db"):  # what a bot prints is kept only of one in a process
        keep_log(folder / "cup.db", match, seat, log=PRINTED, messages=['{"type":"decide"}'])
    return folder / "cup.db"


def failures_in(db: Path) -> list[tuple[str, int]]:
    """The matches in which Ana's bot failed, newest first, each with its seat."""
    return [(each.id, 0) for each in matches_of(db, CUP) if each.seats[0].fault]


def test_an_author_sees_ratings_faults_by_cause_matches_and_the_way_to_each_log(browser: Open, db: Path) -> None:
    page = browser("Ana").get("/my").text
    match, seat = failures_in(db)[0]
    assert f'<b>3 times</b> <span class="fault">crash</span> <b class="bot">crasher</b> ValueError: {RAISED}' in page
    assert "line 5, in choose" in page
    assert f'href="/my/log/{match}/{seat}"' in page
    assert page.count(">replay</a>") == 6

    log = browser("Ana").get(f"/my/log/{match}/{seat}").text
    for part in (SHOWN, "line 5, in choose", "CPU time", f'href="/m/{match}/replay#d=0"', "The last messages to it"):
        assert part in log
    assert PRINTED not in log
    assert browser("Ana").get(f"/my/log/{match}/{1 - seat}").status_code == 404


def test_the_page_has_the_newest_analysis_of_a_bot_made_and_says_what_it_loses_most_with(db: Path) -> None:
    class Known:
        """Analyses of which, once it is made, only one of earlier matches is known."""

        is_made = False

        def __init__(self) -> None:
            self.asked: list[Hashable] = []

        def find(self, key: tuple[str, int, str, int]) -> BotAnswer | None:
            return ANSWER if self.is_made and key[2:] == ("crasher", 0) else None

        def progress(self, key: Hashable, seconds: float) -> str:
            return ""

        def is_full(self, _who: str) -> bool:
            return False

        def is_asked(self, key: Hashable) -> bool:
            return key in self.asked

        def ask(self, key: Hashable, _job: object, _who: str) -> bool:
            self.asked.append(key)
            return True

        def close(self) -> None: ...

    with TestClient(make_app(replace(settings_for(db), analyses=True)), headers={"accept": "text/html"}, follow_redirects=False) as client:
        client.app.state.analyses = known = Known()  # type: ignore[attr-defined]  # an application of Starlette's
        sign_in(client, make_token(db, "Ana"))
        first = client.get("/my").text
        known.is_made = True
        second = client.get("/my").text
    why = '<a class="aim" href="/t/cup%20and%20co/bots/crasher#why">Why <bdi>crasher</bdi> lost</a>'
    assert f"<p>{why}" in first
    assert f"</a> loses 62&nbsp;% of its chances in landings. {why}" in second
    assert len(known.asked) == 1


def test_without_a_bot_the_page_says_how_to_begin(browser: Open) -> None:
    page = browser("Eve").get("/my").text
    assert "You have not submitted a bot yet" in page
    assert "arena new my_bot.py" in page


@pytest.mark.parametrize("author", ["", "Ben"])
def test_nobody_else_gets_a_log_or_learns_that_there_is_one(browser: Open, db: Path, author: str) -> None:
    match, seat = failures_in(db)[0]
    stranger = browser(author)
    there, nowhere = stranger.get(f"/my/log/{match}/{seat}"), stranger.get(f"/my/log/{'0' * 16}/{seat}")
    assert there.status_code == nowhere.status_code == (404 if author else 401)
    assert there.text.replace(match, "") == nowhere.text.replace("0" * 16, "")
    for path in ("/my", f"/my?in={CUP}", f"/my/log/{match[:8]}/{seat}", f"/my/log/{match}/1", f"/my/log/{match}/-1", f"/my/log/{match}/9"):
        text = stranger.get(path).text
        assert RAISED not in text
        assert "printed-by-anas-bot" not in text


def test_public_pages_are_the_same_for_an_author_and_say_nothing_of_logs(browser: Open, db: Path) -> None:
    match, _ = failures_in(db)[0]
    cup = "/t/cup%20and%20co"
    pages = ["/", f"/m/{match}", f"/m/{match}/viewer.json", f"/m/{match}/replay.json"]
    pages += [f"{cup}/faults", f"{cup}/bots/crasher", f"/api/v1/matches/{match}", "/submit/queue"]
    ana, nobody = browser("Ana"), browser("")
    for path in pages:
        seen, public = ana.get(path), nobody.get(path)
        assert (seen.status_code, seen.text) == (200, public.text), path
        assert RAISED not in seen.text, path
        assert "printed-by-anas-bot" not in seen.text, path


def test_no_cache_may_keep_them(browser: Open, db: Path) -> None:
    match, seat = failures_in(db)[0]
    for author in ("Ana", ""):
        visit = browser(author)
        for path in ("/my", "/my/sign-in", f"/my/log/{match}/{seat}", "/submit"):
            answer = visit.get(path, headers={"if-none-match": "*"})
            assert answer.status_code in {200, 401}
            assert "no-store" in answer.headers["cache-control"], path
            assert "etag" not in answer.headers


def test_a_server_that_takes_no_bots_has_none_of_it(db: Path) -> None:
    with visitor(db) as reader:
        assert [reader.get(path).status_code for path in ("/my", "/my/sign-in", "/my/log/0/0", "/submit", "/play")] == [404] * 5
        assert upload(reader, "arena_x", "walker").status_code in {404, 405}
        assert reader.post("/my/sign-in", data={"token": make_token(db)}).status_code == 404
        assert 'href="/my"' not in reader.get("/").text
