"""Keys pressed at a terminal, read one at a time with a deadline."""

from __future__ import annotations

import os
import re
import select
import sys
import termios
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TypeAlias

from readchar import key

Keyboard: TypeAlias = Callable[[float], str | None]
"""Waits for a key for at most the given seconds; returns None if none came. Keys are named as in ``readchar.key``."""

_SAME: Final = {
    "\x1bOA": key.UP,
    "\x1bOB": key.DOWN,
    "\x1bOC": key.RIGHT,
    "\x1bOD": key.LEFT,
    "\x1bOH": key.HOME,
    "\x1bOF": key.END,
    "\x1b[1~": key.HOME,
    "\x1b[7~": key.HOME,
    "\x1b[4~": key.END,
    "\x1b[8~": key.END,
    "\r": key.ENTER,
    "\b": key.BACKSPACE,
}
"""Sequences that other terminals send for the same keys."""
_KEY: Final = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1bO.|\x1b(?![\[O])|[^\x1b]", re.DOTALL)
_UNFINISHED: Final = re.compile(r"\x1b(\[[0-?]*[ -/]*|O)?\Z")
_SEQUENCE_SECONDS: Final = 0.05
"""How long the rest of a key's sequence may take; without it, an escape is the Escape key."""


def split_keys(text: str) -> list[str]:
    """Return the keys in a terminal's input; an incomplete sequence is dropped."""
    broken = _UNFINISHED.search(text)
    whole = text[: broken.start()] if broken and broken[1] else text
    return [_SAME.get(sequence, sequence) for sequence in _KEY.findall(whole)]


@contextmanager
def terminal_keys() -> Iterator[Keyboard]:
    """Read keys from standard input without echo; the terminal is restored when the block ends."""
    descriptor = sys.stdin.fileno()
    saved = termios.tcgetattr(descriptor)
    waiting: list[str] = []

    def ready(seconds: float) -> bool:
        return bool(select.select([descriptor], [], [], seconds)[0])

    def next_key(seconds: float) -> str | None:
        if not waiting and ready(seconds):
            data = os.read(descriptor, 1024)
            if not data:
                raise EOFError("standard input was closed")
            while _UNFINISHED.search(data.decode(errors="ignore")) and ready(_SEQUENCE_SECONDS):
                data += os.read(descriptor, 1024)
            waiting.extend(split_keys(data.decode(errors="ignore")))
        return waiting.pop(0) if waiting else None

    try:
        tty.setcbreak(descriptor)
        yield next_key
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, saved)
