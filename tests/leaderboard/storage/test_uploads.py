"""The table of uploads: what waits is claimed by one server, what a dead server checked waits again, and a verdict is stored once."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from leaderboard.storage import uploads as table
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import SubmissionError, submissions
from leaderboard.storage.uploads import (
    AuthorFullError,
    AuthorTooOftenError,
    Lease,
    LeaseLostError,
    NewUpload,
    Progress,
    QueueFullError,
    QueueLimits,
    UploadState,
    UploadVerdict,
    add_upload,
    beat,
    check_room,
    claim,
    count_uploads,
    find_upload,
    finish,
    keep_version,
    queue,
    release,
    seconds_by_author,
    uploads,
)
from tests.people import person

ROOM = QueueLimits(2, 100, 1000, 1000)
ACCEPTED = UploadVerdict(UploadState.ACCEPTED, Progress(1.5, "play", 9, 9), entrant="walker")
FAILED = UploadVerdict(UploadState.FAILED, Progress(), "it failed")


@pytest.fixture
def store(place: str) -> Iterator[Store]:
    Store.create(place).__exit__()
    with Store.join(place) as found:
        yield found


def sent(store: Store, upload: str, author: str = "Ana", *, limits: QueueLimits = ROOM, size: int = 5) -> None:
    add_upload(store, NewUpload(upload, person(store, author), f"bot-{upload}", "", "tongiaki", size=size), b"content", limits)


def claimed(store: Store, owner: str = "one") -> Lease:
    found = claim(store, next(each for each in queue(store) if each.state is UploadState.WAITING), owner)
    assert found is not None
    return found[0]


def test_an_upload_goes_from_waiting_to_its_verdict(store: Store) -> None:
    sent(store, "a")
    found = claim(store, queue(store)[0], "one")
    assert found is not None
    lease, upload, content = found
    assert (upload.id, upload.state, upload.tries, content) == ("a", UploadState.CHECKING, 1, b"content")
    assert beat(store, {lease: Progress(0.5, "play", 3, 9, 1, 40)}) == frozenset()
    assert [(each.stage, each.done, each.planned, each.failed, each.decisions) for each in uploads(store)] == [("play", 3, 9, 1, 40)]
    finish(store, lease, ACCEPTED)
    over = find_upload(store, "a")
    assert over is not None
    assert (over.state, over.entrant, over.is_over, over.done) == (UploadState.ACCEPTED, "walker", True, 9)
    assert queue(store) == ()
    assert count_uploads(store) == dict.fromkeys(UploadState, 0) | {UploadState.ACCEPTED: 1}
    assert seconds_by_author(store, timedelta(hours=1)) == {person(store, "Ana"): 1.5}


def test_of_servers_that_claim_at_the_same_time_one_gets_it(store: Store) -> None:
    for number in range(5):
        sent(store, f"u{number}", f"author {number}")
    waiting = queue(store)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda at: claim(store, waiting[at % 5], f"server {at}"), range(20)))
    assert sorted(each[0].number for each in found if each is not None) == [each.number for each in waiting]


def test_nobody_has_two_uploads_checked_at_a_time(store: Store) -> None:
    sent(store, "a")
    sent(store, "b")
    first, second = queue(store)
    assert claim(store, first, "one") is not None
    assert claim(store, second, "two") is None


def test_a_server_whose_beats_stop_loses_its_uploads_and_can_write_nothing_more(store: Store) -> None:
    sent(store, "a")
    lease = claimed(store)
    [seen] = queue(store)
    beat(store, {lease: Progress()})
    assert not release(store, lease, "dead", beat=seen.beat)  # it was alive meanwhile
    [seen] = queue(store)
    assert release(store, lease, "dead", beat=seen.beat)
    assert [(each.state, each.reason, each.owner) for each in uploads(store)] == [(UploadState.WAITING, "dead", "")]
    other = claimed(store, "two")
    assert other.tries == 2
    assert beat(store, {lease: Progress(), other: Progress()}) == {lease}
    assert not release(store, lease, "late")
    with pytest.raises(LeaseLostError):
        finish(store, lease, FAILED)
    with pytest.raises(LeaseLostError):
        keep_version(store, lease, "0" * 64, b"", (), report="")
    finish(store, other, ACCEPTED)
    with pytest.raises(LeaseLostError):
        finish(store, other, FAILED)
    assert [each.state for each in uploads(store)] == [UploadState.ACCEPTED]
    assert submissions(store) == ()


def test_the_version_and_the_note_that_it_is_kept_are_one_transaction(store: Store) -> None:
    sent(store, "a")
    lease = claimed(store)
    kept = keep_version(store, lease, "0" * 64, b"packed", (), report="{}")
    [upload] = uploads(store)
    assert (kept.label, upload.label, upload.report) == ("bot-a@1", "bot-a@1", "{}")
    assert upload.state is UploadState.CHECKING
    with pytest.raises(SubmissionError):
        keep_version(store, lease, "0" * 64, b"packed", (), report="")
    assert [each.label for each in submissions(store)] == ["bot-a@1"]


def test_room_is_limited_for_an_author_and_in_all_by_number_and_by_size(store: Store) -> None:
    sent(store, "a")
    sent(store, "b")
    with pytest.raises(AuthorFullError):
        sent(store, "c")
    with pytest.raises(AuthorFullError):
        check_room(store, person(store, "Ana"), ROOM)
    with pytest.raises(QueueFullError):
        sent(store, "c", "Ben", limits=QueueLimits(2, 2, 1000, 9))
    with pytest.raises(QueueFullError):
        sent(store, "c", "Ben", size=991)
    sent(store, "c", "Ben", size=990)
    finish(store, claimed(store), FAILED)
    sent(store, "d")
    assert [each.id for each in uploads(store)] == ["a", "b", "c", "d"]


def test_an_author_may_send_so_many_within_an_hour_and_these_are_kept(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "KEPT", 0)
    limits = QueueLimits(2, 100, 1000, 3)
    for number in range(3):
        sent(store, f"u{number}", limits=limits)
        finish(store, claimed(store), FAILED)
    with pytest.raises(AuthorTooOftenError):
        sent(store, "u3", limits=limits)
    with pytest.raises(AuthorTooOftenError):
        check_room(store, person(store, "Ana"), limits)
    sent(store, "b", "Ben", limits=limits)
    monkeypatch.setattr(table, "_HOUR", timedelta(0))
    sent(store, "u3", limits=limits)


def test_old_verdicts_are_forgotten_and_what_waits_is_not(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "KEPT", 2)
    monkeypatch.setattr(table, "_HOUR", timedelta(0))
    sent(store, "old", "Zoe")
    for number in range(4):
        sent(store, f"u{number}")
        waiting = claim(store, queue(store)[-1], "one")
        assert waiting is not None
        finish(store, waiting[0], FAILED)
    assert [each.id for each in uploads(store)] == ["old", "u2", "u3"]
