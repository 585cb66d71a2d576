"""The fold in a process of its own, so that the driver never waits for it.

The driver appends results to a spool, a nameless file that both have open; the process reads it at its own pace and reports its progress.
If the process dies, it is started again and reads the spool from the beginning. It ends when the driver does, however that ends.
"""

from __future__ import annotations

import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import IO, Final, Self

import msgspec

from leaderboard.errors import DiskFullError
from leaderboard.ratings.fold import Entry, Fold, Folded
from leaderboard.ratings.trueskill import RatingParameters

BATCH: Final = 500
"""The most results in one piece of the spool: a few hundredths of a second of folding."""
FOLDED_HERE: Final = 5_000
"""Results that the driver folds itself before it starts the process; starting it costs about as much as folding these."""
REPORT_SECONDS: Final = 0.25
ATTEMPTS: Final = 3
_LENGTH: Final = 4


class _Results(msgspec.Struct, frozen=True, array_like=True, tag="results"):
    """Results with their indices in the schedule; None for a void match."""

    results: list[tuple[int, Entry | None]]


class _Entered(msgspec.Struct, frozen=True, array_like=True, tag="entered"):
    """A bot that joins."""

    bot: str
    content: str


class _End(msgspec.Struct, frozen=True, array_like=True, tag="end"):
    """The end of the results."""


_PIECES: Final = msgspec.msgpack.Decoder(_Results | _Entered | _End)
_REPORTS: Final = msgspec.msgpack.Decoder(Folded)
_SETUPS: Final = msgspec.msgpack.Decoder(tuple[dict[str, str], RatingParameters])
_ENCODER: Final = msgspec.msgpack.Encoder()


def _framed(data: bytes) -> bytes:
    return len(data).to_bytes(_LENGTH, "big") + data


class Spool:
    """A nameless file to which one process appends pieces, and which others read; it is gone when the last process closes it."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115  # closed by close()
        self.descriptor = self._file.fileno()

    def append(self, piece: bytes) -> None:
        """Append a piece. Raises DiskFullError when there is no room."""
        left = memoryview(_framed(piece))
        try:
            while left:
                left = left[self._file.write(left) :]
        except OSError as error:
            raise DiskFullError(
                f"there is no room for temporary files in {tempfile.gettempdir()} ({error.strerror}); "
                "make room, or name another folder in TMPDIR, and run the same command again"
            ) from None

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class SpoolReader:
    """Reads a spool from the beginning, given its descriptor, without moving the position that other processes share."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._offset = 0

    def next(self) -> bytes | None:
        """Return the next whole piece, or None if it has not been written yet."""
        head = os.pread(self._descriptor, _LENGTH, self._offset)
        if len(head) < _LENGTH:
            return None
        length = int.from_bytes(head, "big")
        piece = os.pread(self._descriptor, length, self._offset + _LENGTH)
        if len(piece) < length:
            return None
        self._offset += _LENGTH + length
        return piece


class _Reader:
    """A spool, and the fold of what has been read from it."""

    def __init__(self, descriptor: int) -> None:
        self._spool = SpoolReader(descriptor)
        setup = self._spool.next()
        assert setup is not None, "the setup is written first"
        self.fold = Fold(*_SETUPS.decode(setup))
        self.is_over = False

    def step(self) -> bool:
        """Fold the next piece; return whether there was one."""
        piece = self._spool.next()
        if piece is None:
            return False
        match _PIECES.decode(piece):
            case _Results(results):
                for index, entry in results:
                    self.fold.add(index, entry)
            case _Entered(bot, content):
                self.fold.enter(bot, content)
            case _End():
                self.is_over = True
                self.fold.close_gaps()
        return True


class FoldBeside:
    """The fold of a run's results, to be used in a ``with`` statement. Only ``finish`` waits for it.

    The first ``here`` results are folded in this process, more in another; the outcome is the same.
    """

    def __init__(self, contents: Mapping[str, str], parameters: RatingParameters, *, here: int = FOLDED_HERE) -> None:
        self._spool = Spool()
        self._spool.append(_ENCODER.encode((dict(contents), parameters)))
        self._here: _Reader | None = _Reader(self._spool.descriptor)
        self._left = here
        self._unsent: list[tuple[int, Entry | None]] = []
        self._process: subprocess.Popen[bytes] | None = None
        self._attempts = 0
        self._said = bytearray()
        self.added = 0
        """The number of results added, void ones not counted."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._end_process()
        self._spool.close()

    def add(self, index: int, entry: Entry | None) -> None:
        """Add the result of match number ``index`` of the schedule, in any order; None if it is void. Raises DiskFullError."""
        self._unsent.append((index, entry))
        self.added += entry is not None
        if len(self._unsent) == BATCH:
            self._send()

    def enter(self, bot: str, content: str) -> None:
        """Add a bot that joins, before its first match; ``content`` is its hash. Raises DiskFullError."""
        self._send()
        self._append(_Entered(bot, content))

    def _send(self) -> None:
        if not self._unsent:
            return
        self._left -= len(self._unsent)
        results, self._unsent = self._unsent, []
        self._append(_Results(results))

    def _append(self, piece: _Results | _Entered) -> None:
        self._spool.append(_ENCODER.encode(piece))
        if self._here is not None and self._left >= 0:
            self._here.step()
        elif self._process is not None:
            self._wake()
        elif self._attempts < ATTEMPTS:
            self._here = None
            self._start()

    def take(self) -> Folded | None:
        """Return the newest state of the fold, or None if there is none since the last call; each point for plots is returned once."""
        self._send()
        if self._here is not None:
            return self._here.fold.take()
        if self._process is None:
            return None
        assert self._process.stdout is not None
        while select.select([self._process.stdout], [], [], 0)[0]:
            said = os.read(self._process.stdout.fileno(), 1 << 20)
            if not said:
                self._lost()
                break
            self._said += said
        return _joined(self._reports())

    def finish(self) -> Folded:
        """Fold everything that was added, across gaps in the schedule that were not filled, and return the final state."""
        self._send()
        self._spool.append(_ENCODER.encode(_End()))
        while self._process is not None:
            self._wake()
            stdout = self._process.stdout
            assert stdout is not None
            while said := os.read(stdout.fileno(), 1 << 20):
                self._said += said
            if self._process.wait() == 0:
                self._end_process()
                last = _joined(self._reports())
                assert last is not None, "it reports before it ends"
                return last
            self._lost()
        reader = self._here or _Reader(self._spool.descriptor)
        while not reader.is_over:
            reader.step()
        return reader.fold.take()

    def _reports(self) -> list[Folded]:
        """Return the reports that have arrived whole."""
        reports = []
        while len(self._said) >= _LENGTH:
            end = _LENGTH + int.from_bytes(self._said[:_LENGTH], "big")
            if len(self._said) < end:
                break
            reports.append(_REPORTS.decode(self._said[_LENGTH:end]))
            del self._said[:end]
        return reports

    def _start(self) -> None:
        self._attempts += 1
        self._said.clear()
        # -P: a file in the working directory, such as a bot called copy.py, must not shadow the standard library
        command = [sys.executable, "-P", "-c", "from leaderboard.ratings.fold_process import main; main()", str(self._spool.descriptor)]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(path or str(Path.cwd()) for path in sys.path)}
        try:
            self._process = subprocess.Popen(  # noqa: S603  # our own program
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                pass_fds=[self._spool.descriptor],
                env=environment,
                bufsize=0,
                start_new_session=True,  # the driver handles Ctrl-C
            )
        except OSError:
            self._attempts = ATTEMPTS  # the machine can start no more processes; ``finish`` folds here
            return
        assert self._process.stdin is not None
        os.set_blocking(self._process.stdin.fileno(), False)
        self._wake()

    def _wake(self) -> None:
        """Tell the process that the spool has grown. A full pipe tells it already; its death is noticed when it is read from."""
        assert self._process is not None
        assert self._process.stdin is not None
        with suppress(BlockingIOError, BrokenPipeError):
            os.write(self._process.stdin.fileno(), b"w")

    def _lost(self) -> None:
        self._end_process()
        if self._attempts < ATTEMPTS:
            self._start()

    def _end_process(self) -> None:
        if self._process is None:
            return
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()
        self._process = None


def _joined(reports: list[Folded]) -> Folded | None:
    """Return the last of several reports, with the points of all."""
    if not reports:
        return None
    points = tuple(point for report in reports for point in report.points)
    return Folded(reports[-1].matches, reports[-1].totals, points, reports[-1].results_digest)


# The process


def main() -> None:
    """Fold the spool whose descriptor is the last argument, until the driver says that it has ended, or is gone."""
    with suppress(BrokenPipeError):
        _serve(_Reader(int(sys.argv[-1])), sys.stdin.buffer, sys.stdout.buffer)


def _serve(reader: _Reader, orders: IO[bytes], out: IO[bytes]) -> None:
    has_news = False
    told = monotonic()
    while True:
        worked = reader.step()
        has_news = has_news or worked
        since = monotonic() - told
        if reader.is_over or (has_news and since >= REPORT_SECONDS):
            out.write(_framed(_ENCODER.encode(reader.fold.take())))
            out.flush()
            if reader.is_over:
                return
            has_news = False
            told = monotonic()
        wait = 0.0 if worked else REPORT_SECONDS - since if has_news else None
        if select.select([orders], [], [], wait)[0] and not os.read(orders.fileno(), 4096):
            return  # the driver is gone
