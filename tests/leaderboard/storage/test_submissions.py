"""The table of submissions: what waits is checked, a check that was cut off waits again, and a verdict is stored once."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest

from leaderboard.storage import submissions as table
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import (
    NoRoomError,
    QueueCount,
    QueueLimits,
    Submission,
    SubmissionError,
    SubmissionGoneError,
    SubmissionState,
    check_room,
    claim,
    content,
    count_waiting,
    find_sent,
    keep_version,
    put_back,
    queue,
    save,
    seconds_by_author,
    submissions,
    versions,
)
from tests.world import claimed, person, sent

ACCEPTED, REFUSED = SubmissionState.ACCEPTED, SubmissionState.REFUSED


@pytest.fixture
def store(place: str) -> Iterator[Store]:
    Store.create(place).__exit__()
    with Store.join(place) as found:
        yield found


def judged(store: Store, submission: Submission, state: SubmissionState = REFUSED) -> None:
    submission.state = state
    save(store, submission)


def test_a_submission_goes_from_waiting_to_its_verdict(store: Store) -> None:
    sent(store, "Ana", "walker")
    checked = claimed(store)
    assert (checked.state, content(store, checked)) == (SubmissionState.CHECKING, b"content")
    checked.seconds, checked.stage, checked.done, checked.planned, checked.report = 1.5, "play", 3, 9, "{}"
    save(store, checked)
    assert [(each.stage, each.done, each.planned) for each in queue(store)] == [("play", 3, 9)]
    keep_version(store, checked, ())
    [kept] = versions(store, "walker")
    assert (kept.label, kept.state, kept.report) == ("walker@1", SubmissionState.CHECKING, "{}")
    judged(store, checked, ACCEPTED)
    over = find_sent(store, checked.id)
    assert over is not None
    assert (over.label, over.state, over.is_over, over.done) == ("walker@1", ACCEPTED, True, 3)
    assert count_waiting(store) == QueueCount(0, 0, None)
    assert seconds_by_author(store, timedelta(hours=1)) == {person(store, "Ana"): 1.5}


def test_one_whose_check_was_cut_off_waits_again_and_gets_one_verdict(store: Store) -> None:
    sent(store, "Ana")
    late = claimed(store)
    with pytest.raises(SubmissionGoneError):
        claim(store, late)
    put_back(store, late, "the machine was switched off")
    assert [(each.state, each.reason) for each in submissions(store)] == [(SubmissionState.WAITING, "the machine was switched off")]
    for write in (judged, lambda store, late: keep_version(store, late, ())):
        with pytest.raises(SubmissionGoneError):
            write(store, late)
    judged(store, claimed(store), ACCEPTED)
    with pytest.raises(SubmissionGoneError):
        judged(store, late)
    put_back(store, late, "late")
    assert [each.state for each in submissions(store)] == [ACCEPTED]
    assert versions(store) == ()


def test_a_version_is_made_once(store: Store) -> None:
    sent(store, "Ana")
    checked = claimed(store)
    keep_version(store, checked, ())
    with pytest.raises(SubmissionError, match="exactly the same content"):
        keep_version(store, checked, ())
    assert [each.label for each in versions(store)] == ["bot@1"]


def test_room_is_limited_for_an_author_and_in_all_by_number_and_by_size(store: Store) -> None:
    limits = QueueLimits(2, 100, 1000, 1000)
    sent(store, "Ana", "a")
    sent(store, "Ana", "b")
    with pytest.raises(NoRoomError, match="your earlier uploads"):
        sent(store, "Ana", "c", limits=limits)
    with pytest.raises(NoRoomError, match="your earlier uploads"):
        check_room(store, person(store, "Ana"), limits)
    with pytest.raises(NoRoomError, match="too many uploads"):
        sent(store, "Ben", "c", limits=QueueLimits(2, 2, 1000, 9))
    with pytest.raises(NoRoomError, match="too many uploads"):
        sent(store, "Ben", "c", limits=QueueLimits(2, 100, 40, 1000))
    sent(store, "Ben", "c", limits=limits)
    judged(store, claimed(store))
    sent(store, "Ana", "d", limits=limits)
    assert [each.name for each in submissions(store)] == ["a", "b", "c", "d"]


def test_an_author_may_send_so_many_within_an_hour_and_these_are_kept(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "KEPT", 0)
    limits = QueueLimits(2, 100, 1000, 3)
    for _ in range(3):
        sent(store, "Ana", limits=limits)
        judged(store, claimed(store))
    with pytest.raises(NoRoomError, match="3 times an hour"):
        sent(store, "Ana", limits=limits)
    with pytest.raises(NoRoomError, match="3 times an hour"):
        check_room(store, person(store, "Ana"), limits)
    sent(store, "Ben", limits=limits)
    monkeypatch.setattr(table, "_HOUR", timedelta(0))
    sent(store, "Ana", limits=limits)


def test_old_refusals_are_forgotten_and_what_waits_or_was_accepted_is_not(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "KEPT", 2)
    monkeypatch.setattr(table, "_HOUR", timedelta(0))
    sent(store, "Zoe", "good")
    judged(store, claimed(store), ACCEPTED)
    sent(store, "Zoe", "old")
    for number in range(4):
        sent(store, "Ana", f"bot{number}")
        judged(store, claimed(store, -1))
    assert [each.name for each in submissions(store)] == ["good", "old", "bot2", "bot3"]
