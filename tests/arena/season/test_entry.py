"""Submissions to a season: in time or not, which round they enter, what becomes of an author's earlier versions, and who qualifies."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from arena.run.ladder_entry import NoLadderError
from arena.season import entry
from arena.season.entry import GRACE, ClosedError, Gate, arrived_at, check_arrival, find_terms, open_ladders
from arena.season.season_file import make_season
from arena.season.times import Now
from arena.web.submit.admission import largest_bundle
from bots.limits import STANDARD
from leaderboard.records import OrderKind
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import SubmissionState, accepted, find_submission, retire, submissions
from leaderboard.storage.tournaments import StoredSeason, StoredStage, add_season
from tests.arena.season.quick import SEASON, QuickSeason, at
from tests.stored import tournament_of
from tests.submitted import sent

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


class TestArrival:
    @pytest.mark.parametrize(
        ("moment", "words"),
        [
            (
                at("21 18:00:00") - SECOND / 1000,
                "open on Monday 21 June 2027, 18:00:00 UTC; this one arrived on Monday 21 June 2027, 17:59:59",
            ),
            (FREEZE, "closed on Monday 21 June 2027, 20:00:00 UTC; this one arrived on Monday 21 June 2027, 20:00:00 UTC"),
        ],
    )
    def test_one_that_comes_too_early_or_too_late_is_told_both_times(self, begun: Store, moment: datetime, words: str) -> None:
        with pytest.raises(ClosedError, match=words):
            check_arrival(begun, "cup-open", moment)

        for in_time in (at("21 18:00:00"), FREEZE - SECOND / 1000):
            check_arrival(begun, "cup-open", in_time)

    def test_a_stage_that_has_been_closed_stays_closed_if_the_clock_is_set_back(self, tmp_path: Path) -> None:
        season = QuickSeason(tmp_path)
        season.run(FREEZE + GRACE)
        with season.store() as store, pytest.raises(ClosedError, match="closed"):
            check_arrival(store, "cup-open", FREEZE - timedelta(hours=1))

    def test_what_takes_long_to_be_read_counts_as_arrived_when_rounds_can_still_wait_for_it(self) -> None:
        assert arrived_at(FREEZE, FREEZE + SECOND) == FREEZE
        late = arrived_at(FREEZE, FREEZE + 10 * GRACE)
        assert FREEZE + 9 * GRACE < late < FREEZE + 10 * GRACE


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

    def test_an_author_has_no_more_bots_than_a_stage_allows(self, tmp_path: Path) -> None:
        text = SEASON.replace("newest = 1\n", "").replace("best = 2 }", "best = 3 }\nmax_per_author = 1")
        names = self.names(tmp_path, text)
        assert "runner" in names
        assert len(names & {"walker", "strider"}) == 1

    @pytest.mark.slow  # two stages are played
    def test_where_fewer_qualify_than_the_final_has_places_those_are_fewer_too(self, tmp_path: Path) -> None:
        text = (
            SEASON.replace("newest = 1\n", "").replace("best = 2", "best = 8").replace("places = 1, budget = 24", "places = 9, budget = 60")
        )
        assert self.names(tmp_path, text, retires="walker@1") == {"strider", "runner", "spoiler"}
