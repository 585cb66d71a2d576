"""Running a season: what is refused, what is done again, and what others see of a season whose rows are damaged."""

from __future__ import annotations

import re
import shutil
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import Update
from sqlmodel import col, update
from starlette.testclient import TestClient

from arena.run.host_status import find_host_status
from arena.season.driver import find_alarms
from arena.season.season_file import SeasonError, make_season
from arena.season.stages import PlayStage, Progress, Publish, Wait, due
from arena.web.app import make_app
from leaderboard.errors import StoreError
from leaderboard.storage.store import Store
from leaderboard.storage.tables import StoredStage
from tests.arena.season.quick import MADE_UP, SEASON, QuickSeason, at, digests
from tests.arena.web.hosting import settings_for
from tests.people import new_token

BETWEEN = at("22 17:00:00")
"""After the first stage."""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A season whose first stage has been played, for tests to copy."""
    season = QuickSeason(tmp_path_factory.mktemp("season"))
    season.run(BETWEEN)
    return season.db


@pytest.fixture
def between(played: Path, tmp_path: Path) -> QuickSeason:
    """The season between its stages."""
    shutil.copy(played, tmp_path)
    season = QuickSeason(tmp_path)
    season.clock.moment = BETWEEN
    return season


def test_what_is_due_follows_from_the_calendar_and_from_what_has_been_done() -> None:
    season = make_season(SEASON, "x")
    first, final = season.stages
    both = {first.tournament, final.tournament}

    assert due(season, Progress((), set(), is_published=False), at("21 17:59:59")) == Wait(first.opens, "'cup-open' opens")
    assert due(season, Progress((), set(), is_published=False), at("29 18:00:00")) == PlayStage(first)
    assert due(season, Progress((), {first.tournament}, is_published=False), final.opens) == PlayStage(final)
    assert due(season, Progress((), both, is_published=False), at("29 17:59:59")) == Wait(season.publish, "the results are published")
    assert due(season, Progress((), both, is_published=False), season.publish) == Publish()
    assert due(season, Progress((), both, is_published=True), season.publish) is None


def test_a_stage_with_too_few_bots_is_an_alarm_before_its_time_and_has_not_begun_after_it(between: QuickSeason) -> None:
    def alarms() -> list[str]:
        with Store.read(between.db) as store:
            return [each.text for each in find_alarms(store, find_host_status(store, BETWEEN))]

    short = "in the season 'cup' the stage in line 15 can't begin with 1 bot: "
    idle, few = alarms()
    assert idle == "nothing runs the season 'cup'; 'arena season run FILE' continues it, or says why not"
    assert few.startswith(short)
    with Store.create(between.db):  # which has the lock of a run
        assert alarms() == [few]
    with TestClient(make_app(settings_for(between.db, now=lambda: at("23 18:00:00")))) as client:
        page = client.get("/season/cup").text
    assert re.findall(r'<span class="badge">([^<]+)', page) == ["over", "has not begun", "done", "done", "done", "late"]


@pytest.mark.slow  # two seasons
def test_a_season_that_is_stopped_again_and_again_says_what_it_does_and_ends_as_one_that_is_not(tmp_path: Path) -> None:
    text = SEASON.replace('every = "1 h"', 'every = "1 h"\nsecret = "a"').replace("best = 2 }", 'best = 2 }\nsecret = "b"')
    found = []
    for name, steps in (("whole", []), ("parts", ["21 18:10:00", "21 19:30:00", "22 00:00:00", "22 18:00:00", "25 00:00:00"])):
        folder = tmp_path / name
        folder.mkdir()
        for file, digit in (("a", "1"), ("b", "2")):
            (folder / file).write_text(digit * 64)
        season = QuickSeason(folder, text)
        for moment, version in ((at("21 18:20:00"), 1), (at("21 19:59:59"), 2)):
            season.when(moment, partial(season.hand_in, "Ana", "walker", version, moment))
        for step in steps:
            season.run(at(step))
        assert season.run()
        found.append(digests(season.db))
        assert season.said == [
            "'cup-open' is played, with 2 bots: random, greedy.",
            "walker enters 'cup-open' with round 2.",
            "walker.2 enters 'cup-open' with round 3.",
            "Waiting: 'cup-final' opens on Tuesday 22 June 2027, 18:00:00 UTC.",
            "'cup-final' is played, with 2 bots: walker.2, spoiler.",
            "Waiting: the results are published on Tuesday 29 June 2027, 18:00:00 UTC.",
        ]
    assert found[0] == found[1]


def test_a_season_is_run_by_one_program_at_a_time_and_with_the_file_that_it_began_with(tmp_path: Path) -> None:
    season = QuickSeason(tmp_path)
    season.run(at("21 18:30:00"))
    with Store.create(season.db), pytest.raises(StoreError, match="another run is writing"):
        QuickSeason(tmp_path).run()
    with pytest.raises(SeasonError, match="began with another file, from line 7 on"):
        QuickSeason(tmp_path, SEASON.replace("21T20:00", "21T20:30")).run()


def test_a_season_whose_first_stage_would_be_over_is_not_begun(tmp_path: Path) -> None:
    season = QuickSeason(tmp_path)
    season.clock.moment = at("21 20:00:00")
    with pytest.raises(SeasonError, match="line 7: the stage 'open' would be over already"):
        season.run()


def test_a_secret_that_another_tournament_has_is_refused_before_the_season_begins(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1" * 64)
    one = SEASON.replace('every = "1 h"', 'every = "1 h"\nsecret = "a"')
    with pytest.raises(SeasonError, match="line 19: the stage 'final' has the secret of an earlier stage"):
        QuickSeason(tmp_path, one.replace("best = 2 }", 'best = 2 }\nsecret = "a"')).run(at("21 00:00:00"))
    QuickSeason(tmp_path, one).run(at("21 00:00:00"))
    with pytest.raises(StoreError, match="has the secret of a stage"):
        QuickSeason(tmp_path, one.replace('"cup"', '"cap"')).run(at("21 00:00:00"))


@pytest.mark.parametrize(("key", "value"), [("secret", "zz"), ("secret", "1" * 64), ("commitment", "sha256:0")])
def test_decks_are_of_the_secrets_whose_commitments_were_published(between: QuickSeason, key: str, value: str) -> None:
    _change(between.db, update(StoredStage).where(col(StoredStage.tournament) == "cup-final").values({key: value}))
    with pytest.raises(SeasonError, match="secrets don't fit its file and commitments"):
        between.run()


def test_a_submission_over_http_counts_from_the_time_at_which_it_arrived(tmp_path: Path) -> None:
    season = QuickSeason(tmp_path)
    season.clock.moment = at("20 00:00:00")
    season.run(at("20 00:00:00"))
    with season.store() as store:
        head = {"authorization": f"Bearer {new_token(store, 'Ana')}"}
    files = {"file": ("walker.py", MADE_UP.format(number=1).encode())}
    for moment, words in (("21 17:59:59", "open on "), ("21 19:59:59", ""), ("21 20:00:00", "closed on ")):
        with TestClient(make_app(settings_for(season.db, allow_play=False, now=lambda moment=moment: at(moment)))) as client:
            sent = {"name": "walker", "ladder": "cup-open"}
            answer = client.post("/api/v1/submissions", headers=head, data=sent, files=files)
        assert (answer.status_code == 202, words in answer.text) == (not words, True), answer.text


def _change(db: Path, statement: Update) -> None:
    with Store.join(db) as store, store.writing() as connection:
        connection.execute(statement)
