"""The locks that SQLite holds on a database's file: nothing that this program does in the same process may drop them.

In POSIX, closing any descriptor of a file drops all locks that the process has on it (sqlite.org, "How To Corrupt", 2.2). Another process
that closes the database then believes to be its last user and removes the write-ahead log, into which this one goes on committing.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from textwrap import dedent

import pytest
from sqlalchemy.exc import NoResultFound

import leaderboard
from leaderboard.errors import StoreError
from leaderboard.records.running import RunRecord
from leaderboard.sqlite_files import is_database
from leaderboard.storage.database import is_being_written
from leaderboard.storage.match_queries import MatchFilter
from leaderboard.storage.notices import Event, EventKind, Notice
from leaderboard.storage.people import NewPerson, find_person, people
from leaderboard.storage.seasons import StoredStage, add_entry, add_season, season_entries
from leaderboard.storage.store import Entrant, Store
from leaderboard.storage.submissions import submit
from leaderboard.storage.uploads import NewUpload, Progress, QueueLimits, UploadState, UploadVerdict, add_upload, queue
from tests.database_files import locks
from tests.leaderboard.conftest import BOTS, entered, fold_of, result_of
from tests.people import new_token, person

ROOT = Path(__file__).parents[3]

WRITER = """
    import sys
    from leaderboard.storage.store import Store
    from tests.people import new_token
    path, opening = sys.argv[1:]
    Store.create(path).close()
    store = getattr(Store, opening)(path)
    new_token(store, "0")
    Store.read(path).close()
    Store.join(path).close()
    print("open", flush=True)
    sys.stdin.readline()
    for number in range(1, 6):
        new_token(store, str(number))
    print("written", flush=True)
    sys.stdin.readline()
"""

ASKER = """
    import sys
    from leaderboard.storage.database import is_being_written
    is_being_written(sys.argv[1])
    print("asking", flush=True)
    while True:
        is_being_written(sys.argv[1])
"""

STARTER = """
    import sys
    from leaderboard.storage.store import Store
    from tests.people import new_token
    for path in map(str.strip, sys.stdin):
        with Store.create(path) if sys.argv[1] == "create" else Store.join(path, creates=True) as store:
            new_token(store, sys.argv[2])
        print("done", flush=True)
"""


@pytest.mark.sampled(1)  # each starts processes that open the database
@pytest.mark.parametrize("opening", ["create", "join"])
def test_no_row_is_lost_when_a_writer_opens_its_database_again(path: Path, opening: str) -> None:
    command = [sys.executable, "-c", dedent(WRITER), str(path), opening]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        assert writer.stdin is not None
        assert writer.stdout.readline() == "open\n"
        with Store.read(path) as store:
            assert [each.name for each in people(store)] == ["0"]
        writer.stdin.write("go on\n")
        writer.stdin.flush()
        assert writer.stdout.readline() == "written\n"
        writer.kill()
    with Store.read(path) as store:
        assert [each.name for each in people(store)] == ["0", "1", "2", "3", "4", "5"]


def calls_of(store: Store) -> Iterator[tuple[str, Callable[[], object]]]:
    """Every public method of a store, and every public function of one, with arguments by their names."""
    result = result_of("m1", BOTS, (1, 2, 3, 4))
    tournament = entered(store)
    store.add_results(tournament, [result])
    [listed] = store.matches(["m1"]).values()
    submission = submit(store, "walker", "digest", person(store, "Ana"), b"content")
    limits = QueueLimits(9, 9, 1 << 20, 999)
    add_upload(store, NewUpload("u1", person(store, "Ana"), "runner", "", "tongiaki", is_source=False, size=7), b"content", limits)
    [queued] = queue(store)
    add_season(store, "autumn", "", datetime.now(UTC), [StoredStage("autumn-final", "sha256:0", "0")])
    add_entry(store, "autumn-final", submission, datetime.now(UTC))
    [entry] = season_entries(store, "autumn-final")
    known: dict[str, object] = {
        "tournament": tournament, "results": [result], "match": "m1", "ids": ["m1"], "beginning": "m", "most": 3, "bot": "ann",
        "folded": fold_of([result]), "ratings": "digest", "is_final": False, "points": (), "reorders": False, "spec": "{}", "total": 5,
        "before": 1, "entrants": [Entrant("eve", "digest", "eve.py")], "name": "next", "game": "tongiaki", "seed": 1, "contents": {},
        "entries": (), "database": store, "store": store, "place": store.name, "beta": 4.0, "seatings": {4: 24}, "result": result,
        "versions": ("",) * 4, "wanted": MatchFilter(), "owner": "me", "table": "t", "changes": {}, "reference": "walker@1",
        "submission": submission, "digest": "other", "author": person(store, "Ana"), "content": b"content", "token": "arena_x", "number": 1,
        "upload": NewUpload("u2", person(store, "Ana"), "other", "", "tongiaki", is_source=False, size=7),
        "limits": limits, "lease": queued.lease,
        "requests": {"r": b""}, "seconds": {"digest": 1.0}, "answers": {}, "news": b"", "old": (), "done": (),
        "within": timedelta(hours=1), "progress": {}, "reason": "no", "report": "", "build_log": "", "reserved": (), "packed": b"content",
        "now": datetime.now(UTC), "run": RunRecord("node", 1, "here", datetime.now(UTC), datetime.now(UTC), 3), "rounds": range(3),
        "verdict": UploadVerdict(UploadState.FAILED, Progress(), "no"), "make": lambda _now: (), "first": 0, "last": 1,
        "newest": 3, "secret": "x" * 43, "players": 2, "seat": 0,
        "is_allowed": True, "per_day": 9, "names": ["Ana"], "called": "Ana", "new": [NewPerson("Cid")], "text": "text", "why": "asked",
        "person": person(store, "Ana"), "keys": ["key"], "ladder": "autumn-final", "targets": {"mail": ()}, "problem": "",
        "events": [Event("key", EventKind.STAGE, "autumn-final")],
        "notice": Notice(1, "msg", "stage", "autumn-final", "", datetime.now(UTC), "mail", None, None, "", "", "", 1),
        "challenge": NewUpload("u3", person(store, "Ben"), "walker", "league", "tongiaki", is_source=False, size=0, against="greedy"),
    }  # fmt: skip
    others_of: dict[str, dict[str, object]] = {"block_of": {"match": listed}, "find_upload": {"upload": "u1"}, "claim": {"upload": queued}}
    others_of["add_season"] = {"text": "", "begun": datetime.now(UTC), "stages": [StoredStage("next-final", "sha256:1", "1")]}
    others_of["mark_published"] = {"published": datetime.now(UTC)}
    of_stage = {"tournament": "autumn-final", "entry": entry, "arrived": datetime.now(UTC), "entrant": "walker", "problem": ""}
    others_of |= dict.fromkeys(("add_entry", "settle_entry"), of_stage)
    others_of["count_unjudged"] = {"ladder": "autumn-final", "before": datetime.now(UTC)}
    others_of["find_faults"] = {"since": datetime.now(UTC), "until": datetime.now(UTC), "tournament": tournament.name}
    others_of["read_content"] = {"upload": 1}
    others_of["delete_person"] = {"person": find_person(store, "Ben")}
    others = {"add_link", "add_void", "close", "reading", "reconnect", "writing"}  # part of a transaction, or what ends connections

    def call(function: Callable[..., object], **more: object) -> Callable[[], object]:
        named = inspect.signature(function).parameters.values()
        given = {each.name: (known | more)[each.name] for each in named if each.default is each.empty}
        return lambda: function(**given)

    for name, method in inspect.getmembers(store, callable):
        if not name.startswith("_") and name not in others:
            yield (
                name,
                call(
                    method, tournament=tournament.id if name in {"chain", "check_entry", "newest_body", "sealed", "seals"} else tournament
                ),
            )
    for module in pkgutil.walk_packages(leaderboard.__path__, "leaderboard."):
        if "migrations" in module.name:
            continue
        for name, function in inspect.getmembers(importlib.import_module(module.name), inspect.isfunction):
            first = next(iter(inspect.signature(function).parameters.values()), None)
            is_ours = function.__module__ == module.name and not name.startswith("_")
            if is_ours and first is not None and first.annotation in {"Database", "Store", "str | Path"}:
                yield name, call(function, **others_of.get(name, {}))


@pytest.mark.skipif(not Path("/proc/self/fdinfo").exists(), reason="only Linux says which locks a process has")
@pytest.mark.sampled(1)  # each starts processes that open the database
@pytest.mark.parametrize("opening", ["create", "join"])
@pytest.mark.slow  # every function of the package
def test_no_call_of_the_store_drops_a_lock(path: Path, opening: str) -> None:
    Store.create(path).close()
    called = 0
    with getattr(Store, opening)(path) as store:
        new_token(store, "Ana")
        before = locks(path)
        assert len(before) == 2
        for name, call in calls_of(store):
            try:
                done = call()
            except (StoreError, NoResultFound, ValueError):  # its replay is any text
                done = None
            assert locks(path) == before, name
            if isinstance(done, Store):
                done.close()
                assert locks(path) == before, name
            called += 1
    assert called > 60


@pytest.mark.skipif(not Path("/proc/self/fdinfo").exists(), reason="only Linux says which locks a process has")
def test_a_lock_that_is_dropped_is_noticed(path: Path) -> None:
    with Store.create(path):
        before = locks(path)
        path.open("rb").close()
        assert locks(path) != before
        assert is_database(path)


def test_a_run_that_starts_is_not_refused_because_somebody_asks_whether_one_goes_on(path: Path) -> None:
    Store.create(path).close()
    command = [sys.executable, "-c", dedent(ASKER), str(path)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as asker:
        assert asker.stdout is not None
        assert asker.stdout.readline() == "asking\n"
        for _ in range(20):
            Store.create(path).close()
        asker.kill()


@pytest.mark.slow  # it starts three processes
def test_tables_can_be_made_while_a_run_makes_them(path: Path) -> None:
    command = [sys.executable, "-c", dedent(STARTER)]
    with ExitStack() as stack:
        others = [
            stack.enter_context(subprocess.Popen([*command, *each], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
            for each in (("create", "Ana"), ("join", "Ben"), ("join", "Cem"))
        ]
        for number in range(20):
            place = path.with_name(f"{number}.db")
            for other in others:
                assert other.stdin is not None
                other.stdin.write(f"{place}\n")
                other.stdin.flush()
            for other in others:
                assert other.stdout is not None
                assert other.stdout.readline() == "done\n"
            with Store.read(place) as store:
                assert len(people(store)) == 3
        for other in others:
            other.kill()


def test_a_token_is_made_while_a_run_makes_the_tables(path: Path) -> None:
    with Store.create(path) as run:
        assert is_being_written(path)
        with Store.join(path, creates=True) as store:
            new_token(store, "Ana")
        assert [each.name for each in people(run)] == ["Ana"]
