"""What many visitors ask for is computed once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from arena.web.cache import Cache
from arena.web.queries import Queries
from leaderboard.storage.store import Store
from tests.arena.format_plans import plan
from tests.arena.running import run, stop_after

POOL = ThreadPoolExecutor(2)


def test_a_value_is_made_once_while_its_stamp_is_the_same() -> None:
    cache, made = Cache(background=POOL), iter("abc")

    assert [cache.get("key", stamp, lambda: next(made)) for stamp in (1, 1, 2)] == ["a", "a", "b"]


def test_two_visitors_at_once_wait_for_one_computation() -> None:
    cache = Cache(background=POOL)
    begun, go_on = threading.Event(), threading.Event()
    made: list[int] = []

    def make() -> int:
        begun.set()
        assert go_on.wait(10)
        made.append(1)
        return 7

    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(cache.get, "key", 1, make) for _ in range(4)]
        assert begun.wait(10)
        go_on.set()
        assert [each.result(10) for each in asked] == [7] * 4

    assert made == [1]


def test_the_last_value_is_shown_while_a_slow_one_is_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.web.cache.QUICK_SECONDS", -1.0)
    monkeypatch.setattr("arena.web.cache.REST", 0)
    cache = Cache(background=POOL)
    go_on, done = threading.Event(), threading.Event()

    def slow() -> str:
        assert go_on.wait(10)
        done.set()
        return "new"

    assert cache.stamp("key") is None
    cache.get("key", 1, lambda: "old")

    assert cache.get("key", 2, slow) == "old"
    assert cache.stamp("key") == 1
    go_on.set()
    assert done.wait(10)


def test_a_failure_is_not_kept() -> None:
    cache = Cache(background=POOL)

    def fail() -> int:
        raise ValueError

    for _ in range(2):
        with pytest.raises(ValueError):  # noqa: PT011  # the one above
            cache.get("key", 1, fail)
    assert cache.get("key", 1, lambda: 5) == 5


def test_figures_are_as_of_the_oldest_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.web.cache.QUICK_SECONDS", -1.0)
    path, spec = tmp_path / "t.db", plan(6, format="ladder", rounds=30)
    run(spec, path, is_stopping=stop_after(20))
    with Store.read(path) as store:
        queries = Queries(store, fresh_seconds=1e-9, background=POOL)
        for more in (0, 30):
            if more:
                monkeypatch.setattr("arena.web.cache.REST", 10**9)  # nothing is computed again
                run(spec, path, is_stopping=stop_after(more))
            ladder = queries.tournament(spec.name)
            assert queries.stats(ladder).played == 20
            assert len(queries.standings(ladder)) == 6
            assert (queries.as_of(ladder), queries.played(ladder)) == (20, 20 + more)
        queries.close()
