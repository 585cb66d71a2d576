"""A season from its calendar to its commands: what is due, who enters when, and what the host sees and may change."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import Update
from sqlmodel import col, update
from starlette.testclient import TestClient

from arena.bots import find_bots
from arena.run.ladder_entry import NoLadderError
from arena.run.runner import run_tournament
from arena.season import entry
from arena.season.driver import entries_of, qualified
from arena.season.entry import ClosedError, Gate, find_terms, open_ladders
from arena.season.season_file import SeasonError, make_season
from arena.season.stages import PlayStage, Progress, Publish, Wait, due
from arena.season.times import Now
from arena.spec.spec import make_spec
from arena.web.app import make_app
from arena.web.submit.admission import largest_bundle
from bots.limits import STANDARD
from bots.loader.loading import resolve
from bots.loader.version import pack
from leaderboard.errors import StoreError
from leaderboard.records import OrderKind
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import SubmissionState, accepted, find_submission, retire, submissions, submit
from leaderboard.storage.tournaments import StoredSeason, StoredStage, add_season
from tests.arena.conftest import Run
from tests.arena.running import Hasty
from tests.arena.season.killed import outcome
from tests.arena.season.quick import MADE_UP, SEASON, QuickSeason, at, digests
from tests.arena.season.test_season_file import FILE
from tests.arena.web.hosting import settings_for
from tests.world import new_token, person, sent, tournament_of

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
            "Playing 'cup-open' with 2 bots: random, greedy.",
            "walker enters 'cup-open' with round 2.",
            "walker.2 enters 'cup-open' with round 3.",
            "Waiting: 'cup-final' opens on Tuesday 22 June 2027, 18:00:00 UTC.",
            "Playing 'cup-final' with 2 bots: walker.2, spoiler.",
            "Waiting: the results are published on Tuesday 29 June 2027, 18:00:00 UTC.",
        ]
    assert found[0] == found[1]


def test_a_season_is_run_by_one_program_at_a_time_and_with_the_file_that_it_began_with(tmp_path: Path) -> None:
    season = QuickSeason(tmp_path)
    season.run(at("21 18:30:00"))
    with Store.create(season.db), pytest.raises(StoreError, match="another run is writing"):
        QuickSeason(tmp_path).run()
    with pytest.raises(SeasonError, match=r"began with a different file \(see line 7\)"):
        QuickSeason(tmp_path, SEASON.replace("21T20:00", "21T20:30")).run()


def test_a_season_whose_first_stage_would_be_over_is_not_begun(tmp_path: Path) -> None:
    season = QuickSeason(tmp_path)
    season.clock.moment = at("21 20:00:00")
    with pytest.raises(SeasonError, match="line 7: the stage 'open' would be over already"):
        season.run()


def test_a_secret_that_another_tournament_has_is_refused_before_the_season_begins(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1" * 64)
    one = SEASON.replace('every = "1 h"', 'every = "1 h"\nsecret = "a"')
    with pytest.raises(SeasonError, match="line 19: the stage 'final' has the same secret as an earlier stage"):
        QuickSeason(tmp_path, one.replace("best = 2 }", 'best = 2 }\nsecret = "a"')).run(at("21 00:00:00"))
    QuickSeason(tmp_path, one).run(at("21 00:00:00"))
    with pytest.raises(StoreError, match="a stage has the secret of another tournament"):
        QuickSeason(tmp_path, one.replace('"cup"', '"cap"')).run(at("21 00:00:00"))


@pytest.mark.parametrize(("key", "value"), [("secret", "zz"), ("secret", "1" * 64), ("commitment", "sha256:0")])
def test_decks_are_of_the_secrets_whose_commitments_were_published(between: QuickSeason, key: str, value: str) -> None:
    _change(between.db, update(StoredStage).where(col(StoredStage.tournament) == "cup-final").values({key: value}))
    with pytest.raises(SeasonError, match="its stages or commitments don't match its file and secrets"):
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


FREEZE = at("21 20:00:00")

SECOND = timedelta(seconds=1)


def season_of(name: str, *tournaments: str) -> StoredSeason:
    """A season whose stages are these tournaments."""
    stages = [
        StoredStage(tournament=each, season=name, number=number, commitment="sha256:0", secret="0")  # noqa: S106  # a test's
        for number, each in enumerate(tournaments)
    ]
    return StoredSeason(name=name, text=SEASON, begun=at("21 00:00:00"), stages=stages)


@pytest.fixture
def begun(tmp_path: Path) -> Iterator[Store]:
    """A season that has begun, of which nothing has been played."""
    with Store.create(tmp_path / "season.db") as store:
        add_season(store, season_of("cup", *(each.tournament for each in make_season(SEASON, "x").stages)))
        yield store


class TestOpenStages:
    def test_a_stage_is_open_by_its_times_before_anything_of_it_is_played(self, begun: Store) -> None:
        assert open_ladders(begun, at("21 18:00:00")) == ("cup-open",)
        assert open_ladders(begun, at("21 18:00:00") - SECOND) == open_ladders(begun, FREEZE) == ()
        assert find_terms(begun, "cup-open").schedule.tables == (2,)
        assert largest_bundle(begun, STANDARD) == 0
        with pytest.raises(NoLadderError):
            find_terms(begun, "nothing")


class TestRounds:
    def test_a_version_enters_with_the_first_round_after_it_arrived_and_older_ones_leave(self, tmp_path: Path) -> None:
        season = QuickSeason(tmp_path)
        for version, moment in enumerate((at("21 18:30:00"), at("21 19:00:00"), FREEZE - SECOND)):
            season.when(moment, partial(season.hand_in, "Ana", "walker", version, moment))
        season.run(at("22 00:00:00"))

        with season.store() as store:
            entries = accepted(store, "cup-open")
            orders = [(each.bot, each.round) for each in tournament_of(store, "cup-open").orders if each.kind == OrderKind.LEAVE]
        assert [(each.label, each.round) for each in entries] == [("walker@1", 1), ("walker@2", 2), ("walker@3", 2)]
        assert orders == [("walker", 2), ("walker.2", 2)]

    def test_rounds_wait_for_verdicts_and_no_longer_than_an_hour_for_each(self, begun: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        season = make_season(SEASON, "x")
        moment, seconds = at("21 21:30:00"), 0.0
        sent(begun, "Ana", ladder="cup-open", sent=at("21 18:00:01"))
        monkeypatch.setattr(entry, "monotonic", lambda: seconds)
        said: list[str] = []
        gate = Gate(begun, season, season.stages[0], _Still(lambda: moment), said.append)

        assert gate(0)
        assert not gate(1)
        assert said == ["Round 2 waits for the check of 1 submission."]
        seconds = entry.PATIENCE
        assert gate(1)
        assert gate(2)
        assert submissions(begun)[0].state is SubmissionState.WAITING

        sent(begun, "Ana", ladder="cup-open", sent=at("21 18:00:01"))
        assert not gate(3), "another one is waited for again"
        seconds += entry.PATIENCE
        assert gate(3)


class _Still:
    """A clock that does not jump."""

    def __init__(self, now: Now) -> None:
        self.now = now

    def reach(self, moment: datetime) -> bool:
        return self.now() >= moment

    def rest(self) -> None:
        pass


class TestQualifying:
    def names(self, folder: Path, text: str, retires: str = "") -> set[str]:
        """Who plays in the final, of two bots of Ana's and one of Ben's."""
        season = QuickSeason(folder, text)
        for number, (who, name) in enumerate((("Ana", "walker"), ("Ana", "strider"), ("Ben", "runner"))):
            season.when(at("21 18:30:00"), partial(season.hand_in, who, name, number, at("21 18:30:00")))
        season.run(at("22 12:00:00"))
        if retires:
            with season.store() as store:
                retire(store, find_submission(store, retires))
        season.run(at("23 18:00:00"))
        with season.store() as store:
            return {each.name for each in tournament_of(store, "cup-final").entrants}

    @pytest.mark.slow  # two stages are played
    def test_where_fewer_qualify_than_the_final_has_places_those_are_fewer_too(self, tmp_path: Path) -> None:
        text = (
            SEASON.replace("newest = 1\n", "").replace("best = 2", "best = 8").replace("places = 1, budget = 24", "places = 9, budget = 60")
        )
        assert self.names(tmp_path, text, retires="walker@1") == {"strider", "runner", "spoiler"}

    def test_an_author_has_no_more_bots_than_a_stage_allows(self, tmp_path: Path) -> None:
        text = SEASON.replace("newest = 1\n", "").replace("best = 2 }", "best = 3 }\nmax_per_author = 1")
        names = self.names(tmp_path, text)
        assert "runner" in names
        assert len(names & {"walker", "strider"}) == 1


def test_a_stage_is_played_by_its_season_alone(run: Run, tmp_path: Path) -> None:
    season = QuickSeason(tmp_path)
    season.clock.moment = at("20 00:00:00")
    season.run(at("20 00:00:00"))
    (tmp_path / "mine.toml").write_text(
        'name = "cup-final"\ngame = "tongiaki"\nseed = 1\nbots = ["random", "greedy"]\nschedule = { tables = [2], blocks = 1 }\n'
    )

    said = run("run", "mine.toml", "--db", "season.db").stderr

    assert "'cup-final' is a stage of the season 'cup', which 'arena season run' plays; give this tournament a different name" in said
    with season.store() as store:
        assert store.tournament_names() == ()


def test_a_deadline_is_moved_by_an_order_that_the_season_shows(run: Run, tmp_path: Path) -> None:
    season, said = QuickSeason(tmp_path), []

    def extend() -> None:
        for stage, freeze in (("cup", "20:30"), ("cup-open", "noon"), ("cup-open", "20:00"), ("cup-open", "21:00"), ("cup-open", "20:30")):
            time = f"2027-06-21T{freeze}:00Z"
            done = run("season", "extend", stage, "--freeze", time, "--why", "no power", "--db", "season.db")
            said.append(done.stderr.removeprefix("error: ") + done.stdout)

    season.when(at("21 18:30:00"), extend)
    season.when(at("21 20:15:00"), partial(season.hand_in, "Ana", "walker", 1, at("21 20:15:00")))
    season.run(at("22 17:00:00"))

    assert said == [
        "there is no stage 'cup' in season.db; the stages of its seasons are: cup-open, cup-final\n",
        "--freeze: Invalid isoformat string: '2027-06-21Tnoon:00Z'\n",
        "the new deadline, Monday 21 June 2027, 20:00:00 UTC, must be later than Monday 21 June 2027, 20:00:00 UTC\n",
        "'cup-open' ends on Monday 21 June 2027, 22:00:00 UTC, so the latest possible deadline is Monday 21 June 2027, 20:50:00 UTC\n",
        "Submissions to 'cup-open' close on Monday 21 June 2027, 20:30:00 UTC.\n",
    ]
    with pytest.raises(ClosedError, match="closed on Monday 21 June 2027, 20:30:00 UTC"):
        season.hand_in("Ben", "strider", 2, at("21 20:30:00"))
    assert "20:30:00 UTC  submissions to open close; moved by the host: no power" in run("status", "--db", "season.db").stdout
    with Store.read(season.db) as store:
        assert [(each.kind, each.why) for each in tournament_of(store, "cup-open").orders] == [("extend", "no power")]


def test_a_bot_is_the_version_that_its_ladder_names_with_its_parameters(tmp_path: Path) -> None:
    """A file stays a file, and a version its author's, though somebody else has submitted the same content."""
    path = tmp_path / "own.py"
    path.write_text("class Bot:\n    def choose(self, view, clock):\n        return view.legal_moves[0]\n")
    version = resolve(str(path))
    with Store.create(tmp_path / "t.db") as store:
        for name in ("first", "copy", "old"):
            submit(store, name, version.digest, person(store, name), pack(version))
        sources = {"own": str(path), "theirs": "first@1", "again": "old@1", "random": "random"}
        bots: list[dict[str, object]] = [{"name": name, "source": source} for name, source in sources.items()]
        bots.append({"name": "sharp", "source": "mcts", "params": {"most": 10}})
        data = {"name": "league", "game": "tongiaki", "bots": bots, "schedule": {"format": "ladder", "tables": [2], "rounds": 6}}
        spec = make_spec(data)
        run_tournament(spec, find_bots(spec, tmp_path, store), store, Hasty())
        stage = make_season(FILE, "cup.toml").stages[0]
        assert set(qualified(store, stage, tournament_of(store))) == {"own", "theirs", "again", "sharp"}
        retire(store, find_submission(store, "old@1"))
        assert set(qualified(store, stage, tournament_of(store))) == {"own", "theirs", "sharp"}
        assert entries_of(store, tournament_of(store), ["own", "theirs", "sharp"]) == [
            {"name": "own", "source": str(path)},
            {"name": "theirs", "source": "first@1"},
            {"name": "sharp", "source": "mcts", "params": {"most": 10}},
        ]


@pytest.mark.slow  # it starts and kills programs
def test_the_same_submissions_at_the_same_times_give_the_same_results_however_often_somebody_is_killed(tmp_path: Path) -> None:
    assert outcome(tmp_path / "killed", kills=6, seed=1) == outcome(tmp_path / "whole", kills=0, seed=2)
