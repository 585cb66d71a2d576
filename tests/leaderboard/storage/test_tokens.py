"""Tokens of contestants: stored as hashes, recognised until they are revoked."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from leaderboard.storage.store import Store
from leaderboard.storage.tables import TOKEN
from leaderboard.storage.tokens import PREFIX, TokenError, author_of, new_token, revoke, tokens


def test_a_token_is_random_and_only_its_hash_is_stored(tmp_path: Path) -> None:
    with Store.create(tmp_path / "one.db") as store:
        token, other = new_token(store, "Zoe"), new_token(store, "Zoe")
        with store.reading() as connection:
            digests = list(connection.execute(select(TOKEN.c.digest)).scalars())
    assert token != other
    assert token.startswith(PREFIX)
    assert len(token) >= len(PREFIX) + 43, "256 bits in base 64"
    assert sorted(digests) == sorted(hashlib.sha256(each.encode()).hexdigest() for each in (token, other))


def test_a_token_belongs_to_its_author_until_it_is_revoked(tmp_path: Path) -> None:
    with Store.create(tmp_path / "one.db") as store:
        first, second = new_token(store, "Zoe"), new_token(store, "Mia")
        assert [author_of(store, each) for each in (first, second, first + "x", "\ud800")] == ["Zoe", "Mia", None, None]
        assert [(each.number, each.author, each.revoked) for each in tokens(store)] == [(1, "Zoe", None), (2, "Mia", None)]
        assert revoke(store, 1).author == "Zoe"
        assert [author_of(store, each) for each in (first, second)] == [None, "Mia"]
        for listed in (tokens(store)[0].created, tokens(store)[0].revoked):
            assert listed is not None
            assert abs(listed.replace(tzinfo=UTC) - datetime.now(UTC)) < timedelta(minutes=5)


def test_only_a_token_that_is_there_can_be_revoked_and_only_once(tmp_path: Path) -> None:
    with Store.create(tmp_path / "one.db") as store:
        new_token(store, "Zoe")
        with pytest.raises(TokenError, match=r"^there is no token 2; 'arena token list' shows all$"):
            revoke(store, 2)
        revoke(store, 1)
        with pytest.raises(TokenError, match=r"^token 1 of Zoe was already revoked on \d{4}-\d\d-\d\d$"):
            revoke(store, 1)
