"""Challenges: who may challenge whom and how often, that they count for nothing, and that nobody else sees them."""

from __future__ import annotations

from pathlib import Path
from shutil import copy

import msgspec
import pytest
from starlette.testclient import TestClient

from arena.entries import orders
from arena.entries.bot_check import CheckProgress
from arena.entries.ladder_entry import enter_version
from arena.web.submit import checking
from arena.web.submit.challenges import MATCHES, ChallengeMatch, ChallengeResult, play_challenge, read_challenge
from arena.web.submit.checking import Attempt, Checker
from bots.errors import BotError
from bots.loader.loading import read_version
from bots.loader.version import pack
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import submit
from leaderboard.storage.uploads import Progress, UploadState, UploadVerdict, claim, finish, queue, uploads_of
from tests.arena.web.hosting import BOT, LADDER, Open, browsers, execute, make_ladder, make_token
from tests.people import person
from tests.stored import tournament_of

RESULT = ChallengeResult(
    (ChallengeMatch((True, False), (3, 2), (1, 2), ("", "")), ChallengeMatch((False, True), (2, 2), (1, 1), ("", "crash")))
)


def enter(db: Path, author: str, name: str, more: bytes = b"") -> None:
    """Submit a bot to the ladder."""
    file = db.parent / f"{name}.py"
    file.write_bytes(BOT + b"\n# of " + author.encode() + more)
    with Store.join(db) as store:
        version = read_version(file, name=name, shown=file.name)
        entered = enter_version(store, LADDER, submit(store, name, version.digest, person(store, author), pack(version)), version)
    assert entered[0]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ladder of three reference bots with two of Ana's and one of Ben's."""
    path = tmp_path_factory.mktemp("made") / "league.db"
    make_ladder(path, rounds=1)
    for author, name in (("Ana", "walker"), ("Ana", "rower"), ("Ben", "bens")):
        enter(path, author, name)
    return path


@pytest.fixture
def db(made: Path, tmp_path: Path) -> Path:
    """A copy of that ladder."""
    return Path(copy(made, tmp_path))


def challenge(visit: TestClient, bot: str = "walker", rival: str = "greedy", ladder: str = LADDER, **headers: str) -> int:
    return visit.post("/my/challenge", data={"ladder": ladder, "bot": bot, "rival": rival}, headers=headers).status_code


def settle(db: Path) -> str:
    """Give the challenge that waits its verdict, as a server would; return its id."""
    with Store.join(db) as store:
        [waiting] = queue(store)
        claimed = claim(store, waiting.number)
        assert claimed
        upload, _ = claimed
        report = msgspec.json.encode(RESULT).decode()
        finish(store, upload.number, UploadVerdict(UploadState.ACCEPTED, Progress(), report=report, replays={(1, 0): '"a replay"'}))
        return upload.id


def test_a_bot_may_challenge_reference_bots_its_authors_own_and_those_that_are_opened(browser: Open) -> None:
    ana, ben = browser("Ana"), browser("Ben")
    page = ana.get("/my").text
    assert [f"<option>{name}</option>" in page for name in ("greedy", "rower", "bens")] == [True, True, False]
    assert challenge(ana, rival="bens") == 409

    assert ben.post("/my/challenges", data={"allowed": "yes"}).status_code == 303
    assert "<option>bens</option>" in ana.get("/my").text
    assert challenge(ana, rival="bens") == 303
    ben.post("/my/challenges", data={})
    assert "<option>bens</option>" not in ana.get("/my").text


def test_an_author_who_allows_no_challenges_any_more_is_spared_those_that_wait(db: Path, browser: Open) -> None:
    ana, ben = browser("Ana"), browser("Ben")
    ben.post("/my/challenges", data={"allowed": "yes"})
    assert challenge(ana, rival="bens") == 303
    ben.post("/my/challenges", data={})
    with Store.join(db) as store, pytest.raises(BotError, match="the author of bens no longer allows challenges"):
        play_challenge(store, uploads_of(store, person(store, "Ana"), 5, challenges=True)[0], lambda _: None, trusted=True)


def test_a_bot_that_has_left_the_ladder_takes_no_part_in_challenges(db: Path, browser: Open) -> None:
    with Store.join(db) as store:
        for bot in ("rower", "random"):
            orders.leave(store, tournament_of(store, LADDER), bot, orders.Reason("it hangs", "host"))
    execute(db, "update ladder_order set round = 1")  # a run has begun a round
    ana = browser("Ana")
    assert [challenge(ana, "rower"), challenge(ana, rival="rower"), challenge(ana, rival="random"), challenge(ana)] == [409, 409, 409, 303]


def test_what_an_author_has_opened_stays_open_with_new_versions(db: Path, browser: Open) -> None:
    browser("Ben").post("/my/challenges", data={"allowed": "yes"})
    enter(db, "Ben", "later", b"!")
    assert challenge(browser("Ana"), rival="later") == 303


def test_a_challenge_of_others_bots_of_itself_or_elsewhere_is_refused(browser: Open) -> None:
    ana = browser("Ana")
    for bot, rival in (("walker", "walker"), ("bens", "greedy"), ("greedy", "random"), ("walker", "nobody")):
        assert challenge(ana, bot, rival) == 409, (bot, rival)
    assert challenge(ana, ladder="?") == 409


def test_there_is_one_at_a_time_and_so_many_a_day(db: Path) -> None:
    with browsers(db, challenges=2) as browser, browsers(db, challenges=0) as none:
        ana = browser("Ana")
        assert challenge(ana) == 303
        refused = ana.post("/my/challenge", data={"ladder": LADDER, "bot": "rower", "rival": "greedy"})
        assert (refused.status_code, "Your last challenge is not over yet" in refused.text) == (429, True)
        assert challenge(browser("Ben"), "bens") == 303
        execute(db, "update upload set state = 'accepted'")
        assert [challenge(ana), challenge(none("Ana"))] == [303, 409]
        execute(db, "update upload set state = 'accepted'")
        assert challenge(ana) == 429
        execute(db, "update upload set sent = '2026-01-01 00:00:00.000000'")
        assert challenge(ana) == 303


def test_nobody_else_begins_or_sees_one(db: Path, browser: Open) -> None:
    ana, ben, nobody = browser("Ana"), browser("Ben"), browser("")
    assert [challenge(nobody), challenge(ana, origin="https://evil.example")] == [401, 403]
    assert challenge(ana) == 303
    made = settle(db)

    page = ana.get("/my").text
    assert "<b>1.5 of 2</b> (75&nbsp;%" in page
    assert f'href="/my/challenge/{made}/2">tied</a>' in page
    for stranger, status in ((ben, 404), (nobody, 401)):
        answers = [stranger.get(f"/my/challenge/{each}/1") for each in (made, "nothing")]
        assert [each.status_code for each in answers] == [status] * 2
        assert answers[0].text.replace(made, "") == answers[1].text.replace("nothing", "")
    assert [ana.get(f"/my/challenge/{made}/{number}").status_code for number in (0, 2, 99, -1)] == [404] * 4
    assert [ana.get(f"/submit/{made}").status_code, ana.get(f"/submit/{made}/replay/1/0").status_code] == [404] * 2
    bearer = {"authorization": f"Bearer {make_token(db)}"}
    assert ana.get(f"/api/v1/submissions/{made}", headers=bearer).status_code == 404


def test_a_bot_that_can_not_be_played_ends_its_challenge_with_the_reason(db: Path, browser: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **_more: object) -> None:
        raise BotError("it is damaged")

    monkeypatch.setattr(checking, "play_challenge", fail)
    ana = browser("Ana")
    assert challenge(ana) == 303
    with Store.join(db) as store:
        claimed = claim(store, queue(store)[0].number)
        assert claimed
        verdict = Checker(ana.app.state.settings, ana.app.state.games).check(store, Attempt(*claimed))  # type: ignore[attr-defined]
        finish(store, claimed[0].number, verdict)
    assert "it is damaged" in ana.get("/my").text


def contents(store: Store, table: str) -> list[object]:
    with store.reading() as connection:
        return list(connection.exec_driver_sql(f"select * from {table}").all())  # noqa: S608  # a name of our own


@pytest.mark.slow  # it plays 20 matches in the sandbox
def test_a_challenge_is_paired_and_leaves_no_trace_in_the_ladder(db: Path, browser: Open) -> None:
    assert challenge(browser("Ana"), "walker", "rower") == 303
    seen: list[CheckProgress] = []
    tables = ("match", "seat", "seat_log", "rating", "standing", "seal_link", "entrant", "casual")
    with Store.join(db) as store:
        before = [contents(store, table) for table in tables]
        [waiting] = uploads_of(store, person(store, "Ana"), 5, challenges=True)
        result, replays = play_challenge(store, waiting, seen.append, trusted=True)
        none, _ = play_challenge(store, waiting, seen.append, trusted=True, seconds=0)
        after = [contents(store, table) for table in tables]

    assert after == before
    assert len(result.matches) == len(replays) == MATCHES
    assert [each.is_own for each in result.matches] == [(True, False), (False, True)] * (MATCHES // 2)
    seeds = [msgspec.json.decode(each)["seed"] for each in replays]
    assert seeds[::2] == seeds[1::2]
    assert len(set(seeds)) == MATCHES // 2
    assert seen[-1].planned == MATCHES
    assert none.matches == ()
    assert read_challenge(waiting) is None
