"""Who counts as one visitor, by which names a server may be asked, and when a table that nobody looks at ends."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from threading import Event, Thread, current_thread

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from arena.cli.app import app
from arena.web.app import make_app
from arena.web.protection.limits import ConcurrencyLimiter, Turns, counted_as
from leaderboard.storage.store import Store
from tests.arena.web.hosting import make_ladder, settings_for
from tests.waiting import wait_for


@pytest.mark.parametrize(
    ("host", "counted"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:aaaa::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:bbbb::9", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("fe80::1%eth0", "fe80::/64"),
        ("testclient", "testclient"),
    ],
)
def test_an_ipv6_network_is_one_address(host: str, counted: str) -> None:
    assert counted_as(host) == counted


@pytest.mark.parametrize(
    ("bound", "names", "known", "unknown"),
    [
        (
            "192.168.1.5",
            ("Arena.example.org",),
            ["localhost:8000", "[::1]:1", "192.168.1.5", "arena.example.org:443"],
            ["evil.example", "192.168.1.6", "a@localhost", "localhost:x", "[::1"],
        ),
        ("fd00::5", (), ["[fd00::5]:8000"], ["[fd00::6]", "fd00::5"]),
        ("127.0.0.1", ("*",), ["anything"], []),
    ],
)
def test_names_that_lead_here_from_elsewhere_are_none_of_this_server(
    tmp_path: Path, bound: str, names: tuple[str, ...], known: list[str], unknown: list[str]
) -> None:
    Store.create(tmp_path / "x.db").close()
    client = TestClient(make_app(settings_for(tmp_path / "x.db", bound=bound, host_names=names)))
    codes = [client.get("/healthz", headers={"host": each}).status_code for each in (*known, *unknown)]
    assert codes == [200] * len(known) + [400] * len(unknown)


def test_shares_are_given_back() -> None:
    limiter = ConcurrencyLimiter(3, 2)
    assert [limiter.acquire(who) for who in "aaabbb"] == [True, True, False, True, False, False]
    limiter.release("a")
    assert [limiter.acquire(who) for who in "bc"] == [True, False]


class Computing:
    """In place of a lock: nobody gets on until it may, and it counts who waits at the same time."""

    def __init__(self) -> None:
        self.waiting, self.most, self.may_go_on = Counter[str](), Counter[str](), Event()

    def __enter__(self) -> None:
        self.waiting[who := current_thread().name] += 1
        self.most[who] = max(self.most[who], self.waiting[who])
        self.may_go_on.wait()

    def __exit__(self, *_: object) -> None:
        self.waiting[current_thread().name] -= 1


def test_of_each_address_one_thread_at_most_waits_for_what_others_compute(monkeypatch: pytest.MonkeyPatch) -> None:
    turns, computing = Turns(), Computing()
    monkeypatch.setattr(turns, "_computing", computing)

    def work(who: str) -> None:
        with turns.turn(who):
            pass

    threads = [Thread(target=work, args=(who,), name=who) for who in ("greedy", "greedy", "greedy", "modest")]
    for each in threads:
        each.start()
    wait_for(lambda: len(computing.waiting) == 2)
    computing.may_go_on.set()
    for each in threads:
        each.join()
    assert computing.most == {"greedy": 1, "modest": 1}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--host-name", "http://x"], "write a name without http://"),
        (["--proxy", "nginx"], "write a numeric address or network"),
        (["--host", "::"], "say with --host-name by which name or address visitors come"),
    ],
)
def test_a_name_or_a_proxy_that_is_none_is_refused(tmp_path: Path, options: list[str], words: str) -> None:
    found = CliRunner().invoke(app, ["serve", "--db", str(tmp_path / "x.db"), *options])
    assert found.exit_code == 2
    assert words in " ".join(found.output.split())


def test_a_match_that_nobody_looks_at_is_paused_and_gives_its_room_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    passed = 0.0
    monkeypatch.setattr("arena.web.play.table.running_time", lambda: time.monotonic() + passed)
    monkeypatch.setattr("arena.web.play.table._LOOK_SECONDS", 0.1)
    db = tmp_path / "idle.db"
    make_ladder(db)
    with TestClient(make_app(settings_for(db, idle_seconds=100.0, tables_of_one=1, visitors=1))) as client:
        made = client.post("/play", data={"game": "tongiaki", "seat": ["me", "random"]}, follow_redirects=False)
        assert client.post("/play", data={"game": "tongiaki", "seat": ["me", "random"]}).status_code == 429
        for _ in range(6):  # it stays as long as somebody looks
            passed += 50.0
            assert client.get(f"{made.headers['location']}/state").json()["stage"] == "playing"
        passed += 100.0
        wait_for(lambda: not client.app.state.tables._busy())  # type: ignore[attr-defined]
        assert client.post("/play", data={"game": "tongiaki", "seat": ["me", "person"]}, follow_redirects=False).status_code == 303
        assert client.get(f"{made.headers['location']}/state").json()["paused"]
