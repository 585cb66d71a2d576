"""Plays the matches of a submission's check in a separate process, so that pages don't wait for them and a check can be stopped.

The server calls ``check_apart``. Each message from the process is its progress, an error or the result.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe
from traceback import format_exception
from typing import Any, Final

from arena.entries.bot_check import CheckProgress, CheckTerms, OnProgress, check_bot
from arena.entries.check_report import CheckReport, CheckStage, Trouble
from bots.errors import HostFaultError
from bots.host.player_pool import PlayerPool
from bots.limits import Level
from bots.loader.version import BotVersion
from engine.records import PackedReplay

_PROGRAM: Final = "import sys; sys.path[:] = {path!r}; from arena.web.submit.check_process import main; main({descriptor})"
_BEAT: Final = 0.5
"""The most seconds between two calls of ``go_on``."""
_NICE: Final = 5

Failed = dict[tuple[int, int], PackedReplay]
"""The replays of matches in which the bot failed, by number of players and seat."""


@dataclass(frozen=True, slots=True)
class CheckJob:
    """A bot, the terms of its check, and its limit in seconds; a check that ``is_quick`` plays one match at each table size."""

    version: BotVersion
    terms: CheckTerms
    level: Level
    seconds: float
    is_quick: bool = False


def check_apart(job: CheckJob, go_on: OnProgress = lambda _: None) -> tuple[CheckReport, Failed]:
    """Check a bot in a separate process. ``go_on`` gets the progress repeatedly; if it raises an error, the process is ended.

    Raises HostFaultError if the process is lost, and the errors of ``check_bot``.
    """
    ours, theirs = Pipe()
    with ours:
        with theirs:
            program = _PROGRAM.format(path=sys.path, descriptor=theirs.fileno())
            process = subprocess.Popen(  # noqa: S603  # this program
                [sys.executable, "-c", program, "arena-check"],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C in a terminal is for the server
            )
        try:
            progress = CheckProgress(CheckStage.START)
            ours.send(job)
            while True:
                go_on(progress)
                answer = _receive(ours) if ours.poll(_BEAT) else progress
                if isinstance(answer, Exception):
                    raise answer
                if not isinstance(answer, CheckProgress):
                    return answer
                progress = answer
        finally:
            process.kill()
            process.wait()


def _receive(process: Connection[Any, Any]) -> CheckProgress | Exception | tuple[CheckReport, Failed]:
    try:
        answer: CheckProgress | Exception | tuple[CheckReport, Failed] = process.recv()
    except (EOFError, OSError, TypeError):  # TypeError: an error that can't be unpickled
        return HostFaultError("the process of the check was lost")
    return answer


def main(descriptor: int) -> None:
    """Check the bot that the server sends, and send back the result."""
    os.set_inheritable(descriptor, False)
    os.nice(_NICE)
    with suppress(BrokenPipeError), Connection(descriptor) as server:  # the server has ended
        job: CheckJob = server.recv()
        failed: Failed = {}

        def keep(trouble: Trouble, replay: PackedReplay) -> None:
            failed[trouble.players, trouble.seat] = replay

        try:
            with PlayerPool(job.level, game=job.terms.game, runtime=job.terms.runtime) as pool:
                report = check_bot(job.version, job.terms, pool, server.send, keep, is_quick=job.is_quick, seconds=job.seconds)
            server.send((report, failed))
        except Exception as error:  # noqa: BLE001  # the server decides whose fault it is
            error.add_note("".join(format_exception(error)))
            server.send(error)
