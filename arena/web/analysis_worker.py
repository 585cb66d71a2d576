"""The process that runs one analysis for a page: it reads a job from standard input and writes the answer to standard output."""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Callable
from time import process_time
from typing import Final, TypeAlias

import msgspec

from arena.analysis.analyser import Settings, analyse_position, analysis_of
from arena.analysis.match_analysis import PositionAnalysis
from arena.result_cache import open_cache
from arena.web.viewer.documents import Mark, evaluation_of, marks_of
from arena.web.viewer.story import Story, story_of
from engine.core import EngineError
from engine.replay.format import read_replay
from engine.replay.verifier import timeline_of

_NICE: Final = 10
_GRACE: Final = 10
"""CPU seconds in addition to those of the job, for imports and a last decision."""
BEST: Final = 3
"""How many of the best moves are listed for a position."""
MEMORY: Final = 1 << 30
"""The limit on this process's address space, in bytes: ten times what a match of Tongiaki or Sunda to Sahul needs."""


class MatchJob(msgspec.Struct, frozen=True, tag="match"):
    """A job: analyse the match in ``replay``, in at most ``seconds`` of CPU time."""

    replay: str
    seconds: float


class PositionJob(msgspec.Struct, frozen=True, tag="position"):
    """A job: analyse the position after ``moves`` (in notation) are played from position ``at`` of the match in ``replay``."""

    replay: str
    at: int
    moves: tuple[str, ...]
    seconds: float


Job: TypeAlias = MatchJob | PositionJob


class MatchAnswer(msgspec.Struct, frozen=True, omit_defaults=True, tag="match"):
    """The analysis of a match: ``marks`` and ``evaluation`` for the viewer, and the ``story`` for the text of the page."""

    marks: list[Mark]
    evaluation: list[list[float]]
    story: Story | None = None


class PositionAnswer(msgspec.Struct, frozen=True, tag="position"):
    """Each seat's chance of winning (in solo play, its points) and the best moves in a position."""

    analysis: PositionAnalysis


class Failure(msgspec.Struct, frozen=True, tag="trouble"):
    """The reason why there is no analysis, in a sentence that visitors may read."""

    sentence: str


Answer: TypeAlias = MatchAnswer | PositionAnswer | Failure


def main() -> None:
    """Read a job from standard input, do it, and write the answer to standard output."""
    job = msgspec.json.decode(sys.stdin.buffer.read(), type=Job)
    os.nice(_NICE)
    limit(int(job.seconds) + _GRACE)
    try:
        answer = do(job)
    except MemoryError:
        answer = Failure(f"The analysis needed more than {MEMORY >> 20} MiB of memory and was stopped.")
    sys.stdout.buffer.write(msgspec.json.encode(answer))


def limit(cpu_seconds: int) -> None:
    """Permanently limit this process to ``cpu_seconds`` and to ``MEMORY``; stricter limits set by the host stay in force."""
    wanted = [(resource.RLIMIT_CPU, cpu_seconds, 1)]
    if sys.platform != "darwin":  # macOS defines this limit but does not support it
        wanted.append((resource.RLIMIT_AS, MEMORY, 0))
    for which, most, grace in wanted:
        hard = resource.getrlimit(which)[1]
        last = most + grace if hard == resource.RLIM_INFINITY else min(most + grace, hard)
        resource.setrlimit(which, (min(most, last), last))


def do(job: Job) -> Answer:
    """Return the answer to a job."""
    until = process_time() + job.seconds

    def is_over() -> bool:
        return process_time() >= until

    try:
        if isinstance(job, PositionJob):
            return PositionAnswer(analyse_position(read_replay(job.replay), job.at, job.moves, BEST))
        return _match(job, is_over)
    except EngineError as error:
        return Failure(f"This match can't be analysed: {error}.")


def _match(job: MatchJob, is_over: Callable[[], bool]) -> Answer:
    replay = read_replay(job.replay)
    analysis = analysis_of(replay, Settings(is_over=is_over), open_cache())
    timeline = timeline_of(replay)
    return MatchAnswer(marks_of(timeline, analysis), evaluation_of(analysis), story_of(timeline, analysis))
