"""A webhook and a mail server that listen during a test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.arena.notices.receivers import Hook, Post, listening


@pytest.fixture
def hook() -> Iterator[Hook]:
    made = Hook()
    with listening(made):
        yield made


@pytest.fixture
def post() -> Iterator[Post]:
    made = Post()
    with listening(made):
        yield made
