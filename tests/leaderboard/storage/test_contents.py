"""Contents of versions that were not submitted are kept once, and read again by hash."""

from __future__ import annotations

import zlib

from leaderboard.records import Entrant
from leaderboard.storage.raw_queries import read_contents
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import submit
from leaderboard.storage.tournaments import keep_contents, without_content
from tests.people import person

ONE, TWO, SUBMITTED = Entrant("one", "a" * 64, "one.py"), Entrant("two", "b" * 64, "two.py"), Entrant("three", "c" * 64, "")


def kept(store: Store, *digests: str) -> list[tuple[object, object, bytes]]:
    with store.reading() as connection:
        found = [each for each in read_contents(connection, digests or None) if not each.is_submitted]
    return [(each.bot, each.version, zlib.decompress(each.content)) for each in found if isinstance(each.content, bytes)]


def test_a_content_is_kept_once_and_only_of_what_was_entered(place: str) -> None:
    with Store.create(place) as store:
        submit(store, "three", SUBMITTED.digest, person(store, "ann"), b"submitted")
        store.add_tournament("cup", "tongiaki", 1, "{}", 2, [ONE, TWO, SUBMITTED])
        assert without_content(store, [ONE, TWO, SUBMITTED]) == (ONE, TWO)
        keep_contents(store, {ONE: b"first", Entrant("nobody", "d" * 64, ""): b"x"})
        keep_contents(store, {ONE: b"second", TWO: b"other"})
        assert without_content(store, [ONE, TWO, SUBMITTED]) == ()
        assert kept(store) == [("one", ONE.digest, b"first"), ("two", TWO.digest, b"other")]
        assert kept(store, TWO.digest) == [("two", TWO.digest, b"other")]
