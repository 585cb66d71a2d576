"""The thread that sends: what happens is told once, however many processes there are, whoever is killed, and whatever a target does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import ExitStack, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from time import monotonic

import pytest

from arena.notices.background import Sender
from arena.notices.targets import Targets
from arena.report.host_report import host_lines, notice_table
from arena.run.alarms import AlarmKind, find_alarms
from arena.run.host_status import find_host_status
from leaderboard.storage.notices import LEASE, Event, EventKind, NoticeState, add_events, find_unsent
from leaderboard.storage.people import NewPerson, add_people
from leaderboard.storage.store import Store
from tests.arena.notices.receivers import SECRET, Hook, Post, targets_of
from tests.leaderboard.conftest import entered
from tests.postgres import Server
from tests.waiting import wait_for

ROOT = Path(__file__).parents[3]
NOW = datetime.now(UTC)


class Clock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.moment = NOW

    def __call__(self) -> datetime:
        return self.moment


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A new database of either kind."""
    if request.param == "sqlite":
        place = str(tmp_path / "t.db")
    else:
        server: Server = request.getfixturevalue("postgres")
        place = server.new_database()
    Store.create(place).close()
    return place


def happen(place: str, targets: Targets, *keys: str) -> None:
    """Store events that everybody is told of."""
    with Store.join(place) as store:
        events = [Event(key, EventKind.STAGE, "summer", "", f"{key} begins", "It begins.", "/", None) for key in keys]
        add_events(store, events, targets.kinds, NOW)


def sender(targets: Targets, place: str, now: Clock) -> Sender:
    return Sender(targets, place, now, poll=0.05)


def test_several_processes_tell_each_target_once(place: str, hook: Hook, post: Post) -> None:
    targets = targets_of(hook, post.target())
    with Store.join(place) as store:
        add_people(store, [NewPerson("Ana", "ana@example.org"), NewPerson("Ben", "ben@example.org")])
    keys = [f"stage:{number}" for number in range(5)]
    with ExitStack() as stack:
        for _ in range(2):
            stack.enter_context(sender(targets, place, Clock()))
        happen(place, targets, *keys)
        wait_for(lambda: len(hook.taken) >= 5 and len(post.taken) >= 10)
    assert len(hook.taken) == len({each for each, _ in hook.taken}) == 5
    assert len(post.taken) == len({(mail["Message-ID"], mail["To"]) for mail in post.taken}) == 10


@pytest.mark.slow  # it waits
def test_a_target_that_hangs_keeps_neither_others_nor_a_run_waiting(tmp_path: Path, hook: Hook, post: Post) -> None:
    place, targets, began = str(tmp_path / "t.db"), targets_of(hook, post.target()), monotonic()
    hook.hangs = True
    with Store.create(place) as store:
        add_people(store, [NewPerson("Ana", "ana@example.org")])
        happen(place, targets, "a", "b", "c")
        quick = Sender(targets, place, lambda: NOW + 100 * timedelta(seconds=monotonic() - began), poll=0.01, seconds=0.2)
        with quick:
            wait_for(lambda: len(post.taken) >= 3 and len(hook.asked) > 3)
            hook.hangs = False
            entered(store)  # a run goes on storing
            wait_for(lambda: {content["data"]["subject"][0] for _, content in hook.taken} == set("abc"))


def test_what_can_not_be_sent_is_in_the_host_s_status_until_it_is(tmp_path: Path, hook: Hook) -> None:
    place, targets, clock = str(tmp_path / "t.db"), targets_of(hook), Clock()
    hook.status = 500
    with Store.create(place) as store:
        happen(place, targets, "a", "b")
        with sender(targets, place, clock):
            for tries in range(1, 5):
                clock.moment += timedelta(minutes=6 if tries > 1 else 0)
                wait_for(partial(have_failed, store, tries))
            status = find_host_status(store, clock.moment)
            assert ("notices", "2 not sent") in host_lines(status, clock.moment)
            assert notice_table(status).rows[0] == ("b begins", "chat", "waiting", "4", "it answers 500")
            [alarm] = find_alarms(status, clock.moment)
            assert (alarm.kind, alarm.text) == (AlarmKind.NOTICE, "2 notices to chat could not be sent; the newest: it answers 500")
            hook.status = 200
            clock.moment += timedelta(hours=1)
            wait_for(lambda: not find_unsent(store))
        status = find_host_status(store, clock.moment)
        assert (find_alarms(status, clock.moment), "notices" in dict(host_lines(status, clock.moment))) == ((), False)


def have_failed(store: Store, tries: int) -> bool:
    return [(each.tries, each.state) for each in find_unsent(store)] == [(tries, NoticeState.WAITING)] * 2


def test_mail_that_one_address_refuses_keeps_no_other_from_being_sent(tmp_path: Path, post: Post) -> None:
    place = str(tmp_path / "t.db")
    post.answers["RCPT"] = "550 nobody here"
    with Store.create(place) as store:
        add_people(store, [NewPerson("Ana", "ana@example.org")])
        happen(place, targets_of(mail=post.target()), "a")
        with sender(targets_of(mail=post.target()), place, Clock()):
            wait_for(lambda: any(each.reason for each in find_unsent(store)))
            add_people(store, [NewPerson("Ben", "ben@example.org")])
            del post.answers["RCPT"]
            happen(place, targets_of(mail=post.target()), "b")
            wait_for(lambda: len(post.taken) == 2)
        assert {mail["Subject"] for mail in post.taken} == {"b begins"}


def test_what_is_due_is_sent_before_a_process_ends_unless_it_is_interrupted(tmp_path: Path, hook: Hook) -> None:
    place, targets = str(tmp_path / "t.db"), targets_of(hook)
    with Store.create(place), Sender(targets, place, Clock(), poll=3600):
        happen(place, targets, "a", "b")
    assert len(hook.taken) == 2
    happen(place, targets, "c")
    with suppress(KeyboardInterrupt), Sender(targets, place, Clock(), poll=3600):
        raise KeyboardInterrupt  # the second Ctrl-C


def test_a_database_that_is_not_there_yet_or_away_is_waited_for(tmp_path: Path, hook: Hook) -> None:
    place, targets = tmp_path / "t.db", targets_of(hook)
    with sender(targets, str(place), Clock()):
        Store.create(place).close()
        wait_for(lambda: known(place))
        happen(str(place), targets, "a")
        wait_for(lambda: hook.taken)


def known(place: Path) -> bool:
    with Store.read(place) as store, store.reading() as connection:
        return bool(connection.exec_driver_sql("SELECT count(*) FROM event").scalar_one())


PROGRAM = """
import sys, time
from arena.notices.background import Sender
from arena.notices.targets import read_targets
from functools import partial
from pathlib import Path
with Sender(read_targets(Path(sys.argv[1])), sys.argv[2], poll=0.01):
    time.sleep(600)
"""


@pytest.mark.slow  # a process that imports the program, and is killed
def test_what_a_killed_process_was_sending_is_sent_again_with_the_same_id(tmp_path: Path, hook: Hook) -> None:
    place, clock = tmp_path / "t.db", Clock()
    (tmp_path / "chat.secret").write_text(SECRET)
    file = tmp_path / "notices.toml"
    file.write_text(f'[webhooks.chat]\nurl = "{hook.target.url}"\nsecret = "chat.secret"\n')
    Store.create(place).close()
    hook.hangs = True
    happen(str(place), targets_of(hook), "a")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen([sys.executable, "-c", PROGRAM, str(file), str(place)], env=environment)
    try:
        wait_for(lambda: hook.asked)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait(60)
    hook.hangs = False
    hook.is_over.set()  # it is taken, but who sent it does not know
    wait_for(lambda: len(hook.taken) == 1)
    with sender(targets_of(hook), str(place), clock):
        pass
    assert len(hook.taken) == 1  # the claim holds
    clock.moment = datetime.now(UTC) + LEASE
    with sender(targets_of(hook), str(place), clock):
        wait_for(lambda: len(hook.taken) == 2)
    assert len({each for each, _ in hook.taken}) == 1
