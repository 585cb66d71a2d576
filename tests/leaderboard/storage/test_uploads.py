"""The table of uploads: what waits is checked, a check that was cut off waits again, and a verdict is stored once."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest

from leaderboard.storage import submissions as table
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import (
    AuthorFullError,
    AuthorTooOftenError,
    Progress,
    QueueFullError,
    QueueLimits,
    SubmissionError,
    Upload,
    UploadGoneError,
    UploadState,
    UploadVerdict,
    add_upload,
    check_room,
    claim,
    count_uploads,
    find_upload,
    finish,
    keep_version,
    put_back,
    queue,
    save_progress,
    seconds_by_author,
    submissions,
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
    add_upload(
        store,
        Upload(id=upload, author=person(store, author), name=f"bot-{upload}", ladder="", game="tongiaki", size=size),
        b"content",
        limits,
    )


def claimed(store: Store, which: int = 0) -> int:
    found = claim(store, queue(store)[which].number)
    assert found is not None
    return found[0].number


def test_an_upload_goes_from_waiting_to_its_verdict(store: Store) -> None:
    sent(store, "a")
    found = claim(store, queue(store)[0].number)
    assert found is not None
    upload, content = found
    assert (upload.id, upload.state, content) == ("a", UploadState.CHECKING, b"content")
    save_progress(store, {upload.number: Progress(0.5, "play", 3, 9, 1, 40)})
    assert [(each.stage, each.done, each.planned, each.failed, each.decisions) for each in uploads(store)] == [("play", 3, 9, 1, 40)]
    finish(store, upload.number, ACCEPTED)
    over = find_upload(store, "a")
    assert over is not None
    assert (over.state, over.entrant, over.is_over, over.done) == (UploadState.ACCEPTED, "walker", True, 9)
    assert queue(store) == ()
    assert count_uploads(store) == dict.fromkeys(UploadState, 0) | {UploadState.ACCEPTED: 1}
    assert seconds_by_author(store, timedelta(hours=1)) == {person(store, "Ana"): 1.5}


def test_an_upload_whose_check_was_cut_off_waits_again_and_gets_one_verdict(store: Store) -> None:
    sent(store, "a")
    number = claimed(store)
    assert claim(store, number) is None
    put_back(store, number, "the machine was switched off")
    assert [(each.state, each.reason) for each in uploads(store)] == [(UploadState.WAITING, "the machine was switched off")]
    finish(store, number, FAILED)
    with pytest.raises(UploadGoneError):
        keep_version(store, number, "0" * 64, b"", (), report="")
    finish(store, claimed(store), ACCEPTED)
    finish(store, number, FAILED)
    put_back(store, number, "late")
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
        finish(store, claimed(store, -1), FAILED)
    assert [each.id for each in uploads(store)] == ["old", "u2", "u3"]
