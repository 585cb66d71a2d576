"""Tracebacks of bots' errors for their authors: only the bot's own calls, with source lines, cleaned and limited in size."""

from __future__ import annotations

import linecache
import sys
from itertools import accumulate, islice
from pathlib import Path
from traceback import FrameSummary, StackSummary, TracebackException
from typing import TYPE_CHECKING, Final

from engine.text import plain_lines

if TYPE_CHECKING:  # it imports this module
    from bots.loader.version import BotVersion

LONGEST_TRACEBACK: Final = 8 * 1024
"""The size at which a traceback is cut, in bytes."""
_READ: Final = 8 * LONGEST_TRACEBACK
"""The most characters of a traceback that are processed, half of them from the end, where the cause is."""
_LONGEST_LINE: Final = 300
_GAP: Final = "  ..."


def bot_traceback(error: BaseException, version: BotVersion) -> str:
    """Return the traceback as text, or an empty string if the error did not come from the bot's files or can't be formatted."""
    try:
        shown = TracebackException.from_exception(error, lookup_lines=False)
        has_calls = _keep_own_calls(shown, version)
        text = "".join(shown.format()).replace(f'"<{version.origin}>', f'"{Path(version.origin).name}')
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001  # a contestant's exception may do anything when it is formatted
        return ""
    return clean_traceback(text) if has_calls else ""


def _keep_own_calls(shown: TracebackException, version: BotVersion) -> bool:
    """Remove all calls but the bot's own from a traceback and its causes. Return whether any are left or it is a syntax error."""
    calls = [(each, file) for each in shown.stack if (file := own_file(each.filename, version)) is not None]
    shown.stack = StackSummary.from_list([(file, each.lineno or 0, each.name, _line(each, file, version)) for each, file in calls])
    has_calls = bool(calls) or issubclass(shown.exc_type, SyntaxError)
    for cause in (shown.__cause__, shown.__context__):
        if cause is not None:
            has_calls = _keep_own_calls(cause, version) or has_calls
    return has_calls


def own_file(filename: str, version: BotVersion) -> str | None:
    """Return the name to show for a file of the bot, or None for any other file."""
    if version.files:
        start = f"<{version.origin}>/"
        return filename.removeprefix(start) if filename.startswith(start) else None
    if version.code is not None:
        return Path(version.origin).name if filename == f"<{version.origin}>" else None
    if version.live is not None:
        return Path(filename).name if filename == version.live.file else None
    module = sys.modules.get(version.origin)
    place = Path(str(getattr(module, "__file__", None)))
    if getattr(module, "__package__", ""):  # all modules of its package are the bot's own
        return f"{place.parent.name}/{Path(filename).name}" if Path(filename).parent == place.parent else None
    return place.name if filename == str(place) else None


def _line(call: FrameSummary, file: str, version: BotVersion) -> str:
    """Return the source line of a call, from the bot's own files: two bots in one process may have files of the same name."""
    source = version.code if version.code is not None else dict(version.files).get(file)
    if source is None:
        return linecache.getline(call.filename, call.lineno or 0).strip()
    text = source if isinstance(source, str) else source.decode(errors="replace")
    return next(islice(text.splitlines(), max((call.lineno or 1) - 1, 0), None), "").strip()


def clean_traceback(text: str) -> str:
    """Return an untrusted traceback made safe to store and show: printable, with short lines, and cut in the middle if it is too long."""
    lines = [
        _cut(line)
        for line in plain_lines(text if len(text) <= _READ else text[: _READ // 2] + text[-_READ // 2 :]).rstrip("\n").split("\n")
    ]
    sizes = [len(line.encode()) + 1 for line in lines]
    if sum(sizes) <= LONGEST_TRACEBACK:
        return "\n".join(lines)
    left = LONGEST_TRACEBACK - len(_GAP) - 1
    first = _fitting(sizes, left // 4)
    last = _fitting(sizes[first:][::-1], left - sum(sizes[:first]))
    return "\n".join([*lines[:first], _GAP, *lines[len(lines) - last :]])


def _fitting(sizes: list[int], room: int) -> int:
    return sum(total <= room for total in accumulate(sizes))


def _cut(line: str) -> str:
    return line if len(line) <= _LONGEST_LINE else line[: _LONGEST_LINE - 3] + "..."
