"""Where a run is played is decided once, before it begins, and said with the reason."""

from __future__ import annotations

import pytest

from arena.cli.options import LONG_RUN, ExecutorName
from arena.cli.run.run import choose_executor

AUTO, PROCESSES, RAY, INLINE = ExecutorName.AUTO, ExecutorName.PROCESSES, ExecutorName.RAY, ExecutorName.INLINE


@pytest.mark.parametrize(
    ("name", "address", "matches", "where", "why"),
    [
        (AUTO, None, 6, PROCESSES, "Ray is for more than 20,000 matches"),
        (AUTO, None, LONG_RUN, PROCESSES, "Ray is for more than 20,000 matches"),
        (AUTO, None, LONG_RUN + 1, RAY, "since more than 20,000 matches are left"),
        (AUTO, None, None, PROCESSES, "since it has no end"),
        (AUTO, "10.0.0.1:6379", 6, RAY, "as --address says"),
        (RAY, None, 6, RAY, "as --executor says"),
        (PROCESSES, None, LONG_RUN + 1, PROCESSES, "as --executor says"),
        (INLINE, None, LONG_RUN + 1, INLINE, "as --executor says"),
    ],
)
def test_a_run_is_played_in_processes_unless_it_is_long_or_told_otherwise(
    name: ExecutorName, address: str | None, matches: int | None, where: ExecutorName, why: str
) -> None:
    assert choose_executor(name, address, matches) == (where, why)
