"""The outbox: an event is stored once, a message is claimed by one process at a time, and tried again until it is sent or given up."""

from __future__ import annotations

from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from leaderboard.storage.notices import (
    LEASE,
    MOST_TRIES,
    Event,
    EventKind,
    Notice,
    NoticeState,
    add_events,
    claim,
    find_unsent,
    known_events,
    last_leader,
    settle,
)
from leaderboard.storage.people import NewPerson, add_people, delete_person, find_person
from leaderboard.storage.store import Store
from tests.leaderboard.conftest import count, execute

NOW = datetime(2027, 6, 27, 16, tzinfo=UTC)
ALL = {"chat": tuple(EventKind), "mail": tuple(EventKind)}
BOTH = ("chat", "mail")


def event(key: str, people: Collection[str] | None = (), **more: Any) -> Event:
    return Event(f"stage:{key}", EventKind.STAGE, "summer", subject=f"{key} begins", text="It begins.", path="/", people=people, **more)


@pytest.fixture
def ana(store: Store) -> str:
    """The id of Ana, who has mail, as has Ben; Cid has none."""
    added = add_people(store, [NewPerson("Ana", "ana@example.org"), NewPerson("Ben", "ben@example.org"), NewPerson("Cid")])
    return added[0].person


def claimed(store: Store, now: datetime = NOW, targets: Collection[str] = BOTH) -> Notice:
    found = claim(store, targets, now)
    assert found is not None
    return found


def sent(store: Store) -> list[tuple[str, str | None]]:
    """All that is due now, which is sent: target and address."""
    found = []
    while (notice := claim(store, BOTH, NOW)) is not None:
        settle(store, notice, NOW, "")
        found.append((notice.target, notice.mail))
    return found


def test_an_event_is_stored_once_with_a_message_to_each_target_that_wants_it(store: Store, ana: str) -> None:
    everybody = [("chat", None), ("mail", "ana@example.org"), ("mail", "ben@example.org")]
    add_events(store, [event("a", people=None), event("b", people=[ana, "person-0"])], ALL, NOW)
    add_events(store, [event("a", people=None)], ALL, NOW)
    assert sent(store) == [*everybody, *everybody[:2]]
    add_events(store, [event("c", people=None)], {"chat": [EventKind.OVER], "mail": [EventKind.STAGE]}, NOW)
    assert sent(store) == everybody[1:]
    assert known_events(store, ["stage:a", "stage:c", "stage:d"]) == {"stage:a", "stage:c"}


def test_without_a_subject_nobody_is_told(store: Store) -> None:
    for hour, bot in enumerate(("walker", "", "crane")):
        add_events(store, [Event(f"overtaken:summer:{hour}", EventKind.OVERTAKEN, "summer", bot)], ALL, NOW + timedelta(hours=hour))
    assert (claim(store, BOTH, NOW), last_leader(store, "summer"), last_leader(store, "winter")) == (None, "crane", "")


def test_a_claim_keeps_others_away_until_it_runs_out_and_the_id_stays(store: Store) -> None:
    add_events(store, [event("a")], ALL, NOW)
    first = claimed(store)
    assert claim(store, BOTH, NOW + LEASE - timedelta(seconds=1)) is None
    again = claimed(store, NOW + LEASE)
    assert (again.id, again.tries, first.tries) == (first.id, 2, 1)
    settle(store, first, NOW, "it is too late")
    settle(store, again, NOW, "")
    settle(store, first, NOW, "it is too late")
    assert claim(store, BOTH, NOW + timedelta(days=9)) is None


def test_several_processes_claim_each_message_once(store: Store, place: str) -> None:
    add_events(store, [event(str(number)) for number in range(40)], ALL, NOW)

    def take(_: int) -> list[str]:
        with Store.join(place) as joined:
            return [notice.id for notice in iter(lambda: claim(joined, BOTH, NOW), None)]

    with ThreadPoolExecutor(4) as pool:
        ids = [each for found in pool.map(take, range(4)) for each in found]
    assert len(ids) == len(set(ids)) == 40


def test_pauses_grow_up_to_an_hour_and_after_thirty_hours_a_message_is_given_up(store: Store) -> None:
    add_events(store, [event("a")], ALL, NOW)
    now, pauses = NOW, []
    for _ in range(MOST_TRIES):
        settle(store, claimed(store, now), now, "it answers 500")
        [unsent] = find_unsent(store)
        pauses.append(int((unsent.due - now).total_seconds()))
        now = unsent.due
    assert pauses == [5, 20, 80, 320, 1280, *[3600] * (MOST_TRIES - 6), 0]
    assert timedelta(hours=28) < now - NOW < timedelta(hours=30)
    assert (unsent.state, unsent.tries, unsent.reason) == (NoticeState.FAILED, MOST_TRIES, "it answers 500")
    assert claim(store, BOTH, now + timedelta(days=9)) is None


def test_targets_that_a_process_does_not_know_wait_for_one_that_does(store: Store, ana: str) -> None:
    add_events(store, [event("a", people=[ana])], ALL, NOW)
    assert claimed(store, targets=["mail", "other"]).target == "mail"
    assert claim(store, ["mail", "other"], NOW) is None
    assert [each.person for each in find_unsent(store)] == ["Ana", None]


def test_a_deleted_person_gets_nothing_more_and_nothing_is_left_about_them(store: Store, ana: str) -> None:
    add_events(store, [event("a", people=[ana]), event("b", people=None)], {"mail": tuple(EventKind)}, NOW)
    being_sent = claimed(store)
    delete_person(store, find_person(store, "Ana"), "asked by mail")
    settle(store, being_sent, NOW, "it answers 451")
    assert [each.mail for each in iter(lambda: claim(store, BOTH, NOW + LEASE), None)] == ["ben@example.org"]
    add_events(store, [event("a", people=[ana]), event("b", people=None)], ALL, NOW)  # found again, and known
    assert (count(store, "notice"), execute(store, f"SELECT count(*) FROM notice WHERE person = '{ana}'")) == (1, [(0,)])  # noqa: S608
