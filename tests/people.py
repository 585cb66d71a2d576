"""People in databases of tests, by name."""

from __future__ import annotations

from leaderboard.storage.people import PersonError, find_person, ids_of, make_token
from leaderboard.storage.store import Store


def person(store: Store, name: str) -> str:
    """The id of a person, who is added if the store is open for writing and has nobody of that name."""
    try:
        return find_person(store, name).id
    except PersonError:
        return ids_of(store, [name])[name]


def new_token(store: Store, name: str) -> str:
    """A new token of a person, which ends the one before."""
    return make_token(store, person(store, name))
