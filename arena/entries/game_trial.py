"""Tries out a game that a stranger has chosen, in a separate process with limits, before this process creates it.

In a name such as ``openspiel:chess(...)``, the text after the colon is passed to another package. It can make that package crash, compute
for hours or use up all memory, which would end the server or command that created the game. Verdicts are kept in this process and, unless
the game was refused at once, in the user's cache folder.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Mapping
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Final

import msgspec

from arena.result_cache import key_of, open_cache
from arena.version import __version__
from bots.errors import SandboxError
from bots.loader.apart import run_apart
from bots.messages import encode_options
from engine.core import OptionsError, OptionValue
from engine.records import decode
from engine.registry import find_registration, played_by
from engine.text import quote

MEMORY: Final = 1 << 30
"""The address-space limit of the process that tries out a game, in bytes."""
CPU_SECONDS: Final = 5
"""The process's limit of CPU time in seconds. Playing takes less, so only a game that is slow to create or to show reaches it."""
WALL_SECONDS: Final = 20.0
"""The process's limit of wall time in seconds, not counting the time spent waiting for a processor."""
MEMORY_CODE: Final = 3
"""The exit code of the process if it ran out of memory."""
_AT_ONCE: Final = 2
_WAIT: Final = 2.0
"""How many seconds to wait for other trials."""
_KEPT: Final = 1024
_LONGEST: Final = 4000
_ENTRY: Final = (
    "import json, os, sys; order = json.loads(sys.stdin.buffer.read()); sys.path[:] = order['path'];"
    " os.environ.update(order['environment']);"
    " from arena.entries.game_trial_child import main; main(order)"
)
_PASSED: Final = ("ARENA_ENGINE", "HOME")
_SLOTS: Final = threading.BoundedSemaphore(_AT_ONCE)


class Verdict(msgspec.Struct, frozen=True):
    """The result of a trial: why the game can't be used (``problem``), or how large its positions became.

    ``moves``, ``drawing`` and ``text`` are the largest sizes in bytes of a position's legal moves in words, its drawing and its notation.
    ``seconds`` is the longest time that it took to show a position. ``is_final`` is False if the game was refused at once: such a trial is
    cheap to repeat, so its verdict need not be kept.
    """

    problem: str = ""
    moves: int = 0
    drawing: int = 0
    text: int = 0
    seconds: float = 0.0
    is_final: bool = True


def try_game(name: str, options: Mapping[str, OptionValue]) -> Verdict:
    """Try out a game, and return the verdict if the game can be used. Otherwise, raises OptionsError, which names the problem."""
    written = json.dumps(encode_options(dict(options)), sort_keys=True)
    if len(name) + len(written) > _LONGEST:
        raise OptionsError(f"{quote(name)} can't be used: its name and options have more than {_LONGEST} characters")
    verdict = _verdict(name, written)
    if verdict.problem:
        raise OptionsError(verdict.problem)
    return verdict


@lru_cache(_KEPT)
def _verdict(name: str, options: str) -> Verdict:
    package = played_by(name) or find_registration(name).version
    key, cache = key_of("trial of a game", name, options, package, __version__, MEMORY, CPU_SECONDS), open_cache()
    kept = cache.get(key)
    if kept is not None:
        return decode(kept, Verdict)
    if not _SLOTS.acquire(timeout=_WAIT):
        raise OptionsError(f"{quote(name)} can't be tried at the moment, since other games are being tried; try again in a few seconds")
    try:
        verdict = _tried(name, options)
    finally:
        _SLOTS.release()
    if verdict.is_final:
        cache.put(key, msgspec.json.encode(verdict))
    return verdict


def _tried(name: str, options: str) -> Verdict:
    order = {
        "path": [str(Path(__file__).resolve().parents[2]), *(each for each in sys.path if each)],
        "registration": asdict(find_registration(name)),
        "game": name,
        "options": json.loads(options),
        "memory": MEMORY,
        "cpu": CPU_SECONDS,
        "environment": {name: os.environ[name] for name in _PASSED if name in os.environ} | {"OPENBLAS_NUM_THREADS": "1"},
    }
    game = quote(name)
    try:
        ended = run_apart(["-B", "-c", _ENTRY], json.dumps(order).encode(), WALL_SECONDS)
    except SandboxError as error:
        raise OptionsError(f"{game} could not be tried: {error}") from None
    code = ended.code
    if code == 0 and ended.output:
        return decode(ended.output, Verdict)
    if ended.late:
        raise OptionsError(f"{game} could not be tried within {ended.late}; try again later")
    if ended.is_over_cpu:
        return Verdict(
            f"{game} can't be used: creating and showing positions takes more than {CPU_SECONDS} s of CPU time; choose smaller parameters"
        )
    if code == MEMORY_CODE:
        return Verdict(f"{game} can't be used: it takes more than {MEMORY >> 20} MiB of memory; choose smaller parameters")
    how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
    return Verdict(f"{game} can't be used: it crashes the process that creates or shows it ({how}); choose other parameters")
