"""Waiting for a database that is locked or unreachable: how often, how long, and what is not waited for."""

from __future__ import annotations

from pathlib import Path

import pytest

from leaderboard.errors import DatabaseUnavailableError
from leaderboard.storage.database import LONGEST_WAIT, Patience, patient
from leaderboard.storage.store import Store
from tests.leaderboard.conftest import entered


class Clock:
    """Time that passes only in pauses."""

    def __init__(self) -> None:
        self.now = 0.0
        self.pauses: list[float] = []

    def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds


class Away:
    """Fails so many times."""

    def __init__(self, times: int, error: Exception | None = None) -> None:
        self.times = times
        self.error = error or DatabaseUnavailableError("it is locked")

    def __call__(self, answer: str) -> str:
        self.times -= 1
        if self.times >= 0:
            raise self.error
        return answer


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def patience(clock: Clock, told: list[str]) -> Patience:
    return Patience(told.append, clock=lambda: clock.now, pause=clock.pause)


def test_it_is_tried_again_after_growing_pauses(patience: Patience, clock: Clock, told: list[str]) -> None:
    assert patience(Away(8), "done") == "done"
    assert clock.pauses == [0.5, 1, 2, 4, 8, 16, 20, 20]
    assert told[0] == "waiting for the database, and trying again in 0.5 s: it is locked"
    assert told[-1] == "the database can be used again"
    assert len(told) == 9


def test_there_is_an_end(patience: Patience, clock: Clock) -> None:
    with pytest.raises(DatabaseUnavailableError):
        patience(Away(1000), "done")
    assert LONGEST_WAIT - 20 < clock.now <= LONGEST_WAIT


def test_a_patient_store_is_like_the_store(path: Path, patience: Patience) -> None:
    with Store.create(path) as store:
        careful = patient(store, patience)
        tournament = entered(careful)
        assert careful.name == store.name
        assert careful.tournament("trial") == tournament
        assert careful.count_matches(tournament) == 0
