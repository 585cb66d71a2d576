"""What all tests share: which form of the engine is tested, fixtures of several packages, and which tests are slow.

Besides those marked ``slow``, tests are slow that need a program of the system, and of a test marked ``sampled(n)`` all but ``n`` of its
parameters. ``make test`` leaves slow tests out and gives a property fewer examples; ``make test-all`` runs everything.
"""

from __future__ import annotations

import gc
import sys
from collections import defaultdict
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

from bots.loader import loading
from bots.loader.static_analysis import read_bot
from engine import FORM
from tests.database_files import dont_wait_for_the_disk, share_compiled_statements, watch
from tests.postgres import postgres
from tests.world import stored, stored_store

__all__ = [
    "postgres",
    "pytest_collection_finish",
    "pytest_collection_modifyitems",
    "pytest_configure",
    "pytest_ignore_collect",
    "pytest_report_header",
    "pytest_sessionfinish",
    "stored",
    "stored_store",
]

SYSTEM_FIXTURES = {"chromium", "postgres"}
"""Fixtures that start a program of the system."""

OF_DEV = {Path(__file__).parent / "arena" / "puzzles": "ortools", Path(__file__).parent / "engine" / "openspiel": "pyspiel"}
"""Folders of slow tests that import a package of the extra ``dev``, which ``make test`` does not install."""

ONLY_ON_LINUX = [Path(__file__).parent / "bots" / "sandbox", Path(__file__).parent / "bots" / "host"]
"""What tests isolation and processes, for which the program uses what only Linux has."""

READ_APART = {"test_apart.py", "test_attacks.py", "test_two_processes.py"}
"""Files of tests of the processes in which bots' files are read."""

settings.register_profile("all", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow])
"""The same examples for the same code; no test fails because a core was busy."""
settings.register_profile("everyday", settings.get_profile("all"), max_examples=50)
settings.register_profile(
    "mutants",
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.differing_executors],
)
"""For ``make mutants``, which runs a test again and again, and to which one failing example is as good as the smallest."""


@pytest.fixture(autouse=True)
def read_in_this_process(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bots' files are read without a process for each, which takes a tenth of the time; ``test_apart`` has the processes."""
    if request.path.name not in READ_APART:
        monkeypatch.setattr(loading, "read_apart", read_bot)


def pytest_configure(config: pytest.Config) -> None:
    if not config.getoption("--hypothesis-profile"):
        settings.load_profile("everyday" if config.option.markexpr == "not slow" else "all")
    gc.disable()  # while tests are collected, where a third of the time went into looking for garbage
    watch()
    dont_wait_for_the_disk()
    share_compiled_statements()


def pytest_collection_finish() -> None:
    gc.freeze()  # thousands of tests, in which no test leaves garbage
    gc.set_threshold(20_000, 20, 20)  # a run of a tournament in this process thaws them all again
    gc.enable()


def pytest_sessionfinish() -> None:
    gc.collect()
    gc.freeze()  # pytest collects five times at the end of each worker, which took as long as hundreds of tests


def pytest_report_header() -> str:
    return f"engine: {'compiled' if FORM.is_compiled else 'plain Python'} ({FORM.reason})"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    package = OF_DEV.get(collection_path)
    return True if package and config.option.markexpr == "not slow" and find_spec(package) is None else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    sampled: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if SYSTEM_FIXTURES & {*getattr(item, "fixturenames", ())} or "postgresql" in item.name:
            item.add_marker(pytest.mark.slow)
        if item.get_closest_marker("sampled"):
            sampled[item.nodeid.partition("[")[0]].append(item)
        if sys.platform != "linux" and any(item.path.is_relative_to(folder) for folder in ONLY_ON_LINUX):
            item.add_marker(pytest.mark.skip(reason="isolation and accounting of processes need Linux"))
    for group in sampled.values():
        mark = group[0].get_closest_marker("sampled")
        assert mark is not None
        kept = {at * len(group) // mark.args[0] for at in range(mark.args[0])}
        for at, item in enumerate(group):
            if at not in kept:
                item.add_marker(pytest.mark.slow)
