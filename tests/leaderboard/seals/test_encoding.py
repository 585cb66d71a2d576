"""Values are encoded unambiguously, and times as SQLite stores them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone

import pytest

from leaderboard.seals import digest_of, encode, plain, row_digest, set_digest, text_digest


@pytest.fixture
def east(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine whose clock is five hours ahead of UTC."""
    monkeypatch.setenv("TZ", "EAST-5")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("east")
def test_a_time_is_in_utc_with_microseconds_whatever_the_machines_time_zone() -> None:
    moment = datetime(2031, 2, 3, 14, 5, 6, 7, tzinfo=timezone(timedelta(hours=2)))
    assert plain(moment) == plain(moment.astimezone(UTC)) == "2031-02-03 12:05:06.000007"
    assert plain(moment.replace(tzinfo=None)) == "2031-02-03 14:05:06.000007"


def test_the_digest_of_a_set_is_that_of_its_rows_in_any_order() -> None:
    assert set_digest([b"b", b"a"]) == set_digest([b"a", b"b"]) == text_digest(b"ab") == text_digest("ab")
    assert text_digest("").startswith("sha256:e3b0c442")
    assert text_digest(encode([1])) == f"sha256:{digest_of([1])}" == f"sha256:{row_digest([1]).hex()}"
    assert text_digest("\ud800") == text_digest(b"\xed\xa0\x80")
