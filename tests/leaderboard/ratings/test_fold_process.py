"""The fold beside the play comes to what a fold in the driver comes to, whatever happens to its process, and outlives no driver."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from textwrap import dedent

import pytest

from engine.records import MatchResult
from leaderboard.errors import DiskFullError
from leaderboard.ratings.fold import Fold, Folded, entry_of
from leaderboard.ratings.fold_process import ATTEMPTS, BATCH, FoldBeside, Spool, SpoolReader
from leaderboard.ratings.trueskill import Rated, RatingParameters
from tests.leaderboard.conftest import BOTS, fold_of, result_of

ROOT = Path(__file__).parents[3]
CONTENTS = {bot: f"digest of {bot}" for bot in BOTS}
MATCHES = [result_of(f"m{n}", BOTS, ((1, 2, 3, 4), (2, 1, 4, 3), (1, 1, 3, 3))[n % 3]) for n in range(3 * BATCH)]


@pytest.fixture
def beside() -> Iterator[FoldBeside]:
    """A fold that starts its process with the first results."""
    with FoldBeside(CONTENTS, RatingParameters(), here=0) as fold:
        yield fold


def feed(fold: FoldBeside, matches: list[MatchResult], first: int = 0) -> None:
    """Add results in the order of the schedule."""
    for index, result in enumerate(matches, start=first):
        fold.add(index, entry_of(result))


def wait_for(happened: Callable[[], bool]) -> None:
    """Wait until something that another process does has happened."""
    end = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.01)


def with_points(points: list[Rated], last: Folded) -> Folded:
    """The last report with the points of all."""
    return Folded(last.matches, last.totals, tuple(points) + last.points, last.results_digest)


def test_it_comes_to_the_same_as_a_fold_here(beside: FoldBeside) -> None:
    feed(beside, MATCHES)
    assert beside.added == len(MATCHES)
    assert beside.finish() == fold_of(MATCHES)


def test_without_results_it_comes_to_nothing(beside: FoldBeside) -> None:
    assert beside.finish() == fold_of([])


def test_news_come_while_results_are_added_and_points_once(beside: FoldBeside) -> None:
    points: list[Rated] = []
    for first in range(0, len(MATCHES), BATCH):
        feed(beside, MATCHES[first : first + BATCH], first)
        reports: list[Folded] = []

        def has_come(reports: list[Folded] = reports, until: int = first + BATCH) -> bool:
            if (news := beside.take()) is not None:
                reports.append(news)
                points.extend(news.points)
            return bool(reports) and reports[-1].matches == until

        wait_for(has_come)
        assert reports[-1].totals == fold_of(MATCHES[: first + BATCH]).totals
    assert with_points(points, beside.finish()) == fold_of(MATCHES)


def test_a_bot_that_joins_counts_from_then_on(beside: FoldBeside) -> None:
    early, late = MATCHES[:30], [result_of(f"n{n}", ("eve", "ann"), (1, 2)) for n in range(30)]
    feed(beside, early)
    beside.enter("eve", "digest of eve")
    feed(beside, late, 30)
    found = beside.finish()
    here = Fold(CONTENTS, RatingParameters())
    for index, result in enumerate(early):
        here.add(index, entry_of(result))
    here.enter("eve", "digest of eve")
    for index, result in enumerate(late, start=30):
        here.add(index, entry_of(result))
    assert found == here.take() == fold_of(early + late, (*BOTS, "eve"))


def test_what_waits_behind_a_gap_counts_at_the_end(beside: FoldBeside) -> None:
    feed(beside, MATCHES[:10])
    feed(beside, MATCHES[10:20], first=50)
    assert beside.finish() == fold_of(MATCHES[:20])


@pytest.mark.parametrize("here", [0, 10, 200, 10_000])
def test_it_does_not_matter_where_it_is_folded(here: int) -> None:
    with FoldBeside(CONTENTS, RatingParameters(), here=here) as fold:
        points: list[Rated] = []
        for first in range(0, 900, 90):
            feed(fold, MATCHES[first : first + 90], first)
            if (news := fold.take()) is not None:
                points.extend(news.points)
        found = with_points(points, fold.finish())
    expected = fold_of(MATCHES[:900])
    assert (found.matches, found.totals, found.results_digest) == (expected.matches, expected.totals, expected.results_digest)
    assert set(found.points) == set(expected.points)


@pytest.mark.parametrize("kills", [1, ATTEMPTS])
def test_a_process_that_is_killed_changes_nothing(beside: FoldBeside, kills: int) -> None:
    for number in range(kills):
        feed(beside, MATCHES[number * 100 : (number + 1) * 100], number * 100)
        beside.take()
        process = beside._process
        assert process is not None
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        beside.take()
    assert (beside._process is None) == (kills == ATTEMPTS)
    feed(beside, MATCHES[kills * 100 :], kills * 100)
    assert beside.finish() == fold_of(MATCHES)


def test_a_process_that_is_killed_at_the_very_end_changes_nothing(beside: FoldBeside, monkeypatch: pytest.MonkeyPatch) -> None:
    feed(beside, MATCHES)
    killed: list[int] = []
    wake = beside._wake

    def kill_instead() -> None:
        if killed:
            wake()
        else:
            assert beside._process is not None
            killed.append(beside._process.pid)
            os.kill(beside._process.pid, signal.SIGKILL)

    monkeypatch.setattr(beside, "_wake", kill_instead)
    assert beside.finish() == fold_of(MATCHES)
    assert killed


def test_where_no_process_can_be_started_the_driver_folds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leaderboard.ratings.fold_process.sys.executable", "/nowhere/python")
    with FoldBeside(CONTENTS, RatingParameters(), here=0) as fold:
        feed(fold, MATCHES)
        assert fold.take() is None
        assert fold.finish() == fold_of(MATCHES)


def test_its_process_is_gone_when_the_run_fails() -> None:
    with suppress(KeyboardInterrupt), FoldBeside(CONTENTS, RatingParameters(), here=0) as fold:
        feed(fold, MATCHES)
        process = fold._process
        raise KeyboardInterrupt
    assert process is not None
    assert process.returncode == -signal.SIGKILL


def test_it_ends_when_the_driver_is_killed() -> None:
    code = """
        import os, signal
        from leaderboard.ratings.fold_process import BATCH, FoldBeside
        from leaderboard.ratings.fold import entry_of
        from leaderboard.ratings.trueskill import RatingParameters
        from tests.leaderboard.conftest import BOTS, result_of

        fold = FoldBeside({bot: "" for bot in BOTS}, RatingParameters(), here=0)
        for index in range(20 * BATCH):
            fold.add(index, entry_of(result_of(f"m{index}", BOTS, (1, 2, 3, 4))))
        print(fold._process.pid, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    """
    driver = subprocess.run([sys.executable, "-c", dedent(code)], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert driver.returncode == -signal.SIGKILL
    wait_for(lambda: not is_alive(int(driver.stdout)))


def test_no_file_beside_the_run_is_taken_for_one_of_the_standard_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "copy.py").write_text("from pathlib import Path; Path('ran').touch()")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(ROOT), *(path for path in sys.path if path)])
    with FoldBeside(CONTENTS, RatingParameters(), here=0) as fold:
        feed(fold, MATCHES)
        assert fold.finish() == fold_of(MATCHES)
    assert not (tmp_path / "ran").exists()


def is_alive(pid: int) -> bool:
    """Whether there is such a process, and it has not ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_spool_gives_whole_pieces_in_their_order_to_each_reader() -> None:
    spool = Spool()
    one, other = SpoolReader(spool.descriptor), SpoolReader(spool.descriptor)
    assert one.next() is None
    spool.append(b"first")
    assert (one.next(), one.next()) == (b"first", None)
    spool.append(b"")
    spool.append(b"x" * 100_000)
    os.write(spool.descriptor, b"\0\0\0\5half")  # a piece of five bytes of which one is still to come
    assert (one.next(), one.next(), one.next()) == (b"", b"x" * 100_000, None)
    assert (other.next(), other.next()) == (b"first", b"")
    spool.close()


def test_a_full_disk_is_told_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        def write(self, _data: object) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

        def close(self) -> None:
            """It holds nothing."""

    spool = Spool()
    spool.close()
    monkeypatch.setattr(spool, "_file", Full())
    with pytest.raises(DiskFullError, match=r"there is no room for temporary files in .* \(No space left on device\); make room"):
        spool.append(b"x")
